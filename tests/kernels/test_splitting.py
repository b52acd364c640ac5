"""The loops of set enumeration do what plain dictionaries over records do."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.k_optimize import kernels as splitting

INTERVALS = (3, 4)
"""How many intervals each of two columns has; where values may be missing, the last is theirs."""


class Cells(NamedTuple):
    groups: list[list[tuple[int, ...]]]
    """The cells of each group, by their codes."""
    counts: list[int]
    has_missing: tuple[bool, bool]

    @property
    def codes(self) -> list[tuple[int, ...]]:
        return [cell for group in self.groups for cell in group]

    @property
    def starts(self) -> list[int]:
        return np.cumsum([0, *map(len, self.groups)]).tolist()

    def arrays(self) -> dict[str, Any]:
        """What both weighing loops are told: each code is an interval of its own."""
        codes = np.asfortranarray(np.array(self.codes, dtype=np.int32).reshape(-1, 2))
        return {
            "codes": codes,
            "digits": np.array([*range(INTERVALS[0]), *range(INTERVALS[1])], dtype=np.int32),
            "offsets": np.array([0, INTERVALS[0], sum(INTERVALS)]),
            "radices": np.array(INTERVALS),
            "has_missing": np.array(self.has_missing),
            "tuples": np.arange(len(codes)),
            "starts": np.array(self.starts),
        }


@st.composite
def cells(draw: st.DrawFn) -> Cells:
    """Groups of cells that lie together whatever has been cut before."""
    cell = st.tuples(*(st.integers(0, count - 1) for count in INTERVALS))
    groups = draw(st.lists(st.lists(cell, min_size=1, max_size=5, unique=True), min_size=1, max_size=4))
    count = sum(map(len, groups))
    counts = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    return Cells(groups, counts, draw(st.tuples(st.booleans(), st.booleans())))


def part(code: int, cut: int, missing: int | None) -> str:
    """Where a cut puts a code."""
    if missing is not None and code >= missing:
        return "missing"
    return "from the cut on" if code >= cut else "before the cut"


def parts(drawn: Cells, column: int, cut: int) -> list[dict[str, list[int]]]:
    """For each group the cells of its parts."""
    missing = INTERVALS[column] - 1 if drawn.has_missing[column] else None
    found = []
    number = 0
    for group in drawn.groups:
        here: dict[str, list[int]] = defaultdict(list)
        for cell in group:
            here[part(cell[column], cut, missing)].append(number)
            number += 1
        found.append(here)
    return found


@given(cells(), st.integers(0, 1), st.data())
def test_a_split_keeps_every_cell_and_puts_each_part_into_a_group(drawn, column, data):
    cut = data.draw(st.integers(1, INTERVALS[column] - 1))
    missing = INTERVALS[column] - 1 if drawn.has_missing[column] else 99
    arrays = drawn.arrays()
    expected = [
        here[name] for here in parts(drawn, column, cut) for name in ("before the cut", "from the cut on", "missing")
    ]
    for function in (splitting.split_groups, splitting.split_groups.reference):
        order, edges = np.zeros(len(drawn.counts), dtype=np.int64), np.zeros(3 * len(drawn.starts), dtype=np.int64)
        column_codes = arrays["codes"][:, column]
        found = function(column_codes, cut, missing, arrays["tuples"], arrays["starts"], order, edges)
        groups = [order[edges[group] : edges[group + 1]].tolist() for group in range(found)]
        assert groups == [cells for cells in expected if cells]


@given(cells(), st.integers(1, 5), st.integers(1, 60), st.integers(1, 20), st.data())
def test_what_every_cut_would_do_is_added_up_over_the_groups(drawn, k, price, dearest, data):
    least = data.draw(st.lists(st.integers(0, 30), min_size=len(drawn.counts), max_size=len(drawn.counts)))
    for function in (splitting.weigh_splits, splitting.weigh_splits.reference):
        bounds, lost, refined, squares = np.zeros((4, sum(INTERVALS) + 1), dtype=np.int64)
        useful = np.zeros(sum(INTERVALS) + 1, dtype=np.bool_)
        function(
            **drawn.arrays(), counts=np.array(drawn.counts), least=np.array(least), k=k, price=price, dearest=dearest,
            bounds=bounds, lost=lost, refined=refined, squares=squares, useful=useful,
        )  # fmt: skip
        for column, cut in [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)]:
            place = cut + column * INTERVALS[0]
            expected = slowly_weighed(drawn, least, column, cut, k, price, dearest)
            found = (bounds[place], lost[place], refined[place], squares[place], bool(useful[place]))
            assert found == expected


def slowly_weighed(drawn, least, column, cut, k, price, dearest):
    bound = lost = refined = squares = 0
    useful = False
    for here in parts(drawn, column, cut):
        sizes = [sum(drawn.counts[cell] for cell in cells) for cells in here.values()]
        if len(sizes) < 2:
            continue
        refined += 1
        squares -= sum(sizes) ** 2
        for cells, size in zip(here.values(), sizes, strict=True):
            if size >= k:
                squares += size**2
            else:
                lost += size
                squares += size * price
                bound += size * price - sum(least[cell] for cell in cells)
        staying = [size for size in sizes if size >= k]
        useful |= len(staying) > 1 or (len(staying) == 1 and staying[0] + sum(sizes) > dearest)
    return bound, lost, refined, squares, useful


@given(cells(), st.integers(1, 5), st.data())
def test_majorities_are_counted_over_the_parts_that_stay(drawn, k, data):
    classes = [data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)) for count in drawn.counts]
    counted = [sorted(Counter(members).items()) for members in classes]
    entries = {
        "entries": np.cumsum([0, *map(len, counted)]),
        "values": np.array([value for cell in counted for value, _ in cell]),
        "amounts": np.array([amount for cell in counted for _, amount in cell]),
    }
    for function in (splitting.weigh_majorities, splitting.weigh_majorities.reference):
        agreeing = np.zeros(sum(INTERVALS) + 1, dtype=np.int64)
        function(**drawn.arrays(), **entries, classes=3, k=k, agreeing=agreeing)
        for column, cut in [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)]:
            expected = sum(fewer_agree(here, classes, k) for here in parts(drawn, column, cut) if len(here) > 1)
            assert agreeing[cut + column * INTERVALS[0]] == expected


def fewer_agree(here, classes, k):
    members = [[value for cell in cells for value in classes[cell]] for cells in here.values()]
    before = Counter(value for part in members for value in part).most_common(1)[0][1]
    return before - sum(Counter(part).most_common(1)[0][1] for part in members if len(part) >= k)


@pytest.mark.parametrize("function", [splitting.weigh_splits, splitting.weigh_splits.reference])
def test_no_groups_weigh_nothing(function):
    nothing = np.zeros(0, dtype=np.int64)
    sums = np.zeros((4, 8), dtype=np.int64)
    arrays = Cells([], [], (False, False)).arrays()
    function(**arrays, counts=nothing, least=nothing, k=1, price=1, dearest=1, bounds=sums[0], lost=sums[1],
             refined=sums[2], squares=sums[3], useful=np.zeros(8, dtype=np.bool_))  # fmt: skip
    assert not sums.any()
