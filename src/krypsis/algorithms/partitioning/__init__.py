"""Recursive partitioning: a table is cut in two again and again as long as every part keeps the promises."""
