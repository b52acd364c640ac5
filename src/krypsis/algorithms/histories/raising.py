"""As what signatures are published next: more generally where the rule says so, more specially where that is safe.

What everybody can see must not depend on who left, or on who took the place (:func:`moved`):

- a value goes *up* where nobody left the signature, or where a group that nobody left shows the same change;
- a value comes *down* again no further than to where it was when somebody joined the signature: a newcomer may have any
  value below that, and a signature that had to stay up would tell which one.

Both conditions are about who is in which group, which an attacker knows anyway, and not about who has which value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from krypsis.algorithms.histories.base import LastGroups, Shown
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Company:
    """Who of the groups of the last release is still together.

    Examples
    --------
    >>> last = LastGroups(np.array([1, 2, 2]), np.array([0, 2, 2]))  # of the first group, somebody has left
    >>> signatures = Signatures.of([[0, 2], [1, 2]])
    >>> found = Company.of(last, signatures, np.array([0, 1, 1]), np.array([0, 2, 3]))
    >>> found.is_calm.tolist(), found.whole.tolist()
    ([False, True], [0, 2])
    """

    is_calm: BoolArray
    """For each signature, whether nobody left a group of which somebody is still there."""
    whole: IntArray
    """For each signature, a group without counterfeits that nobody left; 0 where there is none."""

    @classmethod
    def of(cls, last: LastGroups | None, signatures: Signatures, signature: IntArray, slot: IntArray) -> Company:
        """Compare the last release with the records of this version, given the signature and the slot of each."""
        is_calm, whole = np.ones(len(signatures), dtype=np.bool_), np.zeros(len(signatures), dtype=np.int64)
        if last is None or not (there := last.of_record > 0).any():
            return cls(is_calm, whole)
        group = last.of_record[there]
        stayed = np.bincount(group, minlength=len(last.sizes))
        owner = np.full(len(last.sizes), -1)
        owner[group] = signature[there]
        is_calm[owner[(stayed > 0) & (stayed < last.sizes)]] = False
        complete = (stayed == last.sizes) & (owner >= 0)
        complete[complete] = last.sizes[complete] == signatures.sizes[owner[complete]]
        complete &= _different(group, slot[there], len(last.sizes)) == last.sizes
        found = np.flatnonzero(complete)
        whole[owner[found]] = found
        return cls(is_calm, whole)


def moved(shown: Shown, signatures: Signatures, targets: IntArray, company: Company) -> tuple[Shown, IntArray]:
    """Return as what signatures are published next, and the groups that have to stay together to show the rule.

    Parameters
    ----------
    shown
        as what they were published so far.
    targets
        ``targets[node]``: what the rule publishes a node as.

    Examples
    --------
    >>> signatures = Signatures.of([[0, 2], [1, 2]])
    >>> lungs = np.array([3, 3, 2, 3, 4, 5])  # flu and asthma are published as lungs
    >>> calm = Company(np.array([True, False]), np.array([0, 0]))
    >>> now, kept = moved(Shown.exactly(signatures), signatures, lungs, calm)
    >>> now.nodes.tolist(), kept.tolist()
    ([3, 2, 1, 2], [])
    """
    wanted = np.maximum(targets[signatures.nodes], shown.lowest)  # both are above the node: the larger is above both
    is_raised = wanted > shown.nodes
    kind = shown.nodes * (int(wanted.max(initial=0)) + 1) + wanted
    owner = signatures.owners
    has_witness = is_raised & (company.whole[owner] > 0)
    in_doubt = is_raised & ~company.is_calm[owner]
    needed, first = np.unique(kind[has_witness], return_index=True)
    witnesses = np.flatnonzero(has_witness)[first[np.isin(needed, kind[in_doubt])]]
    refused = in_doubt & ~np.isin(kind, needed)
    nodes = np.where(refused, shown.nodes, wanted)
    return replace(shown, nodes=nodes), np.unique(company.whole[owner[witnesses]])


def joined(shown: Shown, signatures: Signatures, slots: IntArray) -> Shown:
    """Return what follows from newcomers in these slots: their signatures come down no further than they are now.

    Examples
    --------
    >>> signatures = Signatures.of([[0, 2], [1, 2]])
    >>> joined(Shown(np.array([3, 2, 3, 2]), signatures.nodes), signatures, np.array([1])).lowest.tolist()
    [3, 2, 1, 2]
    """
    has_newcomer = np.zeros(len(signatures), dtype=np.bool_)
    has_newcomer[signatures.owners[slots]] = True
    return replace(shown, lowest=np.where(has_newcomer[signatures.owners], shown.nodes, shown.lowest))


def _different(group: IntArray, slot: IntArray, groups: int) -> IntArray:
    """Return how many different slots the records of each group have."""
    pairs = np.unique(np.stack([group, slot]), axis=1)
    return np.bincount(pairs[0], minlength=groups)
