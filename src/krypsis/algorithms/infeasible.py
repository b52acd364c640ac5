"""The error for promises that cannot be kept, with what could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from krypsis.algorithms.branch_and_bound import BranchAndBound
from krypsis.algorithms.budget import Budget
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.incumbent import Incumbent
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.rollup import NodeGroups
from krypsis.errors import Infeasible
from krypsis.metrics.suppressed_share import SuppressedShare
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS

NODES = 2000
"""How many nodes are judged to find out which suppression would be enough."""


def infeasible(judge: Judge, lattice: Lattice, limits: Limits) -> Infeasible:
    """Return the error, with what the most general levels achieve and how much suppression would be enough.

    A search that does not go everywhere may have missed what there is; then the error says so.
    """
    rows, allowed = judge.frequency.rows, limits.suppressed or 0
    enough = _enough_suppression(judge, lattice, limits)
    if enough is not None and enough <= allowed:
        return _missed(judge, enough)
    reachable = _reachable(judge, lattice, limits)
    message = f"no generalization keeps {_promises(judge)} {_provided(limits, rows)}"
    message += "; at the most general levels allowed the best is " + ", ".join(
        f"{spec.partition(':')[0]} {_number(level)}" for spec, level in reachable.items()
    )
    closest: dict[str, object] = {"achievable": reachable, "rows": rows}
    if enough is not None:
        closest["suppression"] = enough
    return Infeasible(f"{message}. Nearest feasible setting: {_advice(judge, lattice, limits, enough)}", closest)


def _missed(judge: Judge, enough: int) -> Infeasible:
    return Infeasible(
        f"the search ended without a generalization that keeps {_promises(judge)}, and there is one: going up may "
        f"break these promises, so it went past levels at which {enough} of {judge.frequency.rows} suppressed records "
        "are enough. Use algorithm 'optimal', which looks everywhere",
        {"rows": judge.frequency.rows, "suppression": enough, "algorithm": "optimal"},
    )


def _promises(judge: Judge) -> str:
    return " and ".join(model.spec for model in judge.models)


def _provided(limits: Limits, rows: int) -> str:
    """Say under which condition there is none; where suppressed records are kept, only those that break a promise are.

    Suppressing more than these might make their group large enough; no search tries that.
    """
    count = f"at most {limits.suppressed or 0} of {rows}"
    if not limits.keep:
        return f"with {count} records suppressed"
    return f"if the records that break them, {count}, stay as one group, which must keep them, too"


def _advice(judge: Judge, lattice: Lattice, limits: Limits, enough: int | None) -> str:
    ways = []
    if enough is not None:
        ways.append(f"allow {enough} suppressed records ({enough / judge.frequency.rows:.2%})")
    if limits.keep:
        ways.append("remove suppressed records instead of keeping them as a group")
    ways.append("lower the promise to what is achievable")
    if lattice.highest != judge.frequency.heights:
        ways.append("allow higher levels")
    return ", or ".join(ways)


def _reachable(judge: Judge, lattice: Lattice, limits: Limits) -> dict[str, float]:
    """Return the level of each promise by itself at the most general node, the worst of all quasi-identifier sets."""
    node, _ = judge.rollup.coarsen(judge.rollup.bottom(), lattice.highest)
    return {model.spec: _level(judge, model, node, limits.suppressed or 0) for model in judge.models}


def _level(judge: Judge, model: GroupModel, node: NodeGroups, allowed: int) -> float:
    if isinstance(model, KAnonymity):
        return float(_largest_k(judge, node, allowed))
    sets = judge.groups_of_sets(node, model)
    levels = [model.measure(groups if model.needs_population else groups.part(groups.sizes > 0)) for groups in sets]
    return min(levels) if model.better == "higher" else max(levels)


def _largest_k(judge: Judge, node: NodeGroups, allowed: int) -> int:
    """Return the largest k for which at most ``allowed`` records, and not all, have to be suppressed."""
    low, high = 1, judge.frequency.rows
    while low < high:
        middle = (low + high + 1) // 2
        lost = int(node.sizes[judge.refused(node, _only_k(middle))].sum())
        fits = lost <= allowed and lost < judge.frequency.rows
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _only_k(k: int) -> Sequence[GroupModel]:
    return (KAnonymity(k=k),)


def _enough_suppression(judge: Judge, lattice: Lattice, limits: Limits) -> int | None:
    """Return a number of suppressed records with which there is a release, the least that a short search finds."""
    unlimited = replace(limits, suppressed=judge.frequency.rows)
    incumbent = Incumbent()
    BranchAndBound(judge, SuppressedShare(), unlimited, Budget(NO_PROGRESS, nodes=NODES), incumbent).run(lattice)
    return None if incumbent.levels is None else round(incumbent.score[0] * judge.frequency.rows)


def _number(level: float) -> str:
    return f"{level:.4g}" if level % 1 else f"{level:.0f}"
