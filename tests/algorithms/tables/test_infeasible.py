"""An infeasible task is told what is achievable, and the advice works."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.datafly import Datafly
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.groups import Groups
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import EntropyLDiversity
from oracles.brute_force import BruteForce
from strategies import frequency_sets, some_group_model

LOSS = registry.create("metric", "loss")
some_model = some_group_model()


def refusal(
    frequency: FrequencySet, models: list[Any], limits: Limits, algorithm: Algorithm | None = None
) -> Infeasible | None:
    try:
        (algorithm or Optimal()).search(frequency, models, LOSS, limits)
    except Infeasible as error:
        return error
    return None


@given(frequency_sets(max_attributes=3, sensitive=1), st.lists(some_model, min_size=1, max_size=2), st.data())
def test_the_suppression_it_advises_is_enough_and_no_less_would_be(frequency, models, data):
    limits = Limits(data.draw(st.integers(0, 2)), keep=data.draw(st.booleans()))
    error = refusal(frequency, models, limits)
    assume(error is not None)
    force = BruteForce(frequency)
    share = force.best_score("suppressed-share", force.nodes(models), frequency.rows, models if limits.keep else None)
    if share is None:
        assert "suppression" not in error.closest
    else:
        assert error.closest["suppression"] == round(share * frequency.rows)
        assert f"allow {error.closest['suppression']} suppressed records" in str(error)
        assert refusal(frequency, models, replace(limits, suppressed=error.closest["suppression"])) is None


@given(frequency_sets(max_attributes=3, sensitive=0), st.integers(0, 3), st.data())
def test_the_best_k_it_names_is_achievable_and_the_next_is_not(frequency, allowed, data):
    sets = data.draw(st.sampled_from([(), tuple((column,) for column in range(len(frequency.attributes)))]))
    frequency = replace(frequency, sets=sets)
    highest = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    limits = Limits(allowed, highest=highest)
    error = refusal(frequency, [KAnonymity(k=frequency.rows + 1)], limits)
    assert error is not None
    (best,) = error.closest["achievable"].values()
    assert f"the best is k-anonymity {best:.0f}" in str(error)
    assert refusal(frequency, [KAnonymity(k=int(best))], limits) is None or allowed >= frequency.rows
    assert refusal(frequency, [KAnonymity(k=int(best) + 1)], limits) is not None


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(0, 6), st.booleans())
def test_a_search_that_misses_what_there_is_says_so(frequency, model, allowed, keep):
    limits = Limits(allowed, keep=keep)
    error = refusal(frequency, [model], limits, Datafly())
    assume(error is not None)
    force = BruteForce(frequency)
    nodes = force.nodes([model])
    exists = force.best_score("suppressed-share", nodes, allowed, [model] if keep else None) is not None
    assert ("there is one" in str(error)) == exists
    assert ("no generalization keeps" in str(error)) == (not exists)


def test_datafly_names_the_algorithm_that_finds_what_it_missed():
    error = refusal(seven_records(), [EntropyLDiversity(l=2)], Limits(3), Datafly())
    assert error.closest["algorithm"] == "optimal"
    assert error.closest["suppression"] == 3
    assert refusal(seven_records(), [EntropyLDiversity(l=2)], Limits(3)) is None


def test_where_suppressed_records_stay_it_does_not_claim_more_than_was_looked_at():
    with pytest.raises(Infeasible, match="if the records that break them, at most 1 of 2, stay as one group"):
        Optimal().search(two_records(), [KAnonymity(k=3)], LOSS, Limits(1, keep=True))


def test_levels_that_may_not_be_used_are_named_as_a_way_out():
    frequency = two_records()
    with pytest.raises(Infeasible, match="or allow higher levels"):
        Optimal().search(frequency, [KAnonymity(k=2)], LOSS, Limits(0, highest=(0,)))


def two_records() -> FrequencySet:
    sex = Hierarchy.from_rows([["m", "*"], ["f", "*"]])
    return FrequencySet(("sex",), (sex,), np.array([[0], [1]], dtype=np.int32), np.array([1, 1], dtype=np.int64))


def seven_records() -> FrequencySet:
    """With sex gone, the records of two ages keep 2-diversity and those of the third do not; with age gone, none do.

    Datafly generalizes age first, since it has more values.
    """
    age = Hierarchy.from_rows([["1", "*"], ["2", "*"], ["3", "*"]])
    sex = Hierarchy.from_rows([["f", "*"], ["m", "*"]])
    found = {(0, 0): {"p": 1}, (0, 1): {"q": 1}, (1, 0): {"q": 1}, (1, 1): {"p": 1}, (2, 0): {"p": 2}, (2, 1): {"p": 1}}
    codes, counts = np.array(list(found), dtype=np.int32), np.array([sum(one.values()) for one in found.values()])
    return FrequencySet(("age", "sex"), (age, sex), codes, counts, Groups.of_histograms(list(found.values())).sensitive)
