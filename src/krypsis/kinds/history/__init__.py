"""A table that changes, published version after version: the private state, and one release per version."""
