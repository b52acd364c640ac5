"""The figures of a report on a table, each computed once, from which the blocks are made."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from krypsis import registry
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.recoding import Outcome
from krypsis.data.schema import Role
from krypsis.errors import UsageError
from krypsis.kinds.table import group_risk
from krypsis.kinds.table.attack_results import AttackResult, attacks_tried
from krypsis.kinds.table.distributions import (
    Distribution,
    distributions_of,
    distributions_of_parts,
    quasi_identifier_distributions,
    sensitive_distributions,
)
from krypsis.kinds.table.make import release_of
from krypsis.kinds.table.solution_space import SolutionSpace, solution_space
from krypsis.kinds.table.summary import changes
from krypsis.kinds.table.suppression_figures import SuppressionFigures, suppressed_by
from krypsis.kinds.table.utility.column_comparison import ComparedColumn, compared_columns
from krypsis.kinds.table.utility.counted_comparison import comparison_of
from krypsis.kinds.table.utility.dependence import Dependence, dependence_between
from krypsis.kinds.table.utility.gauge import FORMULA, SENTENCE, Gauge, from_sample, gauge_of
from krypsis.metrics.base import Metric
from krypsis.metrics.loss import Loss
from krypsis.models.base import PrivacyModel
from krypsis.release.provenance import MECHANISM, Before
from krypsis.release.release import Release
from krypsis.report.blocks import Direction, GaugeFigure, GaugePart, PromiseResult, Section
from krypsis.report.dossier import most_at_risk
from krypsis.report.sections import LONGEST_SENTENCE, promise_results, verdict_sentence
from krypsis.report.text import percent, plural, readable

LOSS_FORMULA = "mean over records of (values that look alike − 1) ÷ (values − 1); a suppressed record counts as 1"
LOSS_SENTENCE = (
    "How much detail this attribute has lost: 0 means every value is published as it was, 1 means nothing can be said "
    "from it any more."
)
MAP_FORMULA = "mutual information, corrected for chance ÷ the smaller of the two entropies before"
MAP_SENTENCE = "How much one column reveals about another: 0 is nothing, 1 is everything."
LONGEST = 400
"""Sentences of the summary may quote the names of columns, which come from outside."""


@dataclass(frozen=True)
class AttributeLoss:
    """What one quasi-identifier has lost."""

    attribute: str
    hierarchy: str
    """The name of its hierarchy; empty if it has none."""
    level: int | None
    """The level all values were taken to, if they went to the same."""
    height: int | None
    weight: float
    loss: float
    values_before: int
    values_after: int


@dataclass(frozen=True)
class MetricFigure:
    """One metric of the release with its range; ``position`` is its place from best (0) to worst (1)."""

    name: str
    value: float
    best: float
    worst: float
    position: float
    formula: str
    sentence: str
    direction: Direction


@dataclass(frozen=True)
class DependenceMap:
    """How strongly columns depend on each other, before and after, each pair from 0 to 1."""

    columns: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    formula: str
    sentence: str
    note: str = ""


@dataclass(frozen=True)
class FurtherTable:
    """Another table of a release of several."""

    name: str
    records_before: int
    records_published: int
    distributions: tuple[Distribution, ...]


@dataclass(frozen=True, kw_only=True)
class TableFigures:
    """All that a report says about a release of a table, number by number."""

    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    disclosed: int = 0
    """How many records lie in groups in which a sensitive value is certain, or nearly so, added up over the columns."""
    guarantee: str = ""
    """What the method guarantees beyond the promises, or that it guarantees nothing."""
    records_before: int
    records_published: int
    suppressed: int
    suppressed_share: float
    suppression: str
    version: Section | None = None
    """Of a version of a table that changes: what is new in it."""
    risk: tuple[group_risk.SetRisk, ...]
    risk_unit: Literal["record", "subject"] = "record"
    """What is counted in groups: records, or subjects who may have rows in several tables."""
    attacks: tuple[AttackResult, ...] = ()
    gauge: GaugeFigure
    attributes: tuple[AttributeLoss, ...]
    metrics: tuple[MetricFigure, ...]
    changes: tuple[str, ...] = ()
    """What was changed or made by chance, one sentence each."""
    suppressed_by: SuppressionFigures | None = None
    distributions: tuple[Distribution, ...]
    dependence: DependenceMap | None = None
    tables: tuple[FurtherTable, ...] = ()
    space: SolutionSpace | None = None
    algorithm: str
    metric: str
    score: float | None

    @property
    def main_risk(self) -> group_risk.SetRisk | None:
        """The quasi-identifier set under which the published table is most at risk, if groups were looked at."""
        return most_at_risk(self.risk) if self.risk else None


def table_figures(release: Release) -> TableFigures:
    """Return everything the report of a release of a table says.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> patients = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "asthma", "flu", "gout"]})
    >>> roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    >>> figures = table_figures(krypsis.anonymize(patients, roles, models=["k-anonymity:k=2"]))
    >>> figures.summary[1]
    'Before, 0 records of 4 could be distinguished from all others; now each published record looks like at least 1
    other.'
    """
    if release.before is None:
        raise UsageError(
            "a report compares the table before with the release, and this release does not carry the table before "
            "(it was loaded from its published files); make the report from the result of krypsis.anonymize"
        )
    evidence, compared = release.evidence, comparison_of(release)
    columns = compared.columns
    tables = (
        None
        if evidence is None
        else (group_risk.table_before(evidence), group_risk.table_after(evidence, release.suppression))
    )
    dependence = dependence_between(compared)
    promises, risk = promise_results(release), _risk(release, columns, tables)
    parts, outcome = release.before.parts, outcome_before(release.before)
    return TableFigures(
        summary=summarize(release, promises, risk),
        promises=promises,
        disclosed=sum(found.exposed for found in release.disclosures),
        guarantee=readable(release.guarantee, LONGEST_SENTENCE) if release.guarantee else "",
        records_before=release.before.table.height if outcome is None else outcome.rows,
        records_published=release.records,
        suppressed=release.suppressed,
        suppressed_share=release.suppressed / release.rows_before if release.rows_before else 0.0,
        suppression=release.suppression,
        risk=risk,
        risk_unit="record" if release.before.subjects is None else "subject",
        attacks=attacks_tried(release),
        gauge=gauge_figure(gauge_of(columns, dependence), dependence.sampled if dependence.is_kept_from_sample else 0),
        attributes=losses_of(release, columns),
        metrics=() if outcome is None else metric_figures(release, outcome, has_tuples=parts is None),
        changes=tuple(readable(line, LONGEST_SENTENCE) for line in changes(release)),
        suppressed_by=None if evidence is None else suppressed_by(evidence),
        distributions=distributions_of_parts(parts, release.publication.rows())
        if parts is not None
        else distributions_of(columns)
        if evidence is None or tables is None
        else (
            *quasi_identifier_distributions(evidence, *tables),
            *sensitive_distributions(evidence, release.publication.rows()),
        ),
        dependence=dependence_map(dependence, columns),
        tables=tuple(further_tables(release)),
        space=None if evidence is None else solution_space(release, evidence, risk),
        algorithm=release.algorithm,
        metric=release.metric,
        score=release.score,
    )


def outcome_before(before: Before) -> Outcome | None:
    """Return the figures of a recoding, where there is one."""
    found = before.parts if before.evidence is None else before.evidence
    return None if found is None else found.outcome


def risk_of(release: Release) -> tuple[group_risk.SetRisk, ...]:
    """Return the risk before and after for every set of quasi-identifiers.

    Nothing if there is no table before, no quasi-identifier, or a table that was made by chance: its rows are nobody's.
    """
    evidence = release.evidence
    tables = (
        None
        if evidence is None
        else (group_risk.table_before(evidence), group_risk.table_after(evidence, release.suppression))
    )
    return _risk(release, None, tables)


def _risk(
    release: Release,
    columns: Sequence[ComparedColumn] | None,
    tables: tuple[group_risk.TupleCounts, group_risk.TupleCounts] | None,
) -> tuple[group_risk.SetRisk, ...]:
    before = release.before
    if before is None or release.scheme == MECHANISM or not release.schema.quasi_identifiers:
        return ()
    ks = [k for spec in release.promises if isinstance(k := getattr(registry.create("model", spec), "k", None), int)]
    if before.subjects is not None:
        names = (*release.levels,)
        return (group_risk.assess_sizes(*before.subjects, tuple(map(readable, names)), ks),)
    if before.parts is not None:
        sizes, times = before.parts.sizes
        names = tuple(map(readable, before.parts.groups.attributes))
        return (group_risk.assess_sizes(sizes, before.parts.outcome.kept_sizes, names, ks, times=times),)
    if before.evidence is not None and tables is not None:
        frequency = before.evidence.frequency
        names, sets = frequency.attributes, frequency.attribute_sets
    else:
        found = compared_columns(release) if columns is None else columns
        names = tuple(column.name for column in found if column.role is Role.QUASI_IDENTIFIER)
        sets = tuple(tuple(names.index(name) for name in members) for members in release.schema.sets)
        tables = single_records(found, before.nobody)
    return tuple(
        group_risk.assess(*tables, positions, tuple(readable(names[at]) for at in positions), ks) for positions in sets
    )


def summarize(
    release: Release, promises: Sequence[PromiseResult], risk: Sequence[group_risk.SetRisk]
) -> tuple[str, ...]:
    """Return what happened, in the order a reader asks: is it safe, what was the danger, what did it cost."""
    worst = [f"Think twice before you publish: {readable(found.sentence, LONGEST)}" for found in release.disclosures]
    helping = [f"What would help: {readable(line, LONGEST)}." for line in release.private.get("improvements", ())]
    chosen = readable(str(release.private.get("choice", "")), LONGEST) + "." if "choice" in release.private else ""
    verdict = verdict_sentence(promises, release.guarantee)
    lines = (*worst, verdict, *_risk_sentences(release, risk), _suppression(release), chosen, *helping)
    return tuple(line for line in lines if line)


def _risk_sentences(release: Release, risk: Sequence[group_risk.SetRisk]) -> Iterator[str]:
    if release.scheme == MECHANISM:
        yield "The published table was made by chance; none of its rows is anybody's record."
    if not risk:
        return
    if release.group_column is not None and not (release.before and release.before.books):
        yield "What an attacker may know is published as it was; which sensitive value is whose is hidden in groups."
        return
    yield _groups(most_at_risk(risk), "record" if release.publication.subject_column is None else "subject")


def _groups(worst: group_risk.SetRisk, unit: str) -> str:
    alone = int(worst.figure("records-alone").before or 0)
    before = f"Before, {plural(alone, unit)} of {worst.records_before:,} could be distinguished from all others"
    after = worst.figure("smallest-group").after
    if after is None:
        return f"{before}; now no {unit} is published."
    others = plural(int(after) - 1, "other")
    return f"{before}; now each published {unit} looks like at least {others}."


def _suppression(release: Release) -> str:
    if release.scheme == MECHANISM:
        return ""
    if not release.suppressed:
        return "No record was suppressed."
    share = percent(release.suppressed / release.rows_before)
    how = "published without their quasi-identifiers" if release.suppression == "keep" else "left out"
    return f"{plural(release.suppressed, 'record')} of {release.rows_before:,} ({share}) suppressed: {how}."


def gauge_figure(gauge: Gauge, sampled: int = 0) -> GaugeFigure:
    """Return the gauge with all that is needed to read it; ``sampled`` is the size of the sample it is from in part."""
    return GaugeFigure(
        value=gauge.value,
        formula=FORMULA,
        sentence=SENTENCE + (f" The dependence is in part {from_sample(sampled)}." if sampled else ""),
        parts=tuple(
            GaugePart(
                name=part.name,
                share=part.share,
                formula=part.formula,
                sentence=part.sentence,
                columns=tuple((readable(name), share) for name, share in part.columns),
            )
            for part in gauge.parts
        ),
    )


def dependence_map(found: Dependence, columns: Sequence[ComparedColumn]) -> DependenceMap | None:
    """Return the dependence of columns, or nothing where there are not two."""
    if len(found.columns) < 2:
        return None
    left_out = len(columns) - len(found.columns)
    notes = [f"{left_out} more columns are not shown." if left_out else "", _sampled_pairs(found)]
    return DependenceMap(
        columns=tuple(map(readable, found.columns)),
        before=_rows(found.before),
        after=_rows(found.after),
        formula=MAP_FORMULA,
        sentence=MAP_SENTENCE,
        note=" ".join(filter(None, notes)),
    )


def _sampled_pairs(found: Dependence) -> str:
    if not found.sampled:
        return ""
    if found.is_sampled_throughout:
        return f"All pairs are {from_sample(found.sampled)}."
    return (
        "Pairs with an insensitive column, and pairs of sensitive ones, are "
        f"{from_sample(found.sampled)}; all others come from all records."
    )


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    # Four digits are more than anybody sees, and rounding in the last ones depends on the machine.
    return tuple(tuple(float(cell) for cell in row) for row in np.round(matrix, 4))


def losses_of(release: Release, columns: Iterable[ComparedColumn]) -> tuple[AttributeLoss, ...]:
    """Return what each quasi-identifier, and each hidden attribute, has lost; suppressed records count as lost."""
    before = release.before
    outcome = None if before is None else outcome_before(before)
    means = [] if outcome is None else outcome.mean_penalties(Loss.penalty).tolist()
    penalties = dict(zip(() if outcome is None else outcome.frequency.attributes, means, strict=True))
    return tuple(
        AttributeLoss(
            attribute=readable(column.name),
            hierarchy=readable(release.hierarchies[column.name]) if column.name in release.hierarchies else "",
            level=release.levels.get(column.name),
            height=release.heights.get(column.name),
            weight=release.schema.weight(column.name),
            loss=penalties.get(column.name, column.imprecision),
            values_before=int(np.count_nonzero(column.counts_before)),
            values_after=int(np.count_nonzero(column.estimated if column.sensitive_counts else column.counts_after)),
        )
        for column in columns
        if column.role is Role.QUASI_IDENTIFIER or column.sensitive_counts is not None
    )


def metric_figures(release: Release, outcome: Outcome, *, has_tuples: bool = True) -> tuple[MetricFigure, ...]:
    """Return every metric of the release with its range, formula and meaning.

    Without the distinct tuples before, metrics are left out whose range follows from these.
    """
    models = [registry.create("model", promise) for promise in release.promises]
    return tuple(
        _metric_figure(name, value, outcome, models)
        for name, value in release.metrics.items()
        if has_tuples or not registry.find("metric", name).best_needs_tuples
    )


def _metric_figure(name: str, value: float, outcome: Outcome, models: Sequence[PrivacyModel]) -> MetricFigure:
    metric = registry.find("metric", name)().promised(models)
    best, worst = float(metric.best(outcome)), float(metric.worst(outcome))
    position = (value - best) / (worst - best) if worst != best else 0.0
    return MetricFigure(
        name=name,
        value=value,
        best=best,
        worst=worst,
        position=min(max(position, 0.0), 1.0),
        formula=", ".join([metric.formula, *_parameters(metric)]),
        sentence=metric.sentence,
        direction="lower is better" if metric.goal == "minimize" else "higher is better",
    )


def _parameters(metric: Metric) -> list[str]:
    """Return the parameters that are not as usual, such as ``k = 5``."""
    return [f"{name} = {given}" for name, given in metric.model_dump(exclude_defaults=True).items()]


def single_records(
    columns: Sequence[ComparedColumn], nobody: BoolArray | None = None
) -> tuple[group_risk.TupleCounts, group_risk.TupleCounts]:
    """Return the quasi-identifiers before and after as counted tables of single records.

    ``nobody`` says which published rows are counterfeits, where there are any.
    """
    known = [column for column in columns if column.role is Role.QUASI_IDENTIFIER]
    before = tuple(group_risk.CodedColumn(column.before, column.values) for column in known)
    after = tuple(group_risk.CodedColumn(column.after, column.book.labels) for column in known)
    people = None if nobody is None else (~nobody).astype(np.int64)
    return group_risk.TupleCounts(before, _ones(before)), group_risk.TupleCounts(after, _ones(after), people)


def _ones(columns: Sequence[group_risk.CodedColumn]) -> IntArray:
    return np.ones(len(columns[0].codes) if columns else 0, dtype=np.int64)


def further_tables(release: Release) -> Iterator[FurtherTable]:
    """Yield the further tables of a release of several with their attributes before and after."""
    tables = {} if release.before is None else release.before.tables
    for name, before in tables.items():
        published = release.publication.further[name]
        alone = release_of(published.table, published.schema, release.promises, before=before)
        yield FurtherTable(
            name=readable(name),
            records_before=before.table.height,
            records_published=published.table.height,
            distributions=distributions_of(compared_columns(alone)),
        )
