"""How a release was made: the promises asked for, the method, and what it came to."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import Given
from krypsis.checker.evidence import Original
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.ontologies import Ontology
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet, Outcome, Recoding
from krypsis.data.transactions import Transactions
from krypsis.models.base import PrivacyModel
from krypsis.progress import TraceStep
from krypsis.specs import split_list

PERTURBATION = "perturbation"
"""The scheme of what replaces values by others."""

MECHANISM = "mechanism"
"""The scheme of what makes a table of its own; how many records there were before would reveal something about them."""

HISTORY = "history"
"""The scheme of what publishes a table that changes."""

MADE_BY_CHANCE = (PERTURBATION, MECHANISM)
"""Schemes whose groups are not those of the original records."""

SIGNIFICANT_DIGITS = 4


@dataclass(frozen=True, eq=False, repr=False)
class MadeBy:
    """What was asked for, what made the release, and the figures of the result.

    What is shown and pickled of it is what the manifest states.
    """

    promises: tuple[str, ...] = ()
    algorithm: str = ""
    scheme: str = ""
    """What the algorithm generalizes and suppresses, such as ``AG_TS``: attributes, and tuples."""
    metric: str = ""
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """Attribute → name of its hierarchy, such as ``csv age.csv`` or ``intervals``."""
    levels: Mapping[str, int] = field(default_factory=dict)
    heights: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    lower_bound: float | None = None
    """A score that no recoding of the kind searched can beat, where the algorithm has proven one; never published."""
    suppressed: int = 0
    suppression: str = "remove"
    rows_before: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    rounded: frozenset[str] = frozenset()
    """Metrics that depend on original values: exact ones would confirm guesses."""
    hides_figures: bool = False
    """Whether these are not published at all, although no record of the table was suppressed: they depend on values
    that nothing else shows, such as those of the records that a recipe was made of, of subjects who were in further
    tables only, of sensitive values that are published more generally, or on who holds which item."""
    guarantee: str = ""
    """What the method guarantees beyond the promises, or that it guarantees nothing, in plain words."""
    release_id: str = ""
    """The id under which the release was saved; empty before."""

    def __repr__(self) -> str:
        """Name what anybody may know: exact figures would end up in notebooks and logs."""
        public = vars(self.as_published())
        return f"MadeBy({', '.join(f'{name}={value!r}' for name, value in public.items() if value)})"

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.as_published())

    def as_published(self) -> "MadeBy":
        """Return what may be known to anybody: no seed, no folder, and figures as a manifest has them."""
        # A reader who does not have a metric of the publisher's own cannot tell it from a message.
        known = registry.names_in_sources("metric") | {self.metric.partition(":")[0]}
        figures = {name: self._figure(name, value) for name, value in self.metrics.items() if name in known}
        return replace(
            self,
            algorithm=without_seed(self.algorithm),
            score=self._figure(self.metric.partition(":")[0], self.score),
            lower_bound=None,
            metrics={name: value for name, value in figures.items() if value is not None},
            hierarchies={name: _without_folders(label) for name, label in self.hierarchies.items()},
        )

    def _figure(self, name: str, value: float | None) -> float | None:
        """Return a figure as it is published: where it depends on original values, rounded or not at all."""
        if value is None or name not in self.rounded:
            return value
        return None if self.suppressed or self.hides_figures else round_figure(value)


def round_figure(value: float) -> float:
    """Round to four significant digits: an exact figure could be used to test guesses about the original values.

    Examples
    --------
    >>> round_figure(0.27777777777), round_figure(1234567.0)
    (0.2778, 1235000.0)
    """
    if not value or not math.isfinite(value):
        return value
    return float(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")


def without_seed(spec: str) -> str:
    """Drop the seed, which would undo every random choice, such as the order of the records."""
    name, _, rest = spec.partition(":")
    kept = [part for part in split_list(rest) if part and not re.match(r"seed\s*=", part)]
    return name + ":" * bool(kept) + ",".join(kept)


def _without_folders(label: str) -> str:
    r"""Drop the folders, which disclose the publisher's machine.

    Examples
    --------
    >>> _without_folders("csv /home/mary/study 7/age.csv"), _without_folders("intervals")
    ('csv age.csv', 'intervals')
    """
    kind, space, place = label.partition(" ")
    return kind + space + re.split(r"[/\\]", place)[-1]


@dataclass(frozen=True, eq=False)
class RecodingEvidence:
    """The table before (as a frequency set), the recoding, and the figures of the result."""

    frequency: FrequencySet
    recoding: Recoding
    outcome: Outcome
    population: Original | None = None
    """All people whom the records may be about, where a promise compares with them."""
    most_suppressed: int | None = None
    """How many records the task allowed to suppress; nothing where that was left to the algorithm."""
    levels_allowed: tuple[tuple[int, int], ...] = ()
    """The lowest and the highest level of each attribute that the task allowed; all where nothing is said."""

    @property
    def original(self) -> Original:
        """The quasi-identifiers before, for promises that compare what is published with them."""
        frequency = self.frequency
        rows = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
        columns = [
            pl.Series(f"c{place}", hierarchy.values, dtype=pl.String).gather(frequency.codes[rows, place]).rename(name)
            for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
        ]
        return Original(pl.DataFrame(columns), dict(zip(frequency.attributes, frequency.hierarchies, strict=True)))


@dataclass(frozen=True, eq=False)
class PartsEvidence:
    """Of a table whose distinct tuples do not fit into memory: what was counted of it, and a sample of its records."""

    groups: FrequencySet
    """The published groups in the place of tuples, with all sensitive values."""
    recoding: CellRecoding
    """The labels of each group."""
    outcome: Outcome
    marginals: Sequence[IntArray]
    """By attribute: how often each value occurred before."""
    unchanged: frozenset[str]
    """The attributes whose values are all published as they were."""
    sizes: tuple[IntArray, IntArray]
    """How many records had equal quasi-identifiers before: each number that occurs, and of how many tuples."""
    surest: Mapping[str, tuple[float, float, float]]
    """Sensitive attribute → what those who know all quasi-identifiers could say before: of how many records for sure,
    the sum of their chances to be right, and the highest of them."""
    sample: RecodingEvidence
    """The distinct tuples of the sample, with the labels of their groups."""


@dataclass(frozen=True, eq=False, repr=False)
class Before:
    """The columns that are published, as they were; and what else only the publisher knows.

    Examples
    --------
    >>> Before(pl.DataFrame({"age": [31, 40]})).table.height
    2
    """

    rows: pl.DataFrame | Callable[[], pl.DataFrame] = field(default_factory=pl.DataFrame)
    """The columns that are published, as they were, or what brings them into memory."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Of columns that are published more generally, where there is no other evidence of it."""
    books: Mapping[str, Codebook] = field(default_factory=dict)
    """Of those of them whose labels are no nodes of the hierarchy: which values each label stands for."""
    tables: "Mapping[str, Before]" = field(default_factory=dict)
    """The further tables of a release of several, by name."""
    subjects: tuple[IntArray, IntArray] | None = None
    """Of several tables: the sizes of the groups of subjects who look alike in all of them, before and after."""
    matches_rows: bool = False
    """Whether row by row the table is the one that the release was made of, as where values were changed."""

    nobody: BoolArray | None = None
    """Which rows of the release are nobody's record, where there are counterfeits."""
    sets: Transactions | None = None
    """The sets before, of a release of sets of items; there is no table then."""
    graph: Graph | None = None
    """The graph before, of a release of a graph, without what is never published of it."""
    places: IntArray | None = None
    """Of a graph: the published number of each vertex, or of its super-vertex; -1 where it is left out."""
    republish: Callable[[Graph], tuple[PublishedGraph, IntArray]] | None = None
    """Of a graph: publishes another one by the same method, for attacks that change the graph before."""
    ontology: Ontology | None = None
    """The axioms before, of a release of an ontology, without those that are public."""
    secrets: tuple[str, ...] = ()
    """What nobody should be able to derive from published axioms."""
    evidence: RecodingEvidence | None = None
    """The frequency set and the recoding, where the release generalizes."""
    compared: Original | None = None
    """The table that a promise compares with, where there is no other evidence of it."""
    private_columns: pl.DataFrame | None = None
    """Columns that a promise counts and that are not published, such as the number of a person, record by record."""
    sample: pl.DataFrame | None = None
    """A random sample of a table whose rows stay where they lie: there is no table then, but counts. Nothing
    where counts reveal all that is compared."""
    steps: tuple[TraceStep, ...] = ()
    """The steps of the algorithm, where a trace was wanted."""
    parts: PartsEvidence | None = None
    """What was counted of a table that was cut where it lies."""

    def __repr__(self) -> str:
        """Show nothing: all of it is private, and what is shown ends up in notebooks and logs."""
        return "Before(private)"

    def __getstate__(self) -> object:
        raise TypeError("what was before a release is private and is not pickled; keep the original table instead")

    @property
    def table(self) -> pl.DataFrame:
        """The columns that are published, as they were."""
        return self.rows if isinstance(self.rows, pl.DataFrame) else self.rows()

    @property
    def data(self) -> pl.DataFrame | Transactions:
        """What is published, as it was: a table or sets of items."""
        return self.table if self.sets is None else self.sets

    @property
    def population(self) -> Original | None:
        """All people whom the records may be about, where a promise compares with them."""
        return None if self.evidence is None else self.evidence.population

    def original_for(self, models: Iterable[PrivacyModel]) -> Original | None:
        """Return what the release was made from, where a promise needs it."""
        if not any(model.needs_original for model in models):
            return None
        return self.compared if self.evidence is None else self.evidence.original

    def evidence_for(self, models: Iterable[PrivacyModel]) -> Given:
        """Return what the checker is given of it to decide promises."""
        return Given(
            sensitive=self.secrets or None,
            original=self.original_for(models),
            population=self.population,
            private_columns=self.private_columns,
        )

    def in_order(self, order: IntArray) -> "Before":
        """Return the same for a release whose rows were put in another order."""
        return replace(
            self,
            rows=self.table[order] if self.matches_rows else self.rows,
            nobody=None if self.nobody is None else self.nobody[order],
            private_columns=None if self.private_columns is None else self.private_columns[order],
        )
