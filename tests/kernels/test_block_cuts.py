"""Where a block of numbers is cut in two: as a look at every place of the widest side would say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.blocks import SMALLEST_TAIL, cut_by_spread

tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(-20, 20)] * width), min_size=4, max_size=150)
)


def squares(values):
    return float(((values - values.mean()) ** 2).sum())


@given(tables, st.integers(1, 2))
def test_the_parts_lie_as_near_to_their_means_as_any_cut_across_the_widest_side_allows(rows, fewest):
    points = np.array(rows, dtype=float)
    block = np.arange(len(rows))
    middle = cut_by_spread(points, fewest, block)
    assert sorted(block.tolist()) == list(range(len(rows)))
    widths = np.ptp(points, axis=0)
    side = points[:, int(np.argmax(widths))]
    assert side[block[:middle]].max() <= side[block[middle:]].min()
    if widths.max() > 0:
        least = max(fewest, int(np.ceil(SMALLEST_TAIL * len(rows))))
        values = np.sort(side)
        best = min(squares(values[:at]) + squares(values[at:]) for at in range(least, len(rows) - least + 1))
        assert least <= middle <= len(rows) - least
        assert squares(side[block[:middle]]) + squares(side[block[middle:]]) == pytest.approx(best, abs=1e-6)


def test_equal_records_are_cut_in_the_middle():
    assert cut_by_spread(np.ones((100, 2)), 3, np.arange(100)) == 50


def test_a_tail_is_not_cut_off_record_by_record():
    points = np.append(np.zeros(999), 1e6)[:, None]
    block = np.arange(1000)
    assert cut_by_spread(points, 1, block) == 980
    assert 999 in block[980:]
