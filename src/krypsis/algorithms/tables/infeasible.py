"""The error for promises that cannot be kept, with what could be.

What cannot be cut, and what cannot be kept.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits, NodeGroups, SearchBudget
from krypsis.algorithms.tables.lattice.scores import Incumbent
from krypsis.algorithms.tables.optimal.branch_and_bound import BranchAndBound
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.kernels.rows import merge, number_rows
from krypsis.metrics.suppressed_share import SuppressedShare
from krypsis.models.base import GroupModel, TableModel
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
    BranchAndBound(judge, SuppressedShare(), unlimited, SearchBudget(NO_PROGRESS, nodes=NODES), incumbent).run(lattice)
    return None if incumbent.levels is None else round(incumbent.score[0] * judge.frequency.rows)


def _number(level: float) -> str:
    return f"{level:.4g}" if level % 1 else f"{level:.0f}"


def refuse_unless_monotone(algorithm: str, models: Sequence[GroupModel], limits: Limits) -> None:
    """Raise unless every node above one that keeps the promises within the limits keeps them, too.

    This is so

    - if nothing may be suppressed and every model is monotone: the groups of a higher node are unions of groups
      of the lower one, and those are all accepted;
    - if every model is monotone with suppression: a record in an accepted group stays in an accepted group, whatever
      joins it, so a higher node suppresses no record that the lower one keeps. With several quasi-identifier sets this
      holds of all sets together: what is kept at the lower node keeps the promises on every set at the higher one.

    Both arguments only need the groups of the one to be unions of groups of the other; so they also hold for leaving
    out attributes.

    Raises
    ------
    UsageError
        that says what breaks it, and names an algorithm that does not need it.

    Examples
    --------
    >>> from krypsis.models.l_diversity import EntropyLDiversity
    >>> refuse_unless_monotone("samarati", [EntropyLDiversity(l=2)], Limits(suppressed=0))
    >>> refuse_unless_monotone("samarati", [EntropyLDiversity(l=2)], Limits(suppressed=3))
    Traceback (most recent call last):
    ...
    krypsis.errors.UsageError: samarati needs that a node above one that keeps the promises keeps them, too; ...
    """
    reason = _reason(models, limits)
    if reason:
        raise UsageError(f"{algorithm} needs that a node above one that keeps the promises keeps them, too; {reason}")


def _reason(models: Sequence[GroupModel], limits: Limits) -> str:
    for model in models:
        if not model.monotone and not model.monotone_with_suppression:
            return (
                f"{model.spec} is not monotone: two groups that keep it may break it when they become one. "
                "Use algorithm 'optimal', which does not need it"
            )
    if not limits.suppressed:
        return ""
    if limits.keep:
        return (
            "it may not where suppressed records are kept as a group: a more general node suppresses fewer records, "
            "and these may be too few to keep the promises. Use algorithm 'optimal', which does not need it, or "
            "remove suppressed records, or allow none"
        )
    for model in models:
        if not model.monotone_with_suppression:
            return (
                f"with up to {limits.suppressed} suppressed records it may not for {model.spec}: a group that keeps "
                "it may break it when records join that were suppressed before, so a more general node may have to "
                "suppress more. Use algorithm 'optimal', which does not need it, or allow no suppression"
            )
    return ""


def refuse_if_too_large(algorithm: str, nodes: int, most: int, what: str) -> None:
    """Raise if an algorithm would have to look at too many nodes to ever end.

    Examples
    --------
    >>> refuse_if_too_large("samarati", 5 * 10**13, 10**7, "nodes of the lattice")
    Traceback (most recent call last):
    ...
    krypsis.errors.UsageError: samarati goes through the nodes of the lattice and is meant for up to 10,000,000; here
    are 50,000,000,000,000. Use algorithm 'optimal' or 'datafly', or allow fewer levels
    """
    if nodes > most:
        raise UsageError(
            f"{algorithm} goes through the {what} and is meant for up to {most:,}; here are {nodes:,}. "
            "Use algorithm 'optimal' or 'datafly', or allow fewer levels"
        )


def refuse_what_is_not_cut(algorithm: str, frequency: FrequencySet, limits: Limits) -> None:
    """Raise if there are several sets of quasi-identifiers, or levels to keep to."""
    if len(frequency.attribute_sets) > 1:
        raise UsageError(
            f"{algorithm} knows one set of quasi-identifiers, got {len(frequency.attribute_sets)}. "
            "Use algorithm 'optimal', which keeps the promises on several"
        )
    lowest = limits.lowest or (0,) * len(frequency.attributes)
    highest = limits.highest or frequency.heights
    if any(lowest) or highest != frequency.heights:
        raise UsageError(
            f"{algorithm} goes by records and not by levels, so it cannot keep to minimum or maximum levels. "
            "Leave them out, or use algorithm 'optimal', which goes by levels"
        )


def refuse_what_is_not_judged(algorithm: str, promises: Promises) -> None:
    """Raise if a promise cannot be decided part by part."""
    for model in promises.models:
        if reason := _indivisible_reason(model, promises.frequency):
            raise UsageError(
                f"{algorithm} judges each part of the table for itself, and {model.spec} {reason}. "
                "Use algorithm 'optimal', which looks at all groups together"
            )


def _indivisible_reason(model: GroupModel, frequency: FrequencySet) -> str:
    if isinstance(model, TableModel):
        return "is about all groups together"
    if model.needs_population:
        return "compares the groups with a population, whose members may fit several groups"
    if model.sets_of(frequency.attributes) is not None and not model.monotone:
        return "is about groups in fewer attributes, which may break it although every part keeps it"
    return ""


def unless_accepted(promises: Promises, limits: Limits) -> None:
    """Raise if the table as one group does not keep the promises: cutting starts there, and nothing is suppressed."""
    frequency = promises.frequency
    everything = np.zeros(len(frequency.counts), dtype=np.int32)
    if not promises.keep(everything, 1).all():
        distinct = _by_tuple(frequency)
        unlimited = replace(limits, suppressed=0)
        raise infeasible(Judge(distinct, promises.models), Lattice.of(distinct, unlimited), unlimited)


def _by_tuple(frequency: FrequencySet) -> FrequencySet:
    """Return the frequency set with equal tuples counted together."""
    radices = [len(hierarchy.values) for hierarchy in frequency.hierarchies]
    numbers, first = number_rows(list(frequency.codes.T), radices, len(frequency.counts))
    return replace(
        frequency,
        codes=np.ascontiguousarray(frequency.codes[first]),
        counts=np.bincount(numbers, frequency.counts, minlength=len(first)).astype(np.int64),
        sensitive={name: merge(histogram, numbers) for name, histogram in frequency.sensitive.items()},
        combined={names: merge(histogram, numbers) for names, histogram in frequency.combined.items()},
    )
