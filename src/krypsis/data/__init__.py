"""What data is, as the rest of the package sees it: tables, sets of items, groups and hierarchies as arrays."""
