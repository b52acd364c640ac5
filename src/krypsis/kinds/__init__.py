"""Kinds of data: what differs between tables, sets of items and tables that change; the same files in each."""
