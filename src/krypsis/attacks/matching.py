"""How likely each value of each person is, by counting all ways to explain groups that share people."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod

Left = tuple[tuple[int, ...], ...]
"""For each group that still has people to come, how many records of each value are left."""

Layer = dict[Left, int]


@dataclass(frozen=True)
class PersonTrail:
    """A person: the groups, one per release, and the values that nothing excludes."""

    groups: tuple[int, ...]
    allowed: AbstractSet[int]


def count_worlds(
    suspects: Sequence[PersonTrail], groups: Sequence[Mapping[int, int]], most_states: int = 20_000
) -> list[dict[int, Fraction]] | None:
    """Return for each person the share of worlds in which each value is the person's; ``None`` if there are too many.

    A world gives everybody one value, the same in all releases, and every counterfeit of a release one, so that each
    group has exactly its published records. All worlds count the same. In one group by itself the share of a value
    is that of its records.

    Parameters
    ----------
    suspects
        the people.
    groups
        of each group, value → number of records; records without a person are counterfeits.
    most_states
        how many different remainders of the groups may be kept at once.

    Notes
    -----
    A permanent, counted person by person: what was given to whom matters only by what is left in the groups that
    still have people to come. The cost grows with the number of such remainders, exponential in the width of the
    widest cut through the groups.

    Raises
    ------
    ValueError
        if no world explains the groups.

    Examples
    --------
    >>> bob, alice, david = PersonTrail((0, 1), {1}), PersonTrail((0,), {0, 1}), PersonTrail((1,), {1, 2})
    >>> count_worlds([bob, alice, david], [{0: 1, 1: 1}, {1: 1, 2: 1}])
    [{1: Fraction(1, 1)}, {0: Fraction(1, 1)}, {2: Fraction(1, 1)}]
    """
    order = _order(suspects)
    columns = [sorted(group) for group in groups]
    last = _last_turns(suspects, order, len(groups))
    start = tuple(tuple(group[value] for value in column) for group, column in zip(groups, columns, strict=True))
    forward: list[Layer] = [{start: 1}]
    turns = [_Turn(suspects[who], columns, last[turn]) for turn, who in enumerate(order)]
    for turn in turns:
        # Dynamic program over people: worlds with the same remainders of the open groups are counted together.
        forward.append(turn.onward(forward[-1]))
        if len(forward[-1]) > most_states:
            return None
    if not forward[-1]:
        raise ValueError("no assignment of values to people explains all groups")
    return _shares(forward, turns, order)


@dataclass(frozen=True)
class _Turn:
    """One person is given a value; groups that nobody is left for afterwards are closed."""

    suspect: PersonTrail
    columns: Sequence[Sequence[int]]
    closing: AbstractSet[int]

    def onward(self, layer: Layer) -> Layer:
        following: defaultdict[Left, int] = defaultdict(int)
        for left, ways in layer.items():
            for _, after, weight in self.moves(left):
                following[after] += ways * weight
        return dict(following)

    def moves(self, left: Left) -> Iterable[tuple[int, Left, int]]:
        """Yield each value that may be given, what is left then, and the ways to share the rest of closed groups."""
        for value in sorted(self.suspect.allowed):
            after = self._given(left, value)
            if after is not None:
                # Nobody is left for these groups: what is over goes to their counterfeits, in any order.
                weight = prod(_ways(after[group]) for group in self.closing)
                yield value, tuple(() if g in self.closing else one for g, one in enumerate(after)), weight

    def _given(self, left: Left, value: int) -> Left | None:
        after = list(left)
        for group in self.suspect.groups:
            column = self.columns[group]
            place = column.index(value) if value in column else -1
            if place < 0 or not after[group][place]:
                return None
            counts = after[group]
            after[group] = (*counts[:place], counts[place] - 1, *counts[place + 1 :])
        return tuple(after)


def _shares(forward: Sequence[Layer], turns: Sequence[_Turn], order: Sequence[int]) -> list[dict[int, Fraction]]:
    """Walk back, and count for each value the ways before times the ways after it is given."""
    total = sum(forward[-1].values())
    found: list[dict[int, Fraction]] = [{} for _ in order]
    behind: Layer = dict.fromkeys(forward[-1], 1)
    for layer, turn, who in zip(forward[-2::-1], turns[::-1], order[::-1], strict=True):
        counted: Counter[int] = Counter()
        before: defaultdict[Left, int] = defaultdict(int)
        for left, ways in layer.items():
            for value, after, weight in turn.moves(left):
                onward = weight * behind.get(after, 0)
                before[left] += onward
                # Forward-backward: ways to come here, times ways to go on after this value.
                counted[value] += ways * onward
        found[who] = {value: Fraction(number, total) for value, number in counted.items() if number}
        behind = before
    return found


def _ways(rest: Sequence[int]) -> int:
    """Return in how many orders the records that are left may go to the counterfeits of a group."""
    return factorial(sum(rest)) // prod(map(factorial, rest))


def _order(suspects: Sequence[PersonTrail]) -> list[int]:
    """Return the people so that few groups are open at once: neighbors of those who had their turn come next."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for who, suspect in enumerate(suspects):
        for group in suspect.groups:
            members[group].append(who)
    order: list[int] = []
    seen: set[int] = set()
    for first in range(len(suspects)):
        queue = [first]
        while queue:
            who = queue.pop(0)
            if who not in seen:
                seen.add(who)
                order.append(who)
                queue = [*(one for group in suspects[who].groups for one in members[group] if one not in seen), *queue]
    return order


def _last_turns(suspects: Sequence[PersonTrail], order: Sequence[int], groups: int) -> list[frozenset[int]]:
    """Return for each turn the groups whose last person it is."""
    last = [-1] * groups
    for turn, who in enumerate(order):
        for group in suspects[who].groups:
            last[group] = turn
    closing: list[set[int]] = [set() for _ in order]
    for group, turn in enumerate(last):
        if turn >= 0:
            closing[turn].add(group)
    return [frozenset(one) for one in closing]
