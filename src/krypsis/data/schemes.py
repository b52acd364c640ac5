"""Schemes: which cells a recoding may generalize together, and what it may suppress.

Original and published tuples lie side by side; validators say which scheme they follow, and recodings of each scheme
are made by generalization and by suppression. Each scheme allows more than the one before it: full-domain, subtree,
sibling, multidimensional, cell. The names of suppression follow the literature: *value* suppression takes all cells
with a given value, *cell* suppression single ones. The thesis has the two names exchanged (erratum E15).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet, FullDomain, Recoding, as_cells
from krypsis.errors import UsageError, column_not_found, did_you_mean, shorten


def levels_of(recoding: Recoding, frequency: FrequencySet) -> dict[str, int]:
    """Return the level of each attribute whose cells all went to the same one; other attributes are left out.

    Suppressed records do not count. Where two levels look the same, the lower one is reported.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> people = FrequencySet(("sex",), (sex,), np.array([[0], [1]], dtype=np.int32), np.array([5, 1]))
    >>> levels_of(FullDomain((1,), np.zeros(2, dtype=np.bool_)), people)
    {'sex': 1}
    """
    if isinstance(recoding, FullDomain):
        return dict(zip(frequency.attributes, recoding.levels, strict=True))
    kept = ~recoding.suppressed
    levels = {
        name: _level(recoding, position, hierarchy, frequency, kept)
        for position, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
    }
    return {name: level for name, level in levels.items() if level is not None}


def _level(
    recoding: CellRecoding, position: int, hierarchy: Hierarchy, frequency: FrequencySet, kept: BoolArray
) -> int | None:
    book = recoding.codebooks[position]
    keys = frequency.codes[kept, position] * np.int64(len(book.labels)) + recoding.released[kept, position]
    pairs = [divmod(key, len(book.labels)) for key in np.unique(keys).tolist()]
    return next((level for level in range(hierarchy.height + 1) if _fits(pairs, book, hierarchy, level)), None)


def _fits(pairs: list[tuple[int, int]], book: Codebook, hierarchy: Hierarchy, level: int) -> bool:
    """Say whether every value is published as its label at the level."""
    labels, codes = hierarchy.labels[level], hierarchy.table[level]
    return all(labels[codes[value]] == book.labels[label] for value, label in pairs)


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
    def of_map(cls, published: Mapping[Label, Label], hierarchy: Hierarchy) -> "Recoded":
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
    ) -> "Recoded":
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
    def of_recoding(cls, recoding: Recoding, frequency: FrequencySet) -> "Recoded":
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
