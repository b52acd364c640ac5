"""New records in groups of different families, and what they are bound to from then on."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.base import Snapshot
from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.places import Places
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.slots import slot_of
from krypsis.algorithms.histories.splitting import axes_of_snapshot, split
from krypsis.algorithms.histories.strategies import Strategy, buckets_of
from krypsis.arrays import IntArray


def groups_of_new(
    snapshot: Snapshot,
    families: Families,
    records: IntArray,
    values: IntArray,
    m: int,
    strategy: Strategy,
    rng: np.random.Generator,
) -> IntArray:
    """Return the group of each new record: ``m`` or more families each, of records that lie close together.

    ``values`` are those of the records, and then those of counterfeits that join them; while groups are looked for,
    these lie where some record does.
    """
    family = families.of_value[values]
    counts = np.bincount(family, minlength=len(families))
    buckets, depth = buckets_of(families, counts, m, strategy)
    many = depth[buckets.owners]
    room = Places(np.repeat(np.arange(len(buckets.nodes)), many), np.repeat(buckets.nodes, many))
    place = room.dealt_to(family, rng)
    codes = snapshot.codes[np.concatenate([records, rng.choice(records, len(values) - len(records))])]
    return split(axes_of_snapshot(snapshot), codes, buckets.owners[place], place)


def bound_to(past: Signatures, group: IntArray, nodes: IntArray) -> tuple[Signatures, IntArray]:
    """Return the signatures with those of new groups, and the slot of each record, given what is published of it.

    Examples
    --------
    >>> signatures, slots = bound_to(Signatures.none(), np.array([0, 0]), np.array([5, 2]))
    >>> signatures.members(0).tolist(), slots.tolist()
    ([2, 5], [1, 0])
    """
    order = np.lexsort((nodes, group))
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    signatures, numbers = past.joined(Signatures(starts, nodes[order]))
    return signatures, slot_of(signatures, numbers[group], nodes)
