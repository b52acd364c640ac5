"""What all metrics of published graphs have in common."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.specs import write_spec


class GraphMetric(BaseModel, ABC):
    """One figure of a published graph, compared with the original one. All metrics are losses: lower is better.

    A subclass in its own file under ``krypsis/metrics/graphs`` is found by the registry; nothing else has to
    be changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "graph"
    formula: ClassVar[str]
    range: ClassVar[str]
    """From the value of an unchanged graph to the value when nothing is left, in words."""
    sentence: ClassVar[str]
    """What the number says, in plain words."""
    reference: ClassVar[str]
    goal: ClassVar[str] = "minimize"
    needs_original: ClassVar[bool] = True
    reported: ClassVar[bool] = True
    """Whether every release is measured by it; what takes long is measured on request."""

    @property
    def spec(self) -> str:
        """The metric as one word with the parameters that are not as usual."""
        return write_spec(self.name, self.model_dump(exclude_defaults=True))

    @abstractmethod
    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        """Return the figure.

        ``places`` says where each original vertex went, as in :class:`krypsis.algorithms.graphs.base.GraphResult`;
        ``rng`` is for metrics that draw samples. Of super-vertices, one of the graphs that they may stand for is drawn
        and measured.
        """

    def estimate(
        self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return the figure, and its standard error where it is estimated from a sample."""
        return self.measure(original, published, places, rng), 0.0


def world_of(published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> tuple[Graph, IntArray]:
    """Return a published graph, or one that super-vertices may stand for, and where each original vertex is in it.

    Which vertex of a super-vertex an original one is, nobody can say: it is drawn at random.
    """
    if isinstance(published, Graph):
        return published, places
    firsts = np.cumsum(published.sizes) - published.sizes
    order = rng.permutation(len(places))
    order = order[np.argsort(places[order], kind="stable")]
    order = order[places[order] >= 0]
    counts = np.bincount(places[order], minlength=len(published))
    turn = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    where = np.full(len(places), -1, dtype=np.int64)
    where[order] = firsts[places[order]] + turn
    return published.sample_world(rng), where


def published_edges(original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the published edges by the numbers of the original vertices; those of added vertices come after."""
    world, where = world_of(published, places, rng)
    number = np.full(world.vertices, -1, dtype=np.int64)
    is_there = where >= 0
    number[where[is_there]] = np.flatnonzero(is_there)
    number[number < 0] = original.vertices + np.arange(int((number < 0).sum()))
    return np.sort(number[world.edges], axis=1)


def keys_of(edges: IntArray | CodeArray) -> IntArray:
    """Return each edge as one number."""
    return np.asarray(edges[:, 0].astype(np.int64) << np.int64(32) | edges[:, 1].astype(np.int64))
