"""What methods that put records into groups have in common: the sensitive value of each record, and the verdict."""

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible
from krypsis.kernels.rows import merge
from krypsis.models.base import GroupModel


def value_of_each_record(histogram: Histogram) -> IntArray:
    """Return the code of the sensitive value of each record, from a histogram whose groups are the records."""
    codes = np.empty(len(histogram.group), dtype=np.int64)
    codes[histogram.group] = histogram.value
    return codes


def require_kept(frequency: FrequencySet, groups: IntArray, models: Sequence[GroupModel], advice: str) -> None:
    """Raise unless all groups keep all promises; the advice says what else may be tried.

    Raises
    ------
    Infeasible
        that names the promise and the level the groups achieve.
    """
    found = grouped(frequency, groups)
    for model in models:
        refused = int((~model.accepts(found)).sum())
        if refused:
            level = model.measure(found)
            limit = "at least" if model.better == "higher" else "at most"
            raise Infeasible(
                f"{refused} of the {len(found)} groups that were found do not keep {model.spec}: required {limit} "
                f"{model.required:g}, achieved {level:.6g}. {advice}",
                {"achieved": {model.spec: level}, "rows": frequency.rows},
            )


def grouped(frequency: FrequencySet, groups: IntArray) -> Groups:
    """Return the groups that records were put into, with their sensitive values."""
    numbers = groups.astype(np.int32)
    sensitive = {name: merge(histogram, numbers) for name, histogram in frequency.sensitive.items()}
    return Groups(np.bincount(groups, frequency.counts).astype(np.int64), sensitive)
