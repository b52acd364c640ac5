"""Which scheme of generalization a recoding follows.

Each scheme allows more than the one before it: full-domain, subtree, sibling, multidimensional, cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.arrays import CodeArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import Recoding, as_cells
from krypsis.errors import UsageError, shorten

Row = tuple[Label, ...]


@dataclass(frozen=True, eq=False)
class Recoded:
    """Tuples before and after, with the hierarchy of each attribute; suppressed records are left out.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "human"], ["female", "human"]])
    >>> Recoded.of_rows([["male"], ["female"]], [["human"], ["female"]], [sex]).labels(0, "male")
    ('male', 'human')
    """

    hierarchies: tuple[Hierarchy, ...]
    before: tuple[Row, ...]
    after: tuple[Row, ...]

    @classmethod
    def of_map(cls, published: Mapping[Label, Label], hierarchy: Hierarchy) -> Recoded:
        """Return the one attribute of which every value is published as the label it is mapped to."""
        if strangers := [value for value in published if value not in hierarchy.code_of]:
            raise UsageError(
                f"the map names {shorten(map(repr, strangers))}; values of the hierarchy: "
                f"{shorten(map(repr, hierarchy.values))}"
            )
        if missing := [value for value in hierarchy.values if value not in published]:
            raise UsageError(
                f"the map must name every value of the hierarchy; missing: {shorten(map(repr, missing))}. "
                "A value that stays is mapped to itself"
            )
        rows = tuple((value,) for value in hierarchy.values)
        return cls((hierarchy,), rows, tuple((published[value],) for (value,) in rows))

    @classmethod
    def of_rows(
        cls, before: Sequence[Sequence[Label]], after: Sequence[Sequence[Label]], hierarchies: Sequence[Hierarchy]
    ) -> Recoded:
        """Return two tables of records, row by row the same record before and after."""
        if len(before) != len(after):
            raise UsageError(f"both tables must have the same records, got {len(before)} before and {len(after)} after")
        for row in (*before, *after):
            if isinstance(row, str) or len(row) != len(hierarchies):
                raise UsageError(f"every row needs {len(hierarchies)} cell(s), one per hierarchy, got {row!r}")
        covering = tuple(
            hierarchy.covering((row[position] for row in before), f"attribute {position + 1}")
            for position, hierarchy in enumerate(hierarchies)
        )
        return cls(covering, tuple(map(tuple, before)), tuple(map(tuple, after)))

    @classmethod
    def of_recoding(cls, recoding: Recoding, frequency: FrequencySet) -> Recoded:
        """Return the tuples of a frequency set as a recoding publishes them."""
        cells = as_cells(recoding, frequency)
        kept = np.flatnonzero(~cells.suppressed)
        before = [hierarchy.values for hierarchy in frequency.hierarchies]
        after = [book.labels for book in cells.codebooks]
        return cls(frequency.hierarchies, _rows(frequency.codes[kept], before), _rows(cells.released[kept], after))

    def pairs(self, position: int) -> set[tuple[Label, Label]]:
        """Return every value of an attribute with every label it is published as."""
        return {(old[position], new[position]) for old, new in zip(self.before, self.after, strict=True)}

    def labels(self, position: int, value: Label) -> tuple[Label, ...]:
        """Return everything a value may be published as: itself and its generalizations.

        A constant attribute has no top of its own; when it is suppressed, it is published as ``*``.
        """
        hierarchy = self.hierarchies[position]
        own = tuple(hierarchy.label(value, level) for level in range(hierarchy.height + 1))
        return own if hierarchy.height else (*own, TOP)


def _rows(codes: CodeArray, labels: Sequence[Sequence[Label]]) -> tuple[Row, ...]:
    return tuple(tuple(names[code] for names, code in zip(labels, row, strict=True)) for row in codes.tolist())


def is_full_domain(recoded: Recoded) -> bool:
    """Say whether all values of an attribute go to the same level of its hierarchy.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
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
    >>> from krypsis.data.hierarchies.base import Hierarchy
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
