"""An exploration: the nodes of a lattice with their figures, and questions one can ask of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from krypsis.algorithms.tables.lattice.lattice import Levels
from krypsis.data.hierarchies.base import Label
from krypsis.data.recoding import FrequencySet
from krypsis.errors import DataError, UsageError, did_you_mean, shorten
from krypsis.io.panics import panics_are_errors
from krypsis.io.private import write_private_files
from krypsis.texts.cards import Bars, Card

LEVEL, METRIC, ACHIEVED = "level:", "metric:", "achieved:"


def level_columns(attributes: Sequence[str], nodes: Sequence[Levels]) -> dict[str, pl.Series]:
    """Return one column per attribute with its level at each node.

    Examples
    --------
    >>> {name: column.to_list() for name, column in level_columns(["age", "sex"], [(0, 1), (2, 0)]).items()}
    {'level:age': [0, 2], 'level:sex': [1, 0]}
    """
    return {
        LEVEL + name: pl.Series([levels[position] for levels in nodes], dtype=pl.Int64)
        for position, name in enumerate(attributes)
    }


Examples = Mapping[str, tuple[tuple[Label, ...], ...]]
"""Attribute → for each example, its text from level 0 up to the top."""

SHOWN = 6


def examples_of(frequency: FrequencySet, most: int = SHOWN) -> Examples:
    """Return a few of the distinct combinations of a table, evenly chosen, with their text at every level."""
    tuples = len(frequency.own.counts)
    chosen = np.unique(np.linspace(0, tuples - 1, min(most, tuples)).round().astype(np.int64))
    return {
        name: tuple(
            tuple(labels[int(codes[code])] for labels, codes in zip(hierarchy.labels, hierarchy.table, strict=True))
            for code in frequency.codes[chosen, place].tolist()
        )
        for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
    }


DIGITS = 12
"""Figures that agree in so many digits differ by rounding only."""


def frontier(risk: Sequence[float], loss: Sequence[float], preference: Sequence[int]) -> list[int]:
    """Return the places of the points on the frontier, from the lowest loss to the lowest risk.

    Both figures are better when lower. Of points that are equal in both, the one with the lowest ``preference`` stands
    for all, of those the first.

    Examples
    --------
    >>> frontier([0.5, 0.2, 0.6, 0.2], [0.1, 0.4, 0.3, 0.4], [0, 2, 0, 1])
    [0, 3]
    """
    points = sorted(
        (rounded(loss[place]), rounded(risk[place]), preference[place], place) for place in range(len(risk))
    )
    chosen: list[int] = []
    lowest = float("inf")
    for _, height, _, place in points:
        if height < lowest:
            chosen.append(place)
            lowest = height
    return chosen


def rounded(figure: float) -> float:
    """Return a figure without the digits that only rounding has made."""
    return float(f"{figure:.{DIGITS}g}")


Risk = Literal["average", "highest", "suppressed"]
"""What counts as risk: of a person drawn by chance, of the one most at risk, or the share that must be suppressed."""

RISKS: Mapping[str, str] = {"average": "average_risk", "highest": "highest_risk", "suppressed": "suppressed_share"}
"""The column of each kind of risk."""

FACTS = "krypsis.exploration"
"""Where a Parquet file keeps what is known besides the nodes."""


@dataclass(frozen=True, eq=False, repr=False)
class Exploration:
    """The solution space of a task: one row per node judged, with its levels, risk and losses.

    ``nodes`` has the columns ``level:<attribute>``, ``feasible``, ``minimal``, ``suppressed``, ``suppressed_share``,
    ``groups``, ``smallest_group``, ``highest_risk``, ``average_risk``, ``achieved:<promise>`` and ``metric:<spec>``. It
    reveals something about the original table, so keep it private; what is shown of an exploration names none of its
    figures.

    Examples
    --------
    >>> import krypsis
    >>> table = pl.DataFrame({"age": ["31", "34", "47"], "sex": ["F", "F", "M"]})
    >>> space = krypsis.explore(table, {"age": "quasi-identifier", "sex": "quasi-identifier"},
    ...                         models="k-anonymity:k=2", suppression=1)
    >>> space.nodes.height, space.optimum()["level:age"], space.frontier().select("metric:loss").height
    (4, 1, 2)
    """

    nodes: pl.DataFrame
    attributes: tuple[str, ...]
    heights: tuple[int, ...]
    promises: tuple[str, ...]
    criteria: tuple[str, ...]
    """The metrics that decide which node is best, the most important first."""
    rows: int
    limit: int
    """How many records may be suppressed."""
    size: int
    """How many nodes the lattice has."""
    examples: Examples = field(default_factory=dict)
    """What a few records look like at every level."""

    def __repr__(self) -> str:
        """Name what was asked, not what was found: figures and examples reveal something about the original table."""
        asked = f"{shorten(self.attributes)}; {shorten(self.promises)}"
        return f"Exploration({self.nodes.height} of {self.size} nodes; {asked})"

    def _repr_html_(self) -> str:
        """Show in a notebook what was asked, and how large the space is."""
        facts = {
            "nodes judged": f"{self.nodes.height:,} of {self.size:,}",
            "promises": ", ".join(self.promises),
            "minimized": ", ".join(self.criteria),
        }
        bars = Bars("Levels above the original values", dict(zip(self.attributes, self.heights, strict=True)))
        note = "Risks and losses reveal something about the original table: keep .nodes and .optimum() private."
        return Card("Exploration", facts, bars=bars, note=note).html()

    @property
    def complete(self) -> bool:
        """Whether every node of the lattice was judged; otherwise only those that a search came upon."""
        return self.nodes.height == self.size

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics by which the nodes were measured."""
        return tuple(name.removeprefix(METRIC) for name in self.nodes.columns if name.startswith(METRIC))

    @property
    def level_names(self) -> list[str]:
        """The columns that hold the levels, in the order of the quasi-identifiers."""
        return [LEVEL + name for name in self.attributes]

    def optimum(self, metric: str | None = None) -> dict[str, Any] | None:
        """Return the feasible node with the lowest loss, of equals one with the lowest sum of levels; or nothing.

        Loss is what the task minimizes, unless a ``metric`` is named.
        """
        columns = [self.column_of(name) for name in ([metric] if metric else self.criteria)]
        feasible = self.nodes.filter("feasible").rows(named=True)
        return min(
            feasible, key=lambda node: ([rounded(node[name]) for name in columns], sum(self.levels(node))), default=None
        )

    def frontier(self, metric: str | None = None, risk: Risk = "average") -> pl.DataFrame:
        """Return the feasible nodes that no other beats in loss or risk without losing in the other.

        They are in order from the lowest loss to the lowest risk. Of nodes with the same figures, one with the lowest
        sum of levels stands for all.
        """
        feasible = self.nodes.filter("feasible")
        sums = [sum(self.levels(node)) for node in feasible.rows(named=True)]
        loss = feasible[self.column_of(metric or self.criteria[0])]
        return feasible[frontier(feasible[risk_column(risk)].to_list(), loss.to_list(), sums)]

    def levels(self, node: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the levels of a row of the table, in the order of the quasi-identifiers."""
        return tuple(node[name] for name in self.level_names)

    def column_of(self, metric: str) -> str:
        """Return the column of a metric."""
        if metric not in self.metrics:
            raise UsageError(
                f"the nodes were not measured by {metric!r}; metrics here: {', '.join(self.metrics)}."
                f"{did_you_mean(metric, self.metrics)}"
            )
        return METRIC + metric

    def save(self, path: Path | str) -> Path:
        """Write the table of nodes to a CSV or Parquet file that only its owner can read.

        A Parquet file also holds everything else: ``load_exploration`` reads it back.

        Raises
        ------
        UsageError
            if the name ends in neither ``.csv`` nor ``.parquet``.
        OutputError
            if the file cannot be written; what was there has not changed then.
        """
        place = Path(path)
        check_table_name(place)
        written = BytesIO()
        if place.suffix.lower() == ".parquet":
            self.nodes.write_parquet(written, metadata={FACTS: json.dumps(self._facts())})
        else:
            self.nodes.write_csv(written)
        write_private_files({place: written.getvalue()})
        return place

    def _facts(self) -> dict[str, Any]:
        """Return everything but the nodes, ready for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "nodes"}


