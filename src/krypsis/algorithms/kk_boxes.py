"""Axes as the arrays that the compiled steps to (k,k)-anonymity work on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.algorithms.boxes import Axis
from krypsis.algorithms.partitioning.packing import pack_axes
from krypsis.arrays import CodeArray, FloatArray
from krypsis.kernels.kk import ClosedAxes


def closed_axes(axes: Sequence[Axis]) -> ClosedAxes:
    """Return the axes as arrays, one after the other."""
    runs = [_runs(axis.nodes) for axis in axes]
    return ClosedAxes(
        table=pack_axes(axes, range(len(axes))),
        run_low=np.concatenate([low.ravel() for low, _ in runs]),
        run_high=np.concatenate([high.ravel() for _, high in runs]),
    )


def scales_of(axes: Sequence[Axis]) -> FloatArray:
    """Return how much one rank counts on each axis where widths are compared."""
    return np.array([axis.weight / max(len(axis.code_at) - 1, 1) for axis in axes])


def _runs(nodes: CodeArray) -> tuple[CodeArray, CodeArray]:
    """Return for every ``[level, rank]`` the lowest and the highest rank of its node; nodes are runs of ranks."""
    low, high = np.empty_like(nodes), np.empty_like(nodes)
    for level, codes in enumerate(nodes):
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        last = np.append(first[1:], len(codes)) - 1
        run = np.searchsorted(first, np.arange(len(codes)), side="right") - 1
        low[level], high[level] = first[run], last[run]
    return low, high
