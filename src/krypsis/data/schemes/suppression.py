"""The kinds of suppression: a record leaves the table, or cells are published as the top of their hierarchy.

The names follow the literature: *value* suppression takes all cells with a given value, *cell* suppression single
ones. The thesis has the two names exchanged (erratum E15).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from krypsis.arrays import BoolArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import CellRecoding, Codebook
from krypsis.errors import UsageError, column_not_found, did_you_mean, shorten


def suppress_records(recoding: CellRecoding, tuples: Collection[int]) -> CellRecoding:
    """Return the recoding that leaves out the records of the given tuples (S2, record suppression)."""
    suppressed = recoding.suppressed.copy()
    suppressed[_checked(tuples, len(suppressed))] = True
    return replace(recoding, suppressed=suppressed)


def suppress_value(recoding: CellRecoding, frequency: FrequencySet, attribute: str, label: Label) -> CellRecoding:
    """Return the recoding that publishes ``*`` wherever it published a given label (S3, value suppression).

    The thesis describes this under the name of cell suppression (erratum E15).
    """
    position = _position(frequency, attribute)
    labels = recoding.codebooks[position].labels
    if label not in labels:
        raise UsageError(
            f"{attribute!r} is nowhere published as {label!r}; labels: {shorten(map(repr, labels))}."
            f"{did_you_mean(str(label), filter(None, labels))}"
        )
    return blank(recoding, frequency, attribute, recoding.released[:, position] == labels.index(label))


def suppress_cell(
    recoding: CellRecoding, frequency: FrequencySet, attribute: str, tuples: Collection[int]
) -> CellRecoding:
    """Return the recoding that publishes ``*`` in one attribute of some tuples only (S4, cell suppression).

    The thesis describes this under the name of value suppression (erratum E15).
    """
    chosen = np.zeros(len(frequency.counts), dtype=np.bool_)
    chosen[_checked(tuples, len(chosen))] = True
    return blank(recoding, frequency, attribute, chosen)


def suppress_attribute(recoding: CellRecoding, frequency: FrequencySet, attribute: str) -> CellRecoding:
    """Return the recoding that publishes ``*`` in a whole column (S1, attribute suppression)."""
    return blank(recoding, frequency, attribute, np.ones(len(frequency.counts), dtype=np.bool_))


def suppress(
    recoding: CellRecoding,
    frequency: FrequencySet,
    *,
    attributes: Collection[str] = (),
    values: Mapping[str, Collection[Label]] | None = None,
    cells: Mapping[str, Collection[int]] | None = None,
    records: Collection[int] = (),
) -> CellRecoding:
    """Return the recoding with several kinds of suppression at once (S5, multidimensional suppression)."""
    for attribute, labels in (values or {}).items():
        for label in labels:
            recoding = suppress_value(recoding, frequency, attribute, label)
    for attribute, tuples in (cells or {}).items():
        recoding = suppress_cell(recoding, frequency, attribute, tuples)
    for attribute in attributes:
        recoding = suppress_attribute(recoding, frequency, attribute)
    return suppress_records(recoding, records)


def blank(recoding: CellRecoding, frequency: FrequencySet, attribute: str, chosen: BoolArray) -> CellRecoding:
    """Return the recoding that publishes the top of the hierarchy in one attribute of the chosen tuples."""
    if not chosen.any():
        return recoding
    position = _position(frequency, attribute)
    book, code = with_top(recoding.codebooks[position], frequency.hierarchies[position])
    released = recoding.released.copy()
    released[chosen, position] = code
    books = (*recoding.codebooks[:position], book, *recoding.codebooks[position + 1 :])
    return replace(recoding, released=released, codebooks=books)


def with_top(book: Codebook, hierarchy: Hierarchy) -> tuple[Codebook, int]:
    """Return the codebook with the label of the top, which stands for all values, and the code of that label.

    Where the text of the top is a label already, that label stands for all values from now on: a reader cannot tell
    the two apart.

    Examples
    --------
    >>> job = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> book, code = with_top(Codebook.of_level(job, 1), job)
    >>> book.labels, book.leaves.tolist(), code
    (('x', 'y', '*'), [2, 1, 3], 2)
    """
    top = hierarchy.labels[-1][0] if hierarchy.height else TOP
    members = {label: book.below(code).tolist() for code, label in enumerate(book.labels)}
    climbed = dict(zip(book.labels, book.climbed.tolist(), strict=True))
    members[top], climbed[top] = list(range(len(hierarchy.values))), 1.0
    return Codebook.of(members, [climbed[label] for label in members]), list(members).index(top)


def _position(frequency: FrequencySet, attribute: str) -> int:
    if attribute not in frequency.attributes:
        raise column_not_found(attribute, frequency.attributes)
    return frequency.attributes.index(attribute)


def _checked(tuples: Collection[int], count: int) -> list[int]:
    if strangers := [number for number in tuples if not 0 <= number < count]:
        raise UsageError(f"tuples are numbered from 0 to {count - 1}, got {shorten(strangers)}")
    return list(tuples)
