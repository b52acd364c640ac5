"""From slots to groups: the last step of every method for tables that change.

Crowds: groups that are published with the same quasi-identifiers, so that enough people look alike.
"""

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, Counterfeits, Past, Snapshot, VersionGrouping
from krypsis.algorithms.histories.signatures import Signatures, slot_of
from krypsis.algorithms.histories.splits import axes_of_snapshot, split
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.ordering import order_of
from krypsis.errors import Infeasible, InternalError


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


def looks(
    snapshot: Snapshot,
    past: Past,
    signatures: Signatures,
    slots: IntArray,
    record_signature: IntArray,
    rng: np.random.Generator,
) -> CodeArray:
    """Return the quasi-identifiers of counterfeits, given the slot of each.

    A counterfeit looks like somebody who left, had the same value and is bound to the same signature; nobody is used
    twice. Where there is none, it looks like a record of its signature that is published now.

    Parameters
    ----------
    record_signature
        the signature of each record of the snapshot as it is published now, negative where it is not.
    """
    codes = np.empty((len(slots), len(snapshot.attributes)), dtype=np.int32)
    # The source does not say what a counterfeit looks like; people who left the same slot come first.
    found, gone = _departed(past, signatures, slots, rng)
    codes[found] = past.absent_codes[gone]
    others = np.ones(len(slots), dtype=np.bool_)
    others[found] = False
    models = _present(record_signature, signatures.owners[slots[others]], rng)
    codes[others] = snapshot.codes[models]
    return codes


def _departed(
    past: Past, signatures: Signatures, slots: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return counterfeits, and for each of them somebody of its slot who left."""
    shuffled = rng.permutation(len(past.absent_values))
    absent = slot_of(signatures, past.absent_signature[shuffled], past.absent_values[shuffled])
    wanted, offered = _ranked(slots), _ranked(absent)
    radix = int(max(wanted.max(initial=0), offered.max(initial=0))) + 1
    _, places, gone = np.intersect1d(slots * radix + wanted, absent * radix + offered, return_indices=True)
    return places, shuffled[gone]


def _ranked(kinds: IntArray) -> IntArray:
    """Return for each entry how many of the same kind stand before it."""
    order = order_of(kinds)
    ranks = np.empty(len(kinds), dtype=np.int64)
    ranks[order] = np.arange(len(kinds)) - np.searchsorted(kinds[order], kinds[order])
    return ranks


def _present(record_signature: IntArray, wanted: IntArray, rng: np.random.Generator) -> IntArray:
    """Return for each wanted signature a random record that is published with it."""
    order = np.argsort(record_signature, kind="stable")
    first = np.searchsorted(record_signature[order], wanted)
    end = np.searchsorted(record_signature[order], wanted, side="right")
    chosen: IntArray = order[rng.integers(first, end)]
    return chosen


def groups_of_slots(
    snapshot: Snapshot,
    past: Past,
    signatures: Signatures,
    slot: IntArray,
    false_slots: IntArray,
    rng: np.random.Generator,
) -> VersionGrouping:
    """Cut the buckets of all signatures into groups, given the slots of all records and of all counterfeits."""
    shown = np.flatnonzero(slot != LEFT_OUT)
    bound = np.full(len(snapshot), LEFT_OUT)
    bound[shown] = signatures.owners[slot[shown]]
    codes = looks(snapshot, past, signatures, false_slots, bound, rng)
    slots = np.concatenate([slot[shown], false_slots])
    owners = signatures.owners[slots]
    # Counterfeits take part in the split with the quasi-identifiers they were given.
    groups = split(axes_of_snapshot(snapshot), np.concatenate([snapshot.codes[shown], codes]), owners, slots)
    group = np.full(len(snapshot), LEFT_OUT)
    group[shown] = groups[: len(shown)]
    signature = np.empty(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    signature[groups] = owners
    false = Counterfeits(groups[len(shown) :], codes, signatures.nodes[false_slots])
    return VersionGrouping(group, snapshot.values.astype(np.int64), false, signature, signatures)


def is_eligible(counts: IntArray, m: int) -> bool:
    """Say whether groups of ``m`` or more records with different values can be made of so many records per value.

    Examples
    --------
    >>> is_eligible(np.array([2, 1, 1]), 2), is_eligible(np.array([3, 1, 1]), 2)
    (True, False)
    """
    # m-eligible: at most 1/m of the records have the same sensitive value.
    return int(counts.max(initial=0)) * m <= int(counts.sum())


def assign(counts: IntArray, m: int) -> tuple[Signatures, IntArray]:
    """Return buckets for so many records per value: their values, and how many records of each value they take.

    Again and again, the ``b`` most frequent values give ``a`` records each, with the smallest ``b`` for which there is
    an ``a`` that leaves the rest eligible, and the largest such ``a``. Buckets of the same values are one bucket.

    Notes
    -----
    With ``n_1 ≥ n_2 ≥ …`` records per value and ``γ`` in all, the rest is eligible if ``n_1 - a ≤ (γ - a·b) / m`` and
    ``n_{b+1} ≤ (γ - a·b) / m``. The second condition is printed with ``n_{b+1} - a`` in one source, although no record
    of that value is taken; most eligible inputs then come to a point where nothing can be taken any more, the smallest
    of them three records with three values and ``m = 2``.

    Of values that are equally frequent, the one with the lower code comes first.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5.3.

    Examples
    --------
    >>> buckets, taken = assign(np.array([1, 1, 1]), 2)
    >>> buckets.nodes.tolist(), taken.tolist()
    ([0, 1, 2], [1])
    """
    left = counts.astype(np.int64)
    sets: dict[tuple[int, ...], int] = {}
    # One bucket per iteration: the b most frequent values give a records each.
    while left.any():
        order = np.argsort(-left, kind="stable")
        wide, deep = _largest_bucket(left[order], m)
        chosen = np.sort(order[:wide])
        left[chosen] -= deep
        key = tuple(chosen.tolist())
        sets[key] = sets.get(key, 0) + deep
    return Signatures.of(sets), np.array(list(sets.values()), dtype=np.int64)


def _largest_bucket(counts: IntArray, m: int) -> tuple[int, int]:
    """Return ``b`` and ``a`` for counts in descending order."""
    total = int(counts.sum())
    width = np.arange(m, len(counts) + 1)
    following = np.append(counts[m:], 0)[: len(width)]
    # n_(b+1) <= (γ - a·b) / m (erratum 13: without "- a"), and a <= n_b, for every b = m, m + 1, … at once.
    deepest = np.minimum(counts[m - 1 :], (total - m * following) // width)
    slack = total - m * int(counts[0])
    # n_1 - a <= (γ - a·b) / m, that is a·(b - m) <= γ - m·n_1; it says nothing for b = m.
    deepest = np.where(width > m, np.minimum(deepest, slack // np.maximum(width - m, 1)), deepest)
    possible = np.flatnonzero(deepest >= 1)
    if slack < 0 or not len(possible):
        raise InternalError("the new records are not eligible, and buckets were asked for; please report this")
    # Erratum 14: minimize b and maximize a.
    return int(width[possible[0]]), int(deepest[possible[0]])
