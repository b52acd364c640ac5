"""The report on a release of a graph: its figures, each computed once, and the blocks made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from krypsis import registry
from krypsis.arrays import IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.data.graphs import ClusteredGraph, Graph, PublishedGraph
from krypsis.data.graphs.knowledge import labels_of
from krypsis.kinds.graph.drawing import MOST_DRAWN, layout
from krypsis.kinds.graph.profile import KNOWN, uniqueness
from krypsis.kinds.graph.publication import GraphPublication
from krypsis.kinds.graph.summary import published_graph
from krypsis.kinds.table.group_risk import BUCKETS, bucket_label, numbers_between
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report.blocks import (
    LOWER,
    Bar,
    BarChart,
    Block,
    Bullets,
    Cell,
    FactList,
    NetworkDrawing,
    Number,
    Pair,
    PairedBarChart,
    Panel,
    PromiseResult,
    Report,
    Row,
    Section,
    StyledText,
    TableBlock,
    Text,
    Tile,
    Words,
    fact,
    heads,
    row,
)
from krypsis.report.sections import (
    assemble,
    nothing_to_compare,
    promise_results,
    promises_section,
    promises_tile,
    summary_section,
    verdict_sentence,
)
from krypsis.report.text import percent, sentence
from krypsis.version import __version__


@dataclass(frozen=True)
class AttackedBefore:
    """How often an attack succeeds on the graph as it was, and on what is published."""

    attack: GraphAttack
    before: AttackSuccess
    after: AttackSuccess | None
    """Nothing where it cannot be tried on what is published."""


@dataclass(frozen=True)
class GraphReportFigures:
    """All that a report says about a release of a graph, number by number."""

    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    guarantee: str
    said: tuple[str, ...]
    original: Graph
    published: PublishedGraph
    places: IntArray
    unique_before: Mapping[str, int]
    unique_after: Mapping[str, int]
    metrics: Mapping[str, float]
    spread: Mapping[str, float]
    """The standard deviation of figures that are a mean over graphs which super-vertices may stand for, and the
    standard error of those that are estimated from a sample."""
    attacks: tuple[AttackedBefore, ...]
    algorithm: str


def graph_report(release: Release, name: str = "", dossier: Dossier | None = None) -> Report:
    """Return the report of a release of a graph; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the graph before is not there to compare with.
    """
    return assemble(release, graph_sections(graph_figures(release)), name, dossier)


def graph_figures(release: Release) -> GraphReportFigures:
    """Return everything the report of a release of a graph says.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the graph before is not there to compare with.
    """
    target, publication = GraphTarget.of(release), release.publication
    if target is None or not isinstance(publication, GraphPublication):
        raise nothing_to_compare("the graph")
    promises = promise_results(release)
    before = uniqueness(target.original, labels_of(target.original, target.known))
    after = dict.fromkeys(before, 0)  # of super-vertices, which all vertices in them look like
    if isinstance(target.published, Graph):
        after = uniqueness(target.published, labels_of(target.published, target.known))
    return GraphReportFigures(
        summary=(
            verdict_sentence(promises, release.guarantee),
            f"{published_graph(target.published)}.",
            _risk_sentence(target.original.vertices, before, after),
        ),
        promises=promises,
        guarantee=release.guarantee,
        said=tuple(release.private.get("said", ())),
        original=target.original,
        published=target.published,
        places=target.places,
        unique_before=before,
        unique_after=after,
        metrics=release.metrics,
        spread=release.private.get("spread", {}),
        attacks=tuple(_attacked(target)),
        algorithm=release.algorithm,
    )


def _risk_sentence(vertices: int, before: Mapping[str, int], after: Mapping[str, int]) -> str:
    known = "h2" if "h2" in before else next(iter(before))
    return (
        f"Before, {percent(before[known] / max(vertices, 1))} of the vertices were unique to whoever knows "
        f"{KNOWN[known]}; now {percent(after[known] / max(vertices, 1))}."
    )


def _attacked(target: GraphTarget) -> Iterator[AttackedBefore]:
    """Try every attack that a report shows, on the graph as it was and as it is published."""
    before = target.before()
    for cls in registry.classes("attack").values():
        if (
            not issubclass(cls, GraphAttack)
            or not cls.reported
            or any(f.is_required() for f in cls.model_fields.values())
        ):
            continue
        for attack in cls().aimed_at(before):
            after = attack.run(target) if attack.aimed_at(target) else None
            yield AttackedBefore(attack, attack.run(before), after)


def graph_sections(figures: GraphReportFigures) -> Iterator[Section]:
    """Yield the sections of the report on a graph."""
    yield summary_section(map(sentence, figures.summary), _tiles(figures))
    yield promises_section(figures.promises)
    if figures.guarantee:
        yield Section("guarantee", ("What the method guarantees",), (Panel((), (Text((figures.guarantee,)),)),))
    yield Section("risk", ("Risk before and after",), tuple(_risk(figures)))
    yield Section("lost", ("What was lost",), tuple(_lost(figures)))
    made = FactList((fact("Algorithm", figures.algorithm or "–"), fact("Tool", f"Krypsis {__version__}")))
    yield Section("recipe", ("How it was made",), (Panel((), (made,)),))


def _tiles(figures: GraphReportFigures) -> Iterator[Tile]:
    original, published = figures.original, figures.published
    yield promises_tile(figures.promises)
    yield Tile("Vertices", (Number(published.vertices),), (Number(original.vertices), " before"))
    yield Tile("Edges", (Number(_edges(published)),), (Number(len(original.edges)), " before"))
    if isinstance(published, ClusteredGraph):
        yield Tile("Super-vertices", (Number(len(published)),), ("groups of vertices",))


def _edges(published: PublishedGraph) -> int:
    return int(published.counts.sum()) if isinstance(published, ClusteredGraph) else len(published.edges)


def _risk(figures: GraphReportFigures) -> Iterator[Block]:
    about = (
        "Vertices that look like no other to an attacker with some knowledge: whoever knows that much about a person "
        f"finds the vertex with certainty. {LOWER.capitalize()}."
    )
    names = [name for name in figures.unique_before if name in figures.unique_after]
    bars = PairedBarChart(
        "Unique vertices",
        tuple(Bar(KNOWN[name], figures.unique_before[name]) for name in names),
        tuple(Bar(KNOWN[name], figures.unique_after[name]) for name in names),
        column="The attacker knows",
        counted="Vertices",
    )
    yield Panel(("How many vertices are unique?",), (Text((about,), "quiet"), bars), on_one_page=True)
    if figures.attacks:
        said = (
            "The share of the vertices for which the attack succeeds, with its 95 % confidence interval. The last "
            f"column is how often somebody succeeds who guesses without the release. {LOWER.capitalize()}."
        )
        table = TableBlock(heads("Attack", "#Before", "#After", "#Guess"), tuple(map(_attack_row, figures.attacks)))
        yield Panel(("What attacks find",), (Text((said,), "quiet"), table))


def _attack_row(tried: AttackedBefore) -> Row:
    after: Words = (StyledText("cannot be tried", "quiet"),) if tried.after is None else tuple(_success(tried.after))
    knowledge = (f"The attacker knows {tried.attack.knowledge}.",)
    return row(
        Cell((tried.attack.title,), (knowledge,)),
        Cell(tuple(_success(tried.before))),
        Cell(after),
        Number(tried.before.baseline, "fine share"),
    )


def _success(found: AttackSuccess) -> Iterator[str | Number]:
    yield Number(found.rate, "fine share", strong=True)
    yield f" ({percent(found.low)} to {percent(found.high)})"


def _lost(figures: GraphReportFigures) -> Iterator[Block]:
    if figures.said:
        yield Panel((), (Bullets(tuple((sentence(line),) for line in figures.said)),))
    if figures.metrics:
        rows = tuple(_metric(spec, value, figures.spread.get(spec)) for spec, value in figures.metrics.items())
        yield Panel(
            ("Measured against the graph before",), (TableBlock(heads("Metric", "#Value", "What it says"), rows),)
        )
    if isinstance(figures.published, Graph):
        degrees = PairedBarChart(
            "Vertices by degree",
            _bars(figures.original.degrees),
            _bars(figures.published.degrees),
            column="Degree",
            counted="Vertices",
        )
        yield Panel(("How many connections have the vertices?",), (degrees,), on_one_page=True)
    else:
        sizes = "Super-vertices by the number of their vertices."
        chart = BarChart("Super-vertices by size", _bars(figures.published.sizes), columns=("Vertices", "Number"))
        yield Panel(("How large are the super-vertices?",), (Text((sizes,), "quiet"), chart), on_one_page=True)
    if (drawing := _drawing(figures)) is not None:
        about = "Vertices stand in the same places in both drawings; edges that were removed or added are marked."
        yield Panel(("The graph before and after",), (Text((about,), "quiet"), drawing), on_one_page=True)


def _metric(spec: str, value: float, spread: float | None) -> Row:
    metric = registry.find("metric", spec.partition(":")[0])
    reading: Words = (StyledText(metric.formula, "formula"), f" · {metric.range}, {LOWER}")
    figure: Words = (Number(value, strong=True), *(() if spread is None else (" ± ", Number(spread))))
    return row(spec, Cell(figure), Cell((sentence(metric.sentence),), (reading,)))


def _bars(numbers: IntArray) -> tuple[Bar, ...]:
    """Return how many numbers fall into each range."""
    ranges = [(0, 0), *BUCKETS]
    return tuple(
        Bar(label=bucket_label(smallest, largest), records=len(numbers_between(numbers, smallest, largest)))
        for smallest, largest in ranges
    )


def _drawing(figures: GraphReportFigures) -> Pair | None:
    """Return the graph before and after, where it is small and vertices are published one by one."""
    published = figures.published
    if not isinstance(published, Graph) or max(published.vertices, figures.original.vertices) > MOST_DRAWN:
        return None
    # The published graph in the numbers of the one before; added vertices come last.
    number = np.full(published.vertices, -1, dtype=np.int64)
    is_there = figures.places >= 0
    number[figures.places[is_there]] = np.flatnonzero(is_there)
    number[number < 0] = figures.original.vertices + np.arange(int((number < 0).sum()))
    vertices = max(int(number.max(initial=-1)) + 1, figures.original.vertices)
    after = {(min(pair), max(pair)) for pair in number[published.edges].tolist()}
    before = set(map(tuple, figures.original.edges.tolist()))
    places = layout(Graph.of_codes(np.array(sorted(before | after), dtype=np.int64).reshape(-1, 2), vertices))
    dots = tuple((round(x, 4), round(y, 4)) for x, y in places.tolist())
    kept = tuple(sorted(before & after))
    shown = f"{figures.original.vertices:,} vertices"
    return Pair(
        (
            NetworkDrawing(f"{shown} before", dots, kept, tuple(sorted(before - after)), "Before"),
            NetworkDrawing(f"{shown} after", dots, kept, tuple(sorted(after - before)), "After"),
        )
    )
