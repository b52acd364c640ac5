"""What a report says about a release: every number is computed here, so that page and JSON agree."""

from __future__ import annotations

from krypsis import __version__, registry
from krypsis.dossier import Dossier
from krypsis.errors import UsageError
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.verdict import Verdict
from krypsis.release.evidence import Evidence
from krypsis.release.release import Release
from krypsis.report.distributions import quasi_identifier_distributions, sensitive_distributions
from krypsis.report.dossier import dossier_section
from krypsis.report.loss import attribute_losses, metric_figures
from krypsis.report.published import CountedTable, original, published
from krypsis.report.risk import assess
from krypsis.report.summary import summarize
from krypsis.report.text import readable
from krypsis.report.values import PromiseResult, ReportContent, SetRisk

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
    >>> patients = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "asthma", "flu", "flu"]})
    >>> roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    >>> content = build_content(krypsis.anonymize(patients, roles, models=["k-anonymity:k=2"]))
    >>> content.summary[1]
    'Before, 0 records of 4 could be told from all others; now each published record looks like at least 1 other.'
    """
    evidence = _evidence(release)
    before, after = original(evidence), published(evidence, release.suppression)
    promises = promise_results(release)
    risk = _risk(release, evidence, before, after)
    return ReportContent(
        title="Anonymization report",
        name=readable(name) if name else "",
        tool_version=__version__,
        holds=bool(promises) and all(promise.holds for promise in promises),
        summary=summarize(release, promises, risk),
        promises=promises,
        records_before=release.rows_before,
        records_published=after.rows,
        suppressed=release.suppressed,
        suppressed_share=release.suppressed / release.rows_before if release.rows_before else 0.0,
        suppression=release.suppression,
        risk=risk,
        attributes=attribute_losses(release, evidence, before, after),
        metrics=metric_figures(release, evidence.outcome),
        distributions=(
            *quasi_identifier_distributions(evidence, before, after),
            *sensitive_distributions(evidence, release.table),
        ),
        algorithm=release.algorithm,
        metric=release.metric,
        score=release.score,
        dossier=None if dossier is None else dossier_section(dossier),
    )


def risk_of(release: Release) -> tuple[SetRisk, ...]:
    """Return the risk before and after for every set of quasi-identifiers; nothing if there is no table before."""
    evidence = release.evidence
    if evidence is None:
        return ()
    return _risk(release, evidence, original(evidence), published(evidence, release.suppression))


def _evidence(release: Release) -> Evidence:
    if release.evidence is None:
        raise UsageError(
            "a report compares the table before with the release, and this release does not carry the table before "
            "(it was loaded from its published files); make the report from the result of krypsis.anonymize"
        )
    return release.evidence


def _risk(release: Release, evidence: Evidence, before: CountedTable, after: CountedTable) -> tuple[SetRisk, ...]:
    frequency = evidence.frequency
    ks = [k for spec in release.promises if isinstance(k := getattr(registry.create("model", spec), "k", None), int)]
    return tuple(
        assess(before, after, positions, tuple(readable(frequency.attributes[at]) for at in positions), ks)
        for positions in frequency.attribute_sets
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
    if model.needs_population:
        return "the published table and the population"
    if model.needs_original:
        return "the published table and the original one"
    if release.beside is None or not isinstance(model, GroupModel):
        return "the published table alone"
    counted = {name for names in model.combinations(release.schema.sensitive) for name in names}
    if hidden := [readable(name) for name in release.beside.columns if name in counted]:
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
