"""The compiled loops of the completion in memory: a list of what each atom is included in, completed atom by atom.

Nodes are the atoms, then ∃r.Self for every role r, then an existential ∃r.C for each role and target that occurs. The
list of an atom holds all nodes that it is included in; the list of an existential holds what follows from being related
to its target, for whoever is in it. So whatever follows from ``∃r.C`` is found once, not once for each atom in it.
"""

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled

TOP, BOTTOM = 0, 1
LIST, LENGTH, CAPACITY, MEMBERS, MEMBER_COUNT, MEMBER_CAPACITY = 0, 1, 2, 3, 4, 5
"""Columns of nodes: where its list begins, in steps of four numbers; the same of the atoms that have it in theirs."""
PENDING, QUEUED, ROLE, TARGET, EXISTENTIALS, IS_STARTED, LATER = 6, 7, 8, 9, 10, 11, 12
"""More columns: what is to be added to its list; the next in the queue; role and target of an existential; the first
existential with an atom as its target, of an existential the next one with the same; whether it was looked at; what
was found about an atom that cannot be found in the same way for those included in it."""
COLUMNS = 13
NOT_QUEUED, NOTHING = -2, -1
NODES, FRONT, BACK, STAMP, POOL, UNUSED, ITEMS, MESSAGES = 0, 1, 2, 3, 4, 5, 6, 7
"""Counters: nodes; first and last in the queue; activations; size of the pool; first unused item; items; messages."""
SIZE_CLASSES = 40

State = tuple[CodeArray, CodeArray, CodeArray, CodeArray, CodeArray]
"""What grows: nodes; marks of those in the list that is looked at; pool of lists; items to be added to lists, each with
the next one for the same node; slots of the hash table of existentials."""
Indexes = tuple[IntArray, CodeArray, IntArray, CodeArray, IntArray, CodeArray, IntArray, CodeArray]
"""What axioms say of each atom, each with where that begins: the nodes that it is included in; the other conjunct and
the result of conjunctions; the same where it is the rarer conjunct; role and result of inclusions of ∃r.C."""
Roles = tuple[IntArray, CodeArray, BoolArray, CodeArray, npt.NDArray[np.uint8]]
"""Second role and result of chains, with where those of each first role begin; which roles are below a second one; the
place of each role in the table of roles that include others; this table, in bits."""


