"""Methods that publish a table that changes, version after version."""
