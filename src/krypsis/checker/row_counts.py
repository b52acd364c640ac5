"""Count the distinct rows of a table that is read one part at a time.

What is kept is one row for each distinct combination of values, with the number of records that show it. So memory
holds one part and the distinct combinations, however many records there are.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, ColumnArray, IntArray
from krypsis.io.texts import PLAIN, text_of

MOST_KEYS = 2**62
"""Up to this many combinations of codes, each has a number of its own in 64 bits."""
SPARSE = 4
"""Up to this many whole numbers per record, their codes are looked up in a list."""
FEWEST_MERGED = 1_000_000
"""Counts of parts are added up when there are so many, and twice as many as after the last time."""
WHOLE_NUMBERS = (
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64),
    *(pl.Boolean, pl.Date, pl.Time, pl.Datetime),
)
"""Types whose values are whole numbers of at most 64 bits inside."""
LOOKED_AT = 10_000
"""So many rows are looked at to find out whether neighbors are often equal."""
MOST_CHANGES = 0.3
"""Up to this share of rows that differ from the one before, runs of equal rows are counted."""
IN_CACHE = 2**15
"""So many rows are packed at a time: their numbers stay in the cache of a processor."""
MISSING = 0
"""The code of a missing value."""


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """A column of distinct rows: ``codes`` are places in ``values``, the first of which is a missing value."""

    codes: ColumnArray
    values: pl.Series

    def shown_as(self, form: Callable[[pl.Series], pl.Series]) -> tuple[ColumnArray, pl.Series]:
        """Return places in the values that occur, and these in another form; only distinct values are brought into it.

        Examples
        --------
        >>> ages = count_rows([pl.DataFrame({"age": [31, 40, 31]})], ["age"]).columns["age"]
        >>> places, texts = ages.shown_as(text_of)
        >>> texts.gather(places).sort().to_list()
        ['31', '40']
        """
        occurs = np.bincount(self.codes, minlength=len(self.values)) > 0
        place = (np.cumsum(occurs) - 1).astype(self.codes.dtype)
        return place[self.codes], form(self.values.gather(np.flatnonzero(occurs)))


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of some columns, in any order, and the number of records that show each."""

    counts: IntArray
    columns: dict[str, CountedColumn]

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def frame(self) -> pl.DataFrame:
        """Return the distinct rows as a table."""
        return pl.DataFrame([column.values.gather(column.codes).rename(name) for name, column in self.columns.items()])


def count_rows(parts: Iterable[pl.DataFrame], names: Sequence[str]) -> DistinctRows:
    """Count the distinct rows of some columns of a table in parts.

    Values are equal only if they look the same: ``0.0`` is not ``-0.0``, and "not a number" is not missing.

    Examples
    --------
    >>> parts = [pl.DataFrame({"sex": ["m", "f"]}), pl.DataFrame({"sex": ["m", None]})]
    >>> counted = count_rows(parts, ["sex"])
    >>> sorted(zip(counted.frame()["sex"].to_list(), counted.counts.tolist()), key=str)
    [('f', 1), ('m', 2), (None, 1)]
    """
    counter = _Counter(names)
    for part in parts:
        counter.add(part)
    return counter.counted()


