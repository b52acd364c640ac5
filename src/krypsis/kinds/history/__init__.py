"""Histories: a table that changes and is published again and again."""
