"""The incumbent: the best node a search has found so far."""

from __future__ import annotations

from krypsis.algorithms.scores import Score, compare
from krypsis.progress import JudgedNode


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