@compiled
def saturate(  # noqa: C901, PLR0912, PLR0915  one loop that the rules share
    state: State,
    counters: IntArray,
    unused: IntArray,
    bounds: IntArray,
    indexes: Indexes,
    roles: Roles,
    most: int,
) -> State:
    """Look at nodes with something new, until there is none or so many have been looked at; return the grown arrays.

    ``counters`` and ``unused`` are changed where they are.
    """
    nodes, marks, pool, items, slots = state
    direct_starts, direct, pair_starts, pairs, rare_starts, rare, left_starts, left = indexes
    chain_starts, chains, is_second, role_places, above = roles
    first_self, first_existential, first_individual, first_fresh = bounds[0], bounds[1], bounds[2], bounds[3]
    uses_top, follows_all = bounds[4] == 1, bounds[5] == 1
    own = np.empty(len(marks), dtype=np.int32)
    selves = np.empty(first_existential - first_self + 1, dtype=np.int32)
    begun = counters[STAMP]
    while counters[FRONT] >= 0 and counters[STAMP] - begun < most:
        node = counters[FRONT]
        counters[FRONT] = nodes[node, QUEUED]
        nodes[node, QUEUED] = NOT_QUEUED
        counters[STAMP] += 1
        stamp = counters[STAMP]
        is_first = nodes[node, IS_STARTED] == 0
        nodes[node, IS_STARTED] = 1
        # The list so far, marked so that one look says whether a node is in it.
        length = _wide(nodes[node, LENGTH])
        start = _wide(nodes[node, LIST]) * 4
        for place in range(length):
            own[place] = pool[start + place]
            marks[own[place]] = stamp
        count = length
        if is_first and node < first_self:  # C ⊑ C and C ⊑ ⊤
            count = _added(own, marks, stamp, count, node)
            if uses_top:
                count = _added(own, marks, stamp, count, TOP)
        if is_first and node >= first_existential:
            # What follows from the target of a new existential, as far as its list goes.
            target, role = _wide(nodes[node, TARGET]), _wide(nodes[node, ROLE])
            start = _wide(nodes[target, LIST]) * 4
            for place in range(nodes[target, LENGTH]):
                member = _wide(pool[start + place])
                if member < first_self:
                    if member == BOTTOM:  # IR7
                        count = _added(own, marks, stamp, count, BOTTOM)
                    for at in range(left_starts[member], left_starts[member + 1]):  # IR4
                        if _is_below(role_places, above, role, left[at, 0]):
                            count = _added(own, marks, stamp, count, left[at, 1])
                else:  # IR6, IR9
                    second, last = _role_and_target(nodes, first_self, first_existential, member, target)
                    for at in range(chain_starts[role], chain_starts[role + 1] if is_second[second] else 0):
                        if _is_below(role_places, above, second, chains[at, 0]):
                            if counters[NODES] == len(marks):
                                nodes, marks, own, slots = _with_more_nodes(nodes, marks, own, slots)
                            found = _existential(nodes, slots, counters, chains[at, 1], last)
                            count = _added(own, marks, stamp, count, found)
        item = _wide(nodes[node, PENDING])
        nodes[node, PENDING] = NOTHING
        while item >= 0:
            fresh, following = _wide(items[item, 0]), _wide(items[item, 1])
            is_later = fresh < 0
            fresh = ~fresh if is_later else fresh
            if is_later and marks[fresh] != stamp:
                items[item, 0] = fresh
                items[item, 1] = nodes[node, LATER]
                nodes[node, LATER] = item
                items = _spread_to_members(nodes, pool, items, counters, node, fresh)
            else:
                items[item, 1] = counters[UNUSED]
                counters[UNUSED] = item
            count = _added(own, marks, stamp, count, fresh)
            item = following
        if node >= first_existential:
            pool = _kept(nodes, pool, counters, unused, node, own, count)
            for place in range(length, count):
                items = _spread_to_members(nodes, pool, items, counters, node, own[place])
            continue
        self_count = 0
        for place in range(length):
            if first_self <= own[place] < first_existential:
                selves[self_count] = own[place] - first_self
                self_count += 1
        is_nominal = first_individual <= node < first_fresh
        place = length
        while place < count:
            found = _wide(own[place])
            place += 1
            if found < first_existential:  # IR1, IR3, IR11; IR12 and IR13 where it is ∃r.Self
                for at in range(direct_starts[found], direct_starts[found + 1]):
                    count = _added(own, marks, stamp, count, direct[at])
            if found < first_self:
                # IR2: look at all conjunctions with it, or at those of the atoms in the list if these are fewer.
                if pair_starts[found + 1] - pair_starts[found] <= 2 * count + 8:
                    for at in range(pair_starts[found], pair_starts[found + 1]):
                        if marks[pairs[at, 0]] == stamp:
                            count = _added(own, marks, stamp, count, pairs[at, 1])
                else:
                    for at in range(rare_starts[found], rare_starts[found + 1]):
                        if marks[rare[at, 0]] == stamp:
                            count = _added(own, marks, stamp, count, rare[at, 1])
                    for known in range(count):
                        other = _wide(own[known])
                        if other < first_self:
                            for at in range(rare_starts[other], rare_starts[other + 1]):
                                if rare[at, 0] == found:
                                    count = _added(own, marks, stamp, count, rare[at, 1])
                for at in range(left_starts[found], left_starts[found + 1] if self_count else 0):  # IR14
                    for known in range(self_count):
                        if selves[known] == left[at, 0]:
                            count = _added(own, marks, stamp, count, left[at, 1])
                if found != node and (follows_all or first_individual <= found < first_fresh):
                    pool = _with_member(nodes, pool, counters, unused, found, node)
                    item = _wide(nodes[found, LATER])
                    while item >= 0:
                        count = _added(own, marks, stamp, count, items[item, 0])
                        item = _wide(items[item, 1])
                    if is_nominal and first_individual <= found < first_fresh:  # IR16
                        items = _with_item(nodes, items, counters, found, ~node)
                continue
            if found < first_existential:
                role = found - first_self
                selves[self_count] = role
                self_count += 1
                for known in range(count):
                    other = _wide(own[known])
                    if other < first_self:
                        for at in range(left_starts[other], left_starts[other + 1]):  # IR14
                            if left[at, 0] == role:
                                count = _added(own, marks, stamp, count, left[at, 1])
            else:
                pool = _with_member(nodes, pool, counters, unused, found, node)
                if nodes[found, IS_STARTED] == 0:
                    if nodes[nodes[found, TARGET], IS_STARTED] == 0:
                        _queue(nodes, counters, _wide(nodes[found, TARGET]))
                    _queue(nodes, counters, found)
                start = _wide(nodes[found, LIST]) * 4
                for at in range(start, start + nodes[found, LENGTH]):
                    count = _added(own, marks, stamp, count, pool[at])
                if is_nominal and nodes[found, TARGET] == node:  # IR15
                    own_self = first_self + nodes[found, ROLE]
                    if marks[own_self] != stamp:
                        items = _found_later(nodes, pool, items, counters, node, own_self)
                        count = _added(own, marks, stamp, count, own_self)
            if self_count == 0:
                continue
            # IR8 and IR10: chains that begin with ∃r.Self; the new member of the list may stand in either place.
            turns = self_count + (count if found < first_existential else 0)
            for turn in range(turns):
                first, other = _wide(selves[turn]) if turn < self_count else found - first_self, found
                if turn >= self_count:
                    other = _wide(own[turn - self_count])
                    if other < first_self:
                        continue
                second, last = _role_and_target(nodes, first_self, first_existential, other, node)
                for at in range(chain_starts[first], chain_starts[first + 1]):
                    if _is_below(role_places, above, second, chains[at, 0]):
                        if counters[NODES] == len(marks):
                            nodes, marks, own, slots = _with_more_nodes(nodes, marks, own, slots)
                        result = _existential(nodes, slots, counters, chains[at, 1], last)
                        if other < first_existential and marks[result] != stamp:
                            items = _found_later(nodes, pool, items, counters, node, result)
                        count = _added(own, marks, stamp, count, result)
        pool = _kept(nodes, pool, counters, unused, node, own, count)
        if nodes[node, EXISTENTIALS] == NOTHING:
            continue
        # What follows for whoever is related to this atom.
        for place in range(length, count):
            found = _wide(own[place])
            if found < first_self:
                if found != BOTTOM and left_starts[found] == left_starts[found + 1]:
                    continue
                existential = _wide(nodes[node, EXISTENTIALS])
                while existential >= 0:
                    if nodes[existential, IS_STARTED] == 1:
                        if found == BOTTOM:  # IR7
                            items = _with_item(nodes, items, counters, existential, BOTTOM)
                        role = _wide(nodes[existential, ROLE])
                        for at in range(left_starts[found], left_starts[found + 1]):  # IR4
                            if _is_below(role_places, above, role, left[at, 0]):
                                items = _with_item(nodes, items, counters, existential, left[at, 1])
                    existential = _wide(nodes[existential, EXISTENTIALS])
                continue
            second, last = _role_and_target(nodes, first_self, first_existential, found, node)
            if not is_second[second]:
                continue
            existential = _wide(nodes[node, EXISTENTIALS])
            while existential >= 0:  # IR6, IR9
                if nodes[existential, IS_STARTED] == 1:
                    role = _wide(nodes[existential, ROLE])
                    for at in range(chain_starts[role], chain_starts[role + 1]):
                        if _is_below(role_places, above, second, chains[at, 0]):
                            if counters[NODES] == len(marks):
                                nodes, marks, own, slots = _with_more_nodes(nodes, marks, own, slots)
                            result = _existential(nodes, slots, counters, chains[at, 1], last)
                            items = _with_item(nodes, items, counters, existential, result)
                existential = _wide(nodes[existential, EXISTENTIALS])
    return nodes, marks, pool, items, slots


