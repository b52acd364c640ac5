"""The machine that walks a tree: a stack of answered questions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from krypsis.advisor.advice import Advice, advice_of
from krypsis.advisor.texts import QuestionText, load_texts
from krypsis.advisor.tree import Answer, Question, Step, Taken, Tree, load_tree
from krypsis.errors import UsageError, check_choice
from krypsis.kinds.base import DataEvidence, Finding


@dataclass(frozen=True)
class Why:
    """Why a question is asked: what hangs on it, and which answers led to it."""

    reason: str
    before: tuple[Step, ...]


class Wizard:
    """Asks one question after the other and ends in a result.

    Parameters
    ----------
    tree
        ``extended``, ``seed``, or a tree of your own.
    language
        ``en`` or ``el``.
    evidence
        what the data says, from :func:`krypsis.advisor.evidence_of`.

    Examples
    --------
    >>> wizard = Wizard("seed")
    >>> wizard.answer("no")
    >>> wizard.question.name, wizard.text.question
    ('page02a', 'Is the database statistical: do recipients need totals and averages only, never single records?')
    >>> wizard.answer("yes")
    >>> wizard.result().model
    'differential-privacy'
    >>> wizard.back()
    >>> wizard.question.name
    'page02a'
    """

    def __init__(
        self, tree: str | Tree = "extended", *, language: str = "en", evidence: DataEvidence | None = None
    ) -> None:
        self.tree = tree if isinstance(tree, Tree) else load_tree(tree)
        self.texts = load_texts(language)
        self.language = language
        if silent := {question.text for question in self.tree.questions.values()} - self.texts.questions.keys():
            raise UsageError(f"the tree {self.tree.name!r} has questions without texts: {', '.join(sorted(silent))}")
        self.evidence = evidence or DataEvidence()
        self._steps: list[Step] = []

    @property
    def page(self) -> str:
        """The page one is on."""
        return self._steps[-1].edge.to if self._steps else self.tree.start

    @property
    def question(self) -> Question | None:
        """The question that is open, or nothing at the end."""
        return self.tree.questions.get(self.page)

    @property
    def is_done(self) -> bool:
        """Whether a result is reached."""
        return self.question is None

    @property
    def text(self) -> QuestionText:
        """The texts of the open question."""
        return self.texts.questions[self._open().text]

    @property
    def finding(self) -> Finding | None:
        """What the data says about the open question."""
        return self.evidence.findings.get(self._open().text)

    def answer(self, answer: Answer) -> None:
        """Answer the open question with ``yes``, ``no`` or ``unknown``.

        ``unknown`` takes what the data suggests, else the edge that the tree names for it; the result says so.
        """
        question = self._open()
        check_choice(answer, "an answer", get_args(Answer))
        if answer == "unknown" and question.unknown is None:
            raise UsageError(
                f"the tree {self.tree.name!r} knows only yes and no; the tree 'extended' has an answer for 'unknown'"
            )
        self._steps.append(Step(question=question, answer=answer, taken=self._taken(answer), finding=self.finding))

    def _taken(self, answer: Answer) -> Taken:
        if answer != "unknown":
            return answer
        return self.finding.answer if self.finding is not None else self._open().unknown or "no"

    def answer_all(self, answers: Iterable[Answer | None]) -> None:
        """Answer all questions to the end; ``None`` takes the answer the data suggests.

        Raises
        ------
        UsageError
            if the answers are too few or too many; the message says at which question.
        """
        given = list(answers)
        for count, answer in enumerate(given):
            if self.is_done:
                raise UsageError(
                    f"{len(given)} answers were given, and the first {count} of them lead to {self.result().model}; "
                    f"leave out the last {len(given) - count}"
                )
            self.answer(answer or self._suggested(count))
        if not self.is_done:
            raise UsageError(
                f"{len(given)} answer(s) were given and {self.page} is still open: {self.text.question!r}; "
                "add its answer"
            )

    def _suggested(self, count: int) -> Answer:
        if self.finding is None:
            raise UsageError(
                f"answer {count + 1} is left to the data, which says nothing about {self.page}: {self.text.question!r}"
            )
        return self.finding.answer

    def follow_data(self) -> int:
        """Take the answers that the data suggests up to the next question about which it says nothing.

        Returns
        -------
        int
            how many questions were answered.

        Examples
        --------
        >>> found = Finding("no", "sets", {"records": 1, "items": 1})
        >>> wizard = Wizard("seed", evidence=DataEvidence({"page01": found}))
        >>> wizard.follow_data(), wizard.page
        (1, 'page02a')
        """
        before = len(self._steps)
        while not self.is_done and self.finding is not None:
            self.answer(self.finding.answer)
        return len(self._steps) - before

    def back(self) -> None:
        """Take the last answer back."""
        if not self._steps:
            raise UsageError("this is the first question; there is no answer to take back")
        self._steps.pop()

    def restart(self) -> None:
        """Take all answers back."""
        self._steps.clear()

    def path(self) -> tuple[Step, ...]:
        """Return the questions that were answered, in order."""
        return tuple(self._steps)

    def why(self) -> Why:
        """Return why the open question is asked."""
        return Why(self.text.why, self.path())

    def result(self) -> Advice:
        """Return the advice that the answers lead to."""
        if not self.is_done:
            raise UsageError(f"there is no result yet: {self.page} is still open, {self.text.question!r}")
        return advice_of(self.tree, self.path(), self.language, self.evidence.values)

    def _open(self) -> Question:
        if self.question is None:
            raise UsageError(f"all questions are answered: {self.page} is a result; go back or restart to change it")
        return self.question


def advise(
    answers: Iterable[Answer | None],
    *,
    tree: str | Tree = "extended",
    language: str = "en",
    evidence: DataEvidence | None = None,
) -> Advice:
    """Return the advice that a list of answers leads to; ``None`` takes the answer the data suggests.

    Examples
    --------
    >>> advise(["yes", "no", "no", "no", "no", "yes"], tree="seed").spec
    'alpha-k-anonymity:alpha=0.5,k=5'
    """
    wizard = Wizard(tree, language=language, evidence=evidence)
    wizard.answer_all(answers)
    return wizard.result()
