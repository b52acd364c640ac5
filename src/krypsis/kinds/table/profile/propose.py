"""Proposing a hierarchy for a column."""

import math
from collections.abc import Mapping
from decimal import Decimal

import polars as pl

from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.column import MANY, ColumnProfile, ValueType
from krypsis.kinds.table.profile.words import IDENTIFYING, KNOWABLE, MASKED, find_tag, tokens_of

LONGEST_CODE = 16
INTERVALS = 16
"""About how many intervals the middle 98 % of the numbers are cut into at level 1."""


def propose_hierarchy(column: ColumnProfile, dataset: Dataset) -> Mapping[str, str | int | float]:
    """Return the description of a hierarchy, as a plan states it.

    Numbers become intervals of a round width, dates months and years, codes lose characters from the right, and
    texts are published or not: only a person knows which of them mean something similar.

    Examples
    --------
    >>> from krypsis.kinds.table.profile.column import profile_column
    >>> dataset = Dataset.of(pl.DataFrame({"age": list(range(18, 90))}))
    >>> propose_hierarchy(profile_column("age", dataset.collect_texts("age")), dataset)
    {'kind': 'intervals', 'width': 5}
    """
    if column.kind is ValueType.DATE:
        written_as = {"format": column.date_format} if column.date_format else {}
        return {"kind": "dates", **written_as}
    if column.distinct <= 5 or column.kind is ValueType.BOOLEAN:
        return {"kind": "flat"}
    if is_code(column):
        return {"kind": "masking", "side": "right"}
    if column.is_number:
        return {"kind": "intervals", "width": _round_width(column, dataset)}
    return {"kind": "flat"}


def wants_file(column: ColumnProfile, proposed: object) -> bool:
    """Whether the values are so many, and the proposal so coarse, that a hierarchy file would keep much more."""
    return proposed == {"kind": "flat"} and column.distinct > MANY


def is_code(column: ColumnProfile) -> bool:
    """Whether the characters of the values go from general to special, as in zip codes and phone numbers.

    Examples
    --------
    >>> from krypsis.kinds.table.profile.column import profile_column
    >>> values = pl.Series(["10431", "10445", "11362"])
    >>> is_code(profile_column("zip", values)), is_code(profile_column("steps", values))
    (True, False)
    """
    if column.longest > LONGEST_CODE or column.longest < 3:
        return False
    tag = find_tag(tokens_of(column.name), (*IDENTIFYING, *KNOWABLE))
    if tag and tag.meaning in MASKED and column.kind is not ValueType.DECIMAL:
        return True
    same_length = column.shortest == column.longest
    return column.kind is ValueType.TEXT and same_length and all(_is_coded(value) for value in column.sample)


def _is_coded(value: str) -> bool:
    return value.isascii() and value.isalnum() and any(character.isdigit() for character in value)


def _round_width(column: ColumnProfile, dataset: Dataset) -> int | float:
    """Return 1, 2 or 5 times a power of ten that cuts the middle 98 % of the numbers into about 16 intervals."""
    numbers = dataset.collect_texts(column.name).str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
    low, high = (numbers.quantile(share, "nearest") for share in (0.01, 0.99))
    reach = _difference(high, low) or _difference(numbers.max(), numbers.min())
    if not reach:  # numbers so close together that they are the same for a computer
        return 1
    target = reach / INTERVALS
    power = math.floor(math.log10(target))
    step = min((1, 2, 5, 10), key=lambda step: abs(math.log10(step) - math.log10(target) + power))
    width = Decimal(step).scaleb(power)
    if column.kind is ValueType.INTEGER:
        return max(2, int(width))
    return int(width) if 1 <= width < 10**9 else float(width)


def _difference(high: object, low: object) -> float:
    if not isinstance(high, int | float) or not isinstance(low, int | float):
        return 0.0
    reach = float(high) - float(low)
    return reach if math.isfinite(reach) else 0.0
