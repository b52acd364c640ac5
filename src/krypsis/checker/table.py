"""Check a table, in memory or in parts."""

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from heapq import heappop, heappush
from itertools import islice

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import Given, attribute_sets, judge_of, judges, names_of, unique
from krypsis.checker.evidence import Original, combinations_of, required, undecided, with_private_columns
from krypsis.checker.grouping import PublishedGroups, count, covering_groups_of, groups_of, refuse_unsound
from krypsis.checker.linkage import Linkage
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.population import with_population
from krypsis.data.groups import Groups, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import MemoryShort, UsageError, wrong_role
from krypsis.models.base import GroupModel, PrivacyModel, SensitiveModel, TableModel, Verdict


def check_table(table: pl.DataFrame | PartedRows, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
    """Say for each promise whether a published table keeps it.

    Parameters
    ----------
    table
        What is published. Values compare as they stand there: ``*`` equals only ``*``. Of a table in parts the distinct
        rows are counted; only promises that compare records one by one bring all records into memory.
    models
        The promises.
    given
        What is known of it, with private tables that have been read, see
        :func:`krypsis.checker.evidence.read_evidence`.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> table = pl.DataFrame({"job": ["Artist", "Artist", "Lawyer"], "disease": ["Flu", "Fever", "Flu"]})
    >>> verdict, = check_table(table, [KAnonymity(k=2)], Given(["job"]))
    >>> verdict.holds, verdict.achieved, verdict.offending
    (False, 1.0, ({'values': {'job': 'Lawyer'}, 'size': 1},))
    """
    sets, hidden = attribute_sets(given.quasi_identifiers or ()), names_of(given.sensitive)
    _check_arguments(models, hidden, {name for names in sets for name in names}, given.missing)
    if given.missing == "wildcard":
        refuse_unsound(models)
    if isinstance(table, PartedRows) and (by_record := [model for model in models if _needs_records(model, given)]):
        return _check_by_record(table, models, by_record, given)
    attributes = unique(name for names in sets for name in names)
    if isinstance(table, pl.DataFrame):
        table = with_private_columns(table, given.private_columns)
    combinations = combinations_of(models, hidden, table.columns)
    hierarchies = given.hierarchies or {}
    counted = count(table, attributes, hidden, given.reference or {}, hierarchies, combinations, literal=given.literal)
    derive = covering_groups_of if given.missing == "wildcard" else groups_of
    case = TableCase(sets, attributes, cache(partial(derive, counted)), hierarchies, given.original, given.population)
    return tuple(judge_of(model, type(table))(model, table, case) for model in models)


def _needs_records(model: PrivacyModel, given: Given) -> bool:
    """Say whether counts of what records show do not decide a promise: private columns lie next to the records."""
    return given.private_columns is not None or not isinstance(model, GroupModel)


def _check_by_record(
    table: PartedRows, models: Sequence[PrivacyModel], by_record: Sequence[PrivacyModel], given: Given
) -> tuple[Verdict, ...]:
    """Judge some promises on all records in memory, undecided where they do not fit, and the others on counts."""
    others = [model for model in models if model not in by_record]
    found = dict(zip(others, check_table(table, others, given) if others else (), strict=True))
    try:
        records = table.collected()
    except MemoryShort as error:
        reason = f"it can be decided only by comparing records one by one, and {error}"
        found |= {model: undecided(model, reason) for model in by_record}
    else:
        found |= dict(zip(by_record, check_table(records, by_record, given), strict=True))
    return tuple(found[model] for model in models)


@dataclass(eq=False)
class TableCase:
    """What the judges of promises about one table share."""

    sets: tuple[tuple[str, ...], ...]
    """The quasi-identifier sets."""
    attributes: tuple[str, ...]
    """All quasi-identifiers."""
    groups: Callable[[tuple[str, ...]], PublishedGroups]
    """Some of them → the groups of records that look alike in these."""
    hierarchies: Mapping[str, Hierarchy]
    original: Original | None = None
    population: Original | None = None
    _links: list[Linkage] | None = field(default=None, init=False)

    def links(self, model: PrivacyModel, table: pl.DataFrame) -> list[Linkage]:
        """Return which original records each published one could be, once for each quasi-identifier set."""
        if self._links is None:
            self._links = required(self.original, model.spec).links_to(table, self.sets)
        return self._links


@judges(GroupModel, pl.DataFrame)
@judges(GroupModel, PartedRows)
def judge_groups(model: GroupModel, table: pl.DataFrame | PartedRows, case: TableCase) -> Verdict:
    """Return the verdict about a promise that is decided group by group."""
    # Groups are derived anew from the published values; with several quasi-identifier sets each must keep the promise.
    found = [case.groups(names) for names in model.sets_of(case.attributes) or case.sets]
    if model.needs_population:
        found = [with_population(groups, case.population, model) for groups in found]
    return nothing_published(model, found[0].groups) if table.is_empty() else judge(model, found)


def _check_arguments(
    models: Sequence[PrivacyModel], sensitive: Sequence[str], quasi_identifiers: Container[str], missing: str
) -> None:
    if not models:
        raise UsageError("no promise is given; name at least one, such as k-anonymity:k=5")
    if missing not in ("value", "wildcard"):
        raise UsageError(f"missing must be 'value' or 'wildcard', got {missing!r}")
    for model in models:
        judge_of(model, pl.DataFrame)  # refuses what nobody can judge, before anything is counted
        if model.needs_sensitive and not sensitive:
            raise UsageError(f"{model.spec} is about a sensitive attribute and none is given; name at least one")
        attribute = getattr(model, "attribute", None)
        if attribute is not None and attribute in quasi_identifiers and attribute not in sensitive:
            raise wrong_role(attribute, "quasi-identifier", "sensitive", sensitive)


SHOWN = 5
"""How many offending groups a verdict shows."""

PARTS = 8
"""In how many parts groups are cut to find the worst: with two, all of them would be looked at twice."""


@dataclass(frozen=True, eq=False)
class GroupFinding:
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
    findings = [GroupFinding(found, model.accepts(found.groups), model.measure(found.groups)) for found in sets]
    # A promise holds for the table if it holds for every group, so the level achieved is that of the worst one.
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
    return said_of_spellings(found)


def said_of_spellings(several: Sequence[Sequence[str]]) -> str:
    """Say which values occur in several spellings: they were counted as one, and the publisher should mend them."""
    if not several:
        return ""
    example = ", ".join(map(repr, several[0][:SHOWN]))
    return f" {len(several)} sensitive value(s) occur in several spellings and count as one each, such as {example}."


def nothing_published(model: GroupModel, groups: Groups) -> Verdict:
    """Return the verdict about a table without records."""
    return Verdict(
        promise=model.spec,
        holds=False,
        required=model.required,
        achieved=model.measure(groups),
        sentence="Not kept: the published table has no records, so there is nothing to hide among.",
    )


def _sentence(model: GroupModel, broken: Sequence[GroupFinding], achieved: float, *, several_sets: bool) -> str:
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


def _offending(model: GroupModel, broken: Sequence[GroupFinding]) -> tuple[dict[str, object], ...]:
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


def _worst(model: GroupModel, finding: GroupFinding) -> list[int]:
    """Return the worst groups among the rejected, smaller groups first where the model sees no difference."""
    groups = finding.published.groups
    by_size = finding.rejected[np.argsort(groups.sizes[finding.rejected], kind="stable")]
    if isinstance(model, TableModel):
        return list(map(int, by_size[:SHOWN]))  # it is the small ones that break it
    places = _worst_first(model, _subset(groups, by_size), finding.achieved)
    return [int(by_size[place]) for place in islice(places, SHOWN)]


def _worst_first(model: GroupModel, groups: Groups, achieved: float) -> Iterator[int]:
    """Yield the places of groups, the worst of them ``achieved``: the worst first, of equally bad ones the first first.

    A model gives the level of the worst group of some, not which one it is; so the part with the worst is cut up until
    it is one group. A part is measured when its turn comes: until then it may be as bad as what it was cut from.
    """
    sign = 1 if model.better == "higher" else -1
    nowhere = np.arange(0)
    waiting = [(sign * achieved, 0, True, groups, nowhere)] if len(groups) else []
    # Best first: a part is never worse than its worst group, so the first single group that comes up is the worst.
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
