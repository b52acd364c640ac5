"""Slow and plain: how closely values are related, and the searches over their hierarchy, as printed and as meant."""

from fractions import Fraction
from itertools import combinations, permutations


class Tree:
    """A hierarchy as sets: a node is the set of the values below it; chains of nodes with the same values are one."""

    def __init__(self, hierarchy):
        self.leaves = [value for value in hierarchy.values if value is not None]
        nodes = {frozenset({value}) for value in self.leaves}
        for level in range(hierarchy.height + 1):
            labels = hierarchy.column(level)
            for label in set(labels):
                nodes.add(
                    frozenset(v for v, its in zip(hierarchy.values, labels, strict=True) if its == label) - {None}
                )
        self.nodes = nodes - {frozenset()}
        self.root = frozenset(self.leaves)

    def parent(self, node):
        """The smallest node above, ``None`` for the root."""
        return min((one for one in self.nodes if node < one), key=len, default=None)

    def children(self, node):
        return [one for one in self.nodes if self.parent(one) == node]

    def correlation(self, *values):
        below = frozenset(values)
        return Fraction(len(self.root), min(len(node) for node in self.nodes if below <= node))

    def climb(self, value, e):
        """The nearest node above a value, or itself, whose parent has a correlation of at most ``e``."""
        node = frozenset({value})
        while (above := self.parent(node)) is not None and Fraction(len(self.root), len(above)) > e:
            node = above
        return node


def families(tree, e, *, printed=False):
    """Algorithm 8: nodes with the values that generalize to them; as printed, with the leaves of the parent removed."""
    left, found = list(tree.leaves), []
    while left:
        node = tree.climb(left[0], e)
        gone = tree.parent(node) if printed and tree.parent(node) is not None else node
        found.append(node)
        left = [value for value in left if value not in gone]
    return set(found)


def subtrees(tree, leaves, counts, m, *, printed=False):
    """Algorithm 9, from the leaves up; as printed, only the children of an accepted node are dropped."""
    work, found = [leaf for leaf in leaves if counts[leaf]], []
    while work:
        node = work.pop(0)
        above = tree.parent(node) or node
        work = [one for one in work if not one < above]
        below = [counts[leaf] for leaf in leaves if leaf <= above]
        if max(below) * m <= sum(below):
            dropped = tree.children(above) if printed else [one for one in tree.nodes if one < above]
            found = [one for one in found if one not in dropped and one != above] + [above]
        else:
            assert node != tree.root, "not eligible as a whole"
            work.append(above)
    return set(found)


def similar(first, second):
    """Whether two signatures, sets of nodes, can be matched along stable paths."""
    one = list(first)
    return any(
        len(first) == len(second) and all(a <= b or b <= a for a, b in zip(one, other, strict=True))
        for other in permutations(second)
    )


def is_uncorrelated(tree, values, e):
    return all(tree.correlation(*pair) <= e for pair in combinations(set(values), 2))
