"""Records in groups, with their sensitive items in a second table."""
