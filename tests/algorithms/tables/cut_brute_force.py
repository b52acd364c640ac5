"""All ways to cut ordered values into intervals, tried one by one with dictionaries and loops.

Shares no code with the search.
"""

from collections import Counter
from itertools import combinations, product
from typing import Any

from krypsis.data.recoding import FrequencySet
from oracles.brute_force import BruteForce

Interval = frozenset[str | None]


def all_intervals(values: list[str | None]) -> list[tuple[Interval, ...]]:
    """Every way to cut ordered values; missing ones are apart unless all values are one interval."""
    known = [value for value in values if value is not None]
    ways = [
        tuple(frozenset(known[start:end]) for start, end in zip((0, *cuts), (*cuts, len(known)), strict=True))
        for count in range(max(len(known), 1))
        for cuts in combinations(range(1, len(known)), count)
    ]
    if None not in values:
        return ways
    apart = [(*(interval for interval in way if interval), frozenset([None])) for way in ways]
    return [(frozenset(values),), *(apart if known else [])]


class AllCuts:
    """Every generalization of a frequency set with its cost and its suppressed records."""

    def __init__(self, frequency: FrequencySet, models: list[Any], cost: str, orders: list[list[str | None]]) -> None:
        self.force = BruteForce(frequency)
        self.models = models
        self.cost = cost
        self.ways = [all_intervals(order) for order in orders]

    def cheapest(self, limit: int, *, keep: bool = False, allowed: Any = None) -> int | None:
        """The lowest cost within the limit; ``allowed`` says of each way to cut all attributes whether it counts."""
        costs = [self.priced(way, limit, keep=keep) for way in product(*self.ways) if allowed is None or allowed(way)]
        return min((cost for cost in costs if cost is not None), default=None)

    def priced(self, way: tuple[tuple[Interval, ...], ...], limit: int, *, keep: bool) -> int | None:
        groups: dict[Any, list[int]] = {}
        for number, (values, _) in enumerate(self.force.rows):
            key = tuple(
                next(interval for interval in intervals if value in interval)
                for value, intervals in zip(values, way, strict=True)
            )
            groups.setdefault(key, []).append(number)
        kept: list[list[int]] = []
        lost: list[int] = []
        for rows in groups.values():
            if all(self.force.accepts(model, tuple(rows)) for model in self.models):
                kept.append(rows)
            else:
                lost += rows
        if len(lost) > limit or not kept:
            return None
        if keep and lost and not all(self.force.accepts(model, tuple(lost)) for model in self.models):
            return None
        return sum(map(self.price_of_group, kept)) + len(lost) * self.price_of_suppressed()

    def price_of_group(self, rows: list[int]) -> int:
        if self.cost == "discernibility":
            return len(rows) ** 2
        return len(rows) - Counter(self.force.rows[number][1][0] for number in rows).most_common(1)[0][1]

    def price_of_suppressed(self) -> int:
        return len(self.force.rows) if self.cost == "discernibility" else 1
