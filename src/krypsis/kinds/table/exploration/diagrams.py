"""Diagrams of an exploration: nodes as points of risk and loss, and the Hasse diagram of the lattice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from krypsis.algorithms.tables.lattice.lattice import Levels
from krypsis.kinds.table.exploration.exploration import Exploration, Risk, risk_column

KINDS = ("refused", "node", "frontier", "best")
"""What a node is: refused by the limits, kept by the promises, among the best trade-offs, the one of lowest loss."""

MOST_POINTS = 1500


def cloud(
    exploration: Exploration, metric: str | None = None, risk: Risk = "average", most: int = MOST_POINTS
) -> pl.DataFrame:
    """Return the nodes of an exploration as points, with their place in its table.

    Parameters
    ----------
    exploration
        the nodes; those where nothing would be published are left out.
    metric
        what counts as loss; what the task minimizes, unless given.
    risk
        what counts as risk.
    most
        about how many points to return; of more, those that would be drawn upon each other are left out, never the
        frontier.

    Returns
    -------
    polars.DataFrame
        ``place`` in ``exploration.nodes``, ``loss``, ``risk`` and ``kind``, one of ``KINDS``.

    Examples
    --------
    >>> import krypsis
    >>> table = pl.DataFrame({"age": ["31", "34", "47"], "sex": ["F", "F", "M"]})
    >>> space = krypsis.explore(table, {"age": "QI", "sex": "QI"}, models="k-anonymity:k=2", suppression=1)
    >>> cloud(space)["kind"].sort().to_list()
    ['best', 'frontier']
    """
    metric = metric or exploration.criteria[0]
    points = exploration.nodes.with_row_index("place").select(
        "place",
        loss=exploration.column_of(metric),
        risk=risk_column(risk),
        kind=pl.when("feasible").then(pl.lit("node")).otherwise(pl.lit("refused")),
        published=pl.col("groups") > 0,
    )
    front = _places(exploration, exploration.frontier(metric, risk))
    best = exploration.optimum(metric)
    chosen = [] if best is None else _places(exploration, pl.DataFrame([best], schema=exploration.nodes.schema))
    kind = (
        pl.when(pl.col("place").is_in(chosen))
        .then(pl.lit("best"))
        .when(pl.col("place").is_in(front))
        .then(pl.lit("frontier"))
        .otherwise("kind")
    )
    return _thinned(points.filter("published").select("place", "loss", "risk", kind=kind), most)


def _places(exploration: Exploration, nodes: pl.DataFrame) -> list[int]:
    """Return where some nodes stand in the table of all."""
    names = exploration.level_names
    here = exploration.nodes.select(names).with_row_index("place")
    return nodes.select(names).join(here, on=names)["place"].to_list()


def _thinned(points: pl.DataFrame, most: int) -> pl.DataFrame:
    """Keep one point of each cell of a grid, where there are too many."""
    if points.height <= most:
        return points
    cells = max(round(most**0.5), 1)
    grid = [_cell(pl.col("loss"), cells).alias("column"), _cell(pl.col("risk").log(), cells).alias("row")]
    important = pl.col("kind").is_in(["frontier", "best"])
    rest = points.filter(~important).with_columns(grid).unique(["column", "row", "kind"], keep="first")
    return pl.concat([rest.select(points.columns), points.filter(important)]).sort("place")


def _cell(figure: pl.Expr, cells: int) -> pl.Expr:
    figure = pl.when(figure.is_finite()).then(figure).otherwise(None)
    width = figure.max() - figure.min()
    return pl.when(width > 0).then(((figure - figure.min()) / width * cells).floor()).otherwise(0.0)


MOST_NODES = 72
SWEEPS = 4
"""How often the nodes are put in an order that lets fewer lines cross."""


@dataclass(frozen=True)
class Hasse:
    """Nodes with their places in a plane, and the lines between a node and those one step above it.

    Examples
    --------
    >>> square = Hasse.of([(0, 0), (0, 1), (1, 0), (1, 1)])
    >>> square.lines, square.places[0]
    (((0, 1), (0, 2), (1, 3), (2, 3)), (0.5, 0))
    """

    nodes: tuple[Levels, ...]
    places: tuple[tuple[float, int], ...]
    """Of each node, how far across between 0 and 1, and its height: the sum of its levels."""
    lines: tuple[tuple[int, int], ...]
    """Pairs of numbers of nodes: the lower one first."""

    @classmethod
    def of(cls, nodes: Iterable[Levels]) -> "Hasse":
        """Return the diagram of some nodes."""
        ordered = tuple(sorted(set(nodes)))
        number = {node: place for place, node in enumerate(ordered)}
        lines = sorted(
            (number[node], number[above]) for node in ordered for above in _steps(node, 1) if above in number
        )
        return cls(ordered, _hasse_places(ordered, lines), tuple(lines))


def hasse(exploration: Exploration, center: Levels | None = None, most: int = MOST_NODES) -> Hasse:
    """Return the diagram of an exploration; of a large one, what lies around its best nodes.

    Parameters
    ----------
    exploration
        the nodes.
    center
        a node that is shown in any case, with its neighbors.
    most
        how many nodes may be shown.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": ["31", "34", "47"], "sex": ["F", "F", "M"]})
    >>> space = krypsis.explore(table, {"age": "QI", "sex": "QI"}, models="k-anonymity:k=2", suppression=1)
    >>> len(hasse(space).nodes), hasse(space, center=(0, 0), most=3).nodes
    (4, ((0, 0), (0, 1), (1, 0)))
    """
    judged = {exploration.levels(node) for node in exploration.nodes.select(exploration.level_names).rows(named=True)}
    return Hasse.of(judged if len(judged) <= most else _around(_seeds(exploration, center), judged, most))


def _seeds(exploration: Exploration, center: Levels | None) -> list[Levels]:
    """Return the nodes to show first: the one asked for and the best one with their neighbors, and the frontier."""
    best = exploration.optimum()
    bottom = exploration.levels(exploration.nodes.row(0, named=True))
    middle = [bottom if best is None else exploration.levels(best)]
    middle = middle if center is None else [center, *middle]
    front = [exploration.levels(node) for node in exploration.frontier().rows(named=True)]
    return [*(near for node in middle for near in (node, *_neighbors(node))), *front]


def _around(seeds: Sequence[Levels], judged: set[Levels], most: int) -> list[Levels]:
    """Return nodes step by step away from the first seeds, until there are enough."""
    shown: dict[Levels, None] = {}
    circle: Iterable[Levels] = seeds
    while circle := [node for node in dict.fromkeys(circle) if node in judged and node not in shown]:
        for node in circle:
            if len(shown) == most:
                return list(shown)
            shown[node] = None
        circle = [neighbor for node in circle for neighbor in _neighbors(node)]
    return list(shown)


def _neighbors(node: Levels) -> list[Levels]:
    return [*_steps(node, 1), *_steps(node, -1)]


def _steps(node: Levels, step: int) -> list[Levels]:
    """Return the nodes that differ in one level by a step."""
    return [(*node[:place], level + step, *node[place + 1 :]) for place, level in enumerate(node)]


def _hasse_places(nodes: Sequence[Levels], lines: Sequence[tuple[int, int]]) -> tuple[tuple[float, int], ...]:
    """Put each node between its neighbors, evenly among those of the same height."""
    heights = [sum(node) for node in nodes]
    neighbors: list[list[int]] = [[] for _ in nodes]
    for low, high in lines:
        neighbors[low].append(high)
        neighbors[high].append(low)
    rows: dict[int, list[int]] = {}
    for number, height in enumerate(heights):
        rows.setdefault(height, []).append(number)
    across = _spread(rows.values())
    for _ in range(SWEEPS):
        middle = [sum(across[other] for other in near) / len(near) if near else 0.5 for near in neighbors]
        across = _spread([sorted(row, key=lambda number: (middle[number], number)) for row in rows.values()])
    return tuple((across[number], height) for number, height in enumerate(heights))


def _spread(rows: Iterable[Sequence[int]]) -> dict[int, float]:
    return {number: (place + 0.5) / len(row) for row in rows for place, number in enumerate(row)}
