"""The page Result: what was published, before and after, the report, and what to take away."""

from __future__ import annotations

from nicegui import run, ui

from krypsis.projects import Project
from krypsis.projects.published_release import PublishedRelease
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice
from krypsis.web.parts.releases import choose_release, chosen_release, file_address
from krypsis.web.parts.result_downloads import downloads, private_record
from krypsis.web.parts.result_summary import summary
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
