"""The phases of m-invariance, as a trace shows them: division, balancing, assignment, split."""

from collections.abc import Iterator

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, Snapshot, VersionGrouping
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import BoolArray, IntArray
from krypsis.progress import StepTable, TraceStep


def phase_steps(
    algorithm: str,
    snapshot: Snapshot,
    was_bound: BoolArray,
    slot: IntArray,
    false_slots: IntArray,
    made: VersionGrouping,
) -> Iterator[TraceStep]:
    """Yield the four phases.

    Parameters
    ----------
    algorithm
        that describes its steps.
    snapshot
        the records of this version.
    was_bound
        which of them were published before.
    slot
        the slot of each record after assignment, ``LEFT_OUT`` where it is not published.
    false_slots
        the slot of each counterfeit.
    made
        the groups.
    """
    signatures = made.signatures
    divided = np.where(was_bound, slot, LEFT_OUT)
    used = np.unique(signatures.owners[divided[was_bound]])
    inside = np.isin(signatures.owners, used)
    labels = _labels(snapshot)
    table = _buckets(snapshot, signatures, labels, divided, None, inside)
    says = f"{int(was_bound.sum())} records were published before and go to the buckets of their signatures."
    yield TraceStep(algorithm, "Division", says, (table,))
    yield TraceStep(algorithm, "Balancing", *_balancing(snapshot, signatures, divided, false_slots, inside))
    table = _buckets(snapshot, signatures, labels, slot, false_slots, np.isin(signatures.owners, made.signature))
    waiting = int((slot == LEFT_OUT).sum())
    says = f"All other new records form buckets of different values; equal signatures are one. {waiting} wait."
    yield TraceStep(algorithm, "Assignment", says, (table,))
    groups = StepTable.of(
        ("group", "signature", "records", "counterfeits"), _groups(snapshot, labels, made), total=made.groups
    )
    yield TraceStep(
        algorithm, "Split", f"Each bucket is cut into groups that lie close: {made.groups} in all.", (groups,)
    )


def _labels(snapshot: Snapshot) -> list[str]:
    """Return the quasi-identifiers of each record as a text."""
    columns = [
        [str(hierarchy.values[code]) for code in snapshot.codes[:, place].tolist()]
        for place, hierarchy in enumerate(snapshot.hierarchies)
    ]
    return [", ".join(row) for row in zip(*columns, strict=True)] if columns else [""] * len(snapshot)


def _buckets(
    snapshot: Snapshot,
    signatures: Signatures,
    labels: list[str],
    slot: IntArray,
    false_slots: IntArray | None,
    shown: BoolArray,
) -> StepTable:
    columns = ("signature", "value", "records", *(() if false_slots is None else ("counterfeits",)))
    rows = (
        (
            *_place(snapshot, signatures, place),
            "; ".join(sorted(labels[record] for record in np.flatnonzero(slot == place).tolist())),
            *(() if false_slots is None else (int((false_slots == place).sum()),)),
        )
        for place in np.flatnonzero(shown).tolist()
    )
    return StepTable.of(columns, rows, total=int(shown.sum()))


def _balancing(
    snapshot: Snapshot, signatures: Signatures, divided: IntArray, false_slots: IntArray, inside: BoolArray
) -> tuple[str, tuple[StepTable, ...]]:
    """Return what was missing in the buckets of records that were published before, and who takes the places."""
    number = len(signatures.nodes)
    there = np.bincount(divided[divided != LEFT_OUT], minlength=number)
    fullest = np.zeros(len(signatures), dtype=np.int64)
    np.maximum.at(fullest, signatures.owners, there)
    holes = np.where(inside, fullest[signatures.owners] - there, 0)
    false = np.minimum(np.bincount(false_slots, minlength=number), holes)
    rows = (
        (*_place(snapshot, signatures, place), int(holes[place]), int(holes[place] - false[place]), int(false[place]))
        for place in np.flatnonzero(holes).tolist()
    )
    columns = ("signature", "value", "missing", "filled by new records", "filled by counterfeits")
    says = f"{int(holes.sum())} places are empty; counterfeits fill {int(false.sum())} of them."
    return says, (StepTable.of(columns, rows),)


def _groups(snapshot: Snapshot, labels: list[str], made: VersionGrouping) -> Iterator[tuple[object, ...]]:
    for group in range(made.groups):
        records = "; ".join(sorted(labels[record] for record in np.flatnonzero(made.group == group).tolist()))
        false = int((made.counterfeits.group == group).sum())
        yield (group + 1, _signature(snapshot, made.signatures, int(made.signature[group])), records, false)


def _place(snapshot: Snapshot, signatures: Signatures, place: int) -> tuple[str, str]:
    value = snapshot.taxonomy.values[int(signatures.nodes[place])]
    return _signature(snapshot, signatures, int(signatures.owners[place])), str(value)


def _signature(snapshot: Snapshot, signatures: Signatures, number: int) -> str:
    return ", ".join(sorted(str(snapshot.taxonomy.values[node]) for node in signatures.members(number).tolist()))
