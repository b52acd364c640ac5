"""The advisor without data: its welcome, the questions of both trees, what they lead to, and all models with papers.

The pages follow the tool of the thesis that the original questions are from: start, questions, one result, and a last
page with all models; instructions are two pages.
"""

from collections.abc import Callable
from functools import partial
from html import escape

from nicegui import run, ui
from nicegui.elements.upload_files import FileUpload

from krypsis import registry
from krypsis.advisor import Advice, load_tree
from krypsis.advisor.choice import choice_of
from krypsis.advisor.texts import load_texts
from krypsis.advisor.tree import TREES
from krypsis.kinds.base import kinds
from krypsis.projects import Project, fill_with_demo
from krypsis.registry import USUAL_KIND
from krypsis.web.pages.start import project_of_upload
from krypsis.web.parts.advisor_question import show_question, ways_back
from krypsis.web.parts.advisor_result import show_details, show_threats, show_works
from krypsis.web.parts.advisor_talk import Questions, keep_answers, key_of
from krypsis.web.parts.frame import address, frame, heading, notice, reports_errors
from krypsis.web.parts.uploads import DATA, file_drop
from krypsis.web.served import served
from krypsis.web.texts import language, say

HOME = "/advisor"
MODELS = f"{HOME}/models"
INSTRUCTIONS = {
    "tool": ("begin", "questions", "trees", "result", "try", "stays"),
    "anonymization": ("names", "roles", "threats", "ways", "promises", "price", "limits"),
}
"""The two pages of instructions with their sections."""


def add_wizard() -> None:
    """Make these pages known to the server of this process."""
    ui.page(HOME)(_welcome)
    ui.page(MODELS)(_models)
    for name in INSTRUCTIONS:
        ui.page(f"{HOME}/about-{name}")(partial(_instructions, name))
    for tree in TREES:
        ui.page(f"{HOME}/{tree}")(partial(_questions, tree))


def _welcome() -> None:
    with frame(say("wizard.title")):
        ui.label(say("wizard.welcome")).classes("kr-lead")
        with ui.element("div").classes("kr-two"):
            for tree in TREES:
                with ui.element("section").classes("kr-card kr-stack"):
                    heading(say(f"advisor.tree-{tree}"))
                    ui.label(say(f"wizard.tree-{tree}-text")).classes("kr-quiet")
                    _button(say(f"wizard.begin-{tree}"), f"{HOME}/{tree}", "play_arrow").classes("kr-fit")
        with ui.element("div").classes("kr-actions"):
            for name in INSTRUCTIONS:
                ui.link(say(f"wizard.about-{name}"), f"{HOME}/about-{name}")
            ui.link(say("wizard.models"), MODELS)


def _instructions(name: str) -> None:
    with frame(say(f"wizard.about-{name}")):
        for section in INSTRUCTIONS[name]:
            with ui.element("section").classes("kr-stack"):
                heading(say(f"wizard.{name}-{section}"))
                ui.label(say(f"wizard.{name}-{section}-text")).classes("kr-paragraph")
        with ui.element("div").classes("kr-actions"):
            _button(say("wizard.begin"), HOME, "arrow_back")


def _questions(tree: str) -> None:
    with frame(say(f"advisor.tree-{tree}")):
        talk = Questions(f"without data: {tree}", tree)

        @ui.refreshable
        def page() -> None:
            (_result if talk.wizard.is_done else show_question)(talk, turn)
            with ui.element("div").classes("kr-actions"):
                ui.link(say("wizard.cancel"), HOME)

        def turn() -> None:
            page.refresh()
            ui.run_javascript("document.getElementById('kr-question')?.focus()")  # readers of screens hear the new page

        page()


