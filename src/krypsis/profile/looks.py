"""What values look like: kinds of text that identify a person whatever the column is called."""

from __future__ import annotations

from collections.abc import Mapping

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
"""Looks that amounts, diagnoses and cities may have as well: they count where the name tells nothing."""

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
