"""The profile of one column: what kind of values it holds, and how well they distinguish records."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
import polars as pl

NEARLY_ALL = 0.9
MANY = 20
"""More different values than a list of categories usually has."""

PATTERNS = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "web addresses": r"^(?i)(?:https?|ftp)://\S+$|^www\.\S+\.\S+$",
    "bank account numbers": r"^[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?$",
    "network addresses": r"^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$|^[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}$",
    "social security numbers": r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$",
    "keys made by a machine": r"^(?:0x)?[0-9A-Fa-f]{16,}$|^\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?$",
}
WEAK_PATTERNS = {
    "phone or account numbers": r"^[0-9]{9,15}$|^[+(]?[0-9](?:[ ()./-]{0,2}[0-9]){8,14}$",
    "names of persons": r"^\p{Lu}[\p{L}'’.-]+(?:,? \p{Lu}[\p{L}'’.-]*){1,3}[0-9]*$",
}
"""Looks that amounts, diagnoses and cities may have as well: they count where the name reveals nothing."""

SEVERAL_WORDS = r"\p{L}{2,}\S*\s+(?:\S+\s+)*?\S*\p{L}{2,}"
A_SENTENCE = r"^\s*(?:\S+\s+){3,}\S+"


def looks_like(values: pl.Series) -> str | None:
    """Return what nearly all of the different values are, if it is something that identifies.

    Examples
    --------
    >>> looks_like(pl.Series(["anna@example.org", "ben@example.org"]))
    'e-mail addresses'
    """
    return _first(PATTERNS, values)


def resembles(values: pl.Series) -> str | None:
    """Return what nearly all of many different values may be, unless the name of the column says otherwise.

    Examples
    --------
    >>> resembles(pl.Series([f"69{number}" for number in range(10_000_000, 10_000_099)]))
    'phone or account numbers'
    """
    return _first(WEAK_PATTERNS, values) if len(values) > MANY else None


def _first(patterns: Mapping[str, str], values: pl.Series) -> str | None:
    trimmed = values.str.strip_chars()
    return next((what for what, pattern in patterns.items() if share(trimmed, pattern) >= NEARLY_ALL), None)


def share(values: pl.Series, pattern: str) -> float:
    """Return the share of the values that hold the pattern."""
    return int(values.str.contains(pattern).sum()) / len(values) if len(values) else 0.0


TIME = r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?(?:Z|[+-][01][0-9]:?[0-5][0-9])?)?"
ISO = ""
"""The format of ISO dates, which need none."""

MONTHS = "january february march april may june july august september october november december"
SHORT = "|".join(month[:3] for month in MONTHS.split())
LONG = MONTHS.replace(" ", "|")

# Where a date can be read in two ways, the first stands: in most of the world the day comes before the month.
FORMATS = {
    ISO: (rf"^[1-9][0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}}{TIME}$", "%Y-%m-%d"),
    "dd/mm/yyyy": (r"^[0-9]{1,2}/[0-9]{1,2}/[1-9][0-9]{3}$", "%d/%m/%Y"),
    "mm/dd/yyyy": (r"^[0-9]{1,2}/[0-9]{1,2}/[1-9][0-9]{3}$", "%m/%d/%Y"),
    "dd.mm.yyyy": (r"^[0-9]{1,2}\.[0-9]{1,2}\.[1-9][0-9]{3}$", "%d.%m.%Y"),
    "dd-mm-yyyy": (r"^[0-9]{1,2}-[0-9]{1,2}-[1-9][0-9]{3}$", "%d-%m-%Y"),
    "mm-dd-yyyy": (r"^[0-9]{1,2}-[0-9]{1,2}-[1-9][0-9]{3}$", "%m-%d-%Y"),
    "yyyy/mm/dd": (r"^[1-9][0-9]{3}/[0-9]{1,2}/[0-9]{1,2}$", "%Y/%m/%d"),
    "yyyymmdd": (r"^(?:19|20)[0-9]{6}$", "%Y%m%d"),
    **{
        written: (f"(?i)^{pattern.format(month=f'(?:{names})')}$", written)
        for letter, names in (("b", SHORT), ("B", LONG))
        for written, pattern in (
            (f"%d %{letter} %Y", "[0-9]{{1,2}} {month} [1-9][0-9]{{3}}"),
            (f"%d-%{letter}-%Y", "[0-9]{{1,2}}-{month}-[1-9][0-9]{{3}}"),
            (f"%{letter} %d, %Y", "{month} [0-9]{{1,2}}, [1-9][0-9]{{3}}"),
        )
    },
}
ENOUGH_TO_JUDGE = 3
"""Eight digits are taken for dates only if this many different values can be read so."""


def date_format(values: pl.Series) -> str | None:
    """Return how all values are written as dates, ``""`` for ISO dates, ``None`` if they are no dates.

    Examples
    --------
    >>> date_format(pl.Series(["31/12/1999", "01/02/2003"]))
    'dd/mm/yyyy'
    >>> date_format(pl.Series(["12/31/1999", "01/02/2003"]))
    'mm/dd/yyyy'
    >>> date_format(pl.Series(["12 Mar 1990", "1 May 1991"]))
    '%d %b %Y'
    """
    if not len(values):
        return None
    trimmed = values.str.strip_chars()
    return next((name for name in FORMATS if _fits(trimmed.head(100), name) and _fits(trimmed, name)), None)


def _fits(values: pl.Series, name: str) -> bool:
    pattern, directives = FORMATS[name]
    if not values.str.contains(pattern).all():
        return False
    if name == "yyyymmdd" and len(values) < ENOUGH_TO_JUDGE:
        return False
    days = values.str.slice(0, 10) if name == ISO else values
    return days.str.to_date(directives, strict=False).null_count() == 0


SAMPLE = 5
YES_OR_NO = (
    {"true", "false"},
    {"yes", "no"},
    {"y", "n"},
    {"t", "f"},
    {"0", "1"},
    {"ναι", "όχι"},
    {"ja", "nein"},
    {"oui", "non"},
    {"sì", "no"},
    {"sí", "no"},
    {"si", "no"},
)
INTEGER = r"^[+-]?(?:0|[1-9][0-9]{0,17})$"
DECIMAL = r"^[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$"


class ValueType(StrEnum):
    """What the values of a column look like."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    BOOLEAN = "boolean"
    TEXT = "text"
    CONSTANT = "constant"
    EMPTY = "empty"


