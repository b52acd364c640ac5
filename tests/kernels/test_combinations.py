"""The compiled loop over combinations does what its plain form does, which does what its words say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.mu_argus.outliers import note_rare
from krypsis.kernels.rows import number_rows

WIDTH = 3


@pytest.mark.parametrize("kernel", [note_rare, note_rare.reference], ids=["compiled", "plain"])
@given(
    rows=st.lists(st.tuples(*[st.integers(0, WIDTH - 1)] * 3), min_size=1, max_size=12),
    columns=st.lists(st.integers(0, 2), min_size=1, unique=True),
    data=st.data(),
)
def test_values_and_cells_of_rare_combinations_are_noted(kernel, rows, columns, data):
    codes = np.array(rows, dtype=np.int32)
    numbers, first = number_rows([codes[:, column] for column in columns], [WIDTH] * len(columns), len(rows))
    rare = np.array(data.draw(st.lists(st.booleans(), min_size=(n := len(first)), max_size=n)))
    offsets = np.arange(3) * WIDTH
    tally, held = np.zeros(3 * WIDTH, dtype=np.int64), np.zeros(codes.shape, dtype=np.bool_)
    kernel(codes, numbers, first, rare, np.array(columns), offsets, tally, held)
    combinations = {tuple(rows[row][column] for column in columns) for number, row in enumerate(first) if rare[number]}
    for column in range(3):
        for code in range(WIDTH):
            found = sum(values[columns.index(column)] == code for values in combinations) if column in columns else 0
            assert tally[column * WIDTH + code] == found
        for number, row in enumerate(rows):
            holds = column in columns and tuple(row[other] for other in columns) in combinations
            assert held[number, column] == holds
