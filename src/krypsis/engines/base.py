"""An engine counts, groups and rewrites data where it lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import polars as pl

from krypsis.arrays import IntArray
from krypsis.datasets.dataset import Dataset
from krypsis.frequency import FrequencySet, Grain
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.recoding import Recoding
from krypsis.schema import Schema

Suppressed = Literal["remove", "keep"]
"""What becomes of suppressed records: they leave the table, or stay with every quasi-identifier at the top."""


class Engine(Protocol):
    """The handful of primitives that an algorithm's surroundings need; a test can supply its own."""

    def distinct(self, column: str) -> list[Label]:
        """Return the distinct values of a column as text."""

    def frequency_set(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Dataset | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> FrequencySet:
        """Count the distinct tuples of quasi-identifiers, with the sensitive values in each.

        With the grain ``record`` every record is a tuple of its own, in ascending order of all its codes, for
        algorithms that publish records with equal quasi-identifiers differently. With a ``population`` its tuples are
        counted, too, also those that no record of the table has. ``combinations`` are columns, of any role, whose
        values are counted together.
        """

    def apply(self, recoding: Recoding, suppressed: Suppressed) -> pl.DataFrame:
        """Return the recoded table; the frequency set must have been made before."""

    def with_groups(self, groups: IntArray, name: str, givers: IntArray | None = None) -> pl.DataFrame:
        """Return the columns that may be published, with the group of each record in a further column.

        ``groups`` has the group of each record of a frequency set of the grain ``record``. Everything else stays as it
        is, but where ``givers`` are given, a record gets the sensitive values of its giver.
        """

    def suppressed_rows(self, recoding: Recoding) -> Iterable[int]:
        """Return the row numbers of the suppressed records."""
