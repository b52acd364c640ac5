"""Plain references for promises about sets of items: every subset of every record, one by one."""

from itertools import combinations


def supports(sets, m):
    """Every set of 1 to ``m`` items that some record holds, with the number of records that hold it."""
    occurring = {
        frozenset(part) for one in sets for size in range(1, m + 1) for part in combinations(sorted(set(one)), size)
    }
    return {part: sum(part <= set(one) for one in sets) for part in occurring}


def rare(sets, k, m):
    """The sets that fewer than ``k`` records hold and that contain no smaller such set."""
    below = {part: count for part, count in supports(sets, m).items() if count < k}
    return {part: count for part, count in below.items() if not any(other < part for other in below)}


def possible_supports(sets, rows, m):
    """The same for original items, where a record shows an item or something above it; ``rows`` are the hierarchy."""
    leaves = [row[0] for row in rows]
    above = {row[0]: set(row) for row in rows}
    known = [frozenset(part) for size in range(1, m + 1) for part in combinations(leaves, size)]
    counted = {part: sum(all(above[leaf] & set(one) for leaf in part) for one in sets) for part in known}
    return {part: count for part, count in counted.items() if count}
