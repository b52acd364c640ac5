"""Slow and plain: the criteria of publishing a value more generally, as inequalities and as printed."""

from fractions import Fraction


def counterfeit(penalty, c):
    return 1 - c + c * penalty


def is_balanced(p_g, ncp_s, c, f, v, attributes):
    """S8.2, form 5 from base time 0 (``NCP_S(t) = 0``) with ``Q = 0``, written out."""
    general = ncp_s / attributes
    return v * (p_g * counterfeit(general, c) - p_g * general) - ncp_s <= f


def is_cheaper(p, p_g, ncp_s, c, attributes):
    """S8.3 with ``Q = 0``, for a leaf that costs nothing."""
    general = ncp_s / attributes
    return p_g * counterfeit(general, c) + (1 - p_g) * general <= p * counterfeit(0, c)


def penalty_in_group(share, m, e):
    """S8.4: the node's own share, and about ``1/e`` for each of the others."""
    return (share + Fraction(m - 1) / e) / m


def printed_lower_bound(p_g, m, e, attributes, c, f, v):
    """Section 3.10.3 as printed: the factor ``v`` is lost in the denominator (erratum 25)."""
    return m * (v * p_g * (1 - c) - f) / ((1 - c) * p_g / attributes + 1) - Fraction(m - 1) / e


def losses(deleted, inserted):
    """What is lost beyond what comes, version by version."""
    return sum(max(0, gone - new) for gone, new in zip(deleted, inserted, strict=True))


def chance(tree, node, population, inserted, deleted, smoothing):
    """OPEN 18: the share of the records below a node that leave without being replaced, by version and leaf."""
    below = [place for place, leaf in enumerate(tree.leaves) if leaf in node]
    added = [[sum(row[leaf] for leaf in below) for row in table] for table in (population, inserted, deleted)]
    there, new, gone = added[0][:-1], added[1][1:], added[2][1:]
    total = sum(there) + 2 * smoothing
    return Fraction(losses(gone, new) + smoothing, total) if total else Fraction(0)


def target(tree, leaf, e, admissible):
    """S8.5: the nearest node above a leaf that is admissible, at or below its family; else the leaf."""
    family = tree.climb(leaf, e)
    above = [node for node in tree.nodes if leaf in node and len(node) > 1 and node <= family]
    return next((node for node in sorted(above, key=len) if admissible(node)), frozenset({leaf}))
