"""Which promises the given files cannot decide, since something that is not published is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.checker.beside import combinations_of
from krypsis.checker.mechanisms import required_record
from krypsis.checker.original import Original, required
from krypsis.errors import Undecidable
from krypsis.format.mechanism_record import MechanismRecord
from krypsis.groups import Groups
from krypsis.models.base import PrivacyModel
from krypsis.models.mechanisms import MechanismModel
from krypsis.models.verdict import Verdict

Judge = Callable[[Sequence[PrivacyModel]], Sequence[Verdict]]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is at hand to decide promises."""

    columns: Sequence[str]
    """The published columns."""
    sensitive: Sequence[str] = ()
    original: Original | None = None
    population: Original | None = None
    beside: pl.DataFrame | None = None
    mechanism_record: MechanismRecord | None = None

    def lacks(self, model: PrivacyModel) -> str:
        """Say what a promise needs that is not at hand; empty if nothing is missing.

        Examples
        --------
        >>> from krypsis.models.k_map import KMap
        >>> Evidence(["age"]).lacks(KMap(k=2)).partition(";")[0]
        'k-map:k=2 is about the population that the records come from and none is given'
        """
        if not isinstance(model, PrivacyModel):
            return ""  # the judge says what is wrong with it
        columns = [*self.columns, *([] if self.beside is None else self.beside.columns)]
        try:
            if model.needs_original:
                required(self.original, model.spec)
            if model.needs_population and self.population is None:
                Groups(np.zeros(0, dtype=np.int64), {}).people(model.spec)
            if isinstance(model, MechanismModel):
                required_record(model, self.mechanism_record)
            combinations_of([model], self.sensitive, columns)
        except Undecidable as error:
            return str(error)
        return ""


def judge_with(evidence: Evidence, models: Sequence[PrivacyModel], judge: Judge) -> tuple[Verdict, ...]:
    """Return a verdict for each promise: that of the judge, or "undecided" where evidence is missing."""
    missing = {model: evidence.lacks(model) for model in models}
    decidable = [model for model in models if not missing[model]]
    found = dict(zip(decidable, judge(decidable), strict=True))
    return tuple(found[model] if model in found else _undecided(model, missing[model]) for model in models)


def _undecided(model: PrivacyModel, reason: str) -> Verdict:
    sentence = f"Undecided: {reason}."
    return Verdict(promise=model.spec, holds=None, required=model.required, sentence=sentence)
