"""A tree of questions: data that says which question or result follows which answer.

One answered question.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from pydantic import Field, model_validator

from krypsis.advisor.files import AdvisorPart, parsed, read_data
from krypsis.advisor.results import Threat, results
from krypsis.errors import UsageError, did_you_mean
from krypsis.kinds.base import Finding

Taken = Literal["yes", "no"]
Answer = Literal["yes", "no", "unknown"]
TREES = ("extended", "seed")


class Edge(AdvisorPart):
    """Where an answer leads, and what it says by the way."""

    to: str = Field(description="the page it leads to")
    threats: tuple[Threat, ...] = Field(default=(), description="what must be protected from, as this answer says")
    collects: tuple[str, ...] = Field(default=(), description="models that the structure of the data asks for")
    adds: tuple[str, ...] = Field(default=(), description="models that complete the one at the end")
    offers: tuple[str, ...] = Field(default=(), description="models that may take the place of all others")
    warns: tuple[str, ...] = Field(default=(), description="warnings that come with the answer")
    decides: bool = Field(default=False, description="whether the model at the end goes before all collected ones")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"to": value} if isinstance(value, str) else value

    @property
    def models(self) -> tuple[str, ...]:
        """The models it names."""
        return (*self.collects, *self.adds, *self.offers)


class Question(AdvisorPart):
    """A page with one question."""

    name: str
    text: str = Field(description="the key of its texts, which several pages may share")
    branch: str = ""
    yes: Edge
    no: Edge
    unknown: Taken | None = Field(default=None, description="the edge of 'unknown' where the data says nothing")

    def edge(self, taken: Taken) -> Edge:
        """Return the edge of an answer."""
        return self.yes if taken == "yes" else self.no


class Tree(AdvisorPart):
    """Questions and the results they lead to; :func:`load_tree` reads one of the toolkit's.

    Examples
    --------
    >>> seed = load_tree("seed")
    >>> len(seed.questions), len(seed.results), seed.questions["page01"].yes.to
    (17, 18, 'page02b')
    """

    name: str
    shape: Literal["tree", "graph"] = Field(description="'tree' if every page is reached by exactly one path")
    start: str
    questions: dict[str, Question] = Field(min_length=1)
    results: dict[str, str] = Field(min_length=1, description="the result on each page without a question")

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Tree":
        """Build a tree from nested mappings, and check that it leads somewhere from everywhere."""
        questions = content.get("questions")
        if isinstance(questions, Mapping) and all(isinstance(one, Mapping) for one in questions.values()):
            named = {name: {"text": name, **given, "name": name} for name, given in questions.items()}
            content = {**content, "questions": named}
        return parsed(cls, content, "the tree of questions").checked()

    @property
    def knows_unknown(self) -> bool:
        """Whether its questions may be answered with "don't know"."""
        return all(question.unknown is not None for question in self.questions.values())

    @cached_property
    def longest_path(self) -> int:
        """The number of questions on the longest path."""
        return self.questions_left(self.start)

    def questions_left(self, page: str) -> int:
        """Return how many questions there are at most from a page on, its own included.

        Examples
        --------
        >>> seed = load_tree("seed")
        >>> seed.questions_left("page15"), seed.questions_left("spage18")
        (1, 0)
        """
        return self._longest_from(page, (), dict.fromkeys(self.results, 0))

    def checked(self) -> "Tree":
        """Return the tree, unless an answer leads nowhere or a page is never reached."""
        self._check_pages()
        self._check_paths()
        return self

    def _check_pages(self) -> None:
        pages = {**self.questions, **self.results}
        for place, page in [("start", self.start), *self._targets()]:
            if page not in pages:
                raise UsageError(f"{place} leads to {page!r}, which is no page.{did_you_mean(page, pages)}")
        if both := self.questions.keys() & self.results.keys():
            raise UsageError(f"pages that are a question and a result: {', '.join(sorted(both))}")
        known = results()
        for name in {*self.results.values(), *(name for edge in self._edges() for name in edge.models)}:
            if name not in known:
                raise UsageError(f"the tree names the result {name!r}, which is not known.{did_you_mean(name, known)}")
        if not self.knows_unknown and any(question.unknown for question in self.questions.values()):
            missing = [name for name, question in self.questions.items() if question.unknown is None]
            raise UsageError(f"'unknown' is given for some questions and missing for {', '.join(missing)}")

    def _check_paths(self) -> None:
        arrivals = dict.fromkeys((*self.questions, *self.results), 0) | {self.start: 1}
        for _, page in self._targets():
            arrivals[page] += 1
        if lonely := [page for page, count in arrivals.items() if not count]:
            raise UsageError(f"no answer leads to {', '.join(lonely)}")
        if self.shape == "tree" and (shared := [page for page, count in arrivals.items() if count > 1]):
            raise UsageError(f"in a tree one path leads to a page, several lead to {', '.join(shared)}")
        self.questions_left(self.start)  # raises where there is a circle

    def _longest_from(self, page: str, before: tuple[str, ...], known: dict[str, int]) -> int:
        """Return the most questions from a page to a result; ``known`` holds what was found for other pages."""
        if page in before:
            raise UsageError(f"the questions go round in a circle: {' → '.join((*before, page))}")
        if page not in known:
            edges = (self.questions[page].yes, self.questions[page].no)
            known[page] = 1 + max(self._longest_from(edge.to, (*before, page), known) for edge in edges)
        return known[page]

    def _targets(self) -> list[tuple[str, str]]:
        return [
            (f"{answer!r} of {name}", edge.to)
            for name, question in self.questions.items()
            for answer, edge in (("yes", question.yes), ("no", question.no))
        ]

    def _edges(self) -> list[Edge]:
        return [edge for question in self.questions.values() for edge in (question.yes, question.no)]


@cache
def load_tree(name: str) -> Tree:
    """Return the tree of that name: ``extended`` or ``seed``."""
    if name not in TREES:
        raise UsageError(f"tree {name!r} is not known; trees: {', '.join(TREES)}.{did_you_mean(name, TREES)}")
    return Tree.of(read_data("trees", f"{name}.yaml"))


@dataclass(frozen=True)
class Step:
    """A question, its answer, and the edge that was taken."""

    question: Question
    answer: Answer
    taken: Taken
    finding: Finding | None = None

    @property
    def edge(self) -> Edge:
        """Where the answer led."""
        return self.question.edge(self.taken)

    @property
    def is_assumed(self) -> bool:
        """Whether nobody knew the answer."""
        return self.answer == "unknown"
