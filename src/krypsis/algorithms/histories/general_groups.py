"""From slots that are published as nodes of a hierarchy to groups, some of which stay as they were."""

from dataclasses import dataclass, replace

import numpy as np

from krypsis.algorithms.histories.balance import Division
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, LastGroups, Past, Shown, Snapshot, VersionGrouping
from krypsis.algorithms.histories.families import Families, first_nodes, level_and_code
from krypsis.algorithms.histories.groups import groups_of_slots
from krypsis.algorithms.histories.signatures import Signatures, filling_order, holes_of
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, shorten


@dataclass(frozen=True, eq=False)
class Fillings:
    """Records that fill holes: so many of a value go to a place. All of it can be done together."""

    place: IntArray
    value: IntArray
    number: IntArray


def fillings_of(taxonomy: Hierarchy, nodes: IntArray, holes: IntArray, counts: IntArray) -> Fillings:
    """Return fillings of as many holes as possible.

    Parameters
    ----------
    taxonomy
        the hierarchy of the sensitive attribute.
    nodes, holes
        of each place, the node that is published there, which a record fits that has a value below it, and how many
        records it lacks.
    counts
        ``counts[value]``: the new records.

    Notes
    -----
    The holes of special nodes are filled first, with whatever record fits. That is best: the values below two nodes are
    the same, or some of each other, or different ones, so whoever fits a special node fits all nodes above it as well.
    Of one node, the first places come first, and the most frequent values.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> found = fillings_of(disease, np.array([3, 0]), np.array([2, 1]), np.array([2, 2, 5]))  # lungs, flu
    >>> [found.place.tolist(), found.value.tolist(), found.number.tolist()]
    [[0, 1], [1, 0], [2, 1]]
    """
    left = counts.copy()
    levels, codes = level_and_code(taxonomy, nodes)
    parts = []
    # From special to general nodes: whoever fits a special node also fits every node above it.
    for level in range(taxonomy.height + 1):
        places = np.flatnonzero((levels == level) & (holes > 0))
        if len(places):
            part = _matched(codes[places], holes[places], taxonomy.table[level], left)
            left = left - np.bincount(part.value, part.number, minlength=len(left)).astype(np.int64)
            parts.append(Fillings(places[part.place], part.value, part.number))
    return _in_order(parts)


def _matched(place_node: IntArray, holes: IntArray, value_node: IntArray, left: IntArray) -> Fillings:
    """Return fillings of places whose nodes are of one level: lay holes and records of each node side by side."""
    nodes = int(max(place_node.max(), value_node.max())) + 1
    both = np.minimum(np.bincount(place_node, holes, nodes), np.bincount(value_node, left, nodes)).astype(np.int64)
    by_place = np.argsort(place_node, kind="stable")
    by_value = np.lexsort((-left, value_node))
    place_ends = _ends(place_node[by_place], holes[by_place], both)
    value_ends = _ends(value_node[by_value], left[by_value], both)
    edges = np.unique(np.concatenate([[0], place_ends, value_ends]))
    place, value = np.searchsorted(place_ends, edges[1:]), np.searchsorted(value_ends, edges[1:])
    return Fillings(by_place[place], by_value[value], np.diff(edges))


def _ends(nodes: IntArray, numbers: IntArray, limits: IntArray) -> IntArray:
    """Return where each part ends if those of a node follow each other, cut at its limit, and nodes do as well."""
    before = np.cumsum(numbers) - numbers
    inside = before + numbers - before[np.searchsorted(nodes, nodes)]
    ends: IntArray = (np.cumsum(limits) - limits)[nodes] + np.minimum(inside, limits[nodes])
    return ends


def _in_order(parts: list[Fillings]) -> Fillings:
    """Return all fillings by place."""
    nothing = np.zeros(0, dtype=np.int64)
    place, value, number = (
        np.concatenate([nothing, *columns]).astype(np.int64)
        for columns in (
            [one.place for one in parts],
            [one.value for one in parts],
            [one.number for one in parts],
        )
    )
    order = np.argsort(place, kind="stable")
    return Fillings(place[order], value[order], number[order])


