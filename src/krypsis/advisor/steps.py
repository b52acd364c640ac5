"""One answered question."""

from __future__ import annotations

from dataclasses import dataclass

from krypsis.advisor.tree import Answer, Edge, Question, Taken
from krypsis.kinds.findings import Finding


@dataclass(frozen=True)
class Step:
    """A question, its answer, and the edge that was taken."""

    question: Question
    answer: Answer
    taken: Taken
    finding: Finding | None = None

    @property
    def edge(self) -> Edge:
        """Where the answer led."""
        return self.question.edge(self.taken)

    @property
    def is_assumed(self) -> bool:
        """Whether nobody knew the answer."""
        return self.answer == "unknown"
