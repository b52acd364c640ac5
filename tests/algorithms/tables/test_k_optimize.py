"""k-Optimize finds the cheapest of all ways to cut attributes into intervals, and says how sure it is."""

from itertools import combinations, groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.tables.cut_brute_force import AllCuts
from algorithms.tables.small_tables import frequency_of
from effort import examples
from krypsis import registry
from krypsis.algorithms.tables.k_optimize.appraisal import Appraiser, split_cost
from krypsis.algorithms.tables.k_optimize.enumeration import SetEnumeration
from krypsis.algorithms.tables.k_optimize.k_optimize import KOptimize
from krypsis.algorithms.tables.k_optimize.space import SplitSpace
from krypsis.algorithms.tables.lattice.lattice import Limits, SearchBudget
from krypsis.data.recoding import outcome_of
from krypsis.errors import Infeasible, Unfinished
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import EntropyLDiversity
from krypsis.progress import NO_PROGRESS
from strategies import frequency_sets, some_group_model

TABLES = examples(300)
"""Random tables for each comparison with all generalizations."""

METRICS = {name: registry.create("metric", name) for name in ("discernibility", "classification")}

some_cost = st.sampled_from(["discernibility", "classification"])
some_model = some_group_model()


def by_size(frequency):
    """The values with records in each column, numbers by size, missing last."""
    orders = []
    for position, hierarchy in enumerate(frequency.hierarchies):
        values = {hierarchy.values[code] for code in frequency.codes[:, position]}
        orders.append(sorted(values, key=lambda value: (value is None, float(value or 0))))
    return orders


def limits_of(frequency):
    return (0, frequency.rows // 4, None)


def found_cost(frequency, models, cost, limits, **options):
    """The cost of what is found, computed from the recoding by the metric of that name; nothing if there is none."""
    try:
        recoding = KOptimize(cost=cost, **options).search(frequency, models, METRICS[cost], limits)
    except Infeasible:
        return None
    return score(recoding, frequency, cost)


def score(recoding, frequency, cost):
    computed = METRICS[cost].compute(outcome_of(recoding, frequency))
    return round(computed if cost == "discernibility" else computed * frequency.rows)


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=1), some_cost, st.integers(1, 5))
@settings(max_examples=TABLES)
def test_no_set_of_cuts_is_cheaper(frequency, cost, k):
    models = [KAnonymity(k=k)]
    every = AllCuts(frequency, models, cost, by_size(frequency))
    for limit in limits_of(frequency):
        expected = every.cheapest(frequency.rows if limit is None else limit)
        assert found_cost(frequency, models, cost, Limits(limit)) == expected


def without_climbing(frequency, models, cost, limits, nodes=None):
    """The proven bound and the best cost of the search alone: every branch it leaves out must be rightly left out."""
    space = SplitSpace(frequency, limits)
    appraiser = Appraiser(space, models, split_cost(cost, None, frequency), limits)
    bound = SetEnumeration(appraiser, SearchBudget(NO_PROGRESS, nodes=nodes)).run()
    return bound, appraiser.best.cost


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=1), some_cost, st.integers(1, 5))
@settings(max_examples=TABLES)
def test_the_search_needs_no_good_start(frequency, cost, k):
    models = [KAnonymity(k=k)]
    every = AllCuts(frequency, models, cost, by_size(frequency))
    for limit in limits_of(frequency):
        expected = every.cheapest(frequency.rows if limit is None else limit)
        assert without_climbing(frequency, models, cost, Limits(limit)) == (expected, expected)


@given(
    frequency_sets(max_attributes=2, max_rows=12, sensitive=1), st.lists(some_model, min_size=1, max_size=2), some_cost
)
@settings(max_examples=TABLES)
def test_any_models_hold_together(frequency, models, cost):
    every = AllCuts(frequency, models, cost, by_size(frequency))
    for limit in limits_of(frequency):
        expected = every.cheapest(frequency.rows if limit is None else limit)
        assert without_climbing(frequency, models, cost, Limits(limit)) == (expected, expected)
        assert found_cost(frequency, models, cost, Limits(limit)) == expected


@given(frequency_sets(max_attributes=2, max_rows=12, sensitive=1), some_model, some_cost)
@settings(max_examples=TABLES)
def test_records_that_stay_keep_the_promises_too(frequency, model, cost):
    every = AllCuts(frequency, [model], cost, by_size(frequency))
    for limit in (frequency.rows // 2, None):
        expected = every.cheapest(frequency.rows if limit is None else limit, keep=True)
        limits = Limits(limit, keep=True)
        assert without_climbing(frequency, [model], cost, limits) == (expected, expected)
        assert found_cost(frequency, [model], cost, limits) == expected


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=1), some_cost, st.integers(1, 4))
@settings(max_examples=TABLES)
def test_wherever_the_search_stops_nothing_is_cheaper_than_what_it_has_proven(frequency, cost, k):
    models = [KAnonymity(k=k)]
    optimum = AllCuts(frequency, models, cost, by_size(frequency)).cheapest(frequency.rows)
    for nodes in range(1, 12):
        bound, best = without_climbing(frequency, models, cost, Limits(), nodes)
        if optimum is None:
            assert best is None
        else:
            assert bound <= optimum <= best


