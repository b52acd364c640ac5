"""Groups: records that look alike in the published data, all of them as columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import Undecidable, UsageError, column_not_found
from krypsis.texts.spelling import alike, key_of

_CODE = re.compile(r"-?0\d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?")


@dataclass(frozen=True, eq=False)
class Domain:
    """The values a sensitive attribute takes, with its hierarchy where one was given.

    Examples
    --------
    >>> Domain(("10", "9", None)).ranks
    array([1, 0, 2])
    """

    values: tuple[Label, ...]
    hierarchy: Hierarchy | None = None
    name: str = "the sensitive attribute"
    """The attribute as messages name it."""
    spellings: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    """Values that occur in several spellings, which count as one."""

    @classmethod
    def counting(cls, values: Sequence[Label], hierarchy: Hierarchy | None, name: str) -> "tuple[Domain, IntArray]":
        """Return the domain in which spellings of one value are one, and the code of each of the values given.

        They must be distinct and in ascending order, a missing one last.
        """
        nodes = () if hierarchy is None else {label for labels in hierarchy.labels[1:] for label in labels}
        found = alike(values, nodes)
        return cls(found.values, hierarchy, name, spellings=found.several), np.array(found.place, dtype=np.int64)

    def codes_of(self, value: str) -> list[int]:
        """Return the codes of a value, in whichever spelling it is asked for."""
        if value in self.values:
            return [self.values.index(value)]
        key = key_of(value)
        # A missing value is found only by a word for it that occurs in the data.
        is_missing = any(value in names for names in self.spellings)
        return [code for code, own in enumerate(self.values) if key_of(own) == key and (own is not None or is_missing)]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def ranks(self) -> IntArray:
        """The place of each value in its order: numbers by size, else as the hierarchy lists them, else as text.

        Missing comes last.
        """
        ordered = sorted(range(len(self)), key=self._sort_key)
        ranks = np.empty(len(self), dtype=np.int64)
        ranks[ordered] = np.arange(len(self))
        return ranks

    @cached_property
    def in_order(self) -> IntArray:
        """The values in their order, see :attr:`ranks`."""
        return np.asarray(np.argsort(self.ranks))

    @cached_property
    def levels(self) -> IntArray | None:
        """``levels[level, value]``: every value at every level of the hierarchy; ``None`` without a hierarchy.

        The codes of a level count up from 0, in the order of the hierarchy, without those no value of the domain has.
        """
        if self.hierarchy is None:
            return None
        hierarchy = self.hierarchy.covering(self.values, self.name)
        codes = hierarchy.table[:, [hierarchy.code_of[value] for value in self.values]]
        return np.stack([np.unique(row, return_inverse=True)[1] for row in codes])

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every value that is not missing is a number."""
        return all(value is None or parse_number(value) is not None for value in self.values)

    @cached_property
    def is_date(self) -> bool:
        """Whether every value that is not missing is a date written year first."""
        return all(value is None or _DATE.fullmatch(value) for value in self.values)

    @cached_property
    def is_numeric_or_date(self) -> bool:
        """Whether the values themselves have an order: numbers or dates, and no codes such as ``011``."""
        return self.is_date or (self.is_numeric and not any(value and _CODE.match(value) for value in self.values))

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the order means something: numbers, dates written year first, or a hierarchy that lists values."""
        return self.is_date or self.is_numeric or self.hierarchy is not None

    def _sort_key(self, code: int) -> tuple[bool, Decimal, str]:
        value = self.values[code]
        if value is None:
            return (True, Decimal(0), "")
        if self.is_numeric and (number := parse_number(value)) is not None:
            return (False, number, value)
        return (False, Decimal(0 if self.levels is None else int(self.levels[0, code])), value)


@dataclass(frozen=True, eq=False)
class JointDomain(Domain):
    """The combinations of values that columns take together: ``codes[combination, column]``, by the domains of each.

    Examples
    --------
    >>> disease, pay = Domain(("flu", "hiv")), Domain(("low", "high"))
    >>> len(JointDomain((), columns=(disease, pay), codes=np.array([[0, 0], [0, 1], [1, 1]])))
    3
    """

    columns: tuple[Domain, ...] = ()
    codes: IntArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each group.

    Entry ``i`` says that ``group[i]`` holds ``value[i]`` ``count[i]`` times. Every (group, value) pair stands at most
    once and no count is 0; the order of entries means nothing.

    ``whole`` counts each value in the whole table, the reference that t-closeness compares with.
    """

    group: IntArray
    value: IntArray
    count: IntArray
    whole: IntArray
    domain: Domain

    def part(self, chosen: BoolArray) -> "Histogram":
        """Return the histogram of the chosen groups only, numbered anew."""
        renumbered = np.cumsum(chosen) - 1
        entries = np.flatnonzero(chosen.take(self.group))  # by their places, which is faster than by a mask
        group = renumbered.take(self.group.take(entries))
        return Histogram(group, self.value.take(entries), self.count.take(entries), self.whole, self.domain)

    def alone(self) -> "Histogram":
        """Return the histogram as if its groups were the whole table."""
        whole = np.bincount(self.value, self.count, minlength=len(self.whole)).astype(np.int64)
        return Histogram(self.group, self.value, self.count, whole, self.domain)