@compiled
def _wide(number: int) -> int:
    """Return a number as one of 64 bits, as all numbers are that are handed on."""
    return int(number)


@compiled
def _added(own: CodeArray, marks: CodeArray, stamp: int, count: int, found: int) -> int:
    """Add a node to the list, unless it is there, and return the length of the list."""
    if marks[found] == stamp:
        return count
    marks[found] = stamp
    own[count] = found
    return count + 1


@compiled
def _is_below(role_places: CodeArray, above: npt.NDArray[np.uint8], role: int, other: int) -> bool:
    """Say whether a role is included in another."""
    if role == other:
        return True
    one, two = role_places[role], role_places[other]
    return bool(one >= 0 and two >= 0 and (above[one, two >> 3] >> (two & 7)) & 1 == 1)


@compiled
def _role_and_target(
    nodes: CodeArray, first_self: int, first_existential: int, node: int, itself: int
) -> tuple[int, int]:
    """Return role and target of an existential; the target of ∃r.Self is the atom itself."""
    if node < first_existential:
        return node - first_self, itself
    return _wide(nodes[node, ROLE]), _wide(nodes[node, TARGET])


@compiled
def _queue(nodes: CodeArray, counters: IntArray, node: int) -> None:
    """Have a node looked at, after all that wait."""
    if nodes[node, QUEUED] != NOT_QUEUED:
        return
    nodes[node, QUEUED] = NOTHING
    if counters[FRONT] < 0:
        counters[FRONT] = node
    else:
        nodes[counters[BACK], QUEUED] = node
    counters[BACK] = node


