"""The page Attack lab: what an adversary with some knowledge learns before and after."""

from __future__ import annotations

from nicegui import ui

from krypsis.projects import Project
from krypsis.projects.lab import Lab
from krypsis.web.parts.actions import next_step
from krypsis.web.parts.attack_person import PersonForm
from krypsis.web.parts.attack_table import AttackForm
from krypsis.web.parts.notices import notice
from krypsis.web.parts.releases import choose_release, chosen_release
from krypsis.web.texts import say


async def show(project: Project) -> None:
    """Show the page."""
    ui.label(say("attack.lead")).classes("kr-lead")
    release = chosen_release(project)
    if release is None:
        notice(say("result.none"), "warn")
        next_step(project, "run").classes("kr-fit")
        return
    choose_release(project, release, "attack")
    if not release.is_of_this_data:
        notice(say("result.outdated"), "warn")
        return
    lab = Lab(release)
    await AttackForm(lab).show()
    await PersonForm(lab).show()
