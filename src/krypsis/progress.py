"""Progress of a run: a listener hears of every phase and every judged node, and may ask the search to stop.

A trace is a listener that also keeps the steps of the algorithm, as a textbook prints them. An algorithm writes
``progress.step(lambda: TraceStep(...))``: where nobody keeps steps, nothing is computed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice


@dataclass(frozen=True)
class JudgedNode:
    """What a search found out about one node of the lattice."""

    levels: tuple[int, ...]
    feasible: bool
    """Whether it keeps all promises within the limits."""
    score: float | None
    """Of a feasible node."""
    suppressed: int
    groups: int
    """How many groups are kept."""
    scores: tuple[float, ...] = ()
    """Of a feasible node, one number per criterion of the metric."""


class Interrupted(Exception):  # noqa: N818  what happened, not what went wrong
    """The work was stopped by the wish of its user and brought to an orderly end."""


class Progress:
    """Follows nothing and never stops a search; subclasses report progress, record nodes or set a limit."""

    def phase(self, name: str) -> None:
        """Hear that a phase of the run begins: read, encode, complete, search, recode, check, report."""

    def judged(self, node: JudgedNode) -> None:
        """Hear about a node that was judged."""

    def remaining(self, vertices: int) -> None:
        """Hear how many vertices of a graph still break a promise."""

    def wants_stop(self) -> bool:
        """Say whether the search should return the best it has found so far."""
        return False

    @property
    def steps(self) -> "tuple[TraceStep, ...]":
        """The steps kept so far; none unless this is a trace."""
        return ()

    @property
    def keeps_steps(self) -> bool:
        """Whether steps are kept, so that an algorithm should note what it needs to describe them."""
        return False

    def step(self, make: "Callable[[], TraceStep]") -> None:
        """Hear of a step of the algorithm; ``make`` is called only where steps are kept."""

    def each_step(self, make: "Callable[[], Iterable[TraceStep]]") -> None:
        """Hear of several steps, as :meth:`step` does of one."""


NO_PROGRESS = Progress()

NOT_PICKLED = "the steps of an algorithm are private and are not pickled; run it again with a trace instead"

MOST_ROWS = 50
"""Rows of a table of a step: whoever follows an algorithm by hand needs no more."""

MOST_STEPS = 200
"""Steps that a trace keeps."""


@dataclass(frozen=True, eq=False, repr=False)
class StepTable:
    """A table of a step: cells are texts, numbers or nothing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    title: str = ""
    more: int = 0
    """Rows that were left out."""

    @classmethod
    def of(
        cls, columns: Iterable[str], rows: Iterable[Iterable[object]], title: str = "", total: int | None = None
    ) -> "StepTable":
        """Return a table of the first rows, with the number of the others.

        Where the ``total`` number of rows is known, no more of them are made than are shown.

        Examples
        --------
        >>> table = StepTable.of(["f"], [[number] for number in range(60)])
        >>> len(table.rows), table.more
        (50, 10)
        """
        each = iter(rows)
        shown = tuple(tuple(row) for row in islice(each, MOST_ROWS))
        more = sum(1 for _ in each) if total is None else total - len(shown)
        return cls(tuple(columns), shown, title, more)

    def __repr__(self) -> str:
        """Show nothing: cells hold values of the data before, and what is shown ends up in notebooks and logs."""
        return f"StepTable({len(self.columns)} columns; private)"

    def __getstate__(self) -> object:
        raise TypeError(NOT_PICKLED)


@dataclass(frozen=True, eq=False, repr=False)
class StepPicture:
    """Records as dots in a plane, and the boxes around them; coordinates are from 0 to 1."""

    title: str
    across: str
    upwards: str
    dots: tuple[tuple[float, float], ...]
    boxes: tuple[tuple[float, float, float, float], ...]
    """Each from left to right and from bottom to top: ``(left, right, bottom, top)``."""

    def __repr__(self) -> str:
        """Show nothing: the dots are records."""
        return "StepPicture(private)"

    def __getstate__(self) -> object:
        raise TypeError(NOT_PICKLED)


@dataclass(frozen=True, eq=False, repr=False)
class TraceStep:
    """One step of an algorithm. It is about the data before: for the publisher alone."""

    algorithm: str
    title: str
    says: str = ""
    """What was decided, and why."""
    tables: tuple[StepTable, ...] = ()
    pictures: tuple[StepPicture, ...] = field(default=())

    def __repr__(self) -> str:
        """Show nothing but the algorithm: what was decided follows from the data before."""
        return f"TraceStep({self.algorithm}; private)"

    def __getstate__(self) -> object:
        raise TypeError(NOT_PICKLED)


class Trace(Progress):
    """Keeps the steps of the algorithm; hand it to :func:`krypsis.anonymize` as ``progress``.

    Steps show values and counts of the data before. They are for the publisher, as the private record is.

    Parameters
    ----------
    also
        another listener that hears the same.

    Examples
    --------
    >>> import krypsis
    >>> import polars as pl
    >>> trace = krypsis.Trace()
    >>> ages = pl.DataFrame({"age": ["31", "34"]})
    >>> release = krypsis.anonymize(ages, {"age": "quasi-identifier"}, models="k-anonymity:k=2", algorithm="datafly",
    ...                             progress=trace)
    >>> [step.title for step in trace.steps]
    ['Step 1: generalize age', 'Step 2: done']
    >>> trace.steps[0].tables[0].rows
    (('31', 1), ('34', 1))
    """

    def __init__(self, also: Progress = NO_PROGRESS) -> None:
        self._also = also
        self._steps: list[TraceStep] = []
        self.left_out = 0
        """How many steps came after those that are kept."""

    def __repr__(self) -> str:
        return "Trace(private)"

    def phase(self, name: str) -> None:
        self._also.phase(name)

    def judged(self, node: JudgedNode) -> None:
        self._also.judged(node)

    def remaining(self, vertices: int) -> None:
        self._also.remaining(vertices)

    def wants_stop(self) -> bool:
        return self._also.wants_stop()

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return tuple(self._steps)

    @property
    def keeps_steps(self) -> bool:
        return True

    def step(self, make: Callable[[], TraceStep]) -> None:
        if len(self._steps) < MOST_STEPS:
            self._steps.append(make())
        else:
            self.left_out += 1

    def each_step(self, make: Callable[[], Iterable[TraceStep]]) -> None:
        for step in make():
            self.step(partial(_same, step))


def _same(step: TraceStep) -> TraceStep:
    return step
