"""Methods that publish sets of items."""
