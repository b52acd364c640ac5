"""The frame of every page: the head, the way through the steps, language and light."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Final

from nicegui import app, ui

from krypsis.errors import KrypsisError
from krypsis.projects import Project
from krypsis.web.security import is_full, place_of
from krypsis.web.served import served
from krypsis.web.texts import LANGUAGES, language, say


def notice(text: str, kind: str = "bad") -> ui.element:
    """Show a message on the page: ``kind`` is ``good``, ``bad`` or ``warn``."""
    with ui.element("div").classes(f"kr-notice kr-{kind}").props('role="status"') as box:
        ui.label(served().discreet(text)).classes("kr-notice-text")
    return box


def show_error(text: str) -> None:
    """Show an error where the visitor is, and keep it there until it is closed."""
    ui.notify(served().discreet(text), type="negative", position="top", timeout=0, close_button="OK", multi_line=True)


def reports_errors(action: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap what a button does, so that an error of the library becomes a message and nothing else happens."""

    @functools.wraps(action)
    async def wrapped(*values: Any, **named: Any) -> Any:
        try:
            done = action(*values, **named)
            return await done if inspect.isawaitable(done) else done
        except KrypsisError as error:
            show_error(str(error))
            return None
        except Exception as error:
            if is_full(error):
                show_error(say("frame.full"))
                return None
            show_error(
                say("frame.failed-text", place=place_of(error))
            )  # a button that does nothing would leave people alone
            raise

    return wrapped


def then(action: Callable[[], object], afterwards: Callable[[], object]) -> Callable[..., Any]:
    """Wrap two things that a button does one after the other; after an error the second is left out."""

    def both() -> None:
        action()
        afterwards()

    return reports_errors(both)


STEPS: Final = ("data", "hierarchies", "advisor", "plan", "run", "explore", "result", "attack")
"""The pages of a project in order; each is shown by ``show(project)`` in the file of its name in ``pages``."""

NEED_TABLE: Final = frozenset({"hierarchies", "explore"})
"""The pages that are about tables."""
NEED_COLUMNS: Final = frozenset({"hierarchies"})
"""Those of them that are also about the attributes of data which is no table."""


def is_open(project: Project, step: str) -> bool:
    """Say whether the page of a step makes sense yet: all but the first need data, and some of them a table."""
    if step == STEPS[0] or project.has_table:
        return True
    if not project.is_read:
        return False
    return step not in NEED_TABLE or (step in NEED_COLUMNS and _has_columns(project))


def _has_columns(project: Project) -> bool:
    try:
        return bool(project.planned_columns)
    except KrypsisError:  # the page of the plan says what is wrong with it
        return False


def address(project: str, step: str) -> str:
    """Return where the page of a step is.

    Examples
    --------
    >>> address("patients", "plan")
    '/projects/patients/plan'
    """
    return f"/projects/{project}/{step}"


STYLE = "/static/krypsis.css"
COLORS = {
    "primary": "#0b6268",
    "secondary": "#566172",
    "positive": "#17663a",
    "negative": "#a3231c",
    "warning": "#75500a",
}


@contextmanager
def frame(title: str, project: Project | None = None, step: str | None = None) -> Iterator[None]:
    """Show the frame of a page and put what follows into its middle.

    Parameters
    ----------
    title
        of the page; its only first heading.
    project
        the page is about, if any.
    step
        of the journey, one of ``STEPS``.
    """
    ui.page_title(f"{title} · Krypsis")
    ui.add_head_html(f'<link rel="stylesheet" href="{STYLE}">')
    ui.add_head_html(f"<script>document.documentElement.lang = '{language()}'</script>")
    ui.colors(**COLORS)
    dark = ui.dark_mode(app.storage.user.get("dark"))
    with ui.header().classes("kr-head"), ui.row().classes("kr-head-row"):
        # here, for the head is the first part of a page that the Tab key reaches
        skip = f'<a class="kr-skip" href="#content">{escape(say("frame.skip"))}</a>'
        ui.html(skip, sanitize=False).classes("absolute")
        ui.link("Krypsis", "/").classes("kr-brand")
        if project is not None:
            ui.label(project.about.title).classes("kr-project ellipsis")
        ui.space()
        _language_switch()
        _light_switch(dark)
    if project is not None:
        _steps(project, step)
    with ui.element("div").props('id="content" tabindex="-1"').classes("kr-main"):
        heading(title, level=1)
        yield


def heading(text: str, level: int = 2) -> None:
    """Show a heading."""
    ui.html(escape(text), sanitize=False, tag=f"h{level}")


def _steps(project: Project, current: str | None) -> None:
    """Show all steps; those that need data are no links as long as there is none."""
    with ui.element("nav").props(f'aria-label="{say("frame.steps")}"').classes("kr-steps"), ui.element("ol"):
        for number, step in enumerate(STEPS, 1):
            with ui.element("li"):
                text = f"{number}. {say(f'frame.{step}')}"
                if not is_open(project, step):
                    ui.label(text).classes("kr-step kr-later").props('aria-disabled="true"')
                    continue
                link = ui.link(text, address(project.name, step)).classes("kr-step")
                if step == current:
                    link.classes("kr-current").props('aria-current="step"')


def _language_switch() -> None:
    def choose(code: str) -> None:
        app.storage.user["language"] = code
        ui.navigate.reload()

    with ui.element("div").props(f'role="group" aria-label="{say("frame.language")}"').classes("kr-languages"):
        for code, name in LANGUAGES.items():
            button = ui.button(code.upper(), on_click=lambda code=code: choose(code))
            button.props(f'flat dense color="white" aria-label="{name}" aria-pressed="{code == language()}"'.lower())
            button.classes("kr-chosen" if code == language() else "")


def _light_switch(dark: ui.dark_mode) -> None:
    def turn() -> None:
        dark.set_value(not dark.value)
        app.storage.user["dark"] = dark.value

    ui.button(icon="contrast", on_click=turn).props(f'flat dense round color="white" aria-label="{say("frame.light")}"')


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