@dataclass(frozen=True)
class ColumnProfile:
    """What is known about a column; it stays with the publisher, for it shows values of the data."""

    name: str
    kind: ValueType
    rows: int
    distinct: int
    """How many different values there are, the missing one not counted."""
    missing: int
    unique_share: float
    """The share of the values that are not missing which occur once, from 0 to 1."""
    smallest_group: int
    """How many records share the rarest value; the missing value is a value here."""
    entropy: float
    """How many bits a record's value carries, the missing value included."""
    shortest: int
    """The length of the shortest text."""
    longest: int
    """The length of the longest text."""
    sample: tuple[str, ...]
    """Some of the most frequent values."""
    date_format: str | None = None
    """How dates are written, if not as ISO dates."""
    looks_like: str | None = None
    """What nearly all values are, such as e-mail addresses."""
    resembles: str | None = None
    """What nearly all values may be, such as phone numbers, unless the name of the column says otherwise."""
    is_counting: bool = False
    """Whether the values are whole numbers without a gap, each once, as row numbers are."""
    several_words: float = 0.0
    """The share of the different values that have several words."""
    sentences: float = 0.0
    """The share of the different values that have four words or more."""

    @property
    def is_near_unique(self) -> bool:
        """Whether nearly every value belongs to one record only."""
        return self.unique_share >= 0.95

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.kind in (ValueType.INTEGER, ValueType.DECIMAL)


