"""The error for promises that cannot be kept, with what could be."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.rollup import NodeGroups
from krypsis.errors import Infeasible
from krypsis.models.k_anonymity import KAnonymity


def infeasible(judge: Judge, lattice: Lattice, limits: Limits) -> Infeasible:
    """Return the error, with the levels that can be reached at the most general node and the suppression it needs."""
    node, _ = judge.rollup.coarsen(judge.rollup.bottom(), lattice.highest)
    rows, allowed = judge.frequency.rows, limits.suppressed or 0
    promises = " and ".join(model.spec for model in judge.models)
    message = f"no release keeps {promises} with at most {allowed} of {rows} records suppressed"
    needed = int(node.sizes[judge.refused(node, judge.models)].sum())
    reachable = {model.spec: _reachable(model, node, allowed) for model in judge.models}
    message += "; at the most general levels allowed the best is " + ", ".join(
        f"{spec.partition(':')[0]} {_number(level)}" for spec, level in reachable.items()
    )
    closest: dict[str, object] = {"achievable": reachable, "rows": rows}
    if needed < rows:
        closest["suppression"] = needed
        message += f". Nearest feasible setting: allow {needed} suppressed records ({needed / rows:.2%})"
        message += ", or lower the promise to what is achievable"
    else:
        message += ". Nearest feasible setting: lower the promise to what is achievable"
    if lattice.highest != judge.frequency.heights:
        message += ", or allow higher levels"
    return Infeasible(message, closest)


def _reachable(model: object, node: NodeGroups, allowed: int) -> float:
    if isinstance(model, KAnonymity):
        return float(_largest_k(node, allowed))
    return float(model.measure(node.groups()))  # type: ignore[attr-defined]


def _largest_k(node: NodeGroups, allowed: int) -> int:
    """Return the largest k for which at most ``allowed`` records sit in smaller groups."""
    sizes = np.sort(node.sizes)
    records_in_smaller = np.cumsum(sizes) - sizes
    return int(sizes[np.flatnonzero(records_in_smaller <= allowed)[-1]])


def _number(level: float) -> str:
    return f"{level:.4g}" if level % 1 else f"{level:.0f}"
