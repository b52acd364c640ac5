"""Rows are numbered by their codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kernels import rows as kernel
from krypsis.kernels.rows import number_rows


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 5), min_size=1, max_size=30), st.sampled_from([2**62, 20, 5]))
def test_rows_are_numbered_in_order_also_when_the_key_overflows(rows, space):
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "KEY_SPACE", space)
        numbers, first = number_rows(columns, [4] * 5, len(rows))
    distinct = sorted(set(rows))
    assert [distinct[number] for number in numbers] == rows
    assert [rows[position] for position in first] == distinct
