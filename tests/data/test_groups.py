"""What counts as a number among sensitive values is what counts as one everywhere."""

import pytest

from krypsis.data.groups import Domain


@pytest.mark.parametrize("value", ["1_000", "inf", "nan", "٣", "1,5"])
def test_what_no_hierarchy_takes_for_a_number_is_none(value):
    assert not Domain(("7", value)).is_numeric


def test_numbers_are_compared_exactly():
    assert Domain(("1e300", "1.0000000000000000001", "1", None, "-2")).ranks.tolist() == [3, 2, 1, 4, 0]
