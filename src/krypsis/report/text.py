"""Words for people: labels that are safe to show and numbers that are easy to read."""

import math
import unicodedata

from krypsis.data.hierarchies.base import Label
from krypsis.texts.printable import HARMFUL

MISSING = "(missing)"
EMPTY = "(empty)"
LONGEST_LABEL = 200


def readable(label: Label, longest: int = LONGEST_LABEL) -> str:
    r"""Return a label as text that can be shown: never empty, of bounded length, without characters that do things.

    Examples
    --------
    >>> readable(None), readable(" "), readable("a\x00b"), readable("abcdef", longest=4)
    ('(missing)', '(empty)', 'a�b', 'abc…')
    """
    if label is None:
        return MISSING
    text = shorten_text(str(label), longest).replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return HARMFUL.sub("\ufffd", text) if text.strip() else EMPTY


def shorten_text(text: str, longest: int) -> str:
    """Return the text, cut with an ellipsis so that it takes at most ``longest`` columns."""
    if columns(text) <= longest:
        return text
    used = 0
    for position, character in enumerate(text):
        used += columns(character)
        if used > longest:
            return _cut(text[:position], longest)
    return text


def columns(text: str) -> int:
    """Return how many columns a text takes; a wide character takes two.

    Examples
    --------
    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    wide = (character for character in set(text) if unicodedata.east_asian_width(character) in "WF")
    return len(text) + sum(map(text.count, wide))


def count(number: float) -> str:
    """Return a number with its thousands separated and about four digits that matter.

    Examples
    --------
    >>> count(30162), count(7 / 6), count(0.0004), count(float("inf"))
    ('30,162', '1.167', '0.0004', '∞')
    """
    if not math.isfinite(number):
        return "–" if math.isnan(number) else "∞" if number > 0 else "−∞"
    if number == int(number):
        return f"{int(number):,}"
    return f"{number:,.1f}" if abs(number) >= 1000 else f"{number:.4g}"


def percent(share: float) -> str:
    """Return a share in percent; what is neither 0 nor everything never reads as 0 % or 100 %.

    Examples
    --------
    >>> percent(0.5), percent(0.00001), percent(0.99999), percent(1)
    ('50.0 %', '< 0.1 %', '> 99.9 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < share < 1 else f"{share * 100:.1f} %"


def fine_percent(share: float) -> str:
    """Return a share in percent with two digits that matter, since risks may be small.

    Examples
    --------
    >>> fine_percent(0.0291439), fine_percent(0.0002), fine_percent(1), fine_percent(0)
    ('2.9 %', '0.02 %', '100 %', '0 %')
    """
    return f"{share * 100:.2g} %" if share * 100 < 99.5 else f"{share * 100:.0f} %"


def plural(number: int, noun: str) -> str:
    """Return the number with its noun.

    Examples
    --------
    >>> plural(1, "record"), plural(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def sentence(words: str) -> str:
    """Return the words as a sentence: with a capital at the start and a period at the end.

    Examples
    --------
    >>> sentence("lower is better"), sentence("Really?")
    ('Lower is better.', 'Really?')
    """
    words = words.strip()
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


def _cut(text: str, longest: int) -> str:
    while columns(text) > longest - 1:
        text = text[:-1]
    return text + "…"
