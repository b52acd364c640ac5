"""Finding out how the dates of a column are written."""

from __future__ import annotations

import polars as pl

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
ENOUGH_TO_TELL = 3
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
    if name == "yyyymmdd" and len(values) < ENOUGH_TO_TELL:
        return False
    days = values.str.slice(0, 10) if name == ISO else values
    return days.str.to_date(directives, strict=False).null_count() == 0
