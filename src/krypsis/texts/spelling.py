"""Different spellings of one value: ``Flu``, ``flu `` and ``FLU`` are one disease, and hide nobody among three."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import polars as pl

MISSING = frozenset({"", "*", "-", "--", ".", "?", "na", "n/a", "#n/a", "nan", "nat", "null", "none", "nil", "missing"})
"""What people and programs write where nothing is known; all of it is the same as an empty cell."""
PLAIN = re.compile(r"[a-z]+(?: [a-z]+)*|0|-?[1-9][0-9]*")
"""Texts that are their own key, if they do not stand for a missing value."""
NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<whole>0|[1-9][0-9]*)(?:\.(?P<rest>[0-9]*))?")
"""Numbers; those with zeros in front are codes, and 01 is not 1."""
YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[t ]00:00(?::00(?:\.0+)?)?)?")
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
MARKS = re.compile("[\u0300-\u036f]")
"""Accents, which capital letters are often written without."""
UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def key_of(value: str | None) -> str | None:
    """Return the same key for all spellings of a value: of letters, blanks, numbers, dates and missing values.

    Which part of 01/02/2020 is the day cannot be known, so such dates stay as they are.

    Examples
    --------
    >>> key_of("Flu ") == key_of("FLU"), key_of("5.0") == key_of("5"), key_of("01") == key_of("1"), key_of("N/A")
    (True, True, False, None)
    >>> key_of("31.1.2020") == key_of("2020-01-31") == key_of("2020/1/31")
    True
    """
    if value is None:
        return None
    if PLAIN.fullmatch(value):
        return None if value in MISSING else value
    text = MARKS.sub("", unicodedata.normalize("NFKD", UNSEEN.sub("", value)).casefold())
    text = " ".join(text.split())
    if text in MISSING:
        return None
    return _number(text) or _date(text) or text


def spelled_alike(texts: pl.Series) -> pl.Series:
    """Return a column in which all spellings of a value are written as the first of them.

    Examples
    --------
    >>> spelled_alike(pl.Series(["Flu", "flu ", "cold", None, "N/A"])).to_list()
    ['Flu', 'Flu', 'cold', None, None]
    """
    found: dict[str | None, str | None] = {}
    alike = [found.setdefault(key_of(text), text) for text in texts.to_list()]
    return pl.Series(alike, dtype=pl.String)


def _number(text: str) -> str | None:
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    rest = (found["rest"] or "").rstrip("0")
    number = found["whole"] + (f".{rest}" if rest else "")
    return f"-{number}" if found["sign"] == "-" and number != "0" else number


def _date(text: str) -> str | None:
    if found := YEAR_FIRST.fullmatch(text):
        year, month, day = found[1], int(found[3]), int(found[4])
    elif found := DAY_FIRST.fullmatch(text):
        year, month, day = found[3], int(found[2]), int(found[1])
    else:
        return None
    return f"{year}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else None


@dataclass(frozen=True)
class Alike:
    """Values without those that are other spellings of one of them.

    ``place[i]`` says which of ``values`` the i-th value given is; ``several`` are values with more than one spelling.
    """

    values: tuple[str | None, ...]
    place: tuple[int, ...]
    several: tuple[tuple[str, ...], ...] = ()


def alike(values: Sequence[str | None], literal: Collection[str | None] = ()) -> Alike:
    """Find the different spellings among distinct values, which must stand in ascending order, a missing one last.

    The first spelling stands for all; a missing value for all that mean missing. Values in ``literal`` keep their
    spelling: labels of a hierarchy mean what the hierarchy says.

    Examples
    --------
    >>> alike(["FLU", "NA", "asthma", "flu", None])
    Alike(values=('FLU', 'asthma', None), place=(0, 2, 1, 0, 2), several=(('FLU', 'flu'), ('NA', '(missing)')))
    """
    keys = [(True, value) if value in literal else (False, key_of(value)) for value in values]
    classes: dict[tuple[bool, str | None], list[str | None]] = {}
    for key, value in zip(keys, values, strict=True):
        classes.setdefault(key, []).append(value)
    chosen = {key: None if None in members else members[0] for key, members in classes.items()}
    kept = sorted(chosen.values(), key=lambda value: (value is None, value or ""))
    number = {value: place for place, value in enumerate(kept)}
    several = tuple(tuple(_shown(members)) for members in classes.values() if len(members) > 1)
    return Alike(tuple(kept), tuple(number[chosen[key]] for key in keys), several)


def _shown(values: Iterable[str | None]) -> Iterable[str]:
    return ("(missing)" if value is None else value for value in values)
