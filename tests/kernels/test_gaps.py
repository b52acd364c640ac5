import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.bucketing.permutation import widest_gaps


@given(numbers=st.lists(st.integers(0, 50), min_size=1, max_size=12, unique=True).map(sorted), data=st.data())
def test_the_compiled_loop_finds_what_the_plain_one_finds(numbers, data):
    steps = data.draw(st.lists(st.integers(-1, len(numbers) - 1), min_size=len(numbers), max_size=len(numbers)))
    latest = np.array([-1, *(min(end, step) for end, step in enumerate(sorted(steps)))])
    line = np.array(numbers, dtype=np.float64)
    found = [(np.zeros(len(latest)), np.zeros(len(latest), dtype=np.int64)) for _ in range(2)]
    widest_gaps(line, latest, *found[0])
    widest_gaps.reference(line, latest, *found[1])
    for compiled, plain in zip(*found, strict=True):
        assert compiled.tolist() == plain.tolist()


def test_the_widest_gaps_are_cut():
    # 0 1 | 10 11 12 | 20 21, in runs of at least two
    line = np.array([0.0, 1, 10, 11, 12, 20, 21])
    latest = np.array([-1, -1, 0, 1, 2, 3, 4, 5])
    saved, before = np.zeros(8), np.zeros(8, dtype=np.int64)
    widest_gaps(line, latest, saved, before)
    assert saved[7] == 9 + 8
    assert (before[7], before[5], before[2]) == (5, 2, 0)
