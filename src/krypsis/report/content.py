"""What a report says about a release: every number is computed here, so that page and JSON agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis import registry
from krypsis.arrays import FloatArray, IntArray
from krypsis.dossier import Dossier
from krypsis.errors import UsageError
from krypsis.kinds.table.summary import changes
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.verdict import Verdict
from krypsis.recoding import CellRecoding, as_cells
from krypsis.release.before import Evidence
from krypsis.release.made_by import MECHANISM
from krypsis.release.release import Release
from krypsis.report.beside import distributions_of, further_tables, losses_of, tables_of
from krypsis.report.citation import citation_of
from krypsis.report.distributions import quasi_identifier_distributions, sensitive_distributions
from krypsis.report.dossier import dossier_section
from krypsis.report.loss import attribute_losses, metric_figures
from krypsis.report.parts import DependenceMap, GaugeFigure, GaugePart, SuppressedBy, SuppressedValue, Suppression
from krypsis.report.published import original, published
from krypsis.report.risk import BUCKETS, assess, assess_sizes, bucket_label, numbers_between
from krypsis.report.space import solution_space
from krypsis.report.summary import summarize
from krypsis.report.text import readable
from krypsis.report.tried import attacks_tried
from krypsis.report.values import AttributeLoss, Bar, Distribution, PromiseResult, SetRisk
from krypsis.report.whole import ReportContent
from krypsis.schema import Role
from krypsis.utility.compared import ComparedColumn, compared_columns
from krypsis.utility.dependence import Dependence, dependence_between
from krypsis.utility.gauge import FORMULA, SENTENCE, Gauge, gauge_of
from krypsis.version import __version__

MAP_FORMULA = "mutual information, corrected for chance ÷ the smaller of the two entropies before"
MAP_SENTENCE = "How much one column tells of another: 0 is nothing, 1 is everything."


def gauge_figure(gauge: Gauge) -> GaugeFigure:
    """Return the gauge with all that is needed to read it."""
    return GaugeFigure(
        value=gauge.value,
        formula=FORMULA,
        sentence=SENTENCE,
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
    return DependenceMap(
        columns=tuple(map(readable, found.columns)),
        before=_rows(found.before),
        after=_rows(found.after),
        formula=MAP_FORMULA,
        sentence=MAP_SENTENCE,
        note=f"{left_out} more columns are not shown." if left_out else "",
    )


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    # Four digits are more than anybody sees, and rounding in the last ones depends on the machine.
    return tuple(tuple(float(cell) for cell in row) for row in np.round(matrix, 4))


MOST_VALUES = 8
"""Of more values than this, those with most suppressed records are listed."""


def suppressed_by(evidence: Evidence) -> Suppression | None:
    """Return the suppressed records by group size and by value; nothing if none was suppressed."""
    outcome = evidence.outcome
    if not outcome.suppressed:
        return None
    sizes = outcome.sizes[outcome.refused]
    cells = as_cells(evidence.recoding, evidence.frequency)
    counts = evidence.frequency.counts
    return Suppression(
        sizes=tuple(_bar(smallest, largest, sizes) for smallest, largest in BUCKETS),
        groups=len(sizes),
        attributes=tuple(_by_value(evidence, cells, counts, place) for place in range(len(cells.codebooks))),
    )


def _bar(smallest: int, largest: int | None, sizes: IntArray) -> Bar:
    found = numbers_between(sizes, smallest, largest)
    return Bar(label=bucket_label(smallest, largest), records=int(found.sum()))


def _by_value(evidence: Evidence, cells: CellRecoding, counts: IntArray, place: int) -> SuppressedBy:
    labels, shown = cells.codebooks[place].labels, cells.released[:, place]
    records = np.bincount(shown, counts, minlength=len(labels)).astype(np.int64)
    lost = np.bincount(shown, counts * cells.suppressed, minlength=len(labels)).astype(np.int64)
    order = [code for code in np.argsort(-lost, kind="stable").tolist() if lost[code]][:MOST_VALUES]
    return SuppressedBy(
        attribute=readable(evidence.frequency.attributes[place]),
        values=tuple(
            SuppressedValue(label=readable(labels[code]), records=int(records[code]), suppressed=int(lost[code]))
            for code in order
        ),
        others=int(lost.sum() - lost[order].sum()),
    )


LONGEST_SENTENCE = 1000
"""Sentences may quote the names of attributes, which come from outside."""


def build_content(release: Release, name: str = "", dossier: Dossier | None = None) -> ReportContent:
    """Return everything the report of a release says; ``name`` is what the release is called.

    Nothing in it is about a single row: only counts of values, of groups and of records.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> patients = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "asthma", "flu", "gout"]})
    >>> roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    >>> content = build_content(krypsis.anonymize(patients, roles, models=["k-anonymity:k=2"]))
    >>> content.summary[1]
    'Before, 0 records of 4 could be told from all others; now each published record looks like at least 1 other.'
    """
    if release.before is None or release.before.sets is not None:
        raise UsageError(
            "a report compares the table before with the release, and this release does not carry the table before "
            "(it was loaded from its published files); make the report from the result of krypsis.anonymize"
        )
    columns = compared_columns(release)
    dependence = dependence_between(columns)
    promises, risk = promise_results(release), risk_of(release, columns)
    return ReportContent(
        release_id=release.release_id,
        title="Anonymization report",
        name=readable(name) if name else "",
        tool_version=__version__,
        holds=bool(promises) and all(promise.holds for promise in promises),
        summary=summarize(release, promises, risk),
        promises=promises,
        disclosed=sum(found.exposed for found in release.disclosures),
        guarantee=readable(release.guarantee, LONGEST_SENTENCE) if release.guarantee else "",
        records_before=release.before.table.height,
        records_published=release.table.height,
        suppressed=release.suppressed,
        suppressed_share=release.suppressed / release.rows_before if release.rows_before else 0.0,
        suppression=release.suppression,
        risk=risk,
        risk_unit="record" if release.before.subjects is None else "subject",
        attacks=attacks_tried(release),
        gauge=gauge_figure(gauge_of(columns, dependence)),
        attributes=_losses(release, columns),
        metrics=() if release.evidence is None else metric_figures(release, release.evidence.outcome),
        changes=tuple(readable(line, LONGEST_SENTENCE) for line in changes(release)),
        suppressed_by=None if release.evidence is None else suppressed_by(release.evidence),
        distributions=_distributions(release, columns),
        dependence=dependence_map(dependence, columns),
        tables=tuple(further_tables(release)),
        space=None if release.evidence is None else solution_space(release, release.evidence, risk),
        algorithm=release.algorithm,
        metric=release.metric,
        score=release.score,
        dossier=None if dossier is None else dossier_section(dossier),
        citation=citation_of(release),
    )


def risk_of(release: Release, columns: Sequence[ComparedColumn] | None = None) -> tuple[SetRisk, ...]:
    """Return the risk before and after for every set of quasi-identifiers.

    Nothing if there is no table before, no quasi-identifier, or a table that was made by chance: its rows are nobody's.
    """
    before = release.before
    if before is None or before.sets is not None or release.scheme == MECHANISM or not release.schema.quasi_identifiers:
        return ()
    ks = [k for spec in release.promises if isinstance(k := getattr(registry.create("model", spec), "k", None), int)]
    if before.subjects is not None:
        names = (*release.levels,)
        return (assess_sizes(*before.subjects, tuple(map(readable, names)), ks),)
    if release.evidence is not None:
        frequency = release.evidence.frequency
        names, sets = frequency.attributes, frequency.attribute_sets
        tables = original(release.evidence), published(release.evidence, release.suppression)
    else:
        found = compared_columns(release) if columns is None else columns
        names = tuple(column.name for column in found if column.role is Role.QUASI_IDENTIFIER)
        sets = tuple(tuple(names.index(name) for name in one) for one in release.schema.sets)
        tables = tables_of(found, before.nobody)
    return tuple(assess(*tables, positions, tuple(readable(names[at]) for at in positions), ks) for positions in sets)


def _losses(release: Release, columns: Sequence[ComparedColumn]) -> tuple[AttributeLoss, ...]:
    evidence = release.evidence
    if evidence is None:
        return losses_of(release, columns)
    return attribute_losses(release, evidence, original(evidence), published(evidence, release.suppression))


def _distributions(release: Release, columns: Sequence[ComparedColumn]) -> tuple[Distribution, ...]:
    evidence = release.evidence
    if evidence is None:
        return distributions_of(columns)
    tables = original(evidence), published(evidence, release.suppression)
    return (
        *quasi_identifier_distributions(evidence, *tables),
        *sensitive_distributions(evidence, release.table),
    )


def promise_results(release: Release) -> tuple[PromiseResult, ...]:
    """Return every verdict with its promise, then the promises nobody checked."""
    checked = {verdict.promise for verdict in release.verdicts}
    unchecked = (promise for promise in release.promises if promise not in checked)
    return (
        *(_judged(verdict, release) for verdict in release.verdicts),
        *(_promise(promise, release) for promise in unchecked),
    )


def _promise(spec: str, release: Release) -> PromiseResult:
    model = registry.create("model", spec)
    return PromiseResult(
        promise=readable(spec),
        checked_on=_checked_on(model, release),
        sentence=readable(model.promise(), longest=LONGEST_SENTENCE),
        protects_from=model.protects_from,
        does_not_protect_from=model.does_not_protect_from,
        reference=model.reference,
    )


def _checked_on(model: PrivacyModel, release: Release) -> str:
    """Return what decides a promise; only what the published table alone decides can anybody verify."""
    if model.kind == "history":
        return "this release, all before it, and who is in which group"
    if model.needs_population:
        return "the published table and the population"
    if model.needs_original:
        return "the published table and the original one"
    private = None if release.before is None else release.before.private_columns
    if private is None or not isinstance(model, GroupModel):
        return "the published table alone"
    counted = {name for names in model.combinations(release.schema.sensitive) for name in names}
    if hidden := [readable(name) for name in private.columns if name in counted]:
        return f"the published table and columns that are not published: {', '.join(hidden)}"
    return "the published table alone"


def _judged(verdict: Verdict, release: Release) -> PromiseResult:
    found = {
        "holds": verdict.holds,
        "required": verdict.required,
        "achieved": verdict.achieved,
        "verdict": readable(verdict.sentence, longest=LONGEST_SENTENCE),
    }
    return _promise(verdict.promise, release).model_copy(update=found)
