"""Why an algorithm that relies on monotonicity, or lists many nodes, cannot be used; and what can."""

from __future__ import annotations

from collections.abc import Sequence

from krypsis.algorithms.evaluation import Limits
from krypsis.errors import UsageError
from krypsis.models.base import GroupModel


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
    >>> from krypsis.models.entropy_l_diversity import EntropyLDiversity
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