RARE = {
    "a part that is accepted of a group that is not": (
        ["01x", "01x", "01y", "02x", "02y", "02y", "11y", "12x", "20x", "20x", "20y", "22x"],
        [EntropyLDiversity(l=2)],
        Limits(),
    ),
    "a cut that suppresses what spoils the rest of a group": (
        ["002y", "012x", "021y", "022y", "100x", "110x", "111y", "200x", "201x", "210x", "211x"],
        [KAnonymity(k=2), EntropyLDiversity(l=2)],
        Limits(),
    ),
    "a cut that suppresses enough to make a group of it": (
        ["000x", "010x", "011x", "110x", "200x", "201x", "211x", "211y"],
        [KAnonymity(k=2)],
        Limits(keep=True),
    ),
}
"""Tables on which a cut that never pays for k-anonymity with removed records is part of the cheapest set."""


@pytest.mark.parametrize(("records", "models", "limits"), RARE.values(), ids=list(RARE))
def test_cuts_are_left_out_only_where_they_cannot_pay(records, models, limits):
    """The last letter of a record is sensitive."""
    columns = {f"q{place}": [record[place] for record in records] for place in range(len(records[0]) - 1)}
    roles = dict.fromkeys(columns, "quasi-identifier") | {"ill": "sensitive"}
    frequency = frequency_of(columns | {"ill": [record[-1] for record in records]}, roles=roles)
    expected = AllCuts(frequency, models, "discernibility", by_size(frequency)).cheapest(
        frequency.rows, keep=limits.keep
    )
    assert expected is not None
    assert without_climbing(frequency, models, "discernibility", limits) == (expected, expected)


@given(frequency_sets(max_attributes=3, max_rows=12, sensitive=0), st.integers(1, 3), st.data())
@settings(max_examples=TABLES)
def test_levels_stay_within_their_limits(frequency, k, data):
    """What looks alike at the least level is not cut apart, and what differs at the highest is."""
    bounds = [sorted(data.draw(st.tuples(*[st.integers(0, height)] * 2))) for height in frequency.heights]
    lowest, highest = (tuple(side) for side in zip(*bounds, strict=True))
    models = [KAnonymity(k=k)]
    every = AllCuts(frequency, models, "discernibility", with_units(frequency, lowest))
    expected = every.cheapest(frequency.rows, allowed=between(frequency, lowest, highest))
    assert found_cost(frequency, models, "discernibility", Limits(lowest=lowest, highest=highest)) == expected


@given(frequency_sets(max_attributes=3, max_rows=12, sensitive=0), st.integers(1, 3), st.integers(0, 3))
def test_one_level_for_all_leaves_each_attribute_a_level_below_its_top(frequency, k, level):
    models = [KAnonymity(k=k)]
    lowest = tuple(min(level, max(height - 1, 0)) for height in frequency.heights)
    expected = found_cost(frequency, models, "discernibility", Limits(lowest=lowest))
    assert found_cost(frequency, models, "discernibility", Limits(), level=level) == expected


def between(frequency, lowest, highest):
    def is_between(way):
        for intervals, hierarchy, low, high in zip(way, frequency.hierarchies, lowest, highest, strict=True):
            place = {value: number for number, interval in enumerate(intervals) for value in interval}
            for one, other in combinations(place, 2):
                if hierarchy.label(one, low) == hierarchy.label(other, low) and place[one] != place[other]:
                    return False
                if hierarchy.label(one, high) != hierarchy.label(other, high) and place[one] == place[other]:
                    return False
        return True

    return is_between


def with_units(frequency, lowest):
    """The order of each column: by size, or as the leaves of the tree where a level joins numbers that lie apart."""
    return [
        sorted(values, key=lambda value: (value is None, leaf_path(hierarchy, value)))
        if joins_numbers_that_lie_apart(hierarchy, low)
        else values
        for hierarchy, low, values in zip(frequency.hierarchies, lowest, by_size(frequency), strict=True)
    ]


def joins_numbers_that_lie_apart(hierarchy, level):
    ordered = sorted((value for value in hierarchy.values if value is not None), key=float)
    labels = [label for label, _ in groupby(ordered, key=lambda value: hierarchy.label(value, level))]
    return len(labels) > len(set(labels))


def leaf_path(hierarchy, value):
    """Where the value stands in the tree: at each level from the top, where its label stands first in the list."""
    return [hierarchy.column(level).index(hierarchy.label(value, level)) for level in range(hierarchy.height, -1, -1)]


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=1), some_cost, st.integers(1, 4), st.integers(1, 40))
@settings(max_examples=TABLES)
def test_a_search_that_stops_early_tells_what_it_has_proven(frequency, cost, k, nodes):
    models = [KAnonymity(k=k)]
    optimum = AllCuts(frequency, models, cost, by_size(frequency)).cheapest(frequency.rows)
    algorithm = KOptimize(cost=cost, nodes=nodes)
    if optimum is None:
        with pytest.raises((Infeasible, Unfinished)):
            algorithm.search(frequency, models, METRICS[cost], Limits())
        return
    recoding = algorithm.search(frequency, models, METRICS[cost], Limits())
    bound = recoding.lower_bound * (1 if cost == "discernibility" else frequency.rows)
    assert bound <= optimum + 1e-9
    assert optimum <= score(recoding, frequency, cost)
    assert recoding.figures[0]["cost"] == score(recoding, frequency, cost)
    assert recoding.figures[0]["lower_bound"] == round(bound)


@given(frequency_sets(max_attributes=3, sensitive=1), some_cost)
def test_a_search_that_ends_proves_its_score(frequency, cost):
    recoding = KOptimize(cost=cost).search(frequency, [KAnonymity(k=1)], METRICS[cost], Limits())
    assert recoding.lower_bound == pytest.approx(METRICS[cost].compute(outcome_of(recoding, frequency)))