@compiled
def _with_item(nodes: CodeArray, items: CodeArray, counters: IntArray, node: int, found: int) -> CodeArray:
    """Have something added to the list of a node, and return the items, which may have grown."""
    item = counters[UNUSED]
    if item >= 0:
        counters[UNUSED] = items[item, 1]
    else:
        if counters[ITEMS] == len(items):
            larger = np.empty((2 * len(items), 2), dtype=np.int32)
            for place in range(len(items)):
                larger[place, 0] = items[place, 0]
                larger[place, 1] = items[place, 1]
            items = larger
        item = counters[ITEMS]
        counters[ITEMS] += 1
    items[item, 0] = found
    items[item, 1] = nodes[node, PENDING]
    nodes[node, PENDING] = item
    counters[MESSAGES] += 1
    _queue(nodes, counters, node)
    return items


@compiled
def _spread_to_members(
    nodes: CodeArray, pool: CodeArray, items: CodeArray, counters: IntArray, node: int, found: int
) -> CodeArray:
    """Have something added to the lists of all atoms that a node is in the list of."""
    start = _wide(nodes[node, MEMBERS]) * 4
    for at in range(start, start + nodes[node, MEMBER_COUNT]):
        items = _with_item(nodes, items, counters, _wide(pool[at]), found)
    return items


@compiled
def _found_later(
    nodes: CodeArray, pool: CodeArray, items: CodeArray, counters: IntArray, node: int, found: int
) -> CodeArray:
    """Note what is handed on to those included in an atom, which no other rule derives for them: IR10, IR15, IR16."""
    items = _spread_to_members(nodes, pool, items, counters, node, found)
    items = _with_item(nodes, items, counters, node, found)  # takes an item; the atom hears of what it has just found
    item = _wide(nodes[node, PENDING])
    nodes[node, PENDING] = items[item, 1]
    items[item, 1] = nodes[node, LATER]
    nodes[node, LATER] = item
    return items


@compiled
def _existential(nodes: CodeArray, slots: CodeArray, counters: IntArray, role: int, target: int) -> int:
    """Return the number of ∃role.target; where it is new, there is room for it."""
    mask = len(slots) - 1
    slot = _hash(role, target) & mask
    while slots[slot] >= 0:
        known = _wide(slots[slot])
        if nodes[known, ROLE] == role and nodes[known, TARGET] == target:
            return int(known)
        slot = (slot + 1) & mask
    node = counters[NODES]
    counters[NODES] += 1
    slots[slot] = node
    nodes[node, ROLE] = role
    nodes[node, TARGET] = target
    nodes[node, EXISTENTIALS] = nodes[target, EXISTENTIALS]
    nodes[target, EXISTENTIALS] = node
    return int(node)


def add_existentials(nodes: CodeArray, slots: CodeArray, counters: IntArray, existentials: CodeArray) -> None:
    """Add different existentials, each a row of role and target, for which there is room; none is there yet."""
    first = int(counters[NODES])
    added = np.arange(first, first + len(existentials))
    role, target = existentials.T
    nodes[added, ROLE], nodes[added, TARGET] = role, target
    counters[NODES] += len(existentials)
    # Each existential points to the one before it with the same target, and the target to the last one.
    order = np.argsort(target, kind="stable")
    is_same = target[order[1:]] == target[order[:-1]]
    nodes[added[order[1:][is_same]], EXISTENTIALS] = added[order[:-1][is_same]]
    nodes[target[order], EXISTENTIALS] = added[order]
    # Where several want the same free slot one gets it; those without one look at the next slot.
    mask = len(slots) - 1
    wanted = _hashes(role, target) & mask
    while len(added):
        is_free = slots[wanted] < 0
        slots[wanted[is_free]] = added[is_free]
        is_left = slots[wanted] != added
        added, wanted = added[is_left], (wanted[is_left] + 1) & mask


