"""The report in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from krypsis.release.made_by import MECHANISM
from krypsis.release.release import Release
from krypsis.report.text import percent, plural, readable
from krypsis.report.values import PromiseResult, SetRisk, most_at_risk

LONGEST = 400
"""Sentences may quote the names of columns, which come from outside."""


def summarize(release: Release, promises: Sequence[PromiseResult], risk: Sequence[SetRisk]) -> tuple[str, ...]:
    """Return what happened, in the order a reader asks: is it safe, what was the danger, what did it cost."""
    worst = [f"Think twice before you publish: {readable(found.sentence, LONGEST)}" for found in release.disclosures]
    helping = [f"What would help: {readable(one, LONGEST)}." for one in release.private.get("improvements", ())]
    chosen = readable(str(release.private.get("choice", "")), LONGEST) + "." if "choice" in release.private else ""
    verdict = verdict_sentence(promises, release.guarantee)
    lines = (*worst, verdict, *_risk(release, risk), _suppression(release), chosen, *helping)
    return tuple(line for line in lines if line)


def verdict_sentence(promises: Sequence[PromiseResult], guarantee: str = "") -> str:
    """Say whether all promises hold."""
    if not promises and guarantee:
        return "No promise about groups of records was made; what the method guarantees is told below."
    if not promises:
        return "No promise was made, so nothing is known about how well persons are protected."
    number, all_ = Counter(promise.state for promise in promises), plural(len(promises), "promise")
    if number["broken"]:
        return f"Do not publish: {number['broken']} of {all_} broken."
    if number["not checked"]:
        return f"Check before you publish: {number['not checked']} of {all_} not checked."
    if number["undecided"]:
        return (
            f"The published files do not decide {number['undecided']} of {all_}: what they show and what remains the "
            "publisher's word is explained below."
        )
    return {1: "The promise holds.", 2: "Both promises hold."}.get(len(promises), f"All {len(promises)} promises hold.")


def _risk(release: Release, risk: Sequence[SetRisk]) -> Iterator[str]:
    if release.scheme == MECHANISM:
        yield "The published table was made by chance; none of its rows is anybody's record."
    if not risk:
        return
    if release.group_column is not None and not (release.before and release.before.books):
        yield "What an attacker may know is published as it was; which sensitive value is whose is hidden in groups."
        return
    yield _groups(most_at_risk(risk), "record" if release.publication.subject_column is None else "subject")


def _groups(worst: SetRisk, unit: str) -> str:
    alone = int(worst.figure("records-alone").before or 0)
    before = f"Before, {plural(alone, unit)} of {worst.records_before:,} could be told from all others"
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
