"""What an attacker can be sure of, by trying every world and everything that can be known.

A world gives the sensitive values of each group to its people in one way. An attacker rules out values for the target,
knows the values of some people, and knows of some others that they have a value only if the target has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations, permutations, product
from operator import and_

Person = tuple[int, int]
"""The number of the group and the place in it."""


class Worlds:
    """All worlds of some groups; a set of worlds is an integer with one bit for each."""

    def __init__(self, groups: Sequence[Mapping[str | None, int]]) -> None:
        members = [[value for value, count in group.items() for _ in range(count)] for group in groups]
        ways = [sorted(set(permutations(group)), key=repr) for group in members]
        self.people = [(group, place) for group, values in enumerate(members) for place in range(len(values))]
        self.values = {value for group in groups for value in group}
        self.has: dict[tuple[Person, str | None], int] = dict.fromkeys(product(self.people, self.values), 0)
        self.count = 0
        for world in product(*ways):
            for group, place in self.people:
                self.has[(group, place), world[group][place]] |= 1 << self.count
            self.count += 1
        self.all = (1 << self.count) - 1

    def surest(self, group: int, value: str | None, l: int, k: int, m: int, same_group: bool) -> Fraction:  # noqa: E741
        """The highest probability of a value for a person of a group."""
        target = (group, 0)
        yes, others = self.has[target, value], [person for person in self.people if person != target]
        near = [person for person in others if not same_group or person[0] == group]
        # Who has the value only if the target has it: no world in which that person has it and the target not
        shares = {person: self.all & ~(self.has[person, value] & ~yes) for person in near}
        best = Fraction(0)
        for told, some in self._facts(others, near, k, m):
            known = reduce(and_, (self.has[fact] for fact in told), self.all)
            known = reduce(and_, (shares[person] for person in some), known)
            for ruled_out in up_to(l, sorted(self.values - {value}, key=repr)):
                possible = reduce(and_, (self.all & ~self.has[target, other] for other in ruled_out), known)
                if possible:
                    best = max(best, Fraction((possible & yes).bit_count(), possible.bit_count()))
        return best

    def _facts(self, others: Sequence[Person], near: Sequence[Person], k: int, m: int) -> Iterator[tuple]:
        """People with their values, and different people who share the target's."""
        for people in up_to(k, others):
            for values in product(sorted(self.values, key=repr), repeat=len(people)):
                told = tuple(zip(people, values, strict=True))
                for some in up_to(m, [person for person in near if person not in people]):
                    yield told, some


def up_to(most: int, items: Sequence) -> Iterator[tuple]:
    """All choices of at most so many."""
    return chain.from_iterable(combinations(items, size) for size in range(most + 1))
