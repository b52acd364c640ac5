"""What Samarati's search refuses, and what it says then."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.lattices import (
    of_models,
)
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.samarati import Samarati
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from strategies import frequency_sets

LOSS = registry.create("metric", "loss")
METHODS = [Samarati(method="frequency"), Samarati(method="distance-vectors")]


@given(frequency=frequency_sets(sensitive=1), model=of_models("monotone"), limit=st.integers(1, 5))
def test_suppression_is_refused_where_it_may_cost_more_higher_up(frequency, model, limit):
    if model.monotone_with_suppression:
        return
    with pytest.raises(UsageError, match=rf"samarati .* up to {limit} suppressed records .*'optimal'"):
        Samarati().search(frequency, [KAnonymity(k=2), model], LOSS, Limits(limit))


@given(frequency=frequency_sets(sensitive=0))
def test_suppressed_records_that_stay_are_refused(frequency):
    with pytest.raises(UsageError, match=r"samarati .*kept as a group: .*'optimal'"):
        Samarati().search(frequency, [KAnonymity(k=2)], LOSS, Limits(1, keep=True))


def test_a_lattice_nobody_can_go_through_is_refused():
    trees = (Hierarchy.from_rows([["a", "*"], ["b", "*"]]),) * 40
    codes = np.zeros((1, 40), dtype=np.int32)
    frequency = FrequencySet(tuple(f"q{number}" for number in range(40)), trees, codes, np.array([3]))
    with pytest.raises(UsageError, match=rf"here are {2**40:,}\. Use algorithm 'optimal'"):
        Samarati().search(frequency, [KAnonymity(k=2)], LOSS, Limits(0))


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match="method of samarati"):
        registry.create("algorithm", "samarati:method=matrix")


@given(frequency=frequency_sets(sensitive=0))
def test_more_records_than_there_are_cannot_look_alike(frequency):
    for samarati in METHODS:
        with pytest.raises(Infeasible, match=rf"the best is k-anonymity {frequency.rows}\b"):
            samarati.search(frequency, [KAnonymity(k=frequency.rows + 1)], LOSS, Limits(0))
