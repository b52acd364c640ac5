"""How much generalization counts against suppression, and other parameters of metrics."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import as_cells, outcome_of
from krypsis.errors import Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from metrics.tables import table, value
from oracles.brute_force import BruteForce, average, kl_divergence, leaves, normalized_average_class_size
from strategies import frequency_sets

JOB = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"], ["e", "y", "*"]])
JOBS = table({"job": JOB}, [("a",)] * 3 + [("c",)] * 2 + [("d",)] * 1)


def test_a_suppressed_record_pays_its_label_and_a_part_of_the_rest():
    # At level 0 with k = 2: d is suppressed, its label would cost nothing. At level 1 with k = 4: x costs 1/4, y 2/4.
    assert value("loss:suppression=0.2", JOBS, (0,), "k-anonymity:k=2") == pytest.approx(0.2 / 6)
    suppressed = 3 * (0.5 + 0.2 * 0.5)
    assert value("ncp:suppression=0", JOBS, (1,), "k-anonymity:k=4") == pytest.approx((3 * 0.4 + 3 * 0.6) / 6)
    many = table({"job": JOB}, [("a",)] * 4 + [("c",)] * 2 + [("d",)])
    assert value("loss:suppression=0.2", many, (1,), "k-anonymity:k=4") == pytest.approx((4 * 0.25 + suppressed) / 7)


def test_generalization_may_count_less_than_suppression():
    many = table({"job": JOB}, [("a",)] * 4 + [("c",)])
    assert value("loss:generalization=0.5", many, (1,), "k-anonymity:k=2") == pytest.approx((4 * 0.5 * 0.25 + 1) / 5)
    assert value("prec:generalization=0", many, (1,), "k-anonymity:k=2") == pytest.approx(1 / 5)


def test_entropy_without_suppression_is_what_generalization_costs():
    # three a among three x, two c and one d among three y: nothing is lost of x, 3·log 3 - 2·log 2 bits of y
    bits = 3 * 1.584962500721156 - 2
    assert value("nue:suppression=0", JOBS, (1,), "k-anonymity:k=4") == pytest.approx(bits)
    assert value("nue:suppression=0", JOBS, (1,)) == value("nue", JOBS, (1,)) == pytest.approx(bits)
    assert value("nue:generalization=0", JOBS, (1,)) == 0


@pytest.mark.parametrize("spec", ["loss:suppression=1.5", "nue:generalization=-1", "cavg:k=0", "kl:per=group"])
def test_a_parameter_out_of_its_range_is_refused(spec):
    key = spec.split(":")[1].split("=")[0]
    with pytest.raises(UsageError, match=f"{key} of"):
        registry.create("metric", spec)


@pytest.mark.parametrize("name", ["loss", "ncp", "precision", "generalized-loss", "nue"])
def test_factors_that_are_both_0_would_make_every_table_the_best(name):
    with pytest.raises(UsageError, match="are both 0, so every table would cost nothing"):
        registry.create("metric", f"{name}:generalization=0,suppression=0")


def test_a_parameter_that_does_not_exist_is_named():
    with pytest.raises(UsageError, match=re.escape("Did you mean 'suppression'?")):
        registry.create("metric", "loss:supression=0.5")


def slow_arithmetic_loss(force, node, generalization, suppression):
    """The definition of the factors, cell by cell."""
    means = []
    for column, (tree, level) in enumerate(zip(force.trees, node.levels, strict=True)):
        cells = []
        for label, hidden in zip(node.released, node.suppressed, strict=True):
            kept = generalization * (leaves(tree, level, label[column]) - 1) / max(len(tree) - 1, 1)
            cells.append(kept + suppression * (1 - kept) if hidden else kept)
        means.append(sum(cells) / len(cells))
    return average(force, means)


def slow_twins(part, k):
    return {
        f"generalized-loss:suppression={part}": lambda force, node: slow_arithmetic_loss(force, node, 1, part),
        f"generalized-loss:generalization={part}": lambda force, node: slow_arithmetic_loss(force, node, part, 1),
        f"cavg:k={k}": lambda force, node: normalized_average_class_size(force, node, k),
        "kl:per=tuple": lambda force, node: kl_divergence(force, node, "tuple"),
    }


@given(frequency_sets(max_attributes=3, sensitive=0), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_with_parameters_the_optimum_is_that_of_trying_every_node(frequency, k, part):
    force, model = BruteForce(frequency), KAnonymity(k=k)
    nodes = [node for node in force.nodes([model]) if node.lost < frequency.rows]
    for spec, slow in slow_twins(part, k).items():
        metric = registry.create("metric", spec)
        try:
            recoding = Optimal().search(frequency, [model], metric, Limits(frequency.rows))
        except Infeasible:
            assert not nodes
            continue
        best = min(slow(force, node) for node in nodes)
        assert metric.compute(outcome_of(recoding, frequency)) == pytest.approx(best, rel=1e-9, abs=1e-9)
        cells = outcome_of(as_cells(recoding, frequency), frequency)
        assert metric.compute(cells) == pytest.approx(best, rel=1e-9, abs=1e-9)


@given(frequency_sets(max_attributes=3, sensitive=0), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_factors_stay_between_best_and_worst_and_keep_the_bound(frequency, k, part):
    judge = Judge(frequency, [KAnonymity(k=k)])
    lowest = judge.rollup.bottom()
    top, numbers = judge.rollup.coarsen(lowest, frequency.heights)
    optimistic = judge.outcome(lowest, judge.refused(top, judge.models)[numbers])
    for name, factor in product(("loss", "ncp", "precision", "nue"), ("suppression", "generalization")):
        metric = registry.create("metric", f"{name}:{factor}={part}")
        bound = metric.lower_bound(optimistic, frequency.heights)
        for levels in product(*(range(height + 1) for height in frequency.heights)):
            node, _ = judge.rollup.coarsen(lowest, levels)
            found = metric.compute(judge.outcome(node, judge.refused(node, judge.models)))
            assert bound - 1e-9 <= found <= metric.worst(optimistic) + 1e-9
