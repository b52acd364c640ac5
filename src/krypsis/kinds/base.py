"""A kind of data as an object: its name, and what differs from other kinds.

What data says about the questions of the advisor: answers to confirm, each with its figures.

The plan that a kind of data proposes for a file, with what is in the file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from krypsis.errors import UnknownNameError, UsageError, did_you_mean
from krypsis.kinds.counting import CountAnswer, Where
from krypsis.registry import USUAL_KIND, parts_of_kinds

if TYPE_CHECKING:
    from krypsis.kinds.sets.measures import MeasuredFigure
    from krypsis.models.base import Verdict
    from krypsis.plan import Plan
    from krypsis.progress import Progress
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report, RiskFigures

Answer = Literal["yes", "no"]


@dataclass(frozen=True)
class Finding:
    """The answer that the data suggests, and the figures behind it."""

    answer: Answer
    key: str
    figures: Mapping[str, object] = field(default_factory=dict)

    def words(self, sentences: Mapping[str, str]) -> str:
        """Return the evidence as a sentence, from those of a language by key."""
        return sentences[self.key].format(**self.figures)


@dataclass(frozen=True)
class DataEvidence:
    """Findings by question, and what the data says about parameters.

    ``values`` may hold ``person``, a column that distinguishes persons; ``number``, the sensitive attribute that holds
    numbers where others do not; ``spread``, a tenth of the range of these numbers; ``nearness``, a twentieth of the
    range of the middle half of them; ``distance``, how values of all sensitive attributes are compared; ``known`` and
    ``hidden``, the quasi-identifiers and the sensitive attributes; ``guarded``, the first of several sensitive ones.
    """

    findings: Mapping[str, Finding] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


class DataFacts(ABC):
    """What a kind counts once about its data, for all questions."""

    @property
    @abstractmethod
    def evidence(self) -> DataEvidence:
        """What the data says about the questions."""

    @property
    def rows(self) -> int:
        """The number of records of a table, which limits what can be tried; 0 where that is quick."""
        return 0

    def data_for(self, plan: Plan) -> Any:  # noqa: ARG002  of kinds that keep their data
        """Return the data for a changed plan, where it need not be read again."""
        return None


@dataclass(frozen=True)
class ProfileTable:
    """A table of what was found in the data, for a screen."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[str, ...] = ()
    """Headings of numbers."""
    details: tuple[str, ...] = ()
    """Headings that narrow screens leave out."""


@dataclass(frozen=True)
class ProfileView:
    """What was found in the data, for a screen."""

    summary: str
    """What the data is, in one line."""
    tables: tuple[ProfileTable, ...] = ()
    notes: tuple[str, ...] = ()
    records: int | None = None
    """How many records, or vertices, there are, where that is known."""


@dataclass(frozen=True)
class ProposedPlan:
    """A plan to edit, what was found in the data, and what to do next."""

    text: str
    """The plan, as commented YAML."""
    profile: ProfileView
    warnings: tuple[str, ...] = ()
    """What the publisher should know before the plan is run."""
    missing: tuple[str, ...] = ()
    """What has to be done before the plan can be run, in sentences."""
    look_at: str = "the roles in it"
    """What to check in the plan."""
    following: tuple[str, ...] = ()
    """The command that follows, without ``krypsis``; the plan stands where :data:`PLAN_PLACE` stands."""


