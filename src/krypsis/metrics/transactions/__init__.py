"""What published sets of items have lost."""
