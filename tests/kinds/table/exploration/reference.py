"""The figures of a node from its definition: rows, dictionaries and loops."""

from collections import Counter
from fractions import Fraction
from typing import Any

from krypsis.data.hierarchies.base import TOP
from oracles.brute_force import BruteForce, Node


def published(force: BruteForce, node: Node, *, keep: bool) -> list[tuple[Any, ...]]:
    """What each record shows; suppressed ones show nothing, or the top of everything."""
    tops = tuple(tree[0][-1] if len(tree[0]) > 1 else TOP for tree in force.trees)
    rows = zip(node.released, node.suppressed, strict=True)
    return [tops if hidden else label for label, hidden in rows if keep or not hidden]


def risk(force: BruteForce, node: Node, *, keep: bool) -> dict[str, Any]:
    """The smallest group and the chance to pick the right record, for the attacker who knows most."""
    rows = published(force, node, keep=keep)
    if not rows:
        return {"smallest_group": None, "highest_risk": None, "average_risk": None}
    smallest, averages = [], []
    for columns in force.frequency.attribute_sets:
        sizes = Counter(tuple(row[column] for column in columns) for row in rows)
        alike = [sizes[tuple(row[column] for column in columns)] for row in rows]
        smallest.append(min(alike))
        averages.append(sum(Fraction(1, size) for size in alike) / len(alike))
    return {
        "smallest_group": min(smallest),
        "highest_risk": 1 / min(smallest),
        "average_risk": float(max(averages)),
    }
