"""Scores: one number per criterion, the most important first."""

from krypsis.arrays import IntArray
from krypsis.data.recoding import FrequencySet, LevelsOutcome, Outcome
from krypsis.metrics.base import Metric
from krypsis.progress import JudgedNode

Score = tuple[float, ...]

ROUNDING = 1e-12
"""Numbers closer than this, relative to their size, count as equal."""


def score_of(metric: Metric, outcome: Outcome) -> Score:
    """Return the score of an outcome."""
    return tuple(criterion.compute(outcome) for criterion in metric.criteria)


def lowest_score(metric: Metric, optimistic: LevelsOutcome, highest: tuple[int, ...]) -> Score:
    """Return a score that no recoding between the optimistic outcome's levels and ``highest`` can beat.

    Bounds of the criteria one by one bound the order as well: what is not below in any criterion does not come before.
    """
    return tuple(criterion.lower_bound(optimistic, highest) for criterion in metric.criteria)


def least_scores(metric: Metric, frequency: FrequencySet, levels: IntArray, suppressed: IntArray) -> list[Score] | None:
    """Return a score for each node that no outcome there beats, as :meth:`Metric.least` says, or nothing."""
    least = [criterion.least(frequency, levels, suppressed) for criterion in metric.criteria]
    known = [one.tolist() for one in least if one is not None]
    return list(zip(*known, strict=True)) if len(known) == len(least) else None


def compare(one: Score, other: Score) -> int:
    """Return -1 if one score is better than the other, 1 if it is worse, 0 if they differ by rounding only.

    Examples
    --------
    >>> compare((1.0, 5.0), (1.0, 7.0)), compare((2.0,), (1.0,)), compare((0.1 + 0.2,), (0.3,))
    (-1, 1, 0)
    """
    for left, right in zip(one, other, strict=True):
        margin = ROUNDING * max(abs(left), abs(right))
        if left < right - margin:
            return -1
        if left > right + margin:
            return 1
    return 0


class Incumbent:
    """Remembers the best feasible node; among equal scores the one with the lowest levels, of those the first."""

    def __init__(self) -> None:
        self.levels: tuple[int, ...] | None = None
        self.score: Score = ()

    def offer(self, node: JudgedNode) -> bool:
        """Take a node if it is better; say whether it was."""
        if not node.feasible or not self.could_be_beaten_by(node.scores, node.levels):
            return False
        self.levels, self.score = node.levels, node.scores
        return True

    def could_be_beaten_by(self, score: Score, levels: tuple[int, ...]) -> bool:
        """Say whether a score, or the same score at lower levels, would be better."""
        if self.levels is None:
            return True
        order = compare(score, self.score)
        return order < 0 or (order == 0 and sum(levels) < sum(self.levels))

    def is_better_than(self, score: Score) -> bool:
        """Say whether nothing with this score or a worse one can be better."""
        return self.levels is not None and compare(self.score, score) < 0
