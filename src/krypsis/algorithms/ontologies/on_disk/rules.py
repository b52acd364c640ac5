"""The rules, applied to buffers of edges: which edges and pairs of edges they need, and what they conclude.

The kernels stop when there is no room for further conclusions, and go on from there when they are called again.
C ⊑ C and C ⊑ ⊤ are not stored: rules that could use them as a premise look for what they would give.
"""

from krypsis.algorithms.ontologies.on_disk.edges import FIRST_ROLE, SELF, SUB
from krypsis.algorithms.ontologies.on_disk.static_tables import CHAIN, FIRST, ROLE_SUB, SECOND, SELVES, SOME
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP
from krypsis.kernels._jit import compiled

RULES = 17
"""Rules are numbered from 1."""
EDGE_RULES = (5, 12, 13, 15, 2, 4, 7, 14, 16)
"""Classes 1 and 2, and rules whose other premise may be a tautology."""
PAIR_RULES = (2, 8, 10, 14, 16)
"""Classes 3 and 4: two edges that begin in the same node."""
PATH_RULES = (1, 3, 4, 6, 7, 9, 11)
"""Classes 5 and 6: an edge, and one that begins where it ends."""

ATOM_BITS, LABEL_BITS, FIRST_INDIVIDUAL, FIRST_FRESH, ATOMS, LEMMA_52, LEMMA_53, MOST = range(8)
"""Places in the array of numbers that all kernels are given."""
OUT, OUT_BY_RIGHT, LOGGED, FIRED = 0, 1, 2, 3
"""Places in the array of counts: filled places of the three outputs, and firings of each rule after them."""
STATIC_NONE = -1
"""In the log: no row of a static table."""

Static = tuple[CodeArray, ...]
Target = tuple[IntArray, Static, IntArray, IntArray, IntArray, IntArray]
"""Numbers, static tables, conclusions sorted by the left and by the right end, log of firings, counts."""


@compiled
def has_room(target: Target) -> bool:
    """Say whether the outputs can take whatever one or two edges give."""
    numbers, _, out, out_by_right, log, counts = target
    most = numbers[MOST]
    if counts[OUT] + most > out.shape[0] or counts[OUT_BY_RIGHT] + most > out_by_right.shape[0]:
        return False
    return bool(log.shape[0] == 0 or counts[LOGGED] + most <= log.shape[0])


@compiled
def conclude(rule: int, premise: int, other: int, row: int, left: int, label: int, right: int, target: Target) -> None:
    """Add a conclusion to both deltas, except what is a tautology, and what the lemmas keep out of the left delta."""
    if label == SUB and left == right:
        return
    numbers, _, out, out_by_right, log, counts = target
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    key = ((((left << label_bits) | label) << atom_bits) | right) << 1 | 1
    out[counts[OUT]] = key
    counts[OUT] += 1
    counts[FIRED + rule] += 1
    if log.shape[0]:
        place = counts[LOGGED]
        log[place, 0] = rule
        log[place, 1] = premise >> 1
        log[place, 2] = other >> 1
        log[place, 3] = row
        log[place, 4] = key >> 1
        counts[LOGGED] += 1
    if numbers[LEMMA_52] and (label == SELF or (label == SUB and right == BOTTOM)):
        return  # Lemma 5.2: never the left edge of a path that a rule needs
    if numbers[LEMMA_53] and rule == 1:
        return  # Lemma 5.3: paths of inclusions are walked backwards, edge by edge
    end = right
    if label == SELF:
        label = FIRST_ROLE + right
        end = numbers[ATOMS]
    out_by_right[counts[OUT_BY_RIGHT]] = ((((end << label_bits) | label) << atom_bits) | left) << 1
    counts[OUT_BY_RIGHT] += 1


