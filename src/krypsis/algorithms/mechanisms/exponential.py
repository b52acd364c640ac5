"""The exponential mechanism: one of several choices is drawn, the better ones far more often."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from krypsis.algorithms.mechanisms.source import Source, happens_exponentially
from krypsis.errors import UsageError


def choose(scores: Sequence[int], epsilon: Fraction, sensitivity: int, source: Source) -> int:
    """Return the place of one choice, drawn with a chance proportional to ``exp(ε · score / (2 · sensitivity))``.

    This is ε-differentially private if one person changes no score by more than ``sensitivity``.

    Notes
    -----
    A choice is drawn evenly and kept with the chance ``exp(-ε · (best - score) / (2 · sensitivity))``, until one is
    kept. All is exact: no power is ever computed. The best choice is always kept, so as many draws as there are choices
    are enough on average.

    References
    ----------
    McSherry, Talwar, "Mechanism design via differential privacy", FOCS 2007.

    Examples
    --------
    >>> choose([3, 1000, 2], Fraction(1), 1, Source())
    1
    """
    if not scores:
        raise UsageError("there is nothing to choose from; name at least one choice")
    best = max(scores)
    while True:
        place = source.below(len(scores))
        exponent = epsilon * (best - scores[place]) / (2 * sensitivity)
        if happens_exponentially(exponent.numerator, exponent.denominator, source):
            return place
