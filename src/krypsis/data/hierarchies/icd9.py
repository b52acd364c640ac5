"""Diagnosis codes of the ICD-9-CM."""

import csv
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import ClassVar, NamedTuple

from krypsis.data.hierarchies.base import TOP, RuleBuilder

CODE = re.compile(r"([EV]?)(\d+)(?:\.\d*)?", re.IGNORECASE)
DIGITS = {"": 3, "V": 2, "E": 3}
"""How many digits of a code, after its letter, name its category."""
STRANGE = "Other codes"
"""Section and chapter of what is no code of the classification."""


class Icd9(RuleBuilder):
    """Level 1 is the category of three digits, level 2 its section, level 3 its chapter.

    Codes are written with or without a point: ``296.01`` and ``29601`` are in the category ``296``. A code that the
    classification does not know is its own category among the other codes.

    References
    ----------
    National Center for Health Statistics, "International Classification of Diseases, Ninth Revision, Clinical
    Modification".

    Examples
    --------
    >>> Icd9().build(["296.01", "V45.69"], "diagnosis").rows()[0]
    ['296.01', '296', '295-299 Other psychoses', 'Mental disorders', '*']
    """

    kind: ClassVar[str] = "icd9"

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:  # noqa: ARG002  nothing can go wrong
        categories = [_category(value) for value in values]
        sections = [_section(category) for category in categories]
        yield list(values)
        yield categories
        yield [STRANGE if one is None else f"{one.first}-{one.last} {one.section}" for one in sections]
        yield [STRANGE if one is None else one.chapter for one in sections]
        yield [TOP] * len(values)


class _Section(NamedTuple):
    first: str
    last: str
    section: str
    chapter: str


def _category(code: str) -> str:
    """Return the category of a code; a code of another form is its own."""
    found = CODE.fullmatch(code.strip())
    if found is None:
        return code
    letter, digits = found[1].upper(), found[2]
    return letter + digits[: DIGITS[letter]] if len(digits) >= DIGITS[letter] else code


def _section(category: str) -> _Section | None:
    """Return the section that a category lies in."""
    sections = _sections()
    place = bisect_right(sections, category, key=lambda one: one.first) - 1
    if place < 0 or len(category) != len(sections[place].first):
        return None
    return sections[place] if category <= sections[place].last else None


@cache
def _sections() -> list[_Section]:
    text = files("krypsis.data.hierarchies").joinpath("icd9.csv").read_text("utf-8")
    return sorted(_Section(**row) for row in csv.DictReader(text.splitlines()))