@dataclass(frozen=True, eq=False)
class Groups:
    """All groups of a candidate at once: their sizes and, per sensitive attribute, a sparse histogram.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 1}, {"flu": 3}], attribute="disease")
    >>> groups.sizes
    array([3, 3])
    """

    sizes: IntArray
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)
    population: IntArray | None = None
    """How many people of the population look like the group, where a population is known."""
    combined: Mapping[tuple[str, ...], Histogram] = field(default_factory=dict)
    """Columns → how often each combination of their values occurs in each group, where a promise asks for it."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def rows(self) -> int:
        """The number of records in all groups."""
        return int(self.sizes.sum())

    def part(self, chosen: BoolArray) -> "Groups":
        """Return the chosen groups only."""
        sensitive = {name: histogram.part(chosen) for name, histogram in self.sensitive.items()}
        combined = {names: histogram.part(chosen) for names, histogram in self.combined.items()}
        population = None if self.population is None else self.population[chosen]
        return Groups(self.sizes[chosen], sensitive, population, combined)

    def alone(self) -> "Groups":
        """Return the groups as if they were the whole table, as somebody sees them who has nothing else.

        Examples
        --------
        >>> groups = Groups.of_histograms([{"flu": 2}, {"flu": 1, "hiv": 1}])
        >>> groups.part(np.array([True, False])).alone().sensitive["sensitive"].whole
        array([2, 0])
        """
        return replace(self, sensitive={name: histogram.alone() for name, histogram in self.sensitive.items()})

    @classmethod
    def of_sizes(cls, sizes: Iterable[int]) -> "Groups":
        """Return groups of the given sizes without sensitive attributes."""
        return cls(np.array(list(sizes), dtype=np.int64))

    @classmethod
    def of_histograms(
        cls,
        histograms: Sequence[Mapping[str, int] | Mapping[Label, int]],
        attribute: str = "sensitive",
        hierarchy: Hierarchy | None = None,
        whole: Mapping[str, int] | Mapping[Label, int] | None = None,
    ) -> "Groups":
        """Return groups given as one ``value → count`` mapping each; ``whole`` is their sum unless given."""
        found: set[Label] = {value for histogram in (*histograms, whole or {}) for value in histogram}
        names = sorted(found, key=lambda value: (value is None, value or ""))
        code = {value: position for position, value in enumerate(names)}
        entries = [
            (group, code[value], count)
            for group, histogram in enumerate(histograms)
            for value, count in histogram.items()
            if count
        ]
        columns = np.array(entries, dtype=np.int64).reshape(-1, 3).T
        counted = np.bincount(columns[1], columns[2], minlength=len(names)).astype(np.int64)
        given: dict[Label, int] = dict((whole or {}).items())
        reference = counted if whole is None else np.array([given.get(name, 0) for name in names], dtype=np.int64)
        histogram = Histogram(columns[0], columns[1], columns[2], reference, Domain(tuple(names), hierarchy, attribute))
        sizes = np.array([sum(histogram.values()) for histogram in histograms], dtype=np.int64)
        return cls(sizes, {attribute: histogram})

    def histograms(self, attribute: str | None = None) -> Mapping[str, Histogram]:
        """Return the histograms a model looks at: of one attribute, or of all sensitive attributes.

        Raises
        ------
        UsageError
            if there is no sensitive attribute to look at.
        """
        if attribute is not None:
            if attribute not in self.sensitive:
                raise column_not_found(attribute, self.sensitive)
            return {attribute: self.sensitive[attribute]}
        if not self.sensitive:
            raise UsageError(
                "this promise is about a sensitive attribute and none is declared; "
                "give at least one column the role 'sensitive'"
            )
        return self.sensitive

    def combination(self, columns: tuple[str, ...]) -> Histogram:
        """Return how often each combination of values of some columns occurs in each group.

        Of one sensitive attribute that is its histogram. Anything else is there where the promise has asked for it; its
        domain is a :class:`JointDomain` then.

        Raises
        ------
        ColumnError
            if there are no such columns.
        """
        if columns in self.combined:
            return self.combined[columns]
        strangers = [name for name in columns if name not in self.sensitive]
        if strangers or len(columns) != 1:
            known = {*self.sensitive, *(name for names in self.combined for name in names)}
            raise column_not_found((strangers or columns)[0], sorted(known))
        return self.sensitive[columns[0]]

    def people(self, promise: str) -> IntArray:
        """Return how many people of the population look like each group.

        Raises
        ------
        Undecidable
            if no population is known.
        """
        if self.population is None:
            raise Undecidable(
                f"{promise} is about the population that the records come from and none is given; "
                "give the table of the population, in which everybody of the data stands, too: "
                "--population people.csv, population=… in Python"
            )
        return self.population


def sum_by(keys: IntArray, weights: FloatArray | IntArray, length: int) -> FloatArray:
    """Return, for each key from 0 to ``length - 1``, the sum of the weights of its entries.

    Examples
    --------
    >>> sum_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 0.25]), 3)
    array([0.75, 0.  , 1.  ])
    """
    return np.bincount(keys, weights, minlength=length).astype(np.float64, copy=False)
