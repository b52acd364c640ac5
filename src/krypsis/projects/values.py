"""The values of one column of a project, without reading the others."""

from __future__ import annotations

import polars as pl

from krypsis.data.hierarchies import Label
from krypsis.errors import column_not_found
from krypsis.io.dataset import Dataset
from krypsis.projects.project import TABLE, Project


def value_counts(project: Project, column: str) -> dict[Label, int]:
    """Return how many records have each value of a column, as text; the missing value is ``None``.

    Raises
    ------
    ColumnError
        if there is no such column.
    """
    file = project.folder / TABLE
    known = pl.scan_parquet(file, glob=False).collect_schema().names()
    if column not in known:
        raise column_not_found(column, known)
    frame = pl.read_parquet(file, columns=[known.index(column)], glob=False)
    counted = Dataset.of(frame).collect_texts(column).value_counts(name="records")
    return dict(counted.sort("records", descending=True, maintain_order=True).iter_rows())
