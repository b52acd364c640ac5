"""Publishes sensitive values of a group more generally, until what its people guard cannot be guessed too well."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.kernels._jit import compiled

SLACK = 5e-13
"""Chances are computed in floating point; half of what counts as equal when they are judged."""

WORTH = 1e-12
"""A step that lowers the chances by less does nothing."""


@compiled
def soften(
    starts: IntArray,
    values: IntArray,
    limit_starts: IntArray,
    limits: IntArray,
    weights: FloatArray,
    costs: FloatArray,
    p: float,
    shown: IntArray,
    reached: FloatArray,
) -> None:
    """Raise levels of single records in each group, greedily, until no limit of the group is exceeded.

    ``values[starts[g]:starts[g + 1]]`` are the sensitive values of group ``g``; ``shown[entry, level]`` says how many
    of its records are published at each level and is changed. ``limits`` are in the same way the chances that must be
    at most ``p``; ``weights[limit, value, level]`` is what a record contributes, ``costs[value, level]`` what it loses.
    ``reached`` becomes the largest chance that is left in each group.
    """
    for group in range(len(starts) - 1):
        own, here = values[starts[group] : starts[group + 1]], shown[starts[group] : starts[group + 1]]
        asked = limits[limit_starts[group] : limit_starts[group + 1]]
        size = here.sum()
        allowed = (p + SLACK) * size
        sums = _sums(own, here, asked, weights)
        while sums.max() > allowed and _raise_some(own, here, asked, weights, costs, sums, allowed):
            sums = _sums(own, here, asked, weights)
        if sums.max() <= allowed:
            _take_back(own, here, asked, weights, sums, allowed)
            sums = _sums(own, here, asked, weights)
        reached[group] = sums.max() / size


@compiled
def _sums(own: IntArray, here: IntArray, asked: IntArray, weights: FloatArray) -> FloatArray:
    """Return how many records are expected to be what each limit is about."""
    sums = np.zeros(len(asked))
    for place, limit in enumerate(asked):
        for entry, value in enumerate(own):
            for level in range(here.shape[1]):
                sums[place] += here[entry, level] * weights[limit, value, level]
    return sums


@compiled
def _raise_some(
    own: IntArray,
    here: IntArray,
    asked: IntArray,
    weights: FloatArray,
    costs: FloatArray,
    sums: FloatArray,
    allowed: float,
) -> bool:
    """Take the step that lowers the excess most for what it loses, with as many records as it stays such a step for."""
    best, entry, low, high = 0.0, -1, 0, 0
    for one, value in enumerate(own):
        for before in range(here.shape[1]):
            if not here[one, before]:
                continue
            for after in range(before + 1, here.shape[1]):
                gain = _gain(asked, weights[:, value, before], weights[:, value, after], sums, allowed)
                if gain > WORTH and gain > best * (costs[value, after] - costs[value, before]):
                    best = gain / (costs[value, after] - costs[value, before])
                    entry, low, high = one, before, after
    if entry < 0:
        return False
    value = own[entry]
    records = _records(here[entry, low], asked, weights[:, value, low], weights[:, value, high], sums, allowed)
    here[entry, low] -= records
    here[entry, high] += records
    return True


@compiled
def _gain(asked: IntArray, before: FloatArray, after: FloatArray, sums: FloatArray, allowed: float) -> float:
    """Return by how much the excess over all limits falls if one record is published more generally."""
    gain = 0.0
    for place, limit in enumerate(asked):
        gain += max(sums[place] - allowed, 0.0) - max(sums[place] - allowed + after[limit] - before[limit], 0.0)
    return gain


@compiled
def _records(
    most: int, asked: IntArray, before: FloatArray, after: FloatArray, sums: FloatArray, allowed: float
) -> int:
    """Return how many records can take a step before a limit comes to be kept, or to be exceeded."""
    records = most
    for place, limit in enumerate(asked):
        excess, change = sums[place] - allowed, after[limit] - before[limit]
        if excess > 0 and change < 0:
            records = min(records, int(np.ceil(min(excess / -change, float(most)))))
        elif excess <= 0 and change > 0:
            records = min(records, int(np.floor(min(-excess / change, float(most)))))
    return max(records, 1)


@compiled
def _take_back(
    own: IntArray, here: IntArray, asked: IntArray, weights: FloatArray, sums: FloatArray, allowed: float
) -> None:
    """Publish records as exactly as the limits allow: a later step may have made an earlier one needless."""
    for entry, value in enumerate(own):
        for high in range(here.shape[1] - 1, 0, -1):
            for low in range(high):
                records = here[entry, high]
                for place, limit in enumerate(asked):
                    change = weights[limit, value, low] - weights[limit, value, high]
                    if change > 0:
                        room = max(allowed - sums[place], 0.0)
                        records = min(records, int(np.floor(min(room / change, float(records)))))
                for place, limit in enumerate(asked):
                    sums[place] += records * (weights[limit, value, low] - weights[limit, value, high])
                here[entry, high] -= records
                here[entry, low] += records
