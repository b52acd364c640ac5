"""What searches ask of a promise is what the promise itself says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.lattice import evaluation as judging
from krypsis.algorithms.tables.lattice.evaluation import CountTable, Judge, accepted, accepted_in_tables
from krypsis.data.groups import Groups, Histogram
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness
from strategies import frequency_sets, groups, some_group_model


@given(some_group_model(), groups())
def test_a_promise_accepts_the_same_groups_compiled_or_not(model, drawn):
    assert accepted(model, drawn).tolist() == model.accepts(drawn).tolist()


@given(groups(), st.integers(1, 12), st.floats(0.5, 4), st.booleans())
def test_every_rank_is_compared_alike(drawn, rank, c, strict):
    model = RecursiveLDiversity(c=c, l=rank, strict=strict)
    assert accepted(model, drawn).tolist() == model.accepts(drawn).tolist()


@given(groups(), st.integers(0, 20), st.sampled_from(["equal", "hierarchical"]))
def test_every_distance_is_compared_alike(drawn, steps, distance):
    model = TCloseness(t=steps / 20, distance=distance)
    assert accepted(model, drawn).tolist() == model.accepts(drawn).tolist()


amounts = st.dictionaries(st.integers(0, 30).map(str), st.integers(1, 5), min_size=1)


@given(st.lists(amounts, min_size=1, max_size=8), st.integers(0, 20))
def test_numbers_are_compared_by_their_order_alike(histograms, steps):
    model, drawn = TCloseness(t=steps / 20, distance="ordered"), Groups.of_histograms(histograms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "FEW_ENTRIES", 0)
        assert accepted(model, drawn).tolist() == model.accepts(drawn).tolist()
    (histogram,) = drawn.sensitive.values()
    assert judging._ordered_distances(histogram, drawn.sizes) == pytest.approx(model.levels(histogram, drawn.sizes))


@given(st.lists(some_group_model(), max_size=3), groups())
def test_groups_in_tables_are_accepted_by_all_promises_together(models, drawn):
    tables = {name: table_of(histogram, len(drawn)) for name, histogram in drawn.sensitive.items()}
    expected = [all(answers) for answers in zip(*(model.accepts(drawn) for model in models), strict=True)]
    found = accepted_in_tables(models, drawn.sizes, tables).tolist()
    assert found == (expected if models else [True] * len(drawn))


@given(groups(), st.integers(0, 20), st.sampled_from(["equal", "hierarchical"]))
def test_every_distance_is_compared_alike_in_tables(drawn, steps, distance):
    model = TCloseness(t=steps / 20, distance=distance)
    tables = {name: table_of(histogram, len(drawn)) for name, histogram in drawn.sensitive.items()}
    assert accepted_in_tables([model], drawn.sizes, tables).tolist() == model.accepts(drawn).tolist()


@given(frequency_sets(max_attributes=2, max_rows=12, sensitive=1), st.integers(1, 3), st.integers(0, 10))
def test_what_is_left_out_is_found_as_if_every_promise_were_asked_each_time(frequency, k, steps):
    judge = Judge(frequency, [KAnonymity(k=k), DistinctLDiversity(l=2), TCloseness(t=steps / 10, distance="equal")])
    node = judge.rollup.bottom()
    refused = judge.refused(node, judge.models)
    while refused.any() and not refused.all():
        more = judge.refused(node.part(~refused).alone(), judge.models)
        if not more.any():
            break
        refused[~refused] = more
    assert judge.left_out(node).tolist() == refused.tolist()


def table_of(histogram: Histogram, groups: int) -> CountTable:
    counts = np.zeros((groups, len(histogram.domain) + 2), dtype=np.uint16)
    counts[histogram.group, histogram.value] = histogram.count
    return CountTable(counts, histogram.whole, histogram.domain)


def test_a_promise_of_another_package_is_asked_itself():
    class Stricter(RecursiveLDiversity):
        def accepts(self, groups):
            return ~super().accepts(groups)

    sample = Groups.of_histograms([{"flu": 1, "cancer": 1, "hiv": 1}])
    assert RecursiveLDiversity in judging._COMPILED
    assert accepted(Stricter(c=2, l=2), sample).tolist() == [False]


def test_a_promise_of_another_package_is_asked_itself_about_tables_too():
    class Stricter(TCloseness):
        def accepts(self, groups):
            return ~super().accepts(groups)

    sample = Groups.of_histograms([{"flu": 1, "cancer": 1}])
    table = table_of(sample.sensitive["sensitive"], 1)
    assert accepted_in_tables([TCloseness(t=0.5)], sample.sizes, {"disease": table}).tolist() == [True]
    assert accepted_in_tables([Stricter(t=0.5)], sample.sizes, {"disease": table}).tolist() == [False]


def test_a_column_that_is_not_there_is_named():
    sample = Groups.of_histograms([{"flu": 1}], attribute="disease")
    with pytest.raises(KeyError, match="diseas' not found"):
        accepted(TCloseness(t=0.2, attribute="diseas"), sample)
