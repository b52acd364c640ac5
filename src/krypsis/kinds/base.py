"""A kind of data as an object: its name, and what differs from other kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from krypsis.errors import UnknownNameError, UsageError, did_you_mean
from krypsis.registry import USUAL_KIND, parts_of_kinds

if TYPE_CHECKING:
    from krypsis.kinds.findings import DataFacts
    from krypsis.kinds.proposal import ProposedPlan
    from krypsis.models.base import Verdict
    from krypsis.plan import Plan
    from krypsis.progress import Progress
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report, RiskFigures

PLAN = "plan.yaml"
"""The name of the plan among the files of a demo."""


@dataclass(frozen=True)
class DemoOutcome:
    """What a demo has published."""

    summary: str
    paths: Mapping[str, Path]
    """What lies where."""
    check: str
    """The command by which anybody can check it, without ``krypsis``."""
    verdicts: Sequence[Verdict]


@dataclass(frozen=True)
class Demo:
    """A built-in data set, with the plan that says what to do with it."""

    folder: str
    """Where it is written unless another place is named."""
    files: Mapping[str, str]
    """Name → content: the data first, the plan among them."""
    what: str
    """What the data holds, such as ``5,000 invented patients``."""
    carry_out: Callable[[Path, Progress], DemoOutcome] | None = None
    """Publishes the data in a folder; where nothing is given, the plan is run."""
    commands: tuple[str, ...] = (f"run {{folder}}/{PLAN}",)
    """The commands that do the same, without ``krypsis``; ``{folder}`` is where the files lie."""


class Kind(ABC):
    """A kind of data. One stands in ``kinds/<kind>/kind.py``, and nothing else names it."""

    name: ClassVar[str]
    """As plans, manifests and options name it."""
    title: ClassVar[str]
    """What it is, in a few words."""

    model_kinds: ClassVar[tuple[str, ...]] = ()
    """What promises are about that a plan of this kind can make, as models name it."""
    question: ClassVar[str | None] = None
    """The question of the advisor that is answered with yes where data is of this kind."""
    suggests_algorithms: ClassVar[bool] = True
    """Whether the advisor names an algorithm; otherwise ``auto`` finds the one for the promises and the data."""

    reading: ClassVar[tuple[str, ...]] = ("delimiter", "encoding", "sheet")
    """What may be said about how to read a file of this kind."""
    reads_like_table: ClassVar[bool] = True
    """Whether the files of this kind are tables."""

    @abstractmethod
    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
        """Look at a file and return a plan to edit.

        Parameters
        ----------
        file
            the data.
        data
            its path as seen from the plan.
        reading
            how to read it, where the usual guess fails: a value, or ``None``, for each name in :attr:`reading`.
        """

    def recognizes_file(self, file: Path) -> bool:  # noqa: ARG002  of kinds whose files look like no others
        """Say whether a file holds data of this kind, and of no other."""
        return False

    def facts(self, plan: Plan) -> DataFacts:  # noqa: ARG002
        """Read the data of a plan, and count what the advisor wants to know about it."""
        raise UsageError(f"the advisor cannot look at {self.title}; answer its questions instead: krypsis advise")

    def facts_of_file(self, file: Path) -> DataFacts:  # noqa: ARG002
        """Count what the advisor wants to know about a file, of which nothing else is known."""
        raise UsageError(f"the advisor cannot look at {self.title}; answer its questions instead: krypsis advise")

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:
        """Return the models to try where an advice cannot be had, from those that are usual for it."""
        return usual

    def recognizes(self, data: object) -> bool:  # noqa: ARG002  of kinds that have a class of their own
        """Say whether an object of a program holds data of this kind, and of no other."""
        return False

    def plan_of(self, **keywords: Any) -> Plan:  # noqa: ARG002
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe."""
        raise UsageError(f"anonymize does not publish {self.title}; see 'krypsis --help'")

    @abstractmethod
    def demo(self) -> Demo:
        """Return a built-in data set with its plan."""

    @abstractmethod
    def report(self, made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
        """Return the report of what was made of data of this kind: blocks, which the shared code renders.

        Parameters
        ----------
        made
            the release; of a table that changes, the published version.
        name
            what it is called.
        dossier
            what the publisher documents about it.

        Raises
        ------
        UsageError
            if what was before is not there to compare with.
        """

    def risk(self, release: Release) -> tuple[RiskFigures, ...]:  # noqa: ARG002
        """Return the risk before and after for every set of attributes that an attacker may know, if there are any."""
        return ()


@cache
def kinds() -> dict[str, Kind]:
    """Return the kinds of data by name, found in the folders of this package.

    Examples
    --------
    >>> sorted(kinds())
    ['history', 'table', 'transactions']
    """
    modules = {module.__name__ for module in parts_of_kinds("kind")}
    return {cls.name: cls() for cls in Kind.__subclasses__() if cls.__module__ in modules}


def kind_of(data: object) -> Kind:
    """Return the kind of the data that a program has: a table, where nothing else recognizes it.

    Examples
    --------
    >>> kind_of({"age": [31, 34]}).name
    'table'
    """
    known = kinds()
    return next((kind for kind in known.values() if kind.recognizes(data)), known[USUAL_KIND])


def kind_of_file(file: Path) -> Kind:
    """Return the kind of the data in a file: a table, where nothing else recognizes it."""
    known = kinds()
    return next((kind for kind in known.values() if kind.recognizes_file(file)), known[USUAL_KIND])


def kind_named(name: str) -> Kind:
    """Return the kind of a name.

    Raises
    ------
    UnknownNameError
        if there is none.

    Examples
    --------
    >>> kind_named("table").title
    'a table with one record per row'
    """
    known = kinds()
    if name not in known:
        raise UnknownNameError(f"kind {name!r} is not known; kinds: {', '.join(known)}.{did_you_mean(name, known)}")
    return known[name]