class _Counter:
    """The distinct rows so far."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._keys = [f"c{place}" for place in range(len(self._names))]
        self._codes: list[_Codes] = []
        self._waiting: list[pl.DataFrame] = []
        self._merged = 0
        """How many rows there were when counts were added up the last time."""

    def add(self, part: pl.DataFrame) -> None:
        if not self._codes:
            self._codes = [_codes_of(part.get_column(name)) for name in self._names]
        columns, weights = _runs([part.get_column(name) for name in self._names])
        codes = [one.add(column) for one, column in zip(self._codes, columns, strict=True)]
        self._waiting.append(_counted(codes, [len(one) for one in self._codes], self._keys, weights))
        if sum(one.height for one in self._waiting) > max(FEWEST_MERGED, 2 * self._merged):
            self._waiting = [self._sums()]
            self._merged = self._waiting[0].height

    def counted(self) -> DistinctRows:
        found = self._sums()
        columns = {
            name: CountedColumn(narrow(found[key].to_numpy(), len(codes)), codes.values())
            for name, key, codes in zip(self._names, self._keys, self._codes, strict=True)
        }
        return DistinctRows(found["count"].to_numpy(), columns)

    def _sums(self) -> pl.DataFrame:
        if len(self._waiting) == 1:
            return self._waiting[0]
        return pl.concat(self._waiting, how="vertical_relaxed").group_by(self._keys).agg(pl.col("count").sum())


def narrow(codes: ColumnArray, limit: int) -> ColumnArray:
    """Return codes below a limit in as few bytes as that allows.

    Examples
    --------
    >>> narrow(np.array([3, 0, 255]), 256).dtype
    dtype('uint8')
    """
    return codes.astype(np.min_scalar_type(max(limit - 1, 0)))


def runs(ordered: IntArray) -> tuple[IntArray, IntArray]:
    """Return where runs of equal numbers begin, and their lengths.

    Examples
    --------
    >>> runs(np.array([7, 7, 7, 9]))
    (array([0, 3]), array([3, 1]))
    """
    first = np.flatnonzero(np.concatenate([np.ones(min(len(ordered), 1), np.bool_), ordered[1:] != ordered[:-1]]))
    return first, np.diff(first, append=len(ordered))


def _runs(columns: Sequence[pl.Series]) -> tuple[Sequence[pl.Series], pl.Series | None]:
    """Return the first rows of runs of equal ones, and the lengths of the runs, where there are few; else all rows.

    A release has its records in the order of their groups, and comparing neighbors takes less than half of the time
    that looking up values takes.
    """
    rows = len(columns[0])
    if any(column.dtype not in (pl.String, *WHOLE_NUMBERS) for column in columns):
        return columns, None  # among floating point numbers, equal ones may look different
    if rows < 2 or _changes([column.head(LOOKED_AT) for column in columns]).mean() > MOST_CHANGES:
        return columns, None
    first = np.concatenate([[0], np.flatnonzero(_changes(columns)) + 1])
    lengths = np.diff(first, append=rows)
    return [column.rename(PLAIN).gather(first) for column in columns], pl.Series("count", lengths)


def _changes(columns: Sequence[pl.Series]) -> BoolArray:
    """Say of each row but the first whether it differs from the one before."""
    found = np.zeros(len(columns[0]) - 1, dtype=np.bool_)
    for column in columns:
        plain = column.rename(PLAIN)
        found |= plain[1:].ne_missing(plain[:-1]).to_numpy()
    return found


def _counted(
    codes: Sequence[ColumnArray], widths: Sequence[int], keys: Sequence[str], weights: pl.Series | None
) -> pl.DataFrame:
    """Return the distinct rows of codes with the sums of their weights, 1 each unless given."""
    number = pl.len().cast(pl.Int64).alias("count") if weights is None else pl.col("count").sum()
    given = [] if weights is None else [weights]
    whole = 1
    for width in widths:
        whole *= width
    if whole > MOST_KEYS:
        columns = [
            pl.Series(key, narrow(column, width)) for key, column, width in zip(keys, codes, widths, strict=True)
        ]
        return pl.DataFrame([*columns, *given]).group_by(keys).agg(number)
    if weights is None:
        found = _distinct(_packed(codes, widths))
    else:
        found = pl.DataFrame([pl.Series("key", _packed(codes, widths)), weights]).group_by("key").agg(number)
    rest, unpacked = found["key"].to_numpy(), list[pl.Series]()
    for key, width in zip(reversed(keys), reversed(widths), strict=True):
        before = rest // width
        unpacked.append(pl.Series(key, narrow(rest - before * width, width)))
        rest = before
    return pl.DataFrame([*reversed(unpacked), found["count"]])


def _packed(codes: Sequence[ColumnArray], widths: Sequence[int]) -> IntArray:
    """Return one number for each row of codes."""
    packed = np.zeros(len(codes[0]), dtype=np.int64)
    for start in range(0, len(packed), IN_CACHE):
        piece = packed[start : start + IN_CACHE]
        for column, width in zip(codes, widths, strict=True):
            piece *= width
            piece += column[start : start + IN_CACHE]
    return packed


def _distinct(keys: IntArray) -> pl.DataFrame:
    """Return the distinct keys with their numbers; to sort them takes a quarter of the time that grouping takes."""
    keys = pl.Series(keys).sort().to_numpy()
    first, lengths = runs(keys)
    return pl.DataFrame([pl.Series("key", keys[first]), pl.Series("count", lengths)])


class _Codes:
    """The distinct values of a column of texts so far, each with a code from 1 on."""

    def __init__(self, dtype: pl.DataType) -> None:
        self._dtype = dtype
        self._known = pl.Series(PLAIN, [], dtype=pl.String)
        self._places = pl.Enum([])

    def __len__(self) -> int:
        """Return the number of codes, that of a missing value included."""
        return len(self._known) + 1

    def add(self, column: pl.Series) -> ColumnArray:
        """Return the codes of the values of a part, new ones for new values."""
        if isinstance(column.dtype, pl.Enum):
            return self._add_categories(column.rename(PLAIN))
        texts = text_of(column).rename(PLAIN)
        if not len(self._known):  # among the first rows of a long column are most or all of its values
            self._learn(texts.head(LOOKED_AT))
        places = texts.cast(self._places, strict=False).to_physical()
        if places.null_count() > texts.null_count():
            self._learn(texts.filter(places.is_null()))
            places = texts.cast(self._places).to_physical()
        codes = places.cast(pl.UInt32) + 1
        return narrow((codes.fill_null(MISSING) if codes.null_count() else codes).to_numpy(), len(self))

    def _learn(self, unknown: pl.Series) -> None:
        """Give codes to texts that had none."""
        self._known = pl.concat([self._known, unknown.unique().drop_nulls()])
        self._places = pl.Enum(self._known)

    def _add_categories(self, column: pl.Series) -> ColumnArray:
        """Return the codes of texts that are kept as categories; only the categories are looked up."""
        used = column.unique().drop_nulls()
        places = column.to_physical()
        code_of = np.full(len(column.dtype.categories) + 1, MISSING, dtype=np.uint32)  # type: ignore[attr-defined]
        code_of[used.to_physical().to_numpy()] = self.add(used.cast(pl.String)) if len(used) else []
        rows = places.cast(pl.UInt32).fill_null(len(code_of) - 1) if places.has_nulls() else places
        found: ColumnArray = narrow(code_of, len(self))[rows.to_numpy()]
        return found

    def values(self) -> pl.Series:
        """Return the value of each code."""
        kept = self._known.cast(self._dtype) if self._dtype.is_integer() else self._known
        return pl.concat([pl.Series(PLAIN, [None], dtype=kept.dtype), kept])


class _NumberCodes(_Codes):
    """The distinct values of a column whose values are whole numbers inside: numbers, dates, truth values."""

    def __init__(self, dtype: pl.DataType) -> None:
        self._dtype = dtype
        self._values = np.zeros(0, dtype=np.int64)
        """In the order of their codes."""

    def __len__(self) -> int:
        return len(self._values) + 1

    def add(self, column: pl.Series) -> IntArray:
        column = column.rename(PLAIN)
        if not column.null_count():
            return self._coded(self._numbers(column))
        present = column.is_not_null()
        codes = self._coded(self._numbers(column.filter(present)))
        found = np.full(len(column), MISSING, dtype=np.int64)
        found[present.to_numpy()] = codes
        return found

    def values(self) -> pl.Series:
        kept = self._restored(self._values).cast(self._dtype)
        return pl.concat([pl.Series(PLAIN, [None], dtype=self._dtype), kept])

    def _numbers(self, column: pl.Series) -> IntArray:
        """Return present values as the whole numbers that they are inside."""
        plain = column.reinterpret(signed=True) if column.dtype == pl.UInt64 else column.to_physical().cast(pl.Int64)
        numbers: IntArray = plain.to_numpy()
        return numbers

    def _restored(self, numbers: IntArray) -> pl.Series:
        column = pl.Series(PLAIN, numbers, dtype=pl.Int64)
        return column.reinterpret(signed=False) if self._dtype == pl.UInt64 else column

    def _coded(self, numbers: IntArray) -> IntArray:
        if not len(numbers):
            return numbers
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < SPARSE * len(numbers):
            places = np.zeros(high - low + 1, dtype=np.int64)
            self._know(np.flatnonzero(np.bincount(numbers - low)) + low)
            is_near = (self._values >= low) & (self._values <= high)
            places[self._values[is_near] - low] = np.flatnonzero(is_near) + 1
            found: IntArray = places[numbers - low]
            return found
        distinct, places = np.unique(numbers, return_inverse=True)
        self._know(distinct)
        order = np.argsort(self._values)
        codes: IntArray = order[np.searchsorted(self._values, distinct, sorter=order)][places] + 1
        return codes

    def _know(self, distinct: IntArray) -> None:
        """Give codes to values that had none."""
        new = distinct[~np.isin(distinct, self._values)]
        self._values = np.concatenate([self._values, new])


class _FloatCodes(_NumberCodes):
    """The distinct values of a column of floating point numbers, distinguished by their bits."""

    def _numbers(self, column: pl.Series) -> IntArray:
        values = column.to_numpy()
        # "Not a number" has many forms, and all look the same.
        plain = np.where(np.isnan(values), values.dtype.type(np.nan), values)
        return plain.view(np.int32 if values.dtype == np.float32 else np.int64).astype(np.int64)

    def _restored(self, numbers: IntArray) -> pl.Series:
        if self._dtype == pl.Float32:
            return pl.Series(PLAIN, numbers.astype(np.int32).view(np.float32))
        return pl.Series(PLAIN, numbers.view(np.float64))


def _codes_of(column: pl.Series) -> _Codes:
    dtype = column.dtype
    if dtype in (pl.Float32, pl.Float64):
        return _FloatCodes(dtype)
    if dtype in WHOLE_NUMBERS:
        return _NumberCodes(dtype)
    return _Codes(dtype)
