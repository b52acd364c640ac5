"""Which release a page is about."""

from nicegui import ui

from krypsis.projects import Project
from krypsis.projects.published_release import PublishedRelease
from krypsis.web.parts.frame import address
from krypsis.web.texts import say


def chosen_release(project: Project) -> PublishedRelease | None:
    """Return the release that the address names, or the last one; nothing if there is none."""
    request = ui.context.client.request
    asked = "" if request is None else request.query_params.get("release", "")
    if asked:
        return PublishedRelease.of(project, int(asked) if asked.isdecimal() and len(asked) < 10 else -1)
    return PublishedRelease.of(project, project.releases[0]) if project.releases else None


def choose_release(project: Project, current: PublishedRelease, step: str) -> None:
    """Let the visitor choose among several releases."""
    if len(project.releases) > 1:
        names = {number: say("result.number", number=number) for number in project.releases}
        select = ui.select(names, value=current.number, label=say("result.which")).classes("kr-choice kr-fit")
        select.on_value_change(lambda event: ui.navigate.to(f"{address(project.name, step)}?release={event.value}"))


def file_address(release: PublishedRelease, file: str) -> str:
    """Return where the API hands out a file of a release: ``release.zip``, ``report.html`` or ``private.json``."""
    return f"/api/projects/{release.project.name}/releases/{release.number}/{file}"
