"""What would help a poor result: another algorithm, a smaller k, more suppression, a column less; each is computed."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic

import numpy as np

from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.recoding import FrequencySet, outcome_of
from krypsis.errors import KrypsisError, SearchWarning
from krypsis.kernels.rows import merge, number_rows
from krypsis.kinds.table.families.recoding import COMPARED
from krypsis.kinds.table.task import TableTask
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.release.release import Release

POOR = 0.3
"""Above this loss a result is called poor."""
SECONDS = 6.0
"""How long alternatives are computed, at most; one that has begun may take as long as the run itself did."""
MOST_TUPLES = 200_000
"""For more distinct combinations than this, alternatives would take too long."""
FEWER = 0.95
"""An alternative is worth mentioning if it has at most this part of the loss."""
SHOWN = 3


TEXTS = {
    "algorithm": ("the algorithm {name}", "krypsis run PLAN --algorithm {name}"),
    "smaller-k": ("k = {k}", "write k-anonymity:k={k} into the plan; it protects less"),
    "suppression": ("suppressing one more percent", "krypsis run PLAN --suppression {share}"),
    "column": ("leaving out {name!r} (in the other columns)", "give {name!r} the role 'identifier' in the plan"),
}
"""What could be changed, and what to do for it."""


@dataclass(frozen=True)
class Improvement:
    """Something that would lower the loss, with what to do for it.

    Examples
    --------
    >>> str(Improvement(0.25, "smaller-k", {"k": "4"}))
    'k = 4 would lower the loss to 0.25: write k-anonymity:k=4 into the plan; it protects less'
    """

    score: float
    key: str
    """Of the text, here and in the texts of the pages."""
    values: Mapping[str, str]

    @property
    def what(self) -> str:
        """What would be changed."""
        return TEXTS[self.key][0].format(**self.values)

    def __str__(self) -> str:
        """Return it as one sentence."""
        return f"{self.what} would lower the loss to {self.score:.3g}: {TEXTS[self.key][1].format(**self.values)}"

    def parts(self) -> dict[str, str]:
        """Return what a page needs to say it in another language."""
        return {"what": self.key, "score": f"{self.score:.3g}", **self.values}


Alternatives = Iterator[tuple[Callable[[], float | None], str, dict[str, str]]]


@dataclass(frozen=True, eq=False)
class _Search:
    """A search as it was, of which one thing at a time is changed."""

    algorithm: Algorithm
    frequency: FrequencySet
    models: Sequence[GroupModel]
    limits: Limits
    task: TableTask

    def score(self) -> float | None:
        """Return the loss, or nothing where the search does not apply or finds nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SearchWarning)
                found = self.algorithm.search(self.frequency, self.models, self.task.metric, self.limits)
        except KrypsisError:
            return None
        return self.task.metric.compute(outcome_of(found, self.frequency))


def improvements(release: Release, task: TableTask, seconds: float = SECONDS) -> tuple[Improvement, ...]:
    """Return what would help a poor result most, the best first; nothing for a good result.

    Parameters
    ----------
    release
        the result, with its evidence.
    task
        what was wanted.
    seconds
        how long to compute.
    """
    evidence, score = release.evidence, release.score
    if evidence is None or score is None or score <= POOR or task.metric.name not in COMPARED:
        return ()
    if len(evidence.frequency.counts) > MOST_TUPLES or evidence.frequency.population is not None:
        return ()
    algorithm = registry.create("algorithm", release.algorithm)
    if not isinstance(algorithm, Optimal | Mondrian):
        return ()
    search = _Search(algorithm, evidence.frequency, task.group_models, _limits(release, task), task)
    found = _tried(_alternatives(search), monotonic() + seconds)
    helping = [one for one in found if one.score <= FEWER * score]
    return tuple(sorted(helping, key=lambda one: one.score)[:SHOWN])


def _limits(release: Release, task: TableTask) -> Limits:
    evidence = release.evidence
    allowed = () if evidence is None else evidence.levels_allowed
    lowest, highest = (tuple(pair[side] for pair in allowed) or None for side in (0, 1))
    most = None if evidence is None else evidence.most_suppressed
    return Limits(most, task.suppressed == "keep", lowest, highest)


def _tried(alternatives: Alternatives, end: float) -> Iterator[Improvement]:
    for score, key, values in alternatives:
        if monotonic() > end:
            return
        if (found := score()) is not None:
            yield Improvement(found, key, values)


def _alternatives(search: _Search) -> Alternatives:
    """Yield what else could be searched for, and the key and the values of its text."""
    other = Mondrian() if isinstance(search.algorithm, Optimal) else Optimal()
    yield replace(search, algorithm=other).score, "algorithm", {"name": other.name}
    yield from _smaller_k(search)
    yield from _more_suppression(search)
    yield from _without_columns(search)


def _smaller_k(search: _Search) -> Alternatives:
    for model in search.models:
        if isinstance(model, KAnonymity) and model.k > 2:
            smaller = [KAnonymity(k=model.k - 1) if one is model else one for one in search.models]
            yield replace(search, models=smaller).score, "smaller-k", {"k": str(model.k - 1)}


def _more_suppression(search: _Search) -> Alternatives:
    if isinstance(search.algorithm, Mondrian):
        return  # it suppresses nothing
    rows, most = search.frequency.rows, search.limits.suppressed or 0
    more = most + ceil(0.01 * rows)
    share = f"{more / rows:.1%}"
    limits = replace(search.limits, suppressed=more)
    yield replace(search, limits=limits).score, "suppression", {"share": share}


def _without_columns(search: _Search) -> Alternatives:
    """Yield the search without each column, those with the most values first."""
    frequency = search.frequency
    if len(frequency.attributes) < 2 or frequency.sets or search.task.combinations:
        return
    places = sorted(range(len(frequency.attributes)), key=lambda place: -len(frequency.hierarchies[place].values))
    for place in places:
        name = frequency.attributes[place]
        yield _without(search, place).score, "column", {"name": name}


def _without(search: _Search, place: int) -> _Search:
    """Return the search without one attribute; tuples that differed in it only are counted together."""
    frequency, rest = search.frequency, [one for one in range(len(search.frequency.attributes)) if one != place]
    radices = [len(frequency.hierarchies[one].values) for one in rest]
    codes = np.ascontiguousarray(frequency.codes[:, rest])
    numbers, first = number_rows(list(codes.T), radices, len(codes))
    smaller = replace(
        frequency,
        attributes=tuple(frequency.attributes[one] for one in rest),
        hierarchies=tuple(frequency.hierarchies[one] for one in rest),
        weights=tuple(frequency.weights[one] for one in rest) if frequency.weights else (),
        codes=np.ascontiguousarray(codes[first]),
        counts=np.bincount(numbers, frequency.counts, minlength=len(first)).astype(np.int64),
        sensitive={name: merge(histogram, numbers) for name, histogram in frequency.sensitive.items()},
    )
    given = (search.limits.lowest, search.limits.highest)
    lowest, highest = (None if limit is None else tuple(limit[one] for one in rest) for limit in given)
    return replace(search, frequency=smaller, limits=replace(search.limits, lowest=lowest, highest=highest))
