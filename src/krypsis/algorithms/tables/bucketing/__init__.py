"""Groups with their sensitive values in a second table."""
