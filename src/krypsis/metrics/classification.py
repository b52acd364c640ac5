"""Classification metric."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.data.groups import Histogram
from krypsis.data.recoding import FrequencySet, Outcome
from krypsis.errors import UsageError, column_not_found
from krypsis.kernels.labels import largest_by_group
from krypsis.metrics.base import Metric


class Classification(Metric):
    """The share of the records that are misjudged by whoever guesses the most common class of their group.

    Notes
    -----
    A record costs 1 if it is suppressed or its class is not the most common one of its group; of several most common
    ones any is guessed. Merging groups or suppressing records never lowers the figure.

    References
    ----------
    Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002, section 4.2.
    """

    name: ClassVar[str] = "classification"
    best_needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("cm",)
    formula: ClassVar[str] = "(suppressed + ∑ over groups of records outside the most common class) / records"
    range: ClassVar[str] = "the share that original tuples of mixed class leave open, to 1 (nothing published)"
    sentence: ClassVar[str] = "how often guessing the most common class of its group is wrong about a record"
    reference: ClassVar[str] = "Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"

    target: str | None = Field(
        default=None, description="the sensitive attribute that holds the class; the first one unless given"
    )

    def applies_to(self, frequency: FrequencySet) -> bool:
        return bool(frequency.sensitive)

    def best(self, outcome: Outcome) -> float:
        frequency = outcome.frequency
        right = _most_common(self._classes(frequency.sensitive), len(frequency.counts))
        return 1 - int(right.sum()) / outcome.rows

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        right = _most_common(self._classes(outcome.sensitive), len(outcome.sizes))
        return 1 - int(right[~outcome.refused].sum()) / outcome.rows

    def _classes(self, sensitive: Mapping[str, Histogram]) -> Histogram:
        if not sensitive:
            raise UsageError(
                "the metric 'classification' needs a class to guess and no column has the role 'sensitive'; "
                "give it to the column that holds the class"
            )
        target = next(iter(sensitive)) if self.target is None else self.target
        if target not in sensitive:
            raise column_not_found(target, sensitive)
        return sensitive[target]


def _most_common(classes: Histogram, groups: int) -> IntArray:
    """Return for each group how many records have its most common class."""
    largest = np.zeros(groups, dtype=np.int64)
    largest_by_group(classes.group, classes.count, largest)
    return largest
