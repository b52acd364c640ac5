"""Average relative error of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.counting import CountMetric, SetCounts, Sets, Workload, check_sets, questions
from krypsis.specs import sets_of


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The relative error of each question, and how many questions nobody's record answers."""

    errors: FloatArray
    skipped: int


class AverageRelativeError(CountMetric):
    """How wrong the answers are to how many records hold all items of a set, on average.

    Notes
    -----
    The error of a question is ``|after - before| / before``; questions to which the answer was 0 are left out. They
    are the given ``sets``, or those of a workload: ``random_1_4`` draws an item, adds another, up to four;
    ``random_1000`` draws every set by itself; ``frequent_p`` are the sets that ``support`` percent of the records hold.

    Clusters are measured on data that could lie behind them, by the mean over ``reconstructions``. A generalized item
    stands for each of its items alike.

    References
    ----------
    Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, "Disassociation for electronic health record privacy", Journal
    of Biomedical Informatics 50, 2014, definition 2.

    Examples
    --------
    >>> before = Transactions.of_sets([["flu", "hiv"], ["flu", "hiv"], ["flu"]])
    >>> after = Transactions.of_sets([["flu", "hiv"], ["flu"], ["flu"]])
    >>> AverageRelativeError(sets=[["flu"], ["flu", "hiv"]]).measure(before, after, None, np.random.default_rng(1))
    0.25
    """

    name: ClassVar[str] = "are"
    formula: ClassVar[str] = "mean over questions of |after - before| / before"
    range: ClassVar[str] = "0 (all answers right) upwards without limit; 1 where nothing is left"
    sentence: ClassVar[str] = "how wrong, on average, the answers are to how many records hold all items of a set"

    workload: Workload = Field(default="random_1_4", description="which sets are asked for, unless they are given")
    number: int = Field(default=1000, ge=1, description="how many sets a workload has at most")
    support: float = Field(default=0.625, gt=0, le=100, description="percent of the records, for frequent_p")
    sets: Annotated[Sets, BeforeValidator(sets_of)] = Field(default=(), description="the sets that are asked for")

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        """Return the mean over the questions."""
        found = self.answers(original, published, hierarchy, rng)
        if not len(found.errors):
            raise UsageError(
                f"no record holds any of the {found.skipped} sets that {self.name} asks for; ask for others"
            )
        return float(found.errors.mean())

    def answers(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> AnswerErrors:
        """Return the error of each question."""
        asked = self.sets or questions(self.workload, original, self.number, self.support, rng)
        check_sets(asked, "sets that are asked for")
        counts = SetCounts(original)
        before = np.array([counts.of_all(one) for one in asked])
        answered = [one for one, count in zip(asked, before.tolist(), strict=True) if count]
        estimates = self.counts(published, hierarchy, rng)
        after = np.array([estimates.of_all(one) for one in answered])
        return AnswerErrors(np.abs(after - before[before > 0]) / before[before > 0], len(asked) - len(answered))
