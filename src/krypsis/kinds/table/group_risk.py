"""Risk before and after, from the sizes of the groups of records that look alike.

Three attackers are customary. The *prosecutor* looks for one person known to be in the table; the *journalist* looks
for anybody of a wider population; the *marketer* wants as many matches as possible. Without a table of the population
a person may be the only one of the kind there too, so the journalist's risk is bounded by the prosecutor's and
nothing better is known.

References
----------
El Emam, Dankar, "Protecting privacy using k-anonymity", J. Am. Med. Inform. Assoc. 15(5), 2008.
Dankar, El Emam, "A method for evaluating marketer re-identification risk", PAIS, 2010.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.data.recoding import as_cells
from krypsis.kernels.rows import number_rows
from krypsis.release.provenance import RecodingEvidence
from krypsis.report.blocks import Bar, Direction, RiskFigure, RiskFigures, Unit

CUSTOMARY_SIZE = 5
"""A risk of more than 1 in 5 is the limit many data protection offices use for data given to known recipients."""

BUCKETS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


@dataclass(frozen=True)
class SizeBucket:
    """How many groups, and records in them, have a size from ``smallest`` to ``largest``."""

    label: str
    smallest: int
    largest: int | None
    groups_before: int
    groups_after: int
    records_before: int
    records_after: int


@dataclass(frozen=True, kw_only=True)
class SetRisk(RiskFigures):
    """The risk for an attacker who knows one set of quasi-identifiers."""

    records_before: int
    records_after: int
    groups_before: int
    groups_after: int
    sizes: tuple[SizeBucket, ...]

    def bars(self) -> tuple[tuple[Bar, ...], tuple[Bar, ...]]:
        """Return the records by the size of their group, before and after."""
        before = tuple(Bar(one.label, one.records_before, one.groups_before) for one in self.sizes)
        return before, tuple(Bar(one.label, one.records_after, one.groups_after) for one in self.sizes)


@dataclass(frozen=True)
class _Measure:
    """How one figure is computed from group sizes, and how it reads."""

    name: str
    title: str
    compute: Callable[[IntArray, IntArray], float | None]
    """From the sizes of the groups, and how many records of each belong to somebody: counterfeits do not."""
    formula: str
    sentence: str
    unit: Unit = "share"
    direction: Direction = "lower is better"
    low: float = 0.0


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One attribute of counted tuples: a code per tuple, and the label of each code."""

    codes: CodeArray
    labels: tuple[Label, ...]

    def count(self, counts: IntArray) -> IntArray:
        """Return the number of records of each label."""
        return np.bincount(self.codes, counts, minlength=len(self.labels)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TupleCounts:
    """A table as distinct tuples with their counts; after a recoding a tuple may stand there more than once."""

    columns: tuple[CodedColumn, ...]
    counts: IntArray
    people: IntArray | None = None
    """Of these, how many belong to somebody, where some do not: counterfeits."""

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def group_sizes(self, positions: Iterable[int]) -> IntArray:
        """Return the sizes of the groups of records that look alike in the columns at these positions."""
        return group_sizes([self.columns[position] for position in positions], self.counts)

    def people_in_groups(self, positions: Iterable[int]) -> IntArray:
        """Return how many records of each of these groups belong to somebody, in the same order."""
        columns = [self.columns[position] for position in positions]
        return group_sizes(columns, self.counts if self.people is None else self.people)


def table_before(evidence: RecodingEvidence) -> TupleCounts:
    """Return the table before, as far as its quasi-identifiers go."""
    frequency = evidence.frequency
    columns = (
        CodedColumn(frequency.codes[:, position], hierarchy.values)
        for position, hierarchy in enumerate(frequency.hierarchies)
    )
    return TupleCounts(tuple(columns), frequency.counts)


def table_after(evidence: RecodingEvidence, suppression: str) -> TupleCounts:
    """Return the table after; suppressed records are left out, or at the top of everything if ``"keep"``."""
    cells = as_cells(evidence.recoding, evidence.frequency)
    columns = tuple(
        CodedColumn(cells.released[:, position], book.labels) for position, book in enumerate(cells.codebooks)
    )
    if suppression == "keep":
        return TupleCounts(with_tops(columns, evidence, cells.suppressed), evidence.frequency.counts)
    kept = ~cells.suppressed
    left = tuple(CodedColumn(column.codes[kept], column.labels) for column in columns)
    return TupleCounts(left, evidence.frequency.counts[kept])


def group_sizes(columns: Sequence[CodedColumn], counts: IntArray) -> IntArray:
    """Return the number of records behind each distinct tuple of codes.

    Examples
    --------
    >>> sex = CodedColumn(np.array([0, 1, 0], dtype=np.int32), ("male", "female"))
    >>> group_sizes([sex], np.array([2, 5, 1]))
    array([3, 5])
    """
    radices = [len(column.labels) for column in columns]
    numbers, _ = number_rows([column.codes for column in columns], radices, len(counts))
    return np.bincount(numbers, counts).astype(np.int64)


def with_tops(
    columns: Sequence[CodedColumn], evidence: RecodingEvidence, suppressed: BoolArray
) -> tuple[CodedColumn, ...]:
    """Return the quasi-identifiers where suppressed tuples show the top of everything."""
    tops = (hierarchy.labels[-1][0] if hierarchy.height else TOP for hierarchy in evidence.frequency.hierarchies)
    return tuple(_with_top(column, top, suppressed) for column, top in zip(columns, tops, strict=True))


def _with_top(column: CodedColumn, top: Label, suppressed: BoolArray) -> CodedColumn:
    """Return the column where suppressed tuples show the top; it may be one of its labels already."""
    labels = column.labels if top in column.labels else (*column.labels, top)
    return CodedColumn(np.where(suppressed, np.int32(labels.index(top)), column.codes), labels)


def assess(
    before: TupleCounts,
    after: TupleCounts,
    positions: tuple[int, ...],
    names: tuple[str, ...],
    ks: Iterable[int] = (),
) -> SetRisk:
    """Return the risk for an attacker who knows the attributes at ``positions``, called ``names``.

    ``ks`` are the group sizes that were promised; the share of records in smaller groups is shown for each.
    """
    people = after.people_in_groups(positions)
    return assess_sizes(before.group_sizes(positions), after.group_sizes(positions), names, ks, people)


def assess_sizes(
    old: IntArray,
    new: IntArray,
    names: tuple[str, ...],
    ks: Iterable[int] = (),
    people: IntArray | None = None,
    times: IntArray | None = None,
) -> SetRisk:
    """Return the risk for an attacker who knows the attributes called ``names``, from the sizes of the groups.

    ``people`` says how many records of each group after belong to somebody, where there are counterfeits: these hide
    others and are not at risk themselves. ``times`` says how many groups had each size before; one unless given.
    """
    own = new if people is None else people
    new, own = new[own > 0], own[own > 0]
    times = np.ones_like(old) if times is None else times
    figures = tuple(_figure(measure, (old, old * times), (new, own)) for measure in _measures(ks))
    return SetRisk(
        attributes=names,
        records_before=int((old * times).sum()),
        records_after=int(own.sum()),
        groups_before=int(times.sum()),
        groups_after=len(new),
        figures=figures,
        sizes=size_distribution(old, new, own, times),
    )


def size_distribution(
    before: IntArray, after: IntArray, people: IntArray | None = None, times: IntArray | None = None
) -> tuple[SizeBucket, ...]:
    """Return how many groups and records fall into each range of sizes.

    Examples
    --------
    >>> [bucket.records_after for bucket in size_distribution(np.array([1]), np.array([3, 4]))]
    [0, 0, 7, 0, 0, 0, 0, 0]
    """
    own = after if people is None else people
    times = np.ones_like(before) if times is None else times
    return tuple(_bucket(smallest, largest, (before, times), after, own) for smallest, largest in BUCKETS)


def smallest_size(sizes: IntArray, people: IntArray) -> float | None:
    """Return the size of the smallest group, or nothing if there are no groups."""
    return float(sizes.min()) if len(people) else None


def highest_risk(sizes: IntArray, people: IntArray) -> float:
    """Return one over the size of the smallest group; an empty table puts nobody at risk.

    Examples
    --------
    >>> highest_risk(np.array([4, 2]), np.array([4, 2])), highest_risk(np.array([], dtype=np.int64), np.array([]))
    (0.5, 0.0)
    """
    return 1.0 / float(sizes.min()) if len(people) else 0.0


def average_risk(sizes: IntArray, people: IntArray) -> float:
    """Return the mean over records of one over the size of their group: groups per record without counterfeits.

    Examples
    --------
    >>> average_risk(np.array([4, 1]), np.array([1, 1]))
    0.625
    """
    return float((people / sizes).sum() / people.sum()) if len(sizes) else 0.0


def share_below(sizes: IntArray, people: IntArray, size: int) -> float:
    """Return the share of records in groups smaller than ``size``."""
    return float(people[sizes < size].sum() / people.sum()) if len(sizes) else 0.0


def alone(sizes: IntArray, people: IntArray) -> float:
    """Return the number of records that are alone in their group."""
    return float(people[sizes == 1].sum())


def _measures(ks: Iterable[int]) -> tuple[_Measure, ...]:
    limits = sorted({CUSTOMARY_SIZE, *(k for k in ks if k > 1)})
    return (*MEASURES, *map(_below, limits))


def _below(size: int) -> _Measure:
    return _Measure(
        name=f"records-above-1-in-{size}",
        title=f"Records with a risk above 1 in {size}",
        compute=lambda sizes, people: share_below(sizes, people, size),
        formula=f"records in groups of fewer than {size} ÷ records",
        sentence=f"The share of records that look like fewer than {size - 1} others.",
    )


def _figure(measure: _Measure, before: tuple[IntArray, IntArray], after: tuple[IntArray, IntArray]) -> RiskFigure:
    """Return one figure, from the sizes of groups and how many records of such groups belong to somebody."""
    return RiskFigure(
        name=measure.name,
        title=measure.title,
        before=measure.compute(*before),
        after=measure.compute(*after),
        unit=measure.unit,
        low=measure.low,
        high=1.0 if measure.unit == "share" else float(before[1].sum()),
        direction=measure.direction,
        formula=measure.formula,
        sentence=measure.sentence,
    )


def _bucket(
    smallest: int, largest: int | None, before: tuple[IntArray, IntArray], after: IntArray, people: IntArray
) -> SizeBucket:
    sizes, times = before
    old, new = _is_between(sizes, smallest, largest), _is_between(after, smallest, largest)
    return SizeBucket(
        label=bucket_label(smallest, largest),
        smallest=smallest,
        largest=largest,
        groups_before=int(times[old].sum()),
        groups_after=int(new.sum()),
        records_before=int((sizes * times)[old].sum()),
        records_after=int(people[new].sum()),
    )


def numbers_between(sizes: IntArray, smallest: int, largest: int | None) -> IntArray:
    """Return the numbers in a range, its ends included; without a largest one it has no end."""
    return sizes[_is_between(sizes, smallest, largest)]


def _is_between(sizes: IntArray, smallest: int, largest: int | None) -> BoolArray:
    return (sizes >= smallest) & (sizes <= (np.iinfo(np.int64).max if largest is None else largest))


def bucket_label(smallest: int, largest: int | None) -> str:
    """Return a range of numbers as text."""
    if largest is None:
        return f"{smallest} or more"
    return str(smallest) if smallest == largest else f"{smallest}–{largest}"


MEASURES = (
    _Measure(
        name="smallest-group",
        title="Smallest group",
        compute=smallest_size,
        unit="count",
        direction="higher is better",
        formula="min over groups of their number of records",
        sentence="Every record looks like at least this many records, itself included.",
        low=1.0,
    ),
    _Measure(
        name="records-alone",
        title="Records alone in their group",
        compute=alone,
        unit="count",
        formula="number of groups with exactly one record",
        sentence="Anyone who knows these attributes of such a person finds the record with certainty.",
    ),
    _Measure(
        name="highest-prosecutor-risk",
        title="Highest risk (prosecutor)",
        compute=highest_risk,
        formula="1 ÷ size of the smallest group",
        sentence="The chance to pick the right record of a person known to be in the table, for the person most "
        "at risk.",
    ),
    _Measure(
        name="highest-journalist-risk",
        title="Highest risk (journalist)",
        compute=highest_risk,
        formula="1 ÷ size of the smallest group, as no population table was given",
        sentence="The same for an attacker who does not know who is in the table. The true value may be lower: it "
        "takes a table of the population to know, so the prosecutor's risk is shown as the upper limit.",
    ),
    _Measure(
        name="average-prosecutor-risk",
        title="Average risk (prosecutor)",
        compute=average_risk,
        formula="mean over records of 1 ÷ size of their group",
        sentence="The chance to pick the right record of a person known to be in the table, for a person drawn by "
        "chance.",
    ),
    _Measure(
        name="marketer-risk",
        title="Marketer risk",
        compute=average_risk,
        formula="mean over records of 1 ÷ size of their group",
        sentence="The share of records matched correctly by someone who links the whole table with a list of the same "
        "persons. It is the same number as the average risk, seen by another attacker.",
    ),
)
"""The figures of every set of attributes, in the order in which they are shown."""
