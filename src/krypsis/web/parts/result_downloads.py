"""What a visitor may publish, and what must stay."""

from __future__ import annotations

from nicegui import ui

from krypsis.projects.published_release import PublishedRelease
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice
from krypsis.web.parts.releases import file_address
from krypsis.web.texts import say


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
    with ui.element("section").classes("kr-card kr-stack kr-apart"):
        heading(say("result.private"))
        notice(say("result.private-warning"), "bad")
        place = file_address(release, "private.json")
        _link(say("result.download-private"), place, "no-caps outline color=negative icon=lock").classes("kr-fit")


def _link(text: str, place: str, props: str) -> ui.button:
    return ui.button(text).props(f'{props} href="{place}" type="a"')
