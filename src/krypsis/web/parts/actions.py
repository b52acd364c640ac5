"""Buttons: the one that leads on, and those that ask before they destroy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from krypsis.projects import Project
from krypsis.web.parts.notices import reports_errors
from krypsis.web.steps import address
from krypsis.web.texts import say


def next_step(project: Project, step: str) -> ui.button:
    """Show the button that leads to another step."""
    text = say("frame.next", step=say(f"frame.{step}"))
    button = ui.button(text, icon="arrow_forward", on_click=lambda: ui.navigate.to(address(project.name, step)))
    return button.props("no-caps unelevated color=primary")


def ask_before(question: str, consent: str, action: Callable[[], Any]) -> Callable[[], None]:
    """Return what a button does that asks a question before it acts."""

    def ask() -> None:
        with ui.dialog(value=True) as dialog, ui.card().classes("kr-card"):
            dialog.props(f'aria-label="{consent}"')
            ui.label(question)
            with ui.row().classes("kr-actions"):
                ui.button(consent, on_click=lambda: [dialog.close(), reports_errors(action)()][1]).props(
                    "no-caps unelevated color=negative"
                )
                ui.button(say("frame.cancel"), on_click=dialog.close).props("no-caps flat")

    return ask
