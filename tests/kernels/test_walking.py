"""The compiled walk does what its plain Python version does."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.optimal import box_walk as walking
from krypsis.algorithms.tables.optimal.box_walk import Harvest, KeyDigits, NodeStack, Place, walk_on

STEPS = np.array([0, 0, 1, 1, 0, 0])
"""Two attributes of four labels alike: labels 0 and 1, and 2 and 3, are one at level 1, all are one at level 2."""

LEVELS = [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]]
INNER = ("_next_to_rise", "_rise", "_roll_up", "_gather")


def walked(rows, least, walk, room=100):
    """The nodes that are visited, each with its groups as pairs of size and counted word."""
    count = len(rows)
    stack = NodeStack(*(np.zeros(shape, dtype=np.int64) for shape in ((3, count), (3, count), (3, count, 1), (3,))))
    stack.keys[0] = [first | second << 2 for first, second, _ in rows]
    stack.sizes[0] = [size for _, _, size in rows]
    stack.words[0, :, 0] = [1 + (size << 32) for _, _, size in rows]
    stack.counts[0] = count
    place = Place(np.zeros(2, np.int64), np.full(2, 2), np.zeros(2, np.int64), np.zeros(2, np.int64))
    digits = KeyDigits(np.array([0, 2]), np.array([3, 3]), np.array([[0, 4], [0, 4]]), STEPS)
    slots, found = np.empty(4 * count + 16, dtype=np.int32), []
    while len(found) < len(LEVELS):
        left = len(LEVELS) - len(found)
        shapes = ((room,), (room, 1), (left, 2), (left,))
        harvest = Harvest(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
        done = walk(stack, place, digits, slots, least, harvest)
        for node, start in enumerate([0, *harvest.ends.tolist()][:done]):
            part = slice(start, harvest.ends[node])
            words = [(word & 0xFFFFFFFF, word >> 32) for word in harvest.words[part, 0].tolist()]
            found.append((harvest.levels[node].tolist(), sorted(zip(harvest.sizes[part].tolist(), words, strict=True))))
    return found


def label(value, level):
    return (value, value // 2, 0)[level]


def expected(rows, least):
    found = []
    for one, other in LEVELS:
        groups = {}
        for first, second, size in rows:
            groups.setdefault((label(first, one), label(second, other)), []).append(size)
        kept = [sizes for sizes in groups.values() if sum(sizes) >= least]
        found.append(([one, other], sorted((sum(sizes), (len(sizes), sum(sizes))) for sizes in kept)))
    return found


cells = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9), min_size=1)


@given(cells, st.integers(1, 12), st.booleans())
def test_each_node_has_the_groups_that_grouping_all_rows_gives(drawn, least, little_room):
    rows = [(first, second, size) for (first, second), size in drawn.items()]
    assert walked(rows, least, walk_on, room=len(rows) if little_room else 100) == expected(rows, least)


@given(cells, st.integers(1, 12))
def test_the_plain_version_visits_the_same_nodes_with_the_same_groups(drawn, least):
    rows = [(first, second, size) for (first, second), size in drawn.items()]
    plain = {name: getattr(walking, name).reference for name in INNER}
    with patch.multiple(walking, **plain), np.errstate(over="ignore"):
        assert walked(rows, least, walk_on.reference) == expected(rows, least)
