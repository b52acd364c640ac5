"""Recodings of each scheme of generalization, made from what it lets one choose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.recoding import CellRecoding, Codebook, FullDomain, as_cells
from krypsis.errors import UsageError, column_not_found, did_you_mean, shorten

Coded = tuple[Codebook, CodeArray]
"""A codebook, and codes of it: one per value of the attribute, or one per tuple."""


def full_domain(frequency: FrequencySet, levels: Sequence[int]) -> CellRecoding:
    """Return the recoding that takes every attribute to one level."""
    _check_levels(frequency, np.array(levels, dtype=np.int64).reshape(1, -1))
    nothing = np.zeros(len(frequency.counts), dtype=np.bool_)
    return as_cells(FullDomain(tuple(levels), nothing), frequency)


def subtree(frequency: FrequencySet, cuts: Mapping[str, Collection[Label]]) -> CellRecoding:
    """Return the recoding that publishes each value as the label of the cut it lies below.

    A cut is a set of labels, from any levels, such that every value lies below exactly one of them. An attribute
    without a cut stays as it is.
    """
    hierarchies = _named(frequency, cuts)
    return sibling(frequency, {name: cut_as_map(hierarchies[name], cut, name) for name, cut in cuts.items()})


def sibling(frequency: FrequencySet, moves: Mapping[str, Mapping[Label, Label]]) -> CellRecoding:
    """Return the recoding that publishes the named values as the labels they are mapped to; all others stay.

    A label stands for the values that went there, not for siblings that stayed.
    """
    coded = []
    for position, (name, hierarchy) in enumerate(_named(frequency, moves).items()):
        book, codes = code_values(hierarchy, moves.get(name, {}), name)
        coded.append((book, codes[frequency.codes[:, position]]))
    return _assembled(coded, frequency)


def cell(frequency: FrequencySet, levels: IntArray) -> CellRecoding:
    """Return the recoding that takes each cell to its own level: ``levels[tuple, attribute]``.

    A label stands for all values below it, as every one of them may have been published as that label.
    """
    _check_levels(frequency, levels, len(frequency.counts))
    coded = [
        _code_cells(hierarchy, frequency.codes[:, position], levels[:, position])
        for position, hierarchy in enumerate(frequency.hierarchies)
    ]
    return _assembled(coded, frequency)


def cut_as_map(hierarchy: Hierarchy, cut: Collection[Label], name: str) -> dict[Label, Label]:
    """Return the label that each value goes to when a hierarchy is cut at some labels.

    Examples
    --------
    >>> job = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> cut_as_map(job, ["x", "c"], "job")
    {'a': 'x', 'b': 'x', 'c': 'c'}
    """
    known = {label for labels in hierarchy.labels for label in labels}
    if strangers := [label for label in cut if label not in known]:
        hint = did_you_mean(str(strangers[0]), filter(None, known))
        raise UsageError(f"the hierarchy of {name!r} has no label {shorten(map(repr, strangers))}.{hint}")
    published: dict[Label, Label] = {}
    for value in hierarchy.values:
        found = set(cut).intersection(_labels_of(hierarchy, value))
        if len(found) != 1:
            place = f"below {' and '.join(sorted(map(repr, found)))}" if found else "below none of them"
            raise UsageError(
                f"in a cut of {name!r} every value lies below exactly one label; with the labels "
                f"{shorten(map(repr, cut))} the value {value!r} lies {place}"
            )
        published[value] = found.pop()
    return published


def code_values(hierarchy: Hierarchy, published: Mapping[Label, Label], name: str) -> Coded:
    """Return the codebook when values are published as given, the others as they are, and the code of each value.

    Examples
    --------
    >>> job = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> book, codes = code_values(job, {"a": "x"}, "job")
    >>> book.labels, book.leaves.tolist(), codes.tolist()
    (('x', 'b', 'c'), [1, 1, 1], [0, 1, 2])
    """
    for value, label in published.items():
        _check_label(hierarchy, value, label, name)
    labels = [published.get(value, value) for value in hierarchy.values]
    members: dict[Label, list[int]] = {}
    climbed: dict[Label, float] = {}
    for code, (value, label) in enumerate(zip(hierarchy.values, labels, strict=True)):
        members.setdefault(label, []).append(code)
        climbed[label] = _labels_of(hierarchy, value).index(label) / max(hierarchy.height, 1)
    places = {label: place for place, label in enumerate(members)}
    return Codebook.of(members, list(climbed.values())), np.array([places[label] for label in labels], dtype=np.int32)


def _code_cells(hierarchy: Hierarchy, values: CodeArray, levels: IntArray) -> Coded:
    members: dict[Label, set[int]] = {}
    climbed: dict[Label, float] = {}
    codes = np.zeros(len(values), dtype=np.int32)
    for level in np.unique(levels).tolist():
        names, here, chosen = hierarchy.labels[level], hierarchy.table[level], levels == level
        places = np.zeros(len(names), dtype=np.int32)
        for code in np.unique(here[values[chosen]]).tolist():
            # The same text at two levels is the same label for a reader, and stands for all that is below either.
            members.setdefault(names[code], set()).update(np.flatnonzero(here == code).tolist())
            climbed[names[code]] = level / max(hierarchy.height, 1)
            places[code] = list(members).index(names[code])
        codes[chosen] = places[here[values[chosen]]]
    below = {label: sorted(found) for label, found in members.items()}
    return Codebook.of(below, [climbed[label] for label in below]), codes


def _assembled(coded: Sequence[Coded], frequency: FrequencySet) -> CellRecoding:
    released = np.stack([codes for _, codes in coded], axis=1)
    return CellRecoding(released, tuple(book for book, _ in coded), np.zeros(len(frequency.counts), dtype=np.bool_))


def _named(frequency: FrequencySet, wanted: Collection[str]) -> dict[str, Hierarchy]:
    for name in wanted:
        if name not in frequency.attributes:
            raise column_not_found(name, frequency.attributes)
    return dict(zip(frequency.attributes, frequency.hierarchies, strict=True))


def _labels_of(hierarchy: Hierarchy, value: Label) -> list[Label]:
    return [hierarchy.label(value, level) for level in range(hierarchy.height + 1)]


def _check_label(hierarchy: Hierarchy, value: Label, label: Label, name: str) -> None:
    if value not in hierarchy.code_of:
        hint = did_you_mean(str(value), filter(None, hierarchy.values))
        raise UsageError(f"{name!r} has no value {value!r}; values: {shorten(map(repr, hierarchy.values))}.{hint}")
    if label not in (known := _labels_of(hierarchy, value)):
        raise UsageError(
            f"{value!r} of {name!r} cannot be published as {label!r}; {shorten(map(repr, known))} would do"
        )


def _check_levels(frequency: FrequencySet, levels: IntArray, rows: int = 1) -> None:
    if levels.shape != (wanted := (rows, len(frequency.attributes))):
        shown = "one per attribute" if rows == 1 else "one row per tuple and one column per attribute"
        raise UsageError(f"levels must be {shown}, {wanted[0]} by {wanted[1]}, got an array of shape {levels.shape}")
    for name, height, column in zip(frequency.attributes, frequency.heights, levels.T, strict=True):
        if strangers := sorted({level for level in column.tolist() if not 0 <= level <= height}):
            raise UsageError(f"levels of {name!r} lie between 0 and {height}, got {shorten(strangers)}")