def profile_column(name: str, texts: pl.Series) -> ColumnProfile:
    """Return the profile of a column given as text.

    Examples
    --------
    >>> found = profile_column("age", pl.Series(["34", "51", "34", None]))
    >>> found.kind.value, found.distinct, found.missing, found.smallest_group
    ('integer', 2, 1, 1)
    """
    table = texts.rename("text").value_counts(name="count").sort(["count", "text"], descending=[True, False])
    present = table.filter(pl.col("text").is_not_null())
    values, counts, rows = present["text"], present["count"], len(texts)
    missing = texts.null_count()
    lengths = values.str.len_chars()
    written_as = date_format(values)
    kind = _kind(values, missing, is_date=written_as is not None)
    return ColumnProfile(
        name=name,
        kind=kind,
        rows=rows,
        distinct=len(values),
        missing=missing,
        unique_share=int((counts == 1).sum()) / max(rows - missing, 1),
        smallest_group=_number(table["count"].min()),
        entropy=table["count"].entropy(base=2, normalize=True) or 0.0,
        shortest=_number(lengths.min()),
        longest=_number(lengths.max()),
        sample=tuple(values.head(SAMPLE)),
        date_format=written_as or None,
        looks_like=looks_like(values),
        # a date or a decimal number may have as many digits as a phone number
        resembles=None if kind in (ValueType.DATE, ValueType.DECIMAL) else resembles(values),
        is_counting=_is_counting(values, rows),
        several_words=share(values, SEVERAL_WORDS),
        sentences=share(values, A_SENTENCE),
    )


def _kind(values: pl.Series, missing: int, *, is_date: bool) -> ValueType:
    if not len(values):
        return ValueType.EMPTY
    if len(values) == 1 and not missing:
        return ValueType.CONSTANT
    if {value.casefold() for value in values.head(3)} in YES_OR_NO:
        return ValueType.BOOLEAN
    if is_date:
        return ValueType.DATE
    trimmed = values.str.strip_chars()
    if trimmed.str.contains(INTEGER).all():
        return ValueType.INTEGER
    return ValueType.DECIMAL if trimmed.str.contains(DECIMAL).all() else ValueType.TEXT


def _is_counting(values: pl.Series, rows: int) -> bool:
    if len(values) != rows or rows < 3 or not values.str.contains(INTEGER).all():
        return False
    numbers = values.cast(pl.Int64)
    return _number(numbers.max()) - _number(numbers.min()) == rows - 1


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


BARS = 12


@dataclass(frozen=True)
class Sketch:
    """A few bars; it stays with the publisher, for it shows values of the data."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    rest: int = 0
    """How many records have other values than those shown, the missing one not counted."""


def sketch_column(texts: pl.Series, column: ColumnProfile) -> Sketch:
    """Return the bars of a column: ranges of the same width for numbers, else its most frequent values.

    Examples
    --------
    >>> from krypsis.kinds.table.profile.column import profile_column
    >>> texts = pl.Series([str(age) for age in (*range(20, 32), 80)])
    >>> drawn = sketch_column(texts, profile_column("age", texts))
    >>> drawn.labels[0], drawn.counts[0], drawn.counts[-1]
    ('20 – 25', 5, 1)
    """
    if column.kind in (ValueType.INTEGER, ValueType.DECIMAL) and column.distinct > BARS:
        numbers = texts.cast(pl.Float64, strict=False).drop_nulls()
        finite = numbers.filter(numbers.is_finite()).to_numpy()
        if len(finite) and np.isfinite(finite.max() - finite.min()):
            return _of_numbers(finite)
    found = texts.drop_nulls().value_counts(sort=True, name="_count").head(BARS)
    counts = tuple(found.get_column("_count").to_list())
    labels = tuple(found.get_column(texts.name).to_list())
    return Sketch(labels, counts, len(texts) - column.missing - sum(counts))


def _of_numbers(numbers: np.typing.NDArray[np.float64]) -> Sketch:
    counts, edges = np.histogram(numbers, bins=BARS)
    labels = (f"{low:.6g} – {high:.6g}" for low, high in pairwise(edges))
    return Sketch(tuple(labels), tuple(counts.tolist()))
