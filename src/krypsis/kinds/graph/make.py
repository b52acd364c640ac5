"""Releases of graphs."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.private_degrees import PrivateDegrees
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.graphs import ClusteredGraph, Graph, PublishedGraph
from krypsis.data.graphs.graph import VERTEX
from krypsis.data.graphs.knowledge import classes_by, labels_of
from krypsis.data.hierarchies import TOP, HierarchySpec
from krypsis.data.hierarchies.resolve import Flat, describe
from krypsis.data.random_order import random_order
from krypsis.data.schema import Role
from krypsis.errors import SearchWarning, UsageError
from krypsis.format.graph_tables import SIZE, SUPERVERTEX, VERTICES
from krypsis.io.texts import text_of
from krypsis.kinds.graph.publication import GraphPublication
from krypsis.metrics.graphs.base import GraphMetric, world_of
from krypsis.models.edge_confidence import EdgeConfidence
from krypsis.models.mechanisms import MechanismModel
from krypsis.models.vertex_l_diversity import VertexLDiversity
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import SEED, new_seed, private_record_of, seed_of
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run

RESERVED = (VERTEX, SUPERVERTEX, SIZE, VERTICES)
"""Names of columns that a release of a graph has anyway."""
WORLDS = 5
"""How many graphs that super-vertices may stand for are measured."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class GraphReleaseTask(GraphTask):
    """A graph and what is wanted of it, with the method that makes the release."""

    method: GraphMethod
    hierarchy_specs: Mapping[str, HierarchySpec] = field(default_factory=dict)
    """What was said about the hierarchies of attributes."""

    def __repr__(self) -> str:
        """Name what is promised: vertices and seeds would end up in notebooks and logs."""
        return f"GraphReleaseTask({self.graph!r}; {', '.join(model.spec for model in self.models)})"

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release of the graph, in published order. Its promises have not been checked."""
        return graph_release(self, Run(progress, self.method.seed))

    def improved(self, release: Release) -> Release:
        """Return the release as it is: nothing is known yet that would lower the loss of graphs."""
        return release


def graph_release(task: GraphReleaseTask, run: Run) -> Release:
    """Return the release of a graph. Its promises have not been checked."""
    method = task.method
    method.check(task)
    _check_promises(task)
    hidden = list(_hidden(task.graph))
    rng = run.random(hidden)
    offered = offered_graph(task)
    with run.phase("search"):
        made = with_diverse_classes(method.publish(replace(task, graph=offered), rng, run.progress), task)
    with run.phase("recode"):
        order_seed = seed_of(rng)
        published, places = _renumbered(made, order_seed[SEED])
    with run.phase("measure"):
        metrics, spread = dict[str, float](), dict[str, float]()
        if made.mechanism_record is None:  # figures that compare with the data would cost privacy that nobody counts
            metrics, spread = measure_graph(offered, made, run.random((b"metrics", *hidden)))
    hidden_labels = list(_labels_without_hierarchy(task, offered, published))
    for warning in hidden_labels:
        warnings.warn(warning, stacklevel=2)
    roles = {name: role for name, role in task.schema.roles.items() if name in _attributes_of(made, task)}
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=" ".join([method.guarantee, *_counterfeits(made)]),
        hierarchies=_stated_hierarchies(task, published),
        rows_before=task.graph.vertices,
        metrics=metrics,
        rounded=frozenset(metrics),
        hides_figures=True,
    )
    private: dict[str, Any] = {
        **order_seed,
        **made.private,
        "said": [*_left_out(task, offered), *made.said, *map(str, hidden_labels)],
        "places": places,
        **({"spread": spread} if spread else {}),
    }
    return run.release(
        GraphPublication(published, roles, made.mechanism_record),
        made_by,
        Before(graph=offered, places=places, republish=partial(_republished, task)),
        **private,
    )


def _counterfeits(made: GraphResult) -> Iterable[str]:
    """Say to everybody how many vertices are not real: who counts vertices or their attributes has to know."""
    if number := int(made.is_counterfeit.sum()):
        verb = "stands" if number == 1 else "stand"
        yield (
            f"{number:,} of the {len(made.published):,} published vertices {verb} for no person; attributes were drawn "
            "from those that other vertices share, and counts include them."
        )


def _stated_hierarchies(task: GraphReleaseTask, published: PublishedGraph) -> dict[str, str]:
    """Return what the attributes of vertices were generalized by; super-vertices count values as they are."""
    if not isinstance(published, Graph):
        return {}
    shown = published.attributes.columns
    return {name: describe(spec) for name, spec in task.hierarchy_specs.items() if name in shown}


def _labels_without_hierarchy(
    task: GraphReleaseTask, offered: Graph, published: PublishedGraph
) -> Iterable[SearchWarning]:
    """Yield what was hidden of labels that a hierarchy would have kept more of."""
    for name in task.schema.quasi_identifiers:
        is_flat = describe(task.hierarchy_specs.get(name)) == Flat.kind
        if isinstance(published, Graph) and name in published.attributes.columns and is_flat:
            before, after = (int((graph.attributes[name] == TOP).sum()) for graph in (offered, published))
            if after > before:
                yield _hidden_label(name, after - before)


def _hidden_label(name: str, vertices: int) -> SearchWarning:
    return SearchWarning(
        f"{name!r} of {vertices:,} vertices is published as '{TOP}': without a hierarchy, a value is published as it is"
        " or not at all. Give the attribute a hierarchy to keep more of it",
        {
            "el": f"Το {name!r} {vertices:,} κορυφών δημοσιεύεται ως '{TOP}': χωρίς ιεραρχία, μια τιμή δημοσιεύεται "
            "όπως είναι ή καθόλου. Δώστε στο χαρακτηριστικό μια ιεραρχία, για να διατηρηθεί περισσότερη πληροφορία"
        },
    )


def with_diverse_classes(made: GraphResult, task: GraphTask) -> GraphResult:
    """Return what a method publishes without the sensitive values of classes that would disclose them.

    Where vertices that look alike have too few values of an attribute for the promise of l-diversity, none of them is
    published in that class. Vertices that stand for nobody make no class diverse: the people in it have to differ.
    """
    published, said = made.published, list(made.said)
    diverse = [model for model in task.models if isinstance(model, VertexLDiversity)]
    promised = [(model, name) for model in diverse for name in _diverse_attributes(model, task)]
    if not isinstance(published, Graph) or not promised:
        return made
    labels = labels_of(published, task.schema.quasi_identifiers)
    classes = {model.knowledge: classes_by(published, model.knowledge, labels) for model, _ in promised}
    before = published.attributes
    # What is hidden for one promise is missing in the classes of another, so that all are looked at again.
    is_stable = False
    while not is_stable:
        is_stable = True
        for model, name in promised:
            too_uniform = _too_uniform(model, published.attributes[name], classes[model.knowledge], made.is_counterfeit)
            if too_uniform.any():
                is_stable = False
                shown = pl.when(pl.Series(too_uniform)).then(None).otherwise(pl.col(name)).alias(name)
                published = replace(published, attributes=published.attributes.with_columns(shown))
    for name in dict.fromkeys(name for _, name in promised):
        if lost := published.attributes[name].null_count() - before[name].null_count():
            specs = " and ".join(model.spec for model, about in promised if about == name)
            said.append(f"{name} of {lost:,} vertices is not published, to keep {specs}")
    return replace(made, published=published, said=tuple(said))


def _diverse_attributes(model: VertexLDiversity, task: GraphTask) -> tuple[str, ...]:
    """Return the sensitive attributes whose diversity is promised."""
    return tuple(task.schema.sensitive) if model.attribute is None else (model.attribute,)


def _too_uniform(model: VertexLDiversity, values: pl.Series, classes: IntArray, is_counterfeit: BoolArray) -> BoolArray:
    """Say which vertices show a value although their class is not diverse; missing values count for none."""
    is_shown = values.is_not_null().to_numpy()
    codes = values.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    found = np.zeros(len(classes), dtype=np.bool_)
    for counted in (is_shown, is_shown & ~is_counterfeit):
        if counted.any():
            there = classes[counted]
            uniform = np.unique(there[~model.accepts(there, codes[counted])[there]])
            found |= is_shown & np.isin(classes, uniform)
    return found


def _check_promises(task: GraphReleaseTask) -> None:
    """Raise unless chance is what the method promises, and diversity is of sensitive attributes that it publishes."""
    for model in task.models:
        if isinstance(model, MechanismModel) and not isinstance(model, task.method.keeps):
            raise UsageError(f"{task.method.name} does not keep {model.spec}; choose the algorithm 'private-degrees'")
        if not isinstance(model, VertexLDiversity):
            continue
        names = _diverse_attributes(model, task)
        if not names:
            raise UsageError(f"{model.spec} is about sensitive attributes, and none has that role; name at least one")
        for name in names:
            if name not in task.schema.sensitive:
                raise UsageError(f"{model.spec} is about {name!r}, which is not sensitive; give it that role")
        if isinstance(task.method, PrivateDegrees):
            raise UsageError(
                f"{model.spec} is about attributes, which {task.method.name} does not publish; leave it out"
            )


def _attributes_of(made: GraphResult, task: GraphTask) -> tuple[str, ...]:
    """Return the attributes of which something is published."""
    if isinstance(made.published, Graph):
        return tuple(made.published.attributes.columns)
    return tuple(name for name, role in task.schema.roles.items() if role is not Role.IDENTIFIER)


def with_graph_before(release: Release, folder: Path, task: GraphReleaseTask) -> Release:
    """Return a release that was loaded from a folder, with the graph before and where its vertices are.

    Raises
    ------
    UsageError
        if the private record does not lie next to the folder, or is about another graph.
    """
    record, offered = private_record_of(folder), offered_graph(task)
    if "places" not in record:
        raise UsageError(f"the private record of {folder} says who is who, and does not lie next to it; put it there")
    places = np.array(record["places"], dtype=np.int64)
    if len(places) != offered.vertices:
        raise UsageError(
            f"the release was made of a graph with {len(places):,} vertices, and the plan names one with "
            f"{offered.vertices:,}; give the plan that the release was made by"
        )
    return replace(release, before=Before(graph=offered, places=places, republish=partial(_republished, task)))


def _republished(task: GraphReleaseTask, graph: Graph) -> tuple[PublishedGraph, IntArray]:
    """Publish another graph as the one of the task was, in which new vertices look like others."""
    lacking = graph.vertices - task.graph.vertices
    attributes = offered_graph(task).attributes
    if attributes.width and lacking:
        attributes = pl.concat([attributes, attributes.sample(lacking, with_replacement=True, seed=1)])
    changed = replace(task, graph=replace(graph, attributes=attributes), sensitive_types=frozenset())
    made = task.method.publish(changed, np.random.default_rng(1), NO_PROGRESS)
    return _renumbered(made, new_seed())


def offered_graph(task: GraphTask) -> Graph:
    """Return what a method gets of a graph: no names, no identifiers, and no edges that are only of sensitive types.

    Types of edges are not published: who knows how many edges of a type a person has would need no degree.
    """
    graph = task.graph
    columns = [name for name, role in task.schema.roles.items() if role is not Role.IDENTIFIER]
    for name in columns:
        if name in RESERVED:
            raise UsageError(f"an attribute of vertices is called {name!r}, as a column of releases; rename it")
    attributes = pl.DataFrame([text_of(graph.attributes[name]).alias(name) for name in columns])
    edges = graph.edges
    if task.sensitive_types and task.promise(EdgeConfidence) is None:
        edges = graph.edges_of_types(set(graph.types) - task.sensitive_types)
    # What was left out when it was read is nobody's business, so it does not come along.
    return Graph(graph.vertices, edges, attributes=attributes)


def _left_out(task: GraphTask, offered: Graph) -> Iterable[str]:
    yield from task.graph.simplified.sentences()
    if lonely := int((task.graph.degrees == 0).sum()):
        # A misspelled name in the table of vertices is published, too.
        verb = "vertex has" if lonely == 1 else "vertices have"
        yield f"{lonely:,} {verb} no edges in the data; such vertices are published like all others"
    if task.graph.types:
        yield "types of edges are not published: an attacker may know how many edges of a type somebody has"
    if missing := len(task.graph.edges) - len(offered.edges):
        yield f"{missing:,} edges are not published because all their types are sensitive"


def _hidden(graph: Graph) -> Iterable[bytes]:
    """Yield which vertices have edges and attributes, which no release says."""
    yield graph.edges.astype("<i4").tobytes()
    for column in (*([] if graph.names is None else [graph.names]), *graph.attributes.iter_columns()):
        yield repr((column.name, column.to_list())).encode()


def _renumbered(made: GraphResult, seed: str) -> tuple[PublishedGraph, IntArray]:
    """Return what is published under random numbers, and the new number of each original vertex."""
    order = random_order(seed, len(made.published))
    number = np.empty(len(order) + 1, dtype=np.int64)
    number[order] = np.arange(len(order))
    number[-1] = -1  # of vertices that are not published
    return made.published.renumbered(order), number[made.places]


def measure_graph(
    original: Graph, made: GraphResult, rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the figures of all metrics that take little time, and how far off means and estimates may be."""
    metrics = [cls() for cls in registry.classes("metric").values() if _is_reported(cls)]
    # Of super-vertices the figures are those of graphs that they may stand for: a mean over some of them, which are
    # drawn once for all metrics, since drawing takes longer than most figures.
    worlds = WORLDS if isinstance(made.published, ClusteredGraph) else 1
    drawn = [world_of(made.published, made.places, one) for one in rng.spawn(worlds)]
    found = {
        metric.name: [
            metric.estimate(original, world, where, one)
            for (world, where), one in zip(drawn, child.spawn(worlds), strict=True)
        ]
        for metric, child in zip(metrics, rng.spawn(len(metrics)), strict=True)
    }
    means = {name: float(np.mean([value for value, _ in each])) for name, each in found.items()}
    spread = {name: float(np.std([value for value, _ in each], ddof=1)) for name, each in found.items() if worlds > 1}
    errors = {name: each[0][1] for name, each in found.items() if worlds == 1 and each[0][1]}
    return means, spread | errors


def _is_reported(cls: type[object]) -> bool:
    return issubclass(cls, GraphMetric) and cls.reported
