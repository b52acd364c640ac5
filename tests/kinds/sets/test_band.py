"""Pictures of the band matrix show every item of every record, and nothing else."""

import re
from xml.etree import ElementTree as ET

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.sets.grouping.band import band_order, column_order
from krypsis.data.transactions import Transactions
from krypsis.kinds.sets.report import CELLS, band_pictures, density
from krypsis.report.charts import draw

baskets = st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), max_size=12).map(Transactions.of_sets)


@given(baskets=baskets, cells=st.integers(1, 6), seed=st.integers(0, 9))
def test_every_item_is_counted_in_the_cell_of_its_place(baskets, cells, seed):
    draw = np.random.default_rng(seed)
    rows, columns = draw.permutation(len(baskets)), draw.permutation(len(baskets.items))
    grid = density(baskets, rows, columns, cells)
    assert grid.shape == (min(cells, len(rows)), min(cells, len(columns)))
    expected = np.zeros_like(grid)
    for down, record in enumerate(rows.tolist()):
        for across, code in enumerate(columns.tolist()):
            if baskets.items[code] in baskets.sets()[record]:
                expected[down * grid.shape[0] // len(rows), across * grid.shape[1] // len(columns)] += 1
    assert grid.tolist() == expected.tolist()


@given(baskets=baskets)
def test_the_drawings_fill_exactly_the_cells_with_items(baskets):
    rows = band_order(baskets)
    columns = column_order(baskets, rows)
    for drawing, order in zip(
        map(draw, band_pictures(baskets, rows, columns).charts),
        ((np.arange(len(baskets)), np.arange(len(baskets.items))), (rows, columns)),
        strict=True,
    ):
        ET.fromstring(drawing)
        filled = {
            (int(row), int(column) + step)
            for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)v1", drawing)
            for step in range(int(length))
        }
        assert filled == set(zip(*map(np.ndarray.tolist, np.nonzero(density(baskets, *order))), strict=True))


def test_a_large_matrix_stays_a_small_drawing_without_scripts():
    random = np.random.default_rng(1)
    many = Transactions.of_sets(random.integers(0, 3000, (20_000, 5)).tolist())
    rows = band_order(many)
    before, after = map(draw, band_pictures(many, rows, column_order(many, rows)).charts)
    assert density(many, rows, column_order(many, rows)).shape == (CELLS, CELLS)
    assert max(len(before), len(after)) < 500_000
    assert "script" not in before
    assert "http" not in before
