"""The types of PostgreSQL: what polars calls them, and the expression in which their values reach us unchanged."""

from dataclasses import dataclass

import polars as pl

MOST_DIGITS = 38
"""Decimal numbers with more digits have no type in polars."""
UTC = pl.Datetime("us", "UTC")
SAME: dict[str, pl.DataType] = {
    "bool": pl.Boolean(),
    "int2": pl.Int16(),
    "int4": pl.Int32(),
    "int8": pl.Int64(),
    "float4": pl.Float32(),
    "float8": pl.Float64(),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us"),
    "timestamptz": UTC,
    "time": pl.Time(),
    "bytea": pl.Binary(),
}
"""Types that reach us as they are."""
NUMERIC, PADDED = "numeric", "bpchar"
HEADER = 4
"""What PostgreSQL adds to the length or precision of a type when it stores them."""


@dataclass(frozen=True)
class ColumnType:
    """The type of a column: its name in PostgreSQL without domains, and its modifier, −1 without one."""

    name: str
    modifier: int = -1
    scale: int | None = None
    """Decimal places of a ``numeric`` that says nothing of them: as many as any of its values has."""

    @property
    def polars(self) -> pl.DataType:
        """The type as polars calls it; whatever polars has no type for is text.

        Examples
        --------
        >>> ColumnType("numeric", 6 << 16 | 2 + 4).polars, ColumnType("uuid").polars
        (Decimal(precision=6, scale=2), String)
        """
        if self.name == NUMERIC and self.is_decimal:
            return pl.Decimal(*self._precision)
        return SAME.get(self.name, pl.String())

    @property
    def is_decimal(self) -> bool:
        """Whether polars has a type for these decimal numbers."""
        digits, places = self._precision
        return 0 <= places <= digits <= MOST_DIGITS

    @property
    def needs_scale(self) -> bool:
        """Whether the decimal places are known from the values only."""
        return self.name == NUMERIC and self.modifier < 0

    @property
    def sent_as(self) -> str:
        """The type in PostgreSQL of what :meth:`expression` returns."""
        return self.name if self.name in SAME else 'text collate "C"'

    @property
    def is_float(self) -> bool:
        """Whether these are floating point numbers."""
        return self.name in ("float4", "float8")

    def expression(self, column: str) -> str:
        """Return the values of a column so that they reach us, and equal ones are equal.

        Examples
        --------
        >>> ColumnType("varchar").expression('t."zip"')
        't."zip"::text collate "C"'
        """
        if self.name in SAME:
            return column
        if self.name == NUMERIC:
            # Equal numbers have one text only where they have equally many decimal places; NaN is a missing value.
            digits, places = self._precision
            same = f"::numeric({digits}, {places})::text" if self.is_decimal else "::text"
            number = f"nullif({column}, 'NaN')"
            text = f"{number}{same}" if self.is_decimal else f"trim_scale({number}){same}"
            return f'{text} collate "C"'
        if self.name == PADDED and self.modifier > HEADER:
            # Turned into text it would lose the blanks at its end, which everybody who reads the table gets.
            return f'rpad({column}::text, {self.modifier - HEADER}) collate "C"'
        return f'{column}::text collate "C"'

    @property
    def _precision(self) -> tuple[int, int]:
        if self.modifier < 0:
            return MOST_DIGITS, self.scale or 0
        stored = self.modifier - HEADER
        places = (stored & 0x7FF ^ 0x400) - 0x400  # eleven bits with a sign
        return stored >> 16, places
