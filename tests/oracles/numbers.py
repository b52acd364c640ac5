"""Slow and plain: groups of numbers far apart, by trying everything."""

from itertools import combinations, product


def may_meet(numbers, apart):
    return all(abs(a - b) >= apart for a, b in combinations(numbers, 2))


def groups_exist(numbers, apart, m):
    """Whether all numbers can be put into groups of ``m`` or more, any two of a group far enough apart."""
    if not numbers:
        return True
    first, *others = numbers
    return any(
        may_meet((first, *chosen), apart)
        and groups_exist([number for place, number in enumerate(others) if place not in places], apart, m)
        for size in range(m - 1, len(others) + 1)
        for places in combinations(range(len(others)), size)
        for chosen in [[others[place] for place in places]]
    )


def fullest_window(numbers, apart):
    """The most numbers in a half-open window of this length (S12.10)."""
    return max((sum(low <= number < low + apart for number in numbers) for low in numbers), default=0)


def least_rest(counts, fillable, apart, m):
    """The smallest rest over all choices of records that fill holes; ``counts`` and ``fillable`` by number."""
    numbers = sorted(counts)
    best = None
    for moved in product(*(range(min(fillable.get(number, 0), counts[number]) + 1) for number in numbers)):
        rest = [n for n, gone in zip(numbers, moved, strict=True) for _ in range(counts[n] - gone)]
        if fullest_window(rest, apart) * m <= len(rest) and (best is None or len(rest) < best):
            best = len(rest)
    return best
