"""k-Optimize on small tables by hand, what it may be asked for, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.small_tables import frequency_of
from krypsis import registry
from krypsis.algorithms.tables.k_optimize.k_optimize import KOptimize
from krypsis.algorithms.tables.k_optimize.space import SplitSpace
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.hierarchies import Hierarchy
from krypsis.errors import ColumnError, Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress
from strategies import frequency_sets

METRICS = {name: registry.create("metric", name) for name in ("discernibility", "classification", "loss")}


def test_another_metric_is_only_reported():
    """Its score cannot be compared with a bound of the cost."""
    recoding = KOptimize().search(PEOPLE, [KAnonymity(k=2)], METRICS["loss"], Limits())
    assert recoding.lower_bound is None
    assert recoding.figures[0]["lower_bound"] == recoding.figures[0]["cost"]


class Impatient(Progress):
    """Wants to stop after some nodes, and remembers them."""

    def __init__(self, patience):
        self.patience = patience
        self.heard = []

    def judged(self, node):
        self.heard.append(node)

    def wants_stop(self):
        return len(self.heard) >= self.patience


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=0), st.integers(1, 20))
def test_a_watch_can_stop_it_and_hears_of_everything_judged(frequency, patience):
    progress = Impatient(patience)
    recoding = KOptimize().search(frequency, [KAnonymity(k=1)], METRICS["discernibility"], Limits(), progress)
    assert recoding.figures[0]["judged"] == len(progress.heard)
    assert min(node.score for node in progress.heard if node.feasible) == recoding.figures[0]["cost"]
    assert {node.levels for node in progress.heard} == {()}


PEOPLE = frequency_of({"age": [31, 32, 35, 47, 48, 90], "sex": ["f", "m", "f", "m", "f", "m"]})


def test_without_a_limit_the_cost_decides_what_is_suppressed():
    """Five like records and one stranger: apart they cost 5² + 6, together 6²."""
    frequency = frequency_of({"age": [30, 30, 30, 30, 30, 90]})
    assert found_recoding(frequency).suppressed.tolist() == [False, True]
    assert not found_recoding(frequency, Limits(0)).suppressed.any()
    assert found_recoding(frequency, Limits(1)).suppressed.any()  # the limit itself is allowed


def found_recoding(frequency, limits=Limits()):  # noqa: B008  frozen
    return KOptimize().search(frequency, [KAnonymity(k=2)], METRICS["discernibility"], limits)


def test_below_a_set_that_is_not_k_anonymous_may_lie_the_cheapest():
    """The lecture notes leave out all that is finer; here {2} suppresses a record, and so does the cheapest {2, m}.

    It costs 21 + 18² + 2² = 349; the sets {m}, {2} and {} cost 19² + 2² = 365, 21 + 20² = 421 and 21² = 441.
    """
    frequency = frequency_of({"age": [1] + [2] * 20, "sex": ["f"] * 19 + ["m"] * 2})
    recoding = found_recoding(frequency)
    assert recoding.figures[0] | {"judged": None} == {
        "cost": 349,
        "lower_bound": 349,
        "judged": None,
        "starts": {"age": ("2",), "sex": ("m",)},
    }


def test_values_that_do_not_occur_start_no_interval():
    ages = [[str(age), "young" if age < 50 else "old", "*"] for age in range(100)]
    frequency = frequency_of({"age": ["10", "20", "70", "80"]}, {"age": Hierarchy.from_rows(ages)})
    space = SplitSpace(frequency, Limits())
    assert len(space) == 3


def test_missing_values_are_apart_unless_all_values_look_alike():
    together = found_recoding(frequency_of({"job": ["a", "a", "b", None]}), Limits(0))
    assert labels_of(together, 0) == {"*"}
    apart = found_recoding(frequency_of({"age": ["1", "2", None, None]}), Limits(0))
    assert labels_of(apart, 0) == {"not missing", None}
    each = found_recoding(frequency_of({"job": ["a", "a", "b", "b", None, None]}))
    assert labels_of(each, 0) == {"a", "b", None}


def labels_of(recoding, column):
    book = recoding.codebooks[column]
    return {book.labels[code] for code in recoding.released[~recoding.suppressed, column]}


@given(frequency_sets(max_attributes=3, max_rows=14, sensitive=0), st.integers(1, 4))
def test_the_same_value_is_published_in_the_same_way_everywhere(frequency, k):
    if frequency.rows < k:
        return
    recoding = KOptimize().search(frequency, [KAnonymity(k=k)], METRICS["discernibility"], Limits())
    for column in range(len(frequency.attributes)):
        pairs = set(zip(frequency.codes[:, column].tolist(), recoding.released[:, column].tolist(), strict=True))
        assert len(dict(pairs)) == len(pairs)


def test_keys_that_do_not_fit_into_64_bits_are_told_apart():
    """Twenty columns of ten values have 10^20 combinations."""
    draw = np.random.default_rng(3)
    rows = draw.integers(0, 10, (60, 20))
    frequency = frequency_of(
        {f"q{column}": [*map(str, rows[:, column]), *map(str, rows[:, column])] for column in range(20)}
    )
    recoding = KOptimize(nodes=30).search(frequency, [KAnonymity(k=2)], METRICS["discernibility"], Limits())
    assert recoding.figures[0]["lower_bound"] <= 4 * 60 <= recoding.figures[0]["cost"]
    space = SplitSpace(frequency, Limits())
    _, first = space.number(np.arange(60), space.digits(~space.none()))
    assert len(first) == 60


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": "beauty"}, "cost of k-optimize"),
        ({"target": "disease"}, "target belongs to cost=classification"),
        ({"level": -1}, "level of k-optimize must be at least 0, got -1"),
        ({"nodes": 0}, "nodes of k-optimize must be at least 1, got 0"),
        ({"seconds": 0}, "seconds of k-optimize must be more than 0, got 0"),
        ({"minutes": 1}, "k-optimize has no parameter 'minutes'; parameters: cost, target, level, seconds, nodes."),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(UsageError, match=message):
        registry.create("algorithm", {"name": "k-optimize", **options})


def test_classes_need_a_sensitive_attribute():
    with pytest.raises(UsageError, match="give the column with the classes the role 'sensitive'"):
        KOptimize(cost="classification").search(PEOPLE, [KAnonymity(k=2)], METRICS["loss"], Limits())


def test_a_target_that_is_not_sensitive_is_named():
    frequency = frequency_of({"age": [1, 2], "pay": [1, 2]}, roles={"age": "QI", "pay": "sensitive"})
    with pytest.raises(ColumnError, match=r"column 'pai' not found; columns: pay\. Did you mean 'pay'\?"):
        KOptimize(cost="classification", target="pai").search(frequency, [KAnonymity(k=1)], METRICS["loss"], Limits())


def test_several_sets_of_quasi_identifiers_are_refused():
    frequency = replace(PEOPLE, sets=((0,), (1,)))
    with pytest.raises(UsageError, match=r"knows one set of quasi-identifiers, got 2\. Use algorithm 'optimal'"):
        found_recoding(frequency)


def test_more_records_than_there_are_cannot_look_alike():
    with pytest.raises(Infeasible, match="the best is k-anonymity 6"):
        KOptimize().search(PEOPLE, [KAnonymity(k=7)], METRICS["discernibility"], Limits())


def test_levels_beyond_the_hierarchy_are_refused():
    with pytest.raises(UsageError, match="levels of 'age' must lie between 0 and 1"):
        found_recoding(PEOPLE, Limits(lowest=(2, 0), highest=(2, 1)))


def test_it_names_what_it_minimizes_for_another_class():
    """Both targets are there: the classes of the second one decide."""
    rows = {"age": [1, 1, 2, 2], "first": ["a", "b", "a", "b"], "second": ["x", "x", "y", "y"]}
    roles = {"age": "QI", "first": "sensitive", "second": "sensitive"}
    frequency = frequency_of(rows, roles=roles)
    for target, cost in (("first", 2), ("second", 0), (None, 2)):
        algorithm = KOptimize(cost="classification", target=target)
        recoding = algorithm.search(frequency, [KAnonymity(k=2)], METRICS["classification"], Limits())
        assert recoding.figures[0]["cost"] == cost
        assert (recoding.lower_bound is None) == (target == "second")  # the metric looks at the first
