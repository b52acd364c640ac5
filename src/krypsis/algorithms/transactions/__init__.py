"""Methods for records that are sets of items."""
