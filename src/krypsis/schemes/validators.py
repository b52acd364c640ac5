"""Which scheme of generalization a recoding follows.

Each scheme allows more than the one before it: full-domain, subtree, sibling, multidimensional, cell.
"""

from __future__ import annotations

from krypsis.schemes.recoded import Recoded


def is_full_domain(recoded: Recoded) -> bool:
    """Say whether all values of an attribute go to the same level of its hierarchy.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> job = Hierarchy.from_rows([["Undergraduate", "Student"], ["Postgraduate", "Student"]])
    >>> is_full_domain(Recoded.of_map({"Undergraduate": "Student", "Postgraduate": "Student"}, job))
    True
    >>> is_full_domain(Recoded.of_map({"Undergraduate": "Student", "Postgraduate": "Postgraduate"}, job))
    False
    """
    return all(_has_one_level(recoded, position) for position in range(len(recoded.hierarchies)))


def is_subtree(recoded: Recoded) -> bool:
    """Say whether a value that is generalized takes its whole subtree along: the published labels cut the tree.

    No published label lies above another, so all values below a label are published as that label.
    """
    return is_sibling(recoded) and all(_is_cut(recoded, position) for position in range(len(recoded.hierarchies)))


def is_sibling(recoded: Recoded) -> bool:
    """Say whether a value is published in the same way wherever it stands; its siblings may stay.

    The label of a parent then stands for the values that went there, not for the siblings that stayed.
    """
    attributes = map(recoded.pairs, range(len(recoded.hierarchies)))
    return is_cell(recoded) and all(len(dict(pairs)) == len(pairs) for pairs in attributes)


def is_multidimensional(recoded: Recoded) -> bool:
    """Say whether what is published is a function of the whole tuple: equal tuples are published alike.

    The thesis prints the condition on a published value with the same symbol on both sides (erratum E14); meant is that
    it equals the original value or lies above it.
    """
    pairs = set(zip(recoded.before, recoded.after, strict=True))
    return is_cell(recoded) and len(dict(pairs)) == len(pairs)


def is_cell(recoded: Recoded) -> bool:
    """Say whether every published cell is the value of its own record or a generalization of it."""
    return all(
        label in recoded.labels(position, value)
        for position in range(len(recoded.hierarchies))
        for value, label in recoded.pairs(position)
    )


def narrowest_scheme(recoded: Recoded) -> str | None:
    """Return the scheme that allows least and still describes the recoding, or nothing if it is no generalization.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> sex = Hierarchy.from_rows([["male", "human"], ["female", "human"]])
    >>> narrowest_scheme(Recoded.of_map({"male": "human", "female": "female"}, sex))
    'sibling'
    """
    checks = {
        "full-domain": is_full_domain,
        "subtree": is_subtree,
        "sibling": is_sibling,
        "multidimensional": is_multidimensional,
        "cell": is_cell,
    }
    return next((name for name, check in checks.items() if check(recoded)), None)


def _has_one_level(recoded: Recoded, position: int) -> bool:
    pairs = [(recoded.labels(position, value), label) for value, label in recoded.pairs(position)]
    levels = range(len(pairs[0][0])) if pairs else range(1)
    return any(all(labels[level] == label for labels, label in pairs) for level in levels)


def _is_cut(recoded: Recoded, position: int) -> bool:
    pairs = recoded.pairs(position)
    image = {label for _, label in pairs}
    return all(image.intersection(recoded.labels(position, value)) == {label} for value, label in pairs)
