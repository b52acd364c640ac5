"""Plain references for sets in groups: band order, degree, correlated groups, splitting, answers to queries."""

from itertools import product
from math import inf, log


def degree(hidden, groups):
    """The lowest |G| / f of all groups and sensitive items; infinite where no record holds any."""
    members = [[hidden[place] for place, one in enumerate(groups) if one == group] for group in set(groups)]
    items = set().union(*hidden)
    found = [(len(group), sum(item in one for one in group)) for group in members for item in items]
    return min((size / count for size, count in found if count), default=inf)


def partitions(elements):
    """All ways to put elements into groups."""
    if not elements:
        yield []
        return
    first, *rest = elements
    for smaller in partitions(rest):
        for place, group in enumerate(smaller):
            yield [*smaller[:place], [first, *group], *smaller[place + 1 :]]
        yield [[first], *smaller]


def correlated_groups(order, plain, hidden, p, alpha=3, *, printed=False):
    """The groups of CAHD as lists of records, what is left last; ``printed``: with the comparison as it is printed."""
    left, groups, rounds = list(order), [], 0
    while True:
        before = len(groups)
        for record in order:
            if record in left and hidden[record]:
                group = _group_of(record, order, left, plain, hidden, p, alpha, urgent=rounds > 0)
                after = [one for one in left if one not in group]
                room = len(left) if printed else len(after)
                if len(group) == p and all(_holders(item, after, hidden) * p <= room for item in set().union(*hidden)):
                    groups, left = [*groups, group], after
        rounds += 1
        if len(groups) == before and rounds > 1:
            return [*groups, left] if left else groups


def _holders(item, records, hidden):
    return sum(item in hidden[record] for record in records)


def _group_of(record, order, left, plain, hidden, p, alpha, *, urgent):
    place = {one: number for number, one in enumerate(order)}
    sides = {-1: 0, 1: 0}
    candidates, taken = [], set(hidden[record])
    for one in sorted(left, key=lambda one: (abs(place[one] - place[record]), one)):
        side = 1 if place[one] > place[record] else -1
        if one != record and sides[side] < alpha * p and not taken & hidden[one]:
            candidates.append(one)
            taken |= hidden[one]
            sides[side] += 1

    def fit(one):
        pressing = [item for item in hidden[one] if _holders(item, left, hidden) * p > len(left) - p]
        return (-len(pressing) if urgent else 0, -len(plain[one] & plain[record]))

    return [record, *sorted(candidates, key=fit)[: p - 1]]


def split_groups(plain, hidden, p, records=None):
    """The groups of permutation Mondrian, as a set of sets of records."""
    records = list(range(len(plain))) if records is None else records
    items = sorted(set().union(*(plain[one] for one in records))) if records else []
    halves = []
    for item in items:
        sides = [[one for one in records if (item in plain[one]) == wanted] for wanted in (True, False)]
        if all(sides) and all(degree([hidden[one] for one in side], [0] * len(side)) >= p for side in sides):
            halves.append((-min(map(len, sides)), item, sides))
    if not halves or not any(hidden[one] for one in records):
        return {frozenset(records)} if records else set()
    return set().union(*(split_groups(plain, hidden, p, side) for side in min(halves)[2]))


def divergence(plain, hidden, groups, item, others):
    """The Kullback-Leibler divergence of one group-by query, cell by cell and group by group."""
    holders = [place for place, one in enumerate(hidden) if item in one]
    total = 0.0
    for cell in product([False, True], repeat=len(others)):
        matching = [[other in one for other in others] == list(cell) for one in plain]
        actual = sum(matching[place] for place in holders) / len(holders)
        estimated = 0.0
        for group in set(groups):
            members = [place for place, one in enumerate(groups) if one == group]
            inside = sum(item in hidden[place] for place in members)
            estimated += inside * sum(matching[place] for place in members) / len(members) / len(holders)
        total += actual * log(actual / estimated) if actual else 0.0
    return total


def band(sets):
    """The records with items in band order: Cuthill-McKee from an end of each part of the graph, turned around."""
    joined = {("record", place): {("the item", item) for item in one} for place, one in enumerate(sets) if one}
    for place, one in enumerate(sets):
        for item in one:
            joined.setdefault(("the item", item), set()).add(("record", place))

    def rank(vertex):  # records before items
        return (len(joined[vertex]), vertex[0] == "the item", vertex[1])

    walked = []
    for begin in sorted(joined, key=rank):
        if begin not in walked:
            part, depth = _walk(begin, joined, rank)
            while True:
                again, deeper = _walk(min(depth[max(depth)], key=rank), joined, rank)
                is_end = max(deeper) <= max(depth)
                part, depth = again, deeper
                if is_end:
                    break
            walked += part
    return [vertex[1] for vertex in reversed(walked) if vertex[0] == "record"]


def _walk(begin, joined, rank):
    """The vertices in the order of a walk in breadth, and by their distance from its beginning."""
    order, depth = [begin], {0: [begin]}
    distance = {begin: 0}
    for vertex in order:
        for neighbor in sorted(joined[vertex] - set(order), key=rank):
            order.append(neighbor)
            distance[neighbor] = distance[vertex] + 1
            depth.setdefault(distance[neighbor], []).append(neighbor)
    return order, depth
