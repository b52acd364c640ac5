"""What one visitor has answered so far, with data or without; a reload shows the same question again."""

from nicegui import app

from krypsis.advisor import DataEvidence, Wizard
from krypsis.advisor.situation import Situation
from krypsis.advisor.tree import Answer
from krypsis.errors import UsageError
from krypsis.projects import Project
from krypsis.web.texts import language

KEPT = "advised"
USUAL_TREE = "extended"


class Questions:
    """The questions of one visitor, whose answers outlive the page.

    Parameters
    ----------
    key
        under which the answers are kept.
    tree
        of questions, where nothing is kept.
    evidence
        what the data says, if there is any.
    """

    def __init__(self, key: str, tree: str = USUAL_TREE, evidence: DataEvidence | None = None) -> None:
        self._key = key
        self._evidence = evidence
        kept_tree, answers = _kept(key)
        self.choose(kept_tree or tree, answers)

    def choose(self, tree: str, answers: tuple[Answer, ...] = ()) -> None:
        """Ask the questions of a tree, from its beginning unless there are answers."""
        try:
            self.wizard = Wizard(tree, language=language(), evidence=self._evidence)
            for answer in answers:
                self.wizard.answer(answer)
        except UsageError:
            if not answers:
                raise
            self.choose(USUAL_TREE)  # kept by an earlier version, whose questions were others
        self._keep()

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
        keep_answers(self._key, self.wizard)


class Talk(Questions):
    """The questions about the data of a project."""

    def __init__(self, project: Project, situation: Situation) -> None:
        self.project = project
        self.situation = situation
        super().__init__(key_of(project), evidence=situation.evidence)


def key_of(project: Project) -> str:
    """Return under which key the answers about a project are kept: a later project may have the same name."""
    return f"{project.name} {project.about.created.isoformat()}"


def keep_answers(key: str, wizard: Wizard) -> None:
    """Keep the answers that were given to a wizard."""
    answers = [step.answer for step in wizard.path()]
    app.storage.user[KEPT] = dict(app.storage.user.get(KEPT, {})) | {key: [wizard.tree.name, *answers]}


def _kept(key: str) -> tuple[str, tuple[Answer, ...]]:
    """Return the tree and the answers that were kept, or nothing."""
    tree, *answers = app.storage.user.get(KEPT, {}).get(key, [""])
    return tree, tuple(answers)
