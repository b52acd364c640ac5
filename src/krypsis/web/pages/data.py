"""The page Data: where the table comes from, what is in it, and what each column means."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import run, ui

from krypsis.errors import KrypsisError
from krypsis.kinds.table.profile.published_risks import suspects
from krypsis.kinds.table.profile.roles import Language
from krypsis.projects import Project
from krypsis.projects.jobs import Job
from krypsis.report.text import readable
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.data_columns import show_columns
from krypsis.web.parts.data_sources import show_sources
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import notice
from krypsis.web.parts.progress import follow
from krypsis.web.parts.rows import PagedRows
from krypsis.web.served import served
from krypsis.web.texts import language, say

MOST_NAMES, LONGEST = 8, 40
"""How many columns are named in a sentence, and how long their names may be."""


async def show(project: Project) -> None:
    """Show the table, or how far reading it has come, or where it could come from."""
    reading = _last_reading(project)
    if reading is not None and not reading.is_over:
        follow(project, reading, lambda _: ui.navigate.reload())
    elif project.has_table:
        await _show_table(project, () if reading is None else reading.warnings_in(language()))
    else:
        if reading is not None and project.data_file is not None:
            notice(reading.error or say("data.not-read"))
        show_sources(project)


def _last_reading(project: Project) -> Job | None:
    return next((job for job in served().queue.jobs(project) if job.kind == "read"), None)


async def _show_table(project: Project, heard: Sequence[str]) -> None:
    profile = project.profile
    facts = say("data.facts", name=profile.name, rows=f"{profile.rows:,}", columns=len(profile.columns))
    ui.label(facts).classes("kr-lead")
    for warning in heard:  # what the file holds besides the table
        notice(warning, "warn")
    await _warnings(project)
    show_columns(project)
    with ui.row().classes("kr-actions kr-stay"):
        next_step(project, "hierarchies")
        next_step(project, "advisor").props("outline")
        next_step(project, "run").props("outline").set_text(say("data.at-once"))
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.preview"))
        await PagedRows(profile.rows, project.rows, say("data.preview")).turn_to(0)
    with ui.expansion(say("data.other"), icon="swap_horiz").classes("kr-card"):
        ui.label(say("data.other-text")).classes("kr-quiet")
        show_sources(project)


async def _warnings(project: Project) -> None:
    """Say which columns single people out, before anything is done."""
    profile = project.profile
    worst = next(iter(profile.triples or profile.pairs), None)
    if worst is not None and worst.unique_share > 0:
        share = f"{worst.unique_share:.1%}"
        notice(say("data.singled-out", columns=_listed(list(worst.columns)), share=share), "warn")
    for one in await run.io_bound(_suspects, project, language()) or ():
        notice(one, "warn")
    if missing := [column.name for column in profile.columns if column.missing]:
        ui.label(say("data.missing-values", columns=_listed(missing))).classes("kr-quiet")


def _suspects(project: Project, spoken: Language) -> list[str]:
    """Return warnings of columns that are published as they are and single people out."""
    try:
        return [one.said(spoken) for one in suspects(project.dataset(), project.table_plan().schema_of_columns)]
    except KrypsisError:  # the page Plan tells what is wrong in it
        return []


def _listed(names: list[str]) -> str:
    """Return names as a list that stays short."""
    shown = [readable(name, LONGEST) for name in names[:MOST_NAMES]]
    more = [say("data.more", count=len(names) - MOST_NAMES)] if len(names) > MOST_NAMES else []
    return ", ".join(shown + more)
