"""Exact numbers: read from text, compared, and written as people write them."""

import re
from collections.abc import Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation

from krypsis.errors import HierarchyError, shorten

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
LONGEST = 400
LARGEST_EXPONENT = 400

# Wide enough for every sum and product of numbers within the two limits; anything inexact is an error of ours.
EXACT = Context(prec=4 * (LONGEST + LARGEST_EXPONENT), traps=[Inexact, InvalidOperation])


def parse_number(text: str) -> Decimal | None:
    """Return the number a text stands for, or ``None`` if it is none.

    Infinity, "not a number", digits of other scripts and numbers beyond 10^±400 are no numbers here.

    Examples
    --------
    >>> parse_number("30.50"), parse_number("1,5")
    (Decimal('30.50'), None)
    """
    text = text.strip()
    if len(text) > LONGEST or not NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if is_ordinary(number) else None


def is_ordinary(number: Decimal) -> bool:
    """Say whether a number is small enough, and has few enough decimals, to be computed with exactly."""
    return number.is_finite() and (not number or abs(number.adjusted()) <= LARGEST_EXPONENT)


def parse_numbers(values: Sequence[str], name: str) -> list[Decimal]:
    """Return the values of a column as numbers.

    Raises
    ------
    HierarchyError
        naming some of the values that are not numbers.
    """
    parsed = [parse_number(value) for value in values]
    numbers = [number for number in parsed if number is not None]
    if len(numbers) < len(values):
        strangers = [value for value, number in zip(values, parsed, strict=True) if number is None]
        raise HierarchyError(
            f"hierarchy of {name!r}: {len(strangers)} of {len(values)} value(s) are not numbers: "
            f"{shorten(map(repr, strangers))}; write numbers like 12 or -3.5, leave the cell empty where unknown, "
            "or use another kind of hierarchy"
        )
    return numbers


def number_text(number: Decimal) -> str:
    """Return a number without exponent and without zeros that say nothing.

    Examples
    --------
    >>> number_text(Decimal("30.500")), number_text(Decimal("1E+3"))
    ('30.5', '1000')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
