"""Reading an exploration back from the file that it was saved to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.errors import DataError
from krypsis.exploration.exploration import FACTS, Exploration


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
        facts = json.loads(pl.read_parquet_metadata(place)[FACTS])
        return _from_facts(pl.read_parquet(place, glob=False), facts)
    except (OSError, KeyError, ValueError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"{place} is not an exploration that was saved as .parquet ({type(error).__name__}); explore again"
        ) from error


def _from_facts(nodes: pl.DataFrame, facts: dict[str, Any]) -> Exploration:
    examples = {name: tuple(map(tuple, rows)) for name, rows in facts.pop("examples").items()}
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    return Exploration(nodes=nodes, examples=examples, **plain)
