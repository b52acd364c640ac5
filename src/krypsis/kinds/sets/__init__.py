"""Sets of items: every record is a set."""
