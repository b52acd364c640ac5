"""Labels, levels and heights as they are published: they depend on no value that only suppressed records have.

Some rules make the labels of one value depend on all others: masking fills them up to the length of the longest value.
Levels are searched on all values, and relabeled for publication. See docs/decisions/0025.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from krypsis import registry
from krypsis.arrays import BoolArray, CodeArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.hierarchies.resolve import HierarchySpec, builder
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet, Recoding, as_cells
from krypsis.data.schemes import levels_of


@dataclass(frozen=True, eq=False)
class PublicLabels:
    """A recoding with the labels that are published; codes are those of the search, levels and heights are not."""

    frequency: FrequencySet
    recoding: Recoding
    levels: dict[str, int]
    heights: dict[str, int]
    specs: Mapping[str, HierarchySpec]
    """How the hierarchies are stated to publish more records like these: relabeled ones as they are."""


def public_labels(
    specs: Mapping[str, HierarchySpec],
    frequency: FrequencySet,
    recoding: Recoding,
    shown: Sequence[BoolArray] | None = None,
) -> PublicLabels:
    """Return how a recoding is published, given how the hierarchies were stated.

    ``shown`` says for each attribute which values can be seen in what is published, where the tuples do not.
    """
    levels, heights = levels_of(recoding, frequency), dict(zip(frequency.attributes, frequency.heights, strict=True))
    if not any(depends_on_all_values(specs.get(name)) for name in frequency.attributes):
        return PublicLabels(frequency, recoding, levels, heights, specs)
    before, shown = frequency.hierarchies, shown_values(frequency, recoding) if shown is None else shown
    after = tuple(
        public_hierarchy(specs.get(name), hierarchy, own)
        for name, hierarchy, own in zip(frequency.attributes, before, shown, strict=True)
    )
    for place, name in enumerate(frequency.attributes):
        if after[place] is not before[place]:
            level, heights[name] = public_level(after[place], levels.get(name, 0), shown[place])
            levels |= {name: level} if name in levels else {}
            specs = {**specs, name: after[place]}
    if isinstance(recoding, CellRecoding):
        books = zip(recoding.codebooks, before, after, shown, strict=True)
        recoding = replace(recoding, codebooks=tuple(_relabeled(*one) for one in books))
    return PublicLabels(replace(frequency, hierarchies=after), recoding, levels, heights, specs)


def depends_on_all_values(spec: HierarchySpec) -> bool:
    """Say whether labels or the height depend on values that may not be published.

    Examples
    --------
    >>> [depends_on_all_values(spec) for spec in ("masking", {"kind": "masking", "length": 5}, None)]
    [True, False, False]
    """
    return not isinstance(spec, Hierarchy) and builder(spec, "hierarchy").depends_on_all_values


def public_hierarchy(spec: HierarchySpec, hierarchy: Hierarchy, shown: BoolArray) -> Hierarchy:
    """Return the hierarchy that a spec stands for, with labels that depend on the values shown only."""
    return hierarchy if isinstance(spec, Hierarchy) else builder(spec, "hierarchy").published(hierarchy, shown)


def public_level(hierarchy: Hierarchy, level: int, shown: BoolArray) -> tuple[int, int]:
    """Return level and height without the levels that change nothing of what is shown.

    Examples
    --------
    >>> built = Hierarchy.from_rows([["12", "12", "1*", "*"], ["345", "34*", "3**", "*"]])
    >>> public_level(built, 2, np.array([True, False]))
    (1, 2)
    """
    columns = [[hierarchy.labels[place][code] for code in codes[shown]] for place, codes in enumerate(hierarchy.table)]
    changes = np.cumsum([below != here for below, here in pairwise(columns)], dtype=np.int64)
    steps = [0, *changes.tolist()]
    return steps[level], steps[-1]


def private_figures(specs: Iterable[HierarchySpec]) -> frozenset[str]:
    """Return the names of the metrics that depend on the heights of hierarchies with suppressed records."""
    if not any(map(depends_on_all_values, specs)):
        return frozenset()
    return frozenset(name for name, cls in registry.classes("metric").items() if getattr(cls, "counts_levels", False))


def shown_values(frequency: FrequencySet, recoding: Recoding) -> Sequence[BoolArray]:
    """Say for each attribute which values published records have whose label is not the top, if there are any."""
    cells, kept = as_cells(recoding, frequency), ~recoding.suppressed & (frequency.counts > 0)
    return [
        _shown(hierarchy, book, frequency.codes[kept, place], cells.released[kept, place])
        for place, (hierarchy, book) in enumerate(zip(frequency.hierarchies, cells.codebooks, strict=True))
    ]


def _shown(hierarchy: Hierarchy, book: Codebook, codes: CodeArray, released: CodeArray) -> BoolArray:
    below_top = np.array([label != hierarchy.labels[-1][0] for label in book.labels], dtype=np.bool_)[released]
    shown = np.zeros(len(hierarchy.values), dtype=np.bool_)
    shown[codes[below_top] if below_top.any() else codes] = True
    return shown


def _relabeled(book: Codebook, before: Hierarchy, after: Hierarchy, shown: BoolArray) -> Codebook:
    """Return the codebook with new texts for labels of the hierarchy; other labels, such as ranges, stay."""
    if after is before:
        return book
    texts: dict[Label, Label] = {}
    for level in range(1, before.height):
        for code in np.unique(before.table[level][shown]).tolist():
            texts[before.labels[level][code]] = after.labels[level][code]
    return replace(book, labels=tuple(texts.get(label, label) for label in book.labels))
