"""The report in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from krypsis.release.release import Release
from krypsis.report.text import percent, plural
from krypsis.report.values import PromiseResult, SetRisk, most_at_risk


def summarize(release: Release, promises: Sequence[PromiseResult], risk: Sequence[SetRisk]) -> tuple[str, ...]:
    """Return what happened, in the order a reader asks: is it safe, what was the danger, what did it cost."""
    return (verdict_sentence(promises), _risk(risk), _suppression(release))


def verdict_sentence(promises: Sequence[PromiseResult]) -> str:
    """Say whether all promises hold."""
    if not promises:
        return "No promise was made, so nothing is known about how well persons are protected."
    broken = sum(promise.holds is False for promise in promises)
    unchecked = sum(promise.holds is None for promise in promises)
    if broken:
        return f"Do not publish: {broken} of {plural(len(promises), 'promise')} broken."
    if unchecked:
        return f"Check before you publish: {unchecked} of {plural(len(promises), 'promise')} not checked."
    return {1: "The promise holds.", 2: "Both promises hold."}.get(len(promises), f"All {len(promises)} promises hold.")


def _risk(risk: Sequence[SetRisk]) -> str:
    worst = most_at_risk(risk)
    alone = int(worst.figure("records-alone").before or 0)
    before = f"Before, {plural(alone, 'record')} of {worst.records_before:,} could be told from all others"
    after = worst.figure("smallest-group").after
    if after is None:
        return f"{before}; now no record is published."
    others = plural(int(after) - 1, "other")
    return f"{before}; now each published record looks like at least {others}."


def _suppression(release: Release) -> str:
    if not release.suppressed:
        return "No record was suppressed."
    share = percent(release.suppressed / release.rows_before)
    how = "published without their quasi-identifiers" if release.suppression == "keep" else "left out"
    return f"{plural(release.suppressed, 'record')} of {release.rows_before:,} ({share}) suppressed: {how}."