def _result(talk: Questions, turn: Callable[[], None]) -> None:
    """Show a model, where to read about it, and how to try it."""
    advice = talk.wizard.result()
    words = talk.wizard.texts.words
    with ui.element("section").classes("kr-card kr-stack kr-question").props('aria-labelledby="kr-question"'):
        title = ui.html(escape(words["result"].format(title=advice.title)), sanitize=False, tag="h2").mark("result")
        title.props('id="kr-question" tabindex="-1"')
        ui.label(advice.promise).classes("kr-lead")
        show_works(advice)
        show_threats(advice, talk)
        for warning in (*advice.warnings, *advice.assumptions):
            notice(warning, "warn")
        with ui.element("div").classes("kr-actions"):
            _button(say("advisor.next"), f"{MODELS}?tree={talk.wizard.tree.name}", "arrow_forward")
            ways_back(talk, turn)
    _trying(talk, advice)
    show_details(advice, words)


def _trying(talk: Questions, advice: Advice) -> None:
    """Show the two ways to a project whose page Advisor begins with this result."""
    kind = demo_kind(advice.model)
    what = kinds()[kind].demo().what

    async def own(file: FileUpload) -> None:
        project = await project_of_upload(file)
        served().queue.submit(project, "read")
        go_on(project, "data")  # roles come first; the page Advisor knows the answers

    async def built_in() -> None:
        project = served().workspace.create(say("wizard.demo-name", model=advice.title))
        await run.io_bound(fill_with_demo, project, kind)
        go_on(project, "advisor")

    def go_on(project: Project, step: str) -> None:
        keep_answers(key_of(project), talk.wizard)
        ui.navigate.to(address(project.name, step))

    with ui.element("div").classes("kr-two"):
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("wizard.own"))
            ui.label(say("wizard.own-text")).classes("kr-quiet")
            file_drop(say("start.drop"), own, DATA)
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("wizard.built-in"))
            ui.label(say("wizard.built-in-text", what=what)).classes("kr-quiet")
            button = ui.button(say("wizard.built-in-begin"), icon="play_arrow", on_click=reports_errors(built_in))
            button.props("no-caps unelevated color=primary").classes("kr-fit")


def demo_kind(model: str) -> str:
    """Return the kind of the built-in data that shows a model; that of tables where none is about it alone.

    Examples
    --------
    >>> demo_kind("k-anonymity"), demo_kind("km-anonymity"), demo_kind("m-invariance")
    ('table', 'transactions', 'table')
    """
    about = registry.classes("model")[model].kind
    fitting = (name for name, kind in kinds().items() if about in kind.model_kinds and not kind.planned_as)
    return next(fitting, USUAL_KIND)


def _models(tree: str = TREES[0]) -> None:
    """Show the last page: the models of the original questions, and those that the extended ones add."""
    with frame(say("wizard.models")):
        ui.label(say("wizard.models-text")).classes("kr-lead")
        original = tuple(dict.fromkeys(load_tree("seed").results.values()))
        _works(say("wizard.models-seed", count=len(original)), original)
        added = tuple(name for name in dict.fromkeys(load_tree("extended").results.values()) if name not in original)
        _works(say("wizard.models-extended"), added)
        with ui.element("div").classes("kr-actions"):
            _button(say("wizard.finish"), HOME, "done")
            back = f"{HOME}/{tree}" if tree in TREES else HOME
            _button(say("advisor.back"), back, "arrow_back").props("flat color=primary", remove="unelevated")


def _works(title: str, names: tuple[str, ...]) -> None:
    texts = load_texts(language())
    with ui.element("section").classes("kr-card kr-stack"):
        heading(title)
        for name in names:
            one = choice_of(name, texts, {})
            with ui.element("article").classes("kr-entry"):
                ui.html(escape(one.title), sanitize=False, tag="h3").mark("model")
                ui.label(one.promise)
                show_works(one)


def _button(text: str, place: str, icon: str) -> ui.button:
    button = ui.button(text, icon=icon, on_click=lambda: ui.navigate.to(place))
    return button.props("no-caps unelevated color=primary")
