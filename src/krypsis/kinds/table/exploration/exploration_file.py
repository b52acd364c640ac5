"""Reading an exploration back from the file that it was saved to."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from krypsis.errors import DataError
from krypsis.io.panics import panics_are_errors
from krypsis.kinds.table.exploration.examples import Examples
from krypsis.kinds.table.exploration.exploration import FACTS, Exploration


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
