"""The talk between the advisor and one visitor about one project."""

from __future__ import annotations

from nicegui import app

from krypsis.advisor import Wizard
from krypsis.advisor.situation import Situation
from krypsis.advisor.tree import Answer
from krypsis.errors import UsageError
from krypsis.projects import Project
from krypsis.web.texts import language

KEPT = "advisor"


class Talk:
    """The questions of one visitor, whose answers outlive the page: a reload shows the same question again."""

    def __init__(self, project: Project, situation: Situation) -> None:
        self.project = project
        self.situation = situation
        self.wizard = Wizard(language=language(), evidence=situation.evidence)
        self._key = f"{project.name} {project.about.created.isoformat()}"  # a later project may have the same name
        try:
            for answer in self._kept().get(self._key, []):
                self.wizard.answer(answer)
        except UsageError:  # kept by an earlier version, whose questions were others
            self.restart()

    def answer(self, answer: Answer) -> None:
        """Answer the open question."""
        self.wizard.answer(answer)
        self._keep()

    def follow_data(self) -> None:
        """Take all answers that the data gives, up to the next question that it says nothing about."""
        self.wizard.follow_data()
        self._keep()

    def back(self) -> None:
        """Take the last answer back."""
        self.wizard.back()
        self._keep()

    def restart(self) -> None:
        """Take all answers back."""
        self.wizard.restart()
        self._keep()

    def _keep(self) -> None:
        answers = [step.answer for step in self.wizard.path()]
        app.storage.user[KEPT] = self._kept() | {self._key: answers}

    def _kept(self) -> dict[str, list[Answer]]:
        return dict(app.storage.user.get(KEPT, {}))
