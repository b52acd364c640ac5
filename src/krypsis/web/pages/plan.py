"""The page Plan: what is promised and how, as forms and as text; each changes the other."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from krypsis.errors import KrypsisError
from krypsis.projects import Project
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.notices import notice, reports_errors
from krypsis.web.parts.plan_draft import Draft, check_shown
from krypsis.web.parts.plan_text import PlanEditor
from krypsis.web.parts.plan_verdict import PlanVerdict
from krypsis.web.texts import say


def show(project: Project) -> None:
    """Show the forms, and the text beside them."""
    ui.label(say("plan.intro")).classes("kr-lead")
    draft, verdict = Draft(project), PlanVerdict(project)
    with ui.element("div").classes("kr-two kr-plan"):
        with ui.element("div").classes("kr-stack kr-gap"):
            forms = _forms(draft)
        text = PlanEditor(draft)
    draft.listeners += [form.reload for form in forms] if forms else [ui.navigate.reload]
    draft.listeners += [text.reload, verdict.reload]
    ui.timer(0.4, reports_errors(verdict.judge))


def _forms(draft: Draft) -> list[Any]:
    """Show the forms; where the plan cannot be understood, its text is left to be corrected."""
    try:
        plan = draft.plan()
        check_shown(plan)
    except KrypsisError as error:
        notice(str(error))
        return []
    return pages_of(plan.kind).plan_forms(draft)