@dataclass(frozen=True, eq=False)
class GeneralSlots:
    """The slots of signatures by family.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> slots = GeneralSlots.of(families_of(disease, Fraction(1)), Signatures.of([[0, 2]]))  # flu and ulcer
    >>> slots.find(np.array([0, 0]), np.array([1, 2])).tolist()  # asthma is in the place of flu
    [0, 1]
    """

    families: Families
    signatures: Signatures

    @classmethod
    def of(cls, families: Families, signatures: Signatures) -> "GeneralSlots":
        """Return the slots, after making sure that all nodes are of one family.

        Raises
        ------
        DataError
            if the hierarchy has changed so that a node is above several families.
        """
        if len(lost := np.unique(signatures.nodes[families.of_node[signatures.nodes] < 0])):
            levels, codes = level_and_code(families.taxonomy, lost)
            labels = [families.taxonomy.labels[level][code] for level, code in zip(levels, codes, strict=True)]
            raise DataError(
                f"records are bound to {shorten(map(repr, labels), 5)}, below which values may meet in the hierarchy "
                "as it is now; use the hierarchy of the earlier versions, which binds for ever"
            )
        return cls(families, signatures)

    def examples(self, numbers: IntArray) -> Signatures:
        """Return signatures with a value below each node instead of it."""
        taxonomy, some = self.families.taxonomy, self.signatures.only(numbers)
        below = np.zeros(int(first_nodes(taxonomy)[-1]), dtype=np.int64)
        below[first_nodes(taxonomy)[:-1, None] + taxonomy.table] = np.arange(len(taxonomy.values))
        return Signatures(some.starts, below[some.nodes])

    def find(self, signature: IntArray, values: IntArray) -> IntArray:
        """Return the slot of each record, given its signature and its value."""
        radix = len(self.families)
        known = self.signatures.owners * radix + self.families.of_node[self.signatures.nodes]
        order = np.argsort(known)
        wanted = signature * radix + self.families.of_value[values]
        places = np.searchsorted(known[order], wanted)
        found: IntArray = np.append(order, -1)[places]
        self._require_bound(values[np.append(known, -1)[found] != wanted])
        return found

    def divided(self, snapshot: Snapshot, slot: IntArray, nodes: IntArray) -> tuple[Division, IntArray]:
        """Return which new records fit which holes, and the slots of holes that none fits, one for each hole.

        ``slot`` is that of each record, ``LEFT_OUT`` for new ones; ``nodes`` are what the slots are published as.
        """
        old, new = snapshot.signature != NEW, snapshot.signature == NEW
        self._require_bound(_uncovered(snapshot.taxonomy, nodes[slot[old]], snapshot.values[old]))
        order = filling_order(self.signatures)
        holes = holes_of(self.signatures, slot[old])[order]
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        found = fillings_of(snapshot.taxonomy, nodes[order], holes, counts)
        filled = np.bincount(found.place, found.number, minlength=len(order)).astype(np.int64)
        division = Division(snapshot, slot, order[found.place], found.number, found.value, counts)
        return division, np.repeat(order, holes - filled)

    def placed(self, snapshot: Snapshot) -> IntArray:
        """Return the slot of each record that is bound, ``LEFT_OUT`` for new ones."""
        old = snapshot.signature != NEW
        slot = np.full(len(snapshot), LEFT_OUT)
        slot[old] = self.find(snapshot.signature[old], snapshot.values[old])
        return slot

    def _require_bound(self, strangers: IntArray) -> None:
        """Raise if there are values that are not below what their records are bound to."""
        if len(strangers):
            named = shorten([repr(self.families.taxonomy.values[value]) for value in np.unique(strangers).tolist()], 5)
            raise DataError(
                f"records with {named} are bound to more general values that are not above it in the hierarchy as it "
                "is now; use the hierarchy of the earlier versions, which binds for ever"
            )


def _uncovered(taxonomy: Hierarchy, nodes: IntArray, values: IntArray) -> IntArray:
    """Return the values of records that would be published as a node that is not above them."""
    levels, codes = level_and_code(taxonomy, nodes)
    found: IntArray = values[taxonomy.table[levels, values] != codes]
    return found


def general_groups(
    snapshot: Snapshot,
    past: Past,
    slots: GeneralSlots,
    shown: Shown,
    slot: IntArray,
    false_slots: IntArray,
    together: IntArray,
    rng: np.random.Generator,
) -> VersionGrouping:
    """Cut the buckets of all signatures into groups, and publish every record as what its slot is published as.

    Parameters
    ----------
    slots
        of all signatures, those of new groups among them.
    shown
        as what they are published.
    slot, false_slots
        of all records, and of all counterfeits.
    together
        groups of the last release that stay as they were.
    """
    signatures, absent = slots.signatures, slots.find(past.absent_signature, past.absent_values)
    nobody = np.zeros(len(snapshot), dtype=np.int64)
    last = nobody if past.last is None else past.last.of_record
    is_kept = np.isin(last, together)
    rest = np.where(is_kept, LEFT_OUT, slot)
    departed = replace(past, absent_values=signatures.nodes[absent])
    cut = groups_of_slots(snapshot, departed, signatures, rest, false_slots, rng)
    published = np.where(slot == LEFT_OUT, snapshot.values, np.append(shown.nodes, 0)[slot])
    false = replace(cut.counterfeits, published=shown.nodes[false_slots])
    whole = _with_kept(cut, signatures, slot, last, is_kept)
    return replace(whole, published=published, counterfeits=false, shown=shown)


def _with_kept(
    cut: VersionGrouping, signatures: Signatures, slot: IntArray, last: IntArray, is_kept: BoolArray
) -> VersionGrouping:
    """Return the groups with those that stay as they were at the end."""
    names, number = np.unique(last[is_kept], return_inverse=True)
    group, more = cut.group.copy(), np.zeros(len(names), dtype=np.int64)
    group[is_kept] = cut.groups + number
    more[number] = signatures.owners[slot[is_kept]]
    return replace(cut, group=group, signature=np.concatenate([cut.signature, more]))


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
    def of(cls, last: LastGroups | None, signatures: Signatures, signature: IntArray, slot: IntArray) -> "Company":
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
    # Timing: a change seen only in signatures that somebody left would reveal whose value it was.
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
    # A newcomer may have a sibling of the old value, so these slots never go below what is shown now.
    has_newcomer[signatures.owners[slots]] = True
    return replace(shown, lowest=np.where(has_newcomer[signatures.owners], shown.nodes, shown.lowest))


def _different(group: IntArray, slot: IntArray, groups: int) -> IntArray:
    """Return how many different slots the records of each group have."""
    pairs = np.unique(np.stack([group, slot]), axis=1)
    return np.bincount(pairs[0], minlength=groups)
