"""Plain references for cuts through a hierarchy of items: every cut, one by one."""

from fractions import Fraction
from itertools import product

from oracles.itemsets import rare


def leaves_below(rows):
    """Every different thing of a hierarchy: the items that it stands for, with the label it has on its lowest level."""
    named = {}
    for level in range(len(rows[0])):
        for row in rows:
            named.setdefault(frozenset(one[0] for one in rows if one[level] == row[level]), row[level])
    return named


def cuts(rows):
    """Every way to publish each item as something above it, so that what becomes a label becomes it altogether."""
    named = leaves_below(rows)
    top = max(named, key=len)

    def below(node):
        children = [one for one in named if one < node and not any(one < other < node for other in named)]
        finer = [dict(kv for part in parts for kv in part.items()) for parts in product(*map(below, children))]
        return [dict.fromkeys(node, node), *(finer if children else [])]

    return below(top), named


def loss(sets, cut, items):
    """The certainty penalty of a cut, as a fraction."""
    paid = [len(cut[item]) for one in sets for item in set(one) if len(cut[item]) > 1]
    count = sum(len(set(one)) for one in sets)
    return Fraction(sum(paid), count * items) if count else Fraction(0)


def published(sets, cut, named):
    """The sets as a cut publishes them."""
    return [frozenset(named[cut[item]] for item in one) for one in sets]


def lowest_loss(sets, rows, k, m):
    """The lowest loss of a cut that leaves no rare set, ``None`` where there is none."""
    found, named = cuts(rows)
    kept = [cut for cut in found if not rare(published(sets, cut, named), k, m)]
    return min((loss(sets, cut, len(rows)) for cut in kept), default=None)
