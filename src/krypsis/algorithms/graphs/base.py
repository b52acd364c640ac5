"""What methods for graphs have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Method
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.errors import DataError, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.graph_knowledge import CandidatesModel
from krypsis.models.mechanisms import MechanismRecord
from krypsis.progress import NO_PROGRESS, Progress

Model = TypeVar("Model", bound=PrivacyModel)


@dataclass(frozen=True, eq=False)
class GraphTask:
    """What a method is given: the graph, what is promised of it, and what is known about its vertices and edges.

    ``graph.attributes`` holds the attributes that may be published. Edges of sensitive types are part of the graph; a
    method may leave them out.
    """

    graph: Graph
    models: Sequence[PrivacyModel]
    schema: Schema = field(default_factory=lambda: Schema.of({}))
    """The roles of the attributes of vertices: quasi-identifiers are known to an attacker, as labels are."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Attribute → its hierarchy; every value is in it."""
    sensitive_types: frozenset[str] = frozenset()
    """The types of edges that nobody should learn."""

    def promise(self, kind: type[Model]) -> Model | None:
        """Return the promise of a kind, ``None`` where there is none."""
        return next((model for model in self.models if isinstance(model, kind)), None)

    @property
    def k(self) -> int:
        """The largest number of candidates that is promised."""
        return max((model.k for model in self.models if isinstance(model, CandidatesModel)), default=1)


class GraphMethod(Method):
    """Makes a graph safe: by changing its edges, or by publishing groups of its vertices."""

    kind: ClassVar[str] = "graph"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]]
    """The promises that it keeps by its own doing; others are checked, and refused where they do not hold."""
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = ()
    """The promises without which it does not know what to do."""
    guarantee: ClassVar[str] = ""
    """What a release by this method promises beyond its models, and what it does not, in plain words."""
    seed: int | None = Field(default=None, ge=0, description="of all random choices; drawn anew unless given")

    def check(self, task: GraphTask) -> None:
        """Raise unless the method can do what is wanted."""
        if not task.graph.vertices:
            raise DataError("the graph has no vertices; expected at least one")
        for wanted in self.needs:
            if task.promise(wanted) is None:
                raise UsageError(f"{self.name} needs the promise {wanted.name}; add it to the promises")
        if task.k > task.graph.vertices:
            raise DataError(
                f"{task.k} vertices that look alike are promised, and the graph has {task.graph.vertices}; "
                "promise fewer, or publish more vertices"
            )

    @abstractmethod
    def publish(self, task: GraphTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> GraphResult:
        """Return what is published. Its vertices may have the numbers of the original ones: they are renumbered later.

        Raises
        ------
        Infeasible
            if nothing keeps the promises.
        """


@dataclass(frozen=True, eq=False)
class GraphResult:
    """What a method publishes, where each vertex went, and figures of the run that stay with the publisher."""

    published: PublishedGraph
    """A graph, with the attributes that are published; or super-vertices."""
    places: IntArray
    """Original vertex → its number in the published graph, or the number of its super-vertex; -1 where it is left
    out. Published vertices that no original one goes to were added."""
    said: tuple[str, ...] = ()
    """What the publisher should know about how the promises were kept, such as that edges had to be deleted."""
    private: dict[str, Any] = field(default_factory=dict)
    mechanism_record: MechanismRecord | None = None
    """How the graph was randomized, where a promise is about that."""

    @property
    def is_counterfeit(self) -> BoolArray:
        """Which published vertices stand for nobody; super-vertices and graphs drawn by chance have none of them."""
        found = np.zeros(len(self.published), dtype=np.bool_)
        if isinstance(self.published, Graph) and self.mechanism_record is None:
            found[:] = True
            found[self.places[self.places >= 0]] = False
        return found