PLAN_PLACE = "{plan}"
"""Where the path of the plan goes in a command."""


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
    shares_files_of: ClassVar[str | None] = None
    """The kind whose files it reads as well, with a plan of its own."""
    planned_as: ClassVar[str] = ""
    """Of a kind without a plan of its own: what to write and to do instead, as one sentence."""
    suggests_algorithms: ClassVar[bool] = True
    """Whether the advisor names an algorithm; otherwise ``auto`` finds the one for the promises and the data."""

    compares_attacks: ClassVar[bool] = False
    """Whether attacks on a release need the data before."""

    reading: ClassVar[tuple[str, ...]] = ("delimiter", "encoding", "sheet")
    """What may be said about how to read a file of this kind."""
    reading_files: ClassVar[tuple[str, ...]] = ()
    """Those of :attr:`reading` that name another file."""
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

    def propose_elsewhere(
        self,
        source: Path | str,  # noqa: ARG002  of kinds that engines work on
        data: str,  # noqa: ARG002
        reading: Mapping[str, str | None],  # noqa: ARG002
        engine: str | None,  # noqa: ARG002
    ) -> ProposedPlan:
        """Look at data that an engine works on where it lies, and return a plan to edit.

        Parameters
        ----------
        source
            the path of a file, an address, or the name of a table that the engine knows.
        data, reading
            as for :meth:`propose`.
        engine
            the name of the engine; unless given, the one that suits the data.
        """
        raise UsageError(f"{self.title} is read from files; export the data, and leave out --engine")

    def recognizes_file(self, file: Path) -> bool:  # noqa: ARG002  of kinds whose files look like no others
        """Say whether a file holds data of this kind, and of no other."""
        return False

    def facts(self, plan: Plan) -> DataFacts:  # noqa: ARG002
        """Read the data of a plan, and count what the advisor wants to know about it."""
        raise UsageError(f"the advisor cannot look at {self.title}; answer its questions instead: krypsis advise")

    def facts_of_file(self, file: Path) -> DataFacts:  # noqa: ARG002
        """Count what the advisor wants to know about a file, of which nothing else is known."""
        raise UsageError(f"the advisor cannot look at {self.title}; answer its questions instead: krypsis advise")

    def entries_to_fill(self, plan: Plan) -> tuple[str, ...]:  # noqa: ARG002  of kinds whose data cannot say it
        """Return the entries of a plan, each a list of texts, that are empty and without which it cannot be run."""
        return ()

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:
        """Return the models to try where an advice cannot be had, from those that are usual for it."""
        return usual

    def recognizes(self, data: object) -> bool:  # noqa: ARG002  of kinds that have a class of their own
        """Say whether an object of a program holds data of this kind, and of no other."""
        return False

    def plan_of(self, **keywords: Any) -> Plan:  # noqa: ARG002
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe."""
        raise UsageError(f"anonymize does not publish {self.title}; see 'krypsis --help'")

    def count(
        self,
        release: Release,  # noqa: ARG002  of kinds whose releases are counted
        where: Where,  # noqa: ARG002
        domains: Mapping[str, object],  # noqa: ARG002
    ) -> CountAnswer:
        """Return what a release says about how many there are that meet all conditions.

        Parameters
        ----------
        release
            what is published.
        where
            name → condition; see :data:`krypsis.kinds.counting.Where`.
        domains
            attribute → its possible values, where labels stand for several.
        """
        raise UsageError(f"counts over {self.title} are not answered; over tables, sets of items and graphs they are")

    def true_count(self, original: Any, where: Where) -> int:  # noqa: ARG002
        """Return how many there are in the data before, as a plan of this kind reads it."""
        raise UsageError(f"counts over {self.title} are not answered; over tables, sets of items and graphs they are")

    def domains_of(
        self,
        plan: Plan,  # noqa: ARG002  of kinds that generalize
        original: Any,  # noqa: ARG002
        queries: Sequence[Where],  # noqa: ARG002
    ) -> dict[str, object]:
        """Return what labels may stand for, as the plan and the data before show it."""
        return {}

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

    def with_before(self, release: Release, folder: Path, plan: Plan) -> Release:  # noqa: ARG002  of kinds that can
        """Return a release that was loaded from a folder together with the data that its plan names.

        Attacks that compare what is published with what was before need it. The private record must lie next to the
        folder.
        """
        raise UsageError(f"attacks on {self.title} need no plan; leave it out")

    def measure(
        self,
        release: Release,  # noqa: ARG002  of kinds with metrics on request
        plan: Plan,  # noqa: ARG002
        specs: Sequence[str],  # noqa: ARG002
    ) -> list[MeasuredFigure]:
        """Return figures of a release that was loaded, compared with the data that its plan names.

        Parameters
        ----------
        release
            from its published files.
        plan
            that it was made by.
        specs
            the metrics; those of the plan unless given, else all that fit.
        """
        raise UsageError(
            f"every metric of {self.title} is measured when it is published, as by 'krypsis run'; look into its "
            "report. What the versions of a history lose, 'krypsis history measure' says"
        )

    def unprotected(self, release: Release) -> object:  # noqa: ARG002  of kinds whose attacks compare
        """Return the data before, as a target of attacks that nothing protects, of a release that still has it.

        The success on it is compared with that on the release, where :attr:`compares_attacks` is set.
        """
        return None

    def risk(self, release: Release) -> tuple[RiskFigures, ...]:  # noqa: ARG002
        """Return the risk before and after for every set of attributes that an attacker may know, if there are any."""
        return ()


@cache
def kinds() -> dict[str, Kind]:
    """Return the kinds of data by name, found in the folders of this package.

    Examples
    --------
    >>> sorted(kinds())
    ['dependencies', 'graph', 'history', 'ontology', 'table', 'transactions']
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