def check_table_name(path: Path) -> None:
    """Raise unless a table of nodes can be written under this name."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise UsageError(f"a table of nodes is a .csv or .parquet file, got {str(path)!r}")


def risk_column(risk: str) -> str:
    """Return the column of a kind of risk."""
    if risk not in RISKS:
        raise UsageError(f"risk must be one of {', '.join(RISKS)}; got {risk!r}.{did_you_mean(str(risk), RISKS)}")
    return RISKS[risk]


def command(plan: str, levels: Sequence[int]) -> str:
    """Return the command that publishes a node.

    Examples
    --------
    >>> command("my plan.yaml", (0, 3))
    "krypsis run 'my plan.yaml' --levels 0,3"
    """
    from shlex import quote  # noqa: PLC0415

    return f"krypsis run {quote(plan)} --levels {','.join(map(str, levels))}"


def load_exploration(path: Path | str) -> Exploration:
    """Return the exploration that :meth:`Exploration.save` wrote to a Parquet file.

    Raises
    ------
    DataError
        if there is no such file, or if it is none of ours; a CSV file holds the nodes alone and cannot be loaded.

    Examples
    --------
    >>> import krypsis
    >>> from tempfile import TemporaryDirectory
    >>> space = krypsis.explore(pl.DataFrame({"age": ["31", "34"]}), {"age": "QI"}, models="k-anonymity:k=2")
    >>> with TemporaryDirectory() as folder:
    ...     load_exploration(space.save(Path(folder, "nodes.parquet"))).nodes.equals(space.nodes)
    True
    """
    place = Path(path)
    try:
        with panics_are_errors(str(place)):
            facts = _Facts.model_validate_json(pl.read_parquet_metadata(place).get(FACTS, ""))
            return Exploration(nodes=pl.read_parquet(place, glob=False), **facts.model_dump())
    except OSError as error:
        raise DataError(f"{place} cannot be read: {error.strerror or error}; explore again") from error
    except (ValidationError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{place} is not an exploration that was saved as .parquet; explore again") from error


class _Facts(BaseModel):
    """What is known besides the nodes: the other fields of an exploration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attributes: tuple[str, ...]
    heights: tuple[int, ...]
    promises: tuple[str, ...]
    criteria: tuple[str, ...]
    rows: int
    limit: int
    size: int
    examples: Examples
