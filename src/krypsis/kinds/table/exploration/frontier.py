"""The frontier: points that no other point beats in one figure without losing in the other."""

from __future__ import annotations

from collections.abc import Sequence

DIGITS = 12
"""Figures that agree in so many digits differ by rounding only."""


def frontier(risk: Sequence[float], loss: Sequence[float], preference: Sequence[int]) -> list[int]:
    """Return the places of the points on the frontier, from the lowest loss to the lowest risk.

    Both figures are better when lower. Of points that are equal in both, the one with the lowest ``preference`` stands
    for all, of those the first.

    Examples
    --------
    >>> frontier([0.5, 0.2, 0.6, 0.2], [0.1, 0.4, 0.3, 0.4], [0, 2, 0, 1])
    [0, 3]
    """
    points = sorted(
        (rounded(loss[place]), rounded(risk[place]), preference[place], place) for place in range(len(risk))
    )
    chosen: list[int] = []
    lowest = float("inf")
    for _, height, _, place in points:
        if height < lowest:
            chosen.append(place)
            lowest = height
    return chosen


def rounded(figure: float) -> float:
    """Return a figure without the digits that only rounding has made."""
    return float(f"{figure:.{DIGITS}g}")
