"""What a release promises and what it has cost, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from krypsis import registry
from krypsis.checker.disclosure import Disclosure
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.manifest import Manifest
from krypsis.report.text import count, percent, readable
from krypsis.web.parts.notices import notice
from krypsis.web.parts.promises import limits_of, verdict_of
from krypsis.web.texts import say

KINDS: dict[bool | None, str] = {True: "good", False: "bad", None: "warn"}
"""How a verdict is shown; an undecided one is not good."""


LONGEST = 200
"""How much of a group is shown."""


def summary(release: PublishedRelease, disclosed: Sequence[Disclosure]) -> None:
    """Show what the groups of a release disclose, which is the worst there is to say, its verdicts and its figures."""
    manifest = release.manifest
    for found in disclosed:
        notice(
            say(
                "result.disclosed",
                exposed=count(found.exposed),
                records=count(found.records),
                column=readable(found.column),
                certain=count(found.certain),
                nearly=count(found.nearly),
            ),
            "bad",
        )
        for group in found.worst:
            ui.label(readable(str(group), LONGEST)).classes("kr-quiet")
    for verdict in manifest.verdicts:
        notice(verdict_of(verdict), KINDS[verdict.holds])
        ui.label(limits_of(registry.create("model", verdict.promise))).classes("kr-quiet")
    if manifest.guarantee:
        notice(manifest.guarantee, "warn" if not manifest.promises else "good")
    with ui.element("dl").classes("kr-figures"):
        for name, figure in _figures(release):
            with ui.element("div"):
                with ui.element("dt"):
                    ui.label(name)
                with ui.element("dd"):
                    ui.label(figure)


def _figures(release: PublishedRelease) -> list[tuple[str, str]]:
    manifest = release.manifest
    figures = [
        (say("result.records"), f"{manifest.rows:,}"),
        (say("result.suppressed"), _suppressed(manifest)),
        (say("result.algorithm"), manifest.algorithm.partition(":")[0]),
        (say("result.created"), manifest.created),
    ]
    if release.score is not None:
        figures.insert(2, (_score_name(manifest.metric), count(release.score)))
    return figures


def _score_name(metric: str) -> str:
    return say("result.loss") if metric == "loss" else say("result.score", metric=metric)


def _suppressed(manifest: Manifest) -> str:
    records = manifest.suppressed.records
    return f"{records:,} ({percent(records / manifest.rows_before)})" if manifest.rows_before else f"{records:,}"
