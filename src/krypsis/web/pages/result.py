"""The page Result: what was published, before and after, the report, and what to take away."""

from collections.abc import Sequence

from nicegui import run, ui

from krypsis import registry
from krypsis.checker.disclosure import Disclosure
from krypsis.projects import Project
from krypsis.projects.published_release import PublishedRelease
from krypsis.report.text import count, readable
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.frame import heading, next_step, notice
from krypsis.web.parts.promises import limits_of, verdict_of
from krypsis.web.parts.releases import choose_release, chosen_release, file_address
from krypsis.web.parts.tables import quoted
from krypsis.web.texts import say


async def show(project: Project) -> None:
    """Show the page."""
    release = chosen_release(project)
    if release is None:
        notice(say("result.none"), "warn")
        next_step(project, "run").classes("kr-fit")
        return
    choose_release(project, release, "result")
    if not release.is_of_this_data:
        notice(say("result.outdated"), "warn")
    await run.io_bound(lambda: release.manifest)
    summary(release, await run.io_bound(lambda: release.disclosures) or ())
    downloads(release)
    await pages_of(release.manifest.kind).show_result(release)
    _report(release)
    private_record(release)
    next_step(project, "attack").classes("kr-fit")


def _report(release: PublishedRelease) -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("result.report"))
        if release.report is None:
            ui.label(say("result.no-report")).classes("kr-quiet")
            return
        ui.label(say("result.report-help")).classes("kr-quiet")
        frame = ui.element("iframe").classes("kr-report").props('sandbox=""')
        frame.props(f'src="{file_address(release, "report.html")}" title="{quoted(say("result.report"))}"')


def downloads(release: PublishedRelease) -> None:
    """Show the buttons that bring the release and the report to the visitor."""
    place = file_address(release, "release.zip")
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("result.take"))
        ui.label(say("result.take-help"))
        with ui.row().classes("kr-actions"):
            button = _link(say("result.download"), place, "no-caps unelevated color=primary icon=download")
            if release.report is not None:
                report = file_address(release, "report.html")
                name = f"{release.project.name}-release-{release.number}-report.html"
                props = f'no-caps outline color=primary icon=description download="{name}"'
                _link(say("result.download-report"), report, props)
        neutral = ui.checkbox(say("result.neutral"))
        neutral.on_value_change(lambda event: button.props(f'href="{place}{"?neutral=true" if event.value else ""}"'))
        ui.label(say("result.neutral-help")).classes("kr-quiet")


def private_record(release: PublishedRelease) -> None:
    """Show where the private record is, apart from everything that may be published."""
    if release.private_record is None:
        return
    with ui.element("section").classes("kr-card kr-stack kr-warning"):
        heading(say("result.private"))
        notice(say("result.private-warning"), "bad")
        place = file_address(release, "private.json")
        _link(say("result.download-private"), place, "no-caps outline color=negative icon=lock").classes("kr-fit")


def _link(text: str, place: str, props: str) -> ui.button:
    return ui.button(text).props(f'{props} href="{place}" type="a"')


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
        *pages_of(manifest.kind).result_figures(release).items(),
        (say("result.algorithm"), manifest.algorithm.partition(":")[0]),
        (say("result.created"), manifest.created),
    ]
    if release.score is not None:
        figures.insert(-2, (_score_name(manifest.metric), count(release.score)))
    return figures


def _score_name(metric: str) -> str:
    return say("result.loss") if metric == "loss" else say("result.score", metric=metric)
