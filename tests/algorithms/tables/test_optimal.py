"""What is special about the optimal search: limits, bounds, several criteria, memory and threads."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits, SearchBudget
from krypsis.algorithms.tables.lattice.scores import Incumbent
from krypsis.algorithms.tables.optimal import branch_and_bound, optimal
from krypsis.algorithms.tables.optimal import branch_and_bound as lattice_boxes
from krypsis.algorithms.tables.optimal.branch_and_bound import BranchAndBound
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.recoding import FrequencySet, FullDomain, outcome_of
from krypsis.errors import Infeasible, Unfinished, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import JudgedNode, Progress
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets, some_group_model

LOSS = registry.create("metric", "loss")
SIMPLE = ["loss", "ncp", "precision", "discernibility", "average-class-size", "suppressed-share"]
some_model = some_group_model()


def best_of(frequency: FrequencySet, models: list[Any], finder: Optimal, metric: Any = LOSS) -> FullDomain | None:
    try:
        return finder.search(frequency, models, metric, Limits(frequency.rows))
    except Infeasible:
        return None


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(1, 6), st.booleans())
def test_a_limited_search_is_honest_about_what_it_has_proven(frequency, model, nodes, with_local_search):
    force = BruteForce(frequency)
    best = force.best_score("loss", force.nodes([model]), frequency.rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "LARGE_LATTICE", 0 if with_local_search else 10**9)
        recoding = best_of(frequency, [model], Optimal(nodes=nodes))
    if recoding is None:
        return
    assert best is not None
    assert recoding.lower_bound is not None
    score = LOSS.compute(outcome_of(recoding, frequency))
    assert recoding.lower_bound <= best + 1e-9
    assert best <= score + 1e-9


@given(frequency_sets(max_attributes=3, sensitive=1), some_model)
def test_a_search_that_ends_by_itself_has_proven_its_score(frequency, model):
    recoding = best_of(frequency, [model], Optimal())
    if recoding is not None:
        assert recoding.lower_bound == pytest.approx(LOSS.compute(outcome_of(recoding, frequency)), abs=1e-12)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(1, 3))
def test_neither_memory_nor_threads_nor_a_look_ahead_change_the_result(frequency, model, k):
    models = [KAnonymity(k=k), model]
    usual = best_of(frequency, models, Optimal())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch_and_bound, "MEMORY", 0)
        patch.setattr(branch_and_bound, "PARALLEL_TUPLES", 0)
        patch.setattr(lattice_boxes, "SAMPLE", 0)
        other = best_of(frequency, models, Optimal())
    assert (usual is None) == (other is None)
    if usual is not None:
        assert other.levels == usual.levels
        assert other.lower_bound == usual.lower_bound


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.integers(1, 3))
def test_nodes_that_are_passed_over_count_and_are_not_told(frequency, model, k):
    class Listener(Progress):
        heard = 0

        def judged(self, node: JudgedNode) -> None:
            self.heard += 1
            assert node == judge.assess(judge.rollup.coarsen(judge.rollup.bottom(), node.levels)[0], LOSS, limits)

    models, limits = [KAnonymity(k=k), model], Limits(frequency.rows)
    judge, listener, incumbent = Judge(frequency, models), Listener(), Incumbent()
    budget, lattice = SearchBudget(listener), Lattice.of(frequency, limits)
    BranchAndBound(judge, LOSS, limits, budget, incumbent).run(lattice)
    assert listener.heard <= budget.judged <= lattice.size


@given(frequency_sets(max_attributes=3, sensitive=0), st.integers(1, 4), st.permutations(SIMPLE))
def test_criteria_are_settled_in_their_order(frequency, k, names):
    names = names[:3]
    force = BruteForce(frequency)
    nodes = [node for node in force.nodes([KAnonymity(k=k)]) if node.lost < frequency.rows]
    recoding = best_of(
        frequency, [KAnonymity(k=k)], Optimal(), registry.create("metric", f"lexicographic:order={'+'.join(names)}")
    )
    assert (recoding is None) == (not nodes)
    if recoding is None:
        return
    for name in names:
        best = min(METRICS[name](force, node) for node in nodes)
        nodes = [node for node in nodes if METRICS[name](force, node) == pytest.approx(best, rel=1e-9, abs=1e-12)]
    assert recoding.levels in [node.levels for node in nodes]


@given(frequency_sets(max_attributes=3, sensitive=0), st.integers(1, 4), st.integers(0, 3), st.integers(1, 3))
def test_weights_of_metrics_add_up(frequency, k, first, second):
    metric = registry.create("metric", f"weighted:parts=loss*{first}+discernibility*{second}")
    force = BruteForce(frequency)
    nodes = [node for node in force.nodes([KAnonymity(k=k)]) if node.lost < frequency.rows]
    recoding = best_of(frequency, [KAnonymity(k=k)], Optimal(), metric)
    if recoding is None:
        assert not nodes
        return
    best, worst = sum(count**2 for count in frequency.counts.tolist()), frequency.rows**2

    def expected(node: Any) -> float:
        spread = (METRICS["discernibility"](force, node) - best) / (worst - best) if worst > best else 0.0
        return (first * METRICS["loss"](force, node) + second * spread) / (first + second)

    assert metric.compute(outcome_of(recoding, frequency)) == pytest.approx(min(map(expected, nodes)), abs=1e-9)


@given(frequency_sets(max_attributes=3, sensitive=0))
def test_a_watch_hears_of_every_node_once_and_may_stop_the_search(frequency):
    class Stopwatch(Progress):
        def __init__(self) -> None:
            self.heard: list[JudgedNode] = []

        def judged(self, node: JudgedNode) -> None:
            self.heard.append(node)

        def wants_stop(self) -> bool:
            return len(self.heard) >= 2

    progress = Stopwatch()
    recoding = Optimal().search(frequency, [KAnonymity(k=1)], LOSS, Limits(0), progress)
    assert len({node.levels for node in progress.heard}) == len(progress.heard)
    assert recoding.levels in [node.levels for node in progress.heard]
    judge = Judge(frequency, [KAnonymity(k=1)])
    for node in progress.heard:
        groups, _ = judge.rollup.coarsen(judge.rollup.bottom(), node.levels)
        assert node == judge.assess(groups, LOSS, Limits(0))


@pytest.mark.parametrize("spec", ["optimal:seconds=0", "optimal:nodes=0", "optimal:seconds=soon", "optimal:second=1"])
def test_a_limit_that_means_nothing_is_refused(spec):
    with pytest.raises(UsageError, match="optimal"):
        registry.create("algorithm", spec)


def test_a_search_that_finds_nothing_in_time_says_so():
    """Only the middle of this lattice is feasible, and the search begins with its corners."""
    table = pl.DataFrame(
        {"a": ["x"] * 3 + ["y"] * 3 + ["z"] * 9, "b": map(str, range(15)), "s": ["1", "2", "3"] * 2 + ["1"] * 9}
    )
    roles = {"a": "QI", "b": "QI", "s": "sensitive"}
    models = "entropy-l-diversity:l=3"
    assert krypsis.anonymize(table, roles, models=models, suppression=9).levels == {"a": 0, "b": 1}
    with pytest.raises(Unfinished, match=r"after 2 of 4 nodes.*give it more time"):
        krypsis.anonymize(table, roles, models=models, suppression=9, algorithm="optimal:nodes=1")
