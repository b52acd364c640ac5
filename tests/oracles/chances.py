"""The chances of everything that a program which draws whole numbers can return, by going through all draws.

A program is run again and again; wherever it draws below ``n`` for the first time, all ``n`` ways are tried, each with
an ``n``-th of the chance, and wherever it asks whether something happens, both answers are. What takes too many or too
unlikely draws is cut off: its chance is told as the rest.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from krypsis.algorithms.tables.mechanisms.noise import RandomSource


class _OffTheBranchError(Exception):
    def __init__(self, shares: list[Fraction]) -> None:
        self.shares = shares


class _Branch(RandomSource):
    """Replays draws that are known, and stops at the first that is not."""

    def __init__(self, drawn: tuple[int, ...]) -> None:
        super().__init__()
        self.drawn = list(drawn)

    def below(self, limit: int) -> int:
        return 0 if limit == 1 else self._next([Fraction(1, limit)] * limit)

    def happens(self, numerator: int, denominator: int) -> bool:
        if not 0 < numerator < denominator:
            return numerator > 0
        chance = Fraction(numerator, denominator)
        return self._next([1 - chance, chance]) == 1

    def _next(self, shares: list[Fraction]) -> int:
        if not self.drawn:
            raise _OffTheBranchError(shares)
        return self.drawn.pop(0)


def chances_of(program: Callable[[RandomSource], Any], least: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """Return outcome → chance, and the chance of all that is less likely than ``least`` for one way to draw it."""
    found: Counter[Any] = Counter()
    rest = Fraction(0)
    open_branches: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while open_branches:
        drawn, chance = open_branches.pop()
        if chance < least:
            rest += chance
            continue
        try:
            found[program(_Branch(drawn))] += chance
        except _OffTheBranchError as stop:
            open_branches += [((*drawn, way), chance * share) for way, share in enumerate(stop.shares)]
    return dict(found), rest
