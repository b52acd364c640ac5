"""What data says about the questions of the advisor: answers to confirm, each with its figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from krypsis.plan import Plan

Answer = Literal["yes", "no"]


@dataclass(frozen=True)
class Finding:
    """The answer that the data suggests, and the figures behind it."""

    answer: Answer
    key: str
    figures: Mapping[str, object] = field(default_factory=dict)

    def words(self, sentences: Mapping[str, str]) -> str:
        """Return the evidence as a sentence, from those of a language by key."""
        return sentences[self.key].format(**self.figures)


@dataclass(frozen=True)
class DataEvidence:
    """Findings by question, and what the data says about parameters.

    ``values`` may hold ``person``, a column that distinguishes persons; ``number``, the sensitive attribute that holds
    numbers where others do not; ``spread``, a tenth of the range of these numbers; ``nearness``, a twentieth of the
    range of the middle half of them; ``distance``, how values of all sensitive attributes are compared; ``known`` and
    ``hidden``, the quasi-identifiers and the sensitive attributes; ``guarded``, the first of several sensitive ones.
    """

    findings: Mapping[str, Finding] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


class DataFacts(ABC):
    """What a kind counts once about its data, for all questions."""

    @property
    @abstractmethod
    def evidence(self) -> DataEvidence:
        """What the data says about the questions."""

    @property
    def rows(self) -> int:
        """The number of records of a table, which limits what can be tried; 0 where that is quick."""
        return 0

    def data_for(self, plan: Plan) -> Any:  # noqa: ARG002  of kinds that keep their data
        """Return the data for a changed plan, where it need not be read again."""
        return None
