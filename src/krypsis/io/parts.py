"""A table in several files: rows that do not fit into memory together, each file small enough for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from krypsis.io.scratch import ScratchFolder
from krypsis.io.write import write_parquet


@dataclass(frozen=True, eq=False)
class TableParts:
    """The rows of a table in Parquet files of the same columns, in their order.

    Examples
    --------
    >>> scratch = ScratchFolder()
    >>> parts = TableParts.of([pl.DataFrame({"age": [31]}), pl.DataFrame({"age": [40, 47]})], scratch)
    >>> parts.rows, parts.columns, [frame.height for frame in parts.frames()]
    (3, ['age'], [1, 2])
    """

    paths: Sequence[Path]
    types: Mapping[str, pl.DataType]
    rows: int
    scratch: ScratchFolder | None = None
    """The folder of the files, where it is ours."""

    @classmethod
    def of(cls, frames: "Iterator[pl.DataFrame] | Sequence[pl.DataFrame]", scratch: ScratchFolder) -> "TableParts":
        """Write frames, one at a time, and return them as parts; at least one is needed, which may be empty."""
        paths: list[Path] = []
        types: dict[str, pl.DataType] = {}
        rows = 0
        for frame in frames:
            path = scratch.path / f"part-{len(paths):05}.parquet"
            write_parquet(frame, path)
            paths.append(path)
            types, rows = dict(frame.schema), rows + frame.height
        return cls(paths, types, rows, scratch)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.types)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the rows, one file at a time."""
        for path in self.paths:  # a generator, which keeps the folder for as long as it is read
            yield pl.read_parquet(path, glob=False)