@compiled
def first_at_least(values: CodeArray, start: int, end: int, wanted: int) -> int:
    """Return the first place from start on whose value is not smaller than the wanted one."""
    while start < end:
        middle = (start + end) >> 1
        if values[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start


@compiled
def first_edge_at_least(keys: IntArray, start: int, end: int, wanted: int) -> int:
    """Return the first place whose edge, without the lowest bit, is not smaller than the wanted one."""
    while start < end:
        middle = (start + end) >> 1
        if (keys[middle] >> 1) < wanted:
            start = middle + 1
        else:
            end = middle
    return start


# Lookups in static tables


@compiled
def restrict(rule: int, premise: int, other: int, left: int, role: int, filler: int, target: Target) -> None:
    """Conclude left ⊑ D for all ∃role.filler ⊑ D (R48)."""
    static = target[1]
    end = static[SOME][filler + 1]
    row = first_at_least(static[SOME + 1], static[SOME][filler], end, role)
    while row < end and static[SOME + 1][row] == role:
        conclude(rule, premise, other, row, left, SUB, static[SOME + 2][row], target)
        row += 1


@compiled
def compose(
    rule: int, premise: int, other: int, left: int, role: int, next_role: int, right: int, target: Target
) -> None:
    """Conclude left ⊑ ∃t.right for all role ∘ next_role ⊑ t (R12)."""
    static = target[1]
    end = static[CHAIN][role + 1]
    row = first_at_least(static[CHAIN + 1], static[CHAIN][role], end, next_role)
    while row < end and static[CHAIN + 1][row] == next_role:
        conclude(rule, premise, other, row, left, FIRST_ROLE + static[CHAIN + 2][row], right, target)
        row += 1


@compiled
def conjoin(premise: int, other: int, left: int, one: int, two: int, target: Target) -> None:
    """Conclude left ⊑ E for all one ⊓ two ⊑ E (R2), where one of the premises is a tautology."""
    static = target[1]
    end = static[FIRST][one + 1]
    row = first_at_least(static[FIRST + 1], static[FIRST][one], end, two)
    while row < end and static[FIRST + 1][row] == two:
        conclude(2, premise, other, row, left, SUB, static[FIRST + 2][row], target)
        row += 1


@compiled
def include_role(rule: int, key: int, left: int, role: int, right: int, target: Target) -> None:
    """Conclude left ⊑ ∃s.right, or left ⊑ ∃s.Self by IR12, for all role ⊑ s (R11)."""
    static = target[1]
    for row in range(static[ROLE_SUB][role], static[ROLE_SUB][role + 1]):
        upper = static[ROLE_SUB + 1][row]
        if rule == 12:
            conclude(rule, key, 0, row, left, SELF, upper, target)
        else:
            conclude(rule, key, 0, row, left, FIRST_ROLE + upper, right, target)


# One edge: classes 1 and 2, and all rules whose other edge may be a tautology


@compiled
def apply_to_tautologies(rows: CodeArray, resume: IntArray, target: Target) -> bool:
    """Apply IR2 to conjunctions of a class with itself or with ⊤, whose premises are tautologies both."""
    bits = target[0][ATOM_BITS] + target[0][LABEL_BITS]
    for row in range(resume[0], rows.shape[0]):
        one, two = rows[row, 0], rows[row, 1]
        node = two if one == TOP else one
        if node != BOTTOM and ((one == two) | (one == TOP) | (two == TOP)):
            if not has_room(target):
                resume[0] = row
                return False
            conclude(2, ((node << bits) | one) << 1, ((node << bits) | two) << 1, row, node, SUB, rows[row, 2], target)
    return True


@compiled
def apply_to_edge(key: int, active: IntArray, target: Target) -> None:
    """Apply the active rules to a new edge."""
    numbers = target[0]
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    left = key >> (atom_bits + label_bits + 1)
    label = (key >> (atom_bits + 1)) & ((1 << label_bits) - 1)
    right = (key >> 1) & ((1 << atom_bits) - 1)
    if label == SUB:
        apply_to_inclusion(key, left, right, active, target)
    elif label == SELF:
        apply_to_self(key, left, right, active, target)
    else:
        apply_to_some(key, left, label - FIRST_ROLE, right, active, target)


@compiled
def tautology(left: int, right: int, numbers: IntArray) -> int:
    """Return the number of an inclusion that is not stored."""
    return int(((left << (numbers[ATOM_BITS] + numbers[LABEL_BITS])) | right) << 1)


@compiled
def is_nominal(atom: int, numbers: IntArray) -> bool:
    """Whether an atom stands for an individual."""
    return bool(numbers[FIRST_INDIVIDUAL] <= atom < numbers[FIRST_FRESH])


@compiled
def apply_to_inclusion(key: int, left: int, right: int, active: IntArray, target: Target) -> None:
    """Apply IR2 to left ⊑ right with left ⊑ left and left ⊑ ⊤, and IR16 with the former."""
    itself = tautology(left, left, target[0])
    if active[2]:
        conjoin(itself, key, left, left, right, target)
        conjoin(key, itself, left, right, left, target)
        if left != TOP:
            above = tautology(left, TOP, target[0])
            conjoin(above, key, left, TOP, right, target)
            conjoin(key, above, left, right, TOP, target)
    if active[16] and is_nominal(left, target[0]) and is_nominal(right, target[0]):
        conclude(16, key, itself, STATIC_NONE, right, SUB, left, target)


@compiled
def apply_to_self(key: int, left: int, role: int, active: IntArray, target: Target) -> None:
    """Apply IR12 and IR13 to left ⊑ ∃role.Self, and IR14 with tautologies."""
    if active[12]:
        include_role(12, key, left, role, left, target)
    if active[13]:
        static = target[1]
        for row in range(static[SELVES][role], static[SELVES][role + 1]):
            conclude(13, key, 0, row, left, SUB, static[SELVES + 1][row], target)
    if active[14]:
        restrict(14, key, tautology(left, left, target[0]), left, role, left, target)
        if left != TOP:
            restrict(14, key, tautology(left, TOP, target[0]), left, role, TOP, target)


@compiled
def apply_to_some(key: int, left: int, role: int, right: int, active: IntArray, target: Target) -> None:
    """Apply IR5 and IR15 to left ⊑ ∃role.right, and IR4 and IR7 with tautologies."""
    itself = tautology(right, right, target[0])
    if active[5]:
        include_role(5, key, left, role, right, target)
    if active[4]:
        restrict(4, key, itself, left, role, right, target)
        if right != TOP:
            restrict(4, key, tautology(right, TOP, target[0]), left, role, TOP, target)
    if active[7] and right == BOTTOM:
        conclude(7, key, itself, STATIC_NONE, left, SUB, BOTTOM, target)
    if active[15] and left == right and is_nominal(left, target[0]):
        conclude(15, key, 0, STATIC_NONE, left, SELF, role, target)


# Two edges that begin in the same node: classes 3 and 4


@compiled
def apply_to_pairs(
    edges: IntArray,
    start: int,
    end: int,
    partners: IntArray,
    partner_start: int,
    partner_end: int,
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> bool:
    """Apply the active rules to new edges with their partners, which begin in the same node.

    A new edge is the first premise with any partner, and the second one with old partners: so every pair with at least
    one new edge is met once. Returns whether all is done; otherwise ``resume`` holds the edge and the step to go on
    with.
    """
    if start >= end or partner_start >= partner_end:
        return True
    numbers = target[0]
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    base = edges[start] >> (atom_bits + label_bits + 1) << (label_bits + atom_bits)
    # Edges of one node are sorted by labels: inclusions, then Self, then roles.
    selves = first_edge_at_least(partners, partner_start, partner_end, base | (SELF << atom_bits))
    somes = first_edge_at_least(partners, selves, partner_end, base | (FIRST_ROLE << atom_bits))
    for place in range(start + resume[0], end):
        if edges[place] & 1:
            label = (edges[place] >> (atom_bits + 1)) & ((1 << label_bits) - 1)
            if label == SUB:
                done = pair_inclusion(edges[place], partners, partner_start, selves, somes, resume, active, target)
            elif label == SELF:
                bounds = (partner_start, selves, somes, partner_end)
                done = pair_self(edges[place], partners, bounds, resume, active, target)
            else:
                done = pair_some(edges[place], partners, selves, somes, resume, active, target)
            if not done:
                resume[0] = place - start
                return False
            resume[1] = 0
    resume[0] = 0
    return True


@compiled
def pair_inclusion(  # noqa: C901  one branch for each kind of step
    key: int,
    partners: IntArray,
    start: int,
    selves: int,
    somes: int,
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> bool:
    """Apply IR2, IR14 and IR16 to an inclusion with partners, step by step.

    The steps are rows of R2 with its right end as the first class, as the second one, partners with Self, and
    partners between individuals.
    """
    numbers, static = target[0], target[1]
    bits = numbers[ATOM_BITS] + numbers[LABEL_BITS]
    left, right = key >> (bits + 1), (key >> 1) & ((1 << numbers[ATOM_BITS]) - 1)
    base = left << bits
    firsts = static[FIRST][right + 1] - static[FIRST][right] if active[2] else 0
    seconds = static[SECOND][right + 1] - static[SECOND][right] if active[2] else 0
    with_self = somes - selves if active[14] and static[SOME][right + 1] > static[SOME][right] else 0
    nominals, same = selves, 0
    if active[16] and is_nominal(left, numbers) and is_nominal(right, numbers):
        nominals = first_edge_at_least(partners, start, selves, base | numbers[FIRST_INDIVIDUAL])
        same = first_edge_at_least(partners, nominals, selves, base | numbers[FIRST_FRESH]) - nominals
    for step in range(resume[1], firsts + seconds + with_self + same):
        if not has_room(target):
            resume[1] = step
            return False
        if step < firsts:
            row = static[FIRST][right] + step
            wanted = base | static[FIRST + 1][row]
            found = first_edge_at_least(partners, start, selves, wanted)
            if found < selves and partners[found] >> 1 == wanted:
                conclude(2, key, partners[found], row, left, SUB, static[FIRST + 2][row], target)
        elif step < firsts + seconds:
            row = static[SECOND][right] + step - firsts
            wanted = base | static[SECOND + 1][row]
            found = first_edge_at_least(partners, start, selves, wanted)
            if found < selves and partners[found] == wanted << 1:  # an old one
                conclude(2, partners[found], key, static[SECOND + 3][row], left, SUB, static[SECOND + 2][row], target)
        elif step < firsts + seconds + with_self:
            partner = partners[selves + step - firsts - seconds]
            if not partner & 1:
                restrict(14, partner, key, left, (partner >> 1) & ((1 << numbers[ATOM_BITS]) - 1), right, target)
        else:
            partner = partners[nominals + step - firsts - seconds - with_self]
            other = (partner >> 1) & ((1 << numbers[ATOM_BITS]) - 1)
            conclude(16, key, partner, STATIC_NONE, right, SUB, other, target)
            if not partner & 1:
                conclude(16, partner, key, STATIC_NONE, other, SUB, right, target)
    return True


@compiled
def pair_self(
    key: int,
    partners: IntArray,
    bounds: tuple[int, int, int, int],
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> bool:
    """Apply IR14, IR10 and IR8 to C ⊑ ∃r.Self with partners, one after the other."""
    numbers = target[0]
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    start, selves, somes, end = bounds
    left, role = key >> (atom_bits + label_bits + 1), (key >> 1) & ((1 << atom_bits) - 1)
    for place in range(start + resume[1], end):
        if not has_room(target):
            resume[1] = place - start
            return False
        partner = partners[place]
        right = (partner >> 1) & ((1 << atom_bits) - 1)
        if place < selves:
            if active[14]:
                restrict(14, key, partner, left, role, right, target)
        elif place < somes:
            if active[10]:
                compose(10, key, partner, left, role, right, left, target)
                if not partner & 1:
                    compose(10, partner, key, left, right, role, left, target)
        elif active[8]:
            next_role = ((partner >> (atom_bits + 1)) & ((1 << label_bits) - 1)) - FIRST_ROLE
            compose(8, key, partner, left, role, next_role, right, target)
    return True


@compiled
def pair_some(
    key: int, partners: IntArray, selves: int, somes: int, resume: IntArray, active: IntArray, target: Target
) -> bool:
    """Apply IR8 to C ⊑ ∃s.D with old partners C ⊑ ∃r.Self."""
    if not active[8]:
        return True
    numbers = target[0]
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    left, right = key >> (atom_bits + label_bits + 1), (key >> 1) & ((1 << atom_bits) - 1)
    next_role = ((key >> (atom_bits + 1)) & ((1 << label_bits) - 1)) - FIRST_ROLE
    for place in range(selves + resume[1], somes):
        if not has_room(target):
            resume[1] = place - selves
            return False
        if not partners[place] & 1:
            role = (partners[place] >> 1) & ((1 << atom_bits) - 1)
            compose(8, partners[place], key, left, role, next_role, right, target)
    return True


# An edge and one that begins where it ends: classes 5 and 6


@compiled
def apply_to_paths(
    lefts: IntArray,
    left_start: int,
    left_end: int,
    rights: IntArray,
    start: int,
    end: int,
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> bool:
    """Apply the active rules to edges into a node, sorted by their right end, with edges out of it.

    Left edges of the same label have the same rows of static tables with a right edge: these are looked up once.
    Returns whether all is done; otherwise ``resume`` holds the label, the right edge and the left edge to go on with.
    """
    numbers, static = target[0], target[1]
    atom_bits, label_mask = numbers[ATOM_BITS], (1 << numbers[LABEL_BITS]) - 1
    first = left_start + resume[0]
    while first < left_end:
        label = (lefts[first] >> (atom_bits + 1)) & label_mask
        last = first + 1
        while last < left_end and (lefts[last] >> (atom_bits + 1)) & label_mask == label:
            last += 1
        role = label - FIRST_ROLE
        is_chained = label >= FIRST_ROLE and static[CHAIN][role + 1] > static[CHAIN][role]
        for place in range(start + resume[1], end):
            if label >= FIRST_ROLE and not is_chained and (rights[place] >> (atom_bits + 1)) & label_mask != SUB:
                break  # inclusions come first, and nothing else can follow an edge whose role is in no chain
            if not apply_to_right(lefts, first, last, rights[place], label, resume, active, target):
                resume[0] = first - left_start
                resume[1] = place - start
                return False
        resume[1] = 0
        first = last
    resume[0] = 0
    return True


@compiled
def apply_to_right(
    lefts: IntArray,
    first: int,
    last: int,
    key: int,
    left_label: int,
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> bool:
    """Apply the active rules to left edges of the same label with one right edge."""
    numbers, static = target[0], target[1]
    atom_bits, label_bits = numbers[ATOM_BITS], numbers[LABEL_BITS]
    atom_mask = (1 << atom_bits) - 1
    middle = key >> (atom_bits + label_bits + 1)
    label = (key >> (atom_bits + 1)) & ((1 << label_bits) - 1)
    right = (key >> 1) & atom_mask
    rule, row, end, is_empty = find_rows(left_label, label, right, active, static)
    if row >= end and not is_empty:
        return True
    above = ((left_label << atom_bits) | middle) << 1  # the premise without its left end
    for place in range(first + resume[2], last):
        if not has_room(target):
            resume[2] = place - first
            return False
        left = (lefts[place] >> 1) & atom_mask
        premise = (left << (label_bits + atom_bits + 1)) | above
        if left_label == SUB:
            conclude(rule, premise, key, STATIC_NONE, left, label, right, target)
            continue
        for found in range(row, end):
            if rule == 4:
                conclude(rule, premise, key, found, left, SUB, static[SOME + 2][found], target)
            else:
                upper = FIRST_ROLE + static[CHAIN + 2][found]
                conclude(rule, premise, key, found, left, upper, middle if rule == 9 else right, target)
        if is_empty:
            conclude(7, premise, key, STATIC_NONE, left, SUB, BOTTOM, target)
    resume[2] = 0
    return True


@compiled
def find_rows(left_label: int, label: int, right: int, active: IntArray, static: Static) -> tuple[int, int, int, bool]:
    """Return the rule for edges of two labels, the rows of its static table, and whether IR7 applies, too.

    A rule without a static table has one row, if it is active.
    """
    if left_label == SUB:
        rule = 1 if label == SUB else 11 if label == SELF else 3
        return rule, 0, active[rule], False
    role = left_label - FIRST_ROLE
    if label == SUB:
        end = static[SOME][right + 1] if active[4] else static[SOME][right]
        row = first_at_least(static[SOME + 1], static[SOME][right], end, role)
        last = row
        while last < end and static[SOME + 1][last] == role:
            last += 1
        return 4, row, last, right == BOTTOM and active[7] != 0
    rule, next_role = (9, right) if label == SELF else (6, label - FIRST_ROLE)
    end = static[CHAIN][role + 1] if active[rule] else static[CHAIN][role]
    row = first_at_least(static[CHAIN + 1], static[CHAIN][role], end, next_role)
    last = row
    while last < end and static[CHAIN + 1][last] == next_role:
        last += 1
    return rule, row, last, False
