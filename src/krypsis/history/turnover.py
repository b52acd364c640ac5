"""How often each sensitive value comes and goes, version by version."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.history.comparison import Comparison


def turnover_rows(values: pl.Series, comparison: Comparison, version: int) -> pl.DataFrame:
    """Return one row per sensitive value of this version, or of those who left it, as the state keeps them."""
    parts = {
        "population": values,
        "inserted": values.filter(pl.Series(~comparison.was_there)),
        "deleted": comparison.gone,
    }
    counted = [part.rename("value").to_frame().with_columns(pl.lit(name).alias("kind")) for name, part in parts.items()]
    counts = (
        pl.concat(counted)
        .group_by("value")
        .agg((pl.col("kind") == name).sum().cast(pl.Int64).alias(name) for name in parts)
    )
    return counts.with_columns(pl.lit(np.int32(version), dtype=pl.Int32).alias("version"))
