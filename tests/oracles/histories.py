"""Slow and plain: what methods for tables that change must find, and what the printed versions of them find."""

from collections import Counter
from itertools import product


def eligible(counts, m):
    return max(counts, default=0) * m <= sum(counts)


def least_rest(counts, fillable, m):
    """The oracle of the specification (S13.8): the smallest rest, or ``None``."""
    least = [count - full for count, full in zip(counts, fillable, strict=True)]
    for rest in range(sum(least), sum(counts) + 1):
        share = rest // m
        if rest == 0 or (max(least) <= share and sum(min(count, share) for count in counts) >= rest):
            return rest
    return None


def least_rest_of_all(counts, fillable, m):
    """The smallest rest over all choices of moves, one by one."""
    choices = product(*(range(full + 1) for full in fillable))
    rests = ([count - moved for count, moved in zip(counts, choice, strict=True)] for choice in choices)
    return min((sum(rest) for rest in rests if eligible(rest, m)), default=None)


def printed_balancing(holes, counts, m):
    """One move at a time, with an eligible rest after each; the number of counterfeits, ``None`` if it cannot begin."""
    left, counterfeits = dict(counts), 0
    if not eligible(left.values(), m):
        return None
    for value in holes:
        after = {**left, value: left.get(value, 0) - 1}
        if after[value] >= 0 and eligible(after.values(), m):
            left = after
        else:
            counterfeits += 1
    return counterfeits


def printed_assignment(counts, m):
    """The condition with ``n_{b+1} - a`` (erratum 13): the buckets, or ``None`` where it gets stuck."""
    left, buckets = Counter(dict(enumerate(counts))), []
    while left := +left:
        ordered = left.most_common()
        total = sum(left.values())
        found = _printed_bucket([count for _, count in ordered], total, m)
        if found is None:
            return None
        wide, deep = found
        buckets.append(({value for value, _ in ordered[:wide]}, deep))
        left -= Counter({value: deep for value, _ in ordered[:wide]})
    return buckets


def _printed_bucket(counts, total, m):
    for wide in range(m, len(counts) + 1):
        following = counts[wide] if wide < len(counts) else 0
        for deep in range(counts[wide - 1], 0, -1):
            rest = (total - deep * wide) / m
            if counts[0] - deep <= rest and following - deep <= rest:
                return wide, deep
    return None


def naive_split(slots, cost):
    """The groups of a balanced bucket, recursively; ``slots`` are lists of points, ``cost`` that of a box of points."""
    height = len(slots[0])
    if height == 1:
        return [[slot[0] for slot in slots]]
    _, first, second = best_cut(slots, cost)
    return naive_split(first, cost) + naive_split(second, cost)


def best_cut(slots, cost):
    """The cheapest cut: what it costs, and both parts; ties by axis, evenness, size of the first part."""
    height = len(slots[0])
    found = None
    for axis in range(len(slots[0][0]) - 1):
        ordered = [sorted(slot, key=lambda point: point[axis]) for slot in slots]
        for taken in range(1, height):
            parts = [slot[:taken] for slot in ordered], [slot[taken:] for slot in ordered]
            price = sum(sum(map(len, part)) * cost([point for slot in part for point in slot]) for part in parts)
            key = (round(price, 9), axis, abs(2 * taken - height), taken)
            if found is None or key < found[0]:
                found = key, *kept_in_order(slots, parts)
    return found[0][0], found[1], found[2]


def kept_in_order(slots, parts):
    """Both parts with the records of each slot in their old order; a point's last entry says which one it is."""
    chosen = [{point[-1] for point in slot} for slot in parts[0]]
    first = [[point for point in slot if point[-1] in ids] for slot, ids in zip(slots, chosen, strict=True)]
    second = [[point for point in slot if point[-1] not in ids] for slot, ids in zip(slots, chosen, strict=True)]
    return first, second
