"""Turn groups into a verdict that a person can read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.grouping import PublishedGroups
from krypsis.checker.spellings import said
from krypsis.groups import Groups, Histogram
from krypsis.models.base import GroupModel, SensitiveModel, TableModel
from krypsis.models.verdict import Verdict

SHOWN = 5
"""How many offending groups a verdict shows."""

PARTS = 8
"""In how many parts groups are cut to find the worst: with two, all of them would be looked at twice."""


@dataclass(frozen=True, eq=False)
class Finding:
    """What one model says about the groups of one quasi-identifier set."""

    published: PublishedGroups
    accepted: BoolArray
    achieved: float

    @property
    def rejected(self) -> IntArray:
        """The numbers of the groups that break the promise."""
        return np.flatnonzero(~self.accepted)


def judge(model: GroupModel, sets: Sequence[PublishedGroups]) -> Verdict:
    """Return the verdict over all quasi-identifier sets: the worst of them counts."""
    spec = model.spec
    model = _settled(model, sets)
    findings = [Finding(found, model.accepts(found.groups), model.measure(found.groups)) for found in sets]
    worst = (min if model.better == "higher" else max)(findings, key=lambda finding: finding.achieved)
    broken = [finding for finding in findings if finding.rejected.size]
    return Verdict(
        promise=spec,
        holds=not broken,
        required=model.required,
        achieved=worst.achieved,
        sentence=_sentence(model, broken, worst.achieved, several_sets=len(sets) > 1)
        + _unknown_value(model, sets)
        + _spellings(model, sets),
        offending=_offending(model, broken),
    )


def _settled(model: GroupModel, sets: Sequence[PublishedGroups]) -> GroupModel:
    """Return the promise with everything named that depends on the values, where one promise can say it."""
    domains = {name: histogram.domain for name, histogram in sets[0].groups.sensitive.items()}
    (first, *others) = model.settled(domains)
    return first if isinstance(first, GroupModel) and not others else model


def _unknown_value(model: GroupModel, sets: Sequence[PublishedGroups]) -> str:
    """Say that nobody has the value which a promise protects: anything keeps it then, and often it is misspelt."""
    wanted = getattr(model, "value", None)
    if wanted is None or not isinstance(model, SensitiveModel):
        return ""
    histograms = (found.groups.histograms(model.attribute).values() for found in sets)
    is_known = any(histogram.domain.codes_of(wanted) for each in histograms for histogram in each)
    return "" if is_known else f" No record has {wanted!r}; look how it is spelt in the data."


def _spellings(model: GroupModel, sets: Sequence[PublishedGroups]) -> str:
    """Say which values occur in several spellings: they were counted as one, and the publisher should mend them."""
    counted = sets[0].groups.sensitive
    if not isinstance(model, SensitiveModel) or not counted:  # some promise nothing where nothing is sensitive
        return ""
    histograms = sets[0].groups.histograms(model.attribute).values()
    found = [names for histogram in histograms for names in histogram.domain.spellings]
    return said(found)


def nothing_published(model: GroupModel, groups: Groups) -> Verdict:
    """Return the verdict about a table without records."""
    return Verdict(
        promise=model.spec,
        holds=False,
        required=model.required,
        achieved=model.measure(groups),
        sentence="Not kept: the published table has no records, so there is nothing to hide among.",
    )


def _sentence(model: GroupModel, broken: Sequence[Finding], achieved: float, *, several_sets: bool) -> str:
    limit = "at least" if model.better == "higher" else "at most"
    level = f"{achieved:.6g}" if math.isfinite(achieved) else "no limit at all"
    figures = f"required {limit} {model.required:.6g}, achieved {level}"
    if not broken:
        return f"Kept: {model.promise()} ({figures})."
    most = max(broken, key=lambda finding: finding.rejected.size)
    groups, sizes = most.rejected.size, most.published.groups.sizes
    if isinstance(model, TableModel):
        return f"Not kept: all {len(sizes)} groups together break the promise that {model.promise()} ({figures})."
    where = f" formed by {', '.join(most.published.attributes)}" if several_sets else ""
    return (
        f"Not kept: {groups} of {len(sizes)} groups{where} break the promise that {model.promise()} ({figures}; "
        f"smallest of these groups: {sizes[most.rejected].min()} record(s))."
    )


def _offending(model: GroupModel, broken: Sequence[Finding]) -> tuple[dict[str, object], ...]:
    """Return up to five groups that break the promise, the worst first."""
    sample = [
        (model.measure(_subset(finding.published.groups, np.array([group]))), finding, group)
        for finding in broken
        for group in _worst(model, finding)
    ]
    # Stable: groups that are equally bad stay in the order of their size and values.
    sample.sort(key=lambda entry: entry[0], reverse=model.better == "lower")
    return tuple(_show(finding.published, group) for _, finding, group in sample[:SHOWN])


def _show(published: PublishedGroups, group: int) -> dict[str, object]:
    values = dict(zip(published.attributes, published.values.row(group), strict=True))
    return {"values": values, "size": int(published.groups.sizes[group])}


def _worst(model: GroupModel, finding: Finding) -> list[int]:
    """Return the worst groups among the rejected, smaller groups first where the model sees no difference."""
    groups = finding.published.groups
    by_size = finding.rejected[np.argsort(groups.sizes[finding.rejected], kind="stable")]
    if isinstance(model, TableModel):
        return list(map(int, by_size[:SHOWN]))  # it is the small ones that break it
    places = _worst_first(model, _subset(groups, by_size), finding.achieved)
    return [int(by_size[place]) for place in islice(places, SHOWN)]


def _worst_first(model: GroupModel, groups: Groups, achieved: float) -> Iterator[int]:
    """Yield the places of groups, the worst of them ``achieved``: the worst first, of equally bad ones the first first.

    A model tells the level of the worst group of some, not which one it is; so the part with the worst is cut up until
    it is one group. A part is measured when its turn comes: until then it may be as bad as what it was cut from.
    """
    sign = 1 if model.better == "higher" else -1
    nowhere = np.arange(0)
    waiting = [(sign * achieved, 0, True, groups, nowhere)] if len(groups) else []
    while waiting:
        level, start, measured, whole, places = heappop(waiting)
        if not measured:
            part = _subset(whole, places)
            heappush(waiting, (sign * model.measure(part), start, True, part, nowhere))
        elif len(whole) == 1:
            yield start
        else:
            for some in np.array_split(np.arange(len(whole)), min(PARTS, len(whole))):
                heappush(waiting, (level, start + int(some[0]), False, whole, some))


def _subset(groups: Groups, chosen: IntArray) -> Groups:
    number = np.full(len(groups), -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    return Groups(
        groups.sizes[chosen],
        {name: _subset_histogram(histogram, number) for name, histogram in groups.sensitive.items()},
        None if groups.population is None else groups.population[chosen],
        {names: _subset_histogram(histogram, number) for names, histogram in groups.combined.items()},
    )


def _subset_histogram(histogram: Histogram, number: IntArray) -> Histogram:
    kept = number[histogram.group] >= 0
    return Histogram(
        number[histogram.group[kept]],
        histogram.value[kept],
        histogram.count[kept],
        histogram.whole,
        histogram.domain,
    )