def _hashes(roles: CodeArray, targets: CodeArray) -> IntArray:
    """Return what ``_hash`` returns for each role and target."""
    mixed = targets.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed += roles.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    return ((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(8)).astype(np.int64)


@compiled
def _hash(role: int, target: int) -> int:
    mixed = np.uint64(target) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(role) * np.uint64(0xC2B2AE3D27D4EB4F)
    return int(np.int64((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(8)))


@compiled
def _with_more_nodes(
    nodes: CodeArray, marks: CodeArray, own: CodeArray, slots: CodeArray
) -> tuple[CodeArray, CodeArray, CodeArray, CodeArray]:
    """Return all that grows with the number of nodes, with room for twice as many."""
    before = len(marks)
    more_nodes = np.empty((2 * before, COLUMNS), dtype=np.int32)
    more_marks = np.empty(2 * before, dtype=np.int32)
    more_own = np.empty(2 * before, dtype=np.int32)
    for node in range(2 * before):
        is_there = node < before
        more_marks[node] = marks[node] if is_there else 0
        more_own[node] = own[node] if is_there else 0
        for column in range(COLUMNS):
            is_pointer = column in (PENDING, EXISTENTIALS, LATER)
            more_nodes[node, column] = nodes[node, column] if is_there else NOTHING if is_pointer else 0
        if not is_there:
            more_nodes[node, QUEUED] = NOT_QUEUED
    more_slots = np.empty(2 * len(slots), dtype=np.int32)
    for slot in range(len(more_slots)):
        more_slots[slot] = NOTHING
    mask = len(more_slots) - 1
    for known in slots:
        if known >= 0:
            slot = _hash(nodes[known, ROLE], nodes[known, TARGET]) & mask
            while more_slots[slot] >= 0:
                slot = (slot + 1) & mask
            more_slots[slot] = known
    return more_nodes, more_marks, more_own, more_slots


@compiled
def _kept(
    nodes: CodeArray, pool: CodeArray, counters: IntArray, unused: IntArray, node: int, own: CodeArray, count: int
) -> CodeArray:
    """Write what is new in the list of a node to the pool, and return the pool."""
    length = _wide(nodes[node, LENGTH])
    if count > nodes[node, CAPACITY]:
        pool = _extended(nodes, pool, counters, unused, node, LIST, count)
    start = _wide(nodes[node, LIST]) * 4
    for place in range(length, count):
        pool[start + place] = own[place]
    nodes[node, LENGTH] = count
    return pool


@compiled
def _with_member(
    nodes: CodeArray, pool: CodeArray, counters: IntArray, unused: IntArray, node: int, member: int
) -> CodeArray:
    """Note that a node is in the list of an atom, and return the pool."""
    count = _wide(nodes[node, MEMBER_COUNT])
    if count == nodes[node, MEMBER_CAPACITY]:
        pool = _extended(nodes, pool, counters, unused, node, MEMBERS, count + 1)
    pool[_wide(nodes[node, MEMBERS]) * 4 + count] = member
    nodes[node, MEMBER_COUNT] = count + 1
    return pool


@compiled
def _extended(
    nodes: CodeArray, pool: CodeArray, counters: IntArray, unused: IntArray, node: int, column: int, wanted: int
) -> CodeArray:
    """Move one of the two lists of a node to where there is room, which is a power of two; return the pool."""
    size, room = 2, 4
    while room < wanted:
        size, room = size + 1, 2 * room
    place = unused[size]
    if place >= 0:
        unused[size] = pool[4 * place]
    else:
        if counters[POOL] + room > len(pool):
            larger = np.empty(max(2 * len(pool), counters[POOL] + room), dtype=np.int32)
            for at in range(counters[POOL]):
                larger[at] = pool[at]
            pool = larger
        place = counters[POOL] // 4
        counters[POOL] += room
    before, length, capacity = _wide(nodes[node, column]), nodes[node, column + 1], nodes[node, column + 2]
    for at in range(length):
        pool[4 * place + at] = pool[4 * before + at]
    if capacity:  # its former place can be used again
        size = 2
        while 1 << size < capacity:
            size += 1
        pool[4 * before] = unused[size]
        unused[size] = before
    nodes[node, column] = place
    nodes[node, column + 2] = room
    return pool
