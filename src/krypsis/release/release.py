"""A release: what is published, and the recipe that made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.models.verdict import Verdict
from krypsis.release.evidence import Evidence
from krypsis.schema import Schema

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Release:
    """An anonymized table with everything that may be told about it.

    ``private`` is what must stay with the publisher (see ``release/private.py``); ``evidence`` is what a report needs
    from the run and is never written. Both are empty for a release loaded from its published files.
    """

    table: pl.DataFrame
    schema: Schema
    promises: tuple[str, ...]
    algorithm: str = ""
    metric: str = ""
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """Attribute → name of its hierarchy, such as ``csv age.csv`` or ``intervals``."""
    levels: Mapping[str, int] = field(default_factory=dict)
    heights: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    suppressed: int = 0
    suppression: str = "remove"
    rows_before: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    reference: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Sensitive attribute → distribution in the whole table, where a promise compares with it and rows are missing."""
    private: Mapping[str, Any] = field(default_factory=dict)
    evidence: Evidence | None = None
