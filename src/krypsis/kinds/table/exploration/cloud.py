"""The cloud: the nodes as points of risk and loss, few enough to be drawn."""

from __future__ import annotations

import polars as pl

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
