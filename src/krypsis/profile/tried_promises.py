"""Choosing promises about sensitive columns by trying them: what the table can keep at an acceptable loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies import HierarchySpec, resolve
from krypsis.data.outcome import outcome_of
from krypsis.data.schema import Schema
from krypsis.errors import Infeasible, KrypsisError
from krypsis.io.dataset import Dataset
from krypsis.metrics.loss import Loss
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.promises import read_promise
from krypsis.profile.sensitive_promise import SensitivePromise, expected_groups, proposals, propose_promise

MOST_RECORDS = 10_000
"""Promises are tried on so many records at most, spread over the table."""
FEWEST_RECORDS = 100
"""With fewer records, what a trial finds says little; the values of the columns decide."""
GROWTH, ADDITION = 1.5, 0.05
"""A promise may raise the loss by half, or by this much."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """A part of the table on which promises are tried."""

    frequency: FrequencySet
    models: tuple[GroupModel, ...]

    def loss(self, *more: GroupModel) -> float | None:
        """Return the loss with more promises, or nothing if they cannot be kept."""
        try:
            recoding = Mondrian(threads=1).search(self.frequency, [*self.models, *more], Loss(), Limits())
        except Infeasible:
            return None
        return Loss().compute(outcome_of(recoding, self.frequency))


def fitting_promises(
    dataset: Dataset,
    schema: Schema,
    hierarchies: Mapping[str, HierarchySpec],
    k: int = 5,
) -> tuple[SensitivePromise, ...]:
    """Return a promise for each sensitive column, the strongest that is kept at an acceptable loss.

    Each candidate is tried with local recoding on up to 10,000 records, together with k-anonymity and what was chosen
    for the columns before. Without a quasi-identifier, only the values of the column decide.

    Examples
    --------
    >>> import polars as pl
    >>> ages, diseases = [str(20 + number % 40) for number in range(400)], ["flu", "hiv", "flu", "cold"] * 100
    >>> table = pl.DataFrame({"age": ages, "disease": diseases})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> [one.spec for one in fitting_promises(Dataset.of(table), schema, {"age": {"kind": "intervals", "width": 5}})]
    ['recursive-l-diversity:c=3,l=2,attribute=disease']
    """
    groups = expected_groups(dataset.rows, k)
    trial = _trial(dataset, schema, hierarchies, k)
    before = None if trial is None else trial.loss()
    if trial is None or before is None:
        return tuple(propose_promise(name, dataset.collect_texts(name), groups) for name in schema.sensitive)
    chosen: list[SensitivePromise] = []
    for name in schema.sensitive:
        found = _strongest(trial, before, proposals(name, dataset.collect_texts(name)))
        chosen.append(found)
        trial = _Trial(trial.frequency, (*trial.models, *_models([found])))
        before = trial.loss() or before
    return tuple(chosen)


def _strongest(trial: _Trial, before: float, candidates: Sequence[SensitivePromise]) -> SensitivePromise:
    """Return the first candidate that is kept at an acceptable loss, or the weakest."""
    limit = max(GROWTH * before, before + ADDITION)
    for one in candidates[:-1]:
        loss = trial.loss(*_models([one]))
        if loss is not None and loss <= limit:
            return one
    return candidates[-1]


def _models(promises: Sequence[SensitivePromise]) -> list[GroupModel]:
    return [model for one in promises if isinstance(model := read_promise(one.spec), GroupModel)]


def _trial(dataset: Dataset, schema: Schema, hierarchies: Mapping[str, HierarchySpec], k: int) -> _Trial | None:
    """Return a part of the table to try promises on, or nothing where it cannot be grouped."""
    if not schema.quasi_identifiers or not schema.sensitive or dataset.rows < FEWEST_RECORDS:
        return None
    step = max(dataset.rows // MOST_RECORDS, 1)
    engine = dataset.with_rows(dataset.engine.collect_sample(step)).engine
    try:
        resolved = {
            name: resolve(hierarchies.get(name), engine.distinct(name), name) for name in schema.quasi_identifiers
        }
        return _Trial(engine.count_tuples(schema, resolved).frequency, (KAnonymity(k=k),))
    except KrypsisError:  # a hierarchy that does not fit, which the run will say
        return None
