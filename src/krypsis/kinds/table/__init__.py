"""Tables: one record per row, one value per column."""
