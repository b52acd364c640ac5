"""Crowds: groups that are published with the same quasi-identifiers, so that enough people look alike."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.errors import Infeasible


def crowds_of(people: IntArray, signature: IntArray, center: FloatArray, k: int) -> IntArray:
    """Return the crowd of each group; every crowd has at least ``k`` people.

    Parameters
    ----------
    people
        the people of each group, without counterfeits. Groups are numbered so that neighbors lie close together.
    signature
        the signature of each group.
    center
        ``center[group, attribute]``: where the group lies, each attribute between 0 and 1.
    k
        how many people must look alike.

    Notes
    -----
    Groups of one signature join first: an attacker who compares releases may learn the signature of a person, and then
    only the groups of that signature count. Signatures with fewer than ``k`` people join others that lie close.

    Examples
    --------
    >>> center = np.array([[0.0], [0.1], [0.2], [0.9]])
    >>> crowds_of(np.array([2, 2, 2, 2]), np.array([0, 0, 0, 1]), center, 4).tolist()
    [0, 0, 0, 0]
    >>> crowds_of(np.array([2, 2, 2, 2]), np.array([0, 0, 0, 1]), center, 2).tolist()
    [0, 1, 2, 3]
    """
    if int(people.sum()) < k:
        raise Infeasible(
            f"k-anonymity:k={k} needs at least {k} people, and {int(people.sum())} would be published; wait for more "
            "records, or start a history with a smaller k"
        )
    if (people >= k).all():
        return np.arange(len(people))
    # Step 1: join neighbors of one signature; step 2: join what is still too small with others that lie close.
    crowd = _within_signatures(people, signature, k)
    number = np.unique(crowd, return_inverse=True)[1]
    return _with_neighbors(number, people, center, k)


def _within_signatures(people: IntArray, signature: IntArray, k: int) -> IntArray:
    """Join neighbors of one signature until a crowd is large enough; what is left at the end joins the last crowd."""
    order = np.argsort(signature, kind="stable")
    crowd = np.empty(len(people), dtype=np.int64)
    number, inside, owner = -1, 0, None
    for group, own, many in zip(order.tolist(), signature[order].tolist(), people[order].tolist(), strict=True):
        if own != owner or inside >= k:
            number, inside, owner = number + 1, 0, own
        crowd[group] = number
        inside += many
    return _last_joined(crowd, people, signature, k)


def _last_joined(crowd: IntArray, people: IntArray, signature: IntArray, k: int) -> IntArray:
    """Join a crowd that is too small with the one before it, if that has the same signature."""
    sizes = np.bincount(crowd, weights=people).astype(np.int64)
    owner = np.empty(len(sizes), dtype=np.int64)
    owner[crowd] = signature
    target = np.arange(len(sizes))
    joins = np.flatnonzero((sizes[1:] < k) & (owner[1:] == owner[:-1])) + 1
    target[joins] = joins - 1
    return target[crowd]


def _with_neighbors(crowd: IntArray, people: IntArray, center: FloatArray, k: int) -> IntArray:
    """Join crowds that are too small with others of any signature that lie close."""
    sizes = np.bincount(crowd, weights=people).astype(np.int64)
    places = np.stack(
        [np.bincount(crowd, weights=column) / np.bincount(crowd) for column in center.T] or [np.zeros(len(sizes))],
        axis=1,
    )
    small = np.flatnonzero(sizes < k)
    target = np.arange(len(sizes))
    for part in _parts(small, sizes, places, k):
        if int(sizes[part].sum()) >= k:
            target[part] = part[0]
        elif len(part):  # all that is too small is not enough: it joins the nearest crowd
            large = np.flatnonzero(sizes >= k)
            distance = np.abs(places[large] - places[part].mean(axis=0)).sum(axis=1)
            target[part] = large[int(distance.argmin())]
    return np.unique(target[crowd], return_inverse=True)[1]


def _parts(crowds: IntArray, sizes: IntArray, places: FloatArray, k: int) -> list[IntArray]:
    """Cut crowds at the widest attribute, again and again, as long as both parts have ``k`` people."""
    if int(sizes[crowds].sum()) < 2 * k:
        return [crowds]
    # As Mondrian cuts: the widest attribute first, most evenly, if both parts keep k people.
    for attribute in np.argsort(-np.ptp(places[crowds], axis=0), kind="stable").tolist():
        order = crowds[np.argsort(places[crowds, attribute], kind="stable")]
        below = np.cumsum(sizes[order])
        allowed = np.flatnonzero((below >= k) & (below[-1] - below >= k))
        if len(allowed):
            cut = int(allowed[np.abs(below[allowed] - below[-1] / 2).argmin()]) + 1
            return [*_parts(order[:cut], sizes, places, k), *_parts(order[cut:], sizes, places, k)]
    return [crowds]
