"""How often values leave, and as what they are published: against the plain search over sets of values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.histories.diseases import DISEASES
from krypsis.algorithms.histories import targets as deletions
from krypsis.algorithms.histories.base import Turnover
from krypsis.algorithms.histories.families import families_of, first_nodes, level_and_code
from krypsis.algorithms.histories.targets import CRITERIA, Stakes, estimated, targets_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from oracles.correlation import Tree
from oracles.frequency import chance, is_balanced, is_cheaper, penalty_in_group, target

TREE = Tree(DISEASES)
LABELS = [label for labels in DISEASES.labels for label in labels]
bounds = st.sampled_from([Fraction(1), Fraction(8, 5), Fraction(8, 3), Fraction(4)])
shares = st.fractions(0, Fraction(19, 20), max_denominator=20)


def values_below(node, hierarchy=DISEASES):
    (level,), (code,) = (part.tolist() for part in level_and_code(hierarchy, np.array([node])))
    return frozenset(value for value, its in zip(hierarchy.values, hierarchy.table[level], strict=True) if its == code)


@st.composite
def turnovers(draw, values=8):
    """What came and went: nobody leaves who was not there."""
    versions = draw(st.integers(1, 5))
    population = [draw(arrays(np.int64, values, elements=st.integers(0, 9)))]
    inserted, deleted = [population[0]], [np.zeros(values, dtype=np.int64)]
    for _ in range(versions - 1):
        left = draw(arrays(np.int64, values, elements=st.integers(0, 9)))
        deleted.append(np.minimum(left, population[-1]))
        inserted.append(draw(arrays(np.int64, values, elements=st.integers(0, 9))))
        population.append(population[-1] - deleted[-1] + inserted[-1])
    return Turnover(np.array(population), np.array(inserted), np.array(deleted))


@given(turnovers(), st.integers(0, 2))
def test_a_chance_is_what_is_lost_beyond_what_comes_by_what_was_there(turnover, smoothing):
    found = estimated(turnover, DISEASES, window=9, smoothing=smoothing, evidence=0)
    tables = turnover.population.tolist(), turnover.inserted.tolist(), turnover.deleted.tolist()
    for node in range(len(LABELS)):
        assert found.below(node) == chance(TREE, values_below(node), *tables, smoothing)
        assert 0 <= found.below(node) <= 1


@given(turnovers())
def test_a_general_value_needs_no_more_counterfeits_than_its_values_together(turnover):
    """OPEN 18: the expected number of losses below a node, against the sum over its values."""
    found = estimated(turnover, DISEASES, window=9, smoothing=0, evidence=0)
    records = turnover.population[:-1].sum(axis=0)
    for node in range(len(LABELS)):
        codes = [DISEASES.code_of[value] for value in values_below(node)]
        apart = sum(int(records[code]) * found.below(code) for code in codes)
        assert int(records[codes].sum()) * found.below(node) <= apart


def test_only_the_last_versions_count_and_those_with_enough_evidence():
    population, nothing = np.full((4, 8), 10), np.zeros((4, 8), dtype=np.int64)
    deleted, inserted = nothing.copy(), nothing.copy()
    deleted[1], inserted[1] = 8, 8  # replaced at once
    deleted[3, :2] = 5, 1
    turnover = Turnover(population, inserted, deleted)
    found = estimated(turnover, DISEASES, window=1, smoothing=0, evidence=2)
    assert found.below(0) == Fraction(1, 2)
    assert found.below(1) is None
    assert estimated(turnover, DISEASES, window=3, smoothing=0, evidence=0).below(0) == Fraction(5, 30)


def test_before_the_second_version_nothing_is_known():
    once = Turnover(np.full((1, 8), 3), np.full((1, 8), 3), np.zeros((1, 8), dtype=np.int64))
    for turnover in (Turnover.none(8), once):
        assert set(estimated(turnover, DISEASES, window=5, smoothing=0, evidence=0).of_node) == {Fraction(0)}
        assert set(estimated(turnover, DISEASES, window=5, smoothing=1, evidence=0).of_node) == {Fraction(1, 2)}
        assert set(estimated(turnover, DISEASES, window=5, smoothing=1, evidence=1).of_node) == {None}


@pytest.mark.parametrize("criterion", CRITERIA)
@given(
    names=st.dictionaries(st.sampled_from(sorted(set(LABELS))), shares),
    e=bounds,
    m=st.integers(2, 3),
    c=shares,
    f=shares,
    v=st.sampled_from([Fraction(1), Fraction(1, 2)]),
)
def test_a_value_becomes_the_nearest_node_that_the_criterion_admits(criterion, names, e, m, c, f, v):
    """S8.5 with OPEN 16, and S13.13: an ancestor or the value itself, at or below its family."""
    chances = deletions.given(names, DISEASES)
    found = targets_of(families_of(DISEASES, e), chances, Stakes(m, e, 4, c, f, v), criterion)
    for leaf, value in enumerate(DISEASES.values):

        def admissible(node, special):
            label = min((one for one in LABELS if label_set(one) == node), key=LABELS.index)
            if label not in names or special is None:
                return False
            penalty = penalty_in_group(Fraction(len(node), 8), m, e)
            cheap = is_cheaper(special, names[label], penalty, c, 4)
            level = is_balanced(names[label], penalty, c, f, v, 4)
            return {"combined": cheap and level, "minimal-penalty": cheap, "balanced": level}[criterion]

        special = names.get(value)
        expected = target(TREE, value, e, lambda node, special=special, test=admissible: test(node, special))
        if criterion == "balanced" and admissible(frozenset({value}), special):
            expected = frozenset({value})
        assert values_below(int(found[leaf])) == expected
        assert expected <= TREE.climb(value, e)


def label_set(label):
    """The values below a label, at the lowest level where it stands."""
    level = next(level for level, labels in enumerate(DISEASES.labels) if label in labels)
    return frozenset(value for value in DISEASES.values if DISEASES.label(value, level) == label)


def test_the_worked_cases_choose_as_they_say():
    """S10.22, rows 1 and 2: flu becomes X, pneumonia stays."""
    table = {"flu": Fraction(1, 2), "pneumonia": Fraction(1, 4), "X": Fraction(1, 5)}
    families, chances = families_of(DISEASES, Fraction(8, 5)), deletions.given(table, DISEASES)
    found = targets_of(families, chances, Stakes(2, Fraction(8, 5), 4), "combined")
    flu, pneumonia = DISEASES.code_of["flu"], DISEASES.code_of["pneumonia"]
    assert LABELS[found[flu]] == "X"
    assert found[pneumonia] == pneumonia


def test_a_name_that_stands_for_other_values_further_down_is_passed_over():
    rows = [
        ["a", "n", "n", "*"],
        ["b", "n", "n", "*"],
        ["n", "m", "n", "*"],
        *([str(i), "o", "o", "*"] for i in range(9)),
    ]
    tree = Hierarchy.from_rows(rows)
    chances = deletions.given({"a": Fraction(9, 10), "n": Fraction(0)}, tree)
    found = targets_of(families_of(tree, Fraction(1)), chances, Stakes(2, Fraction(1), 4), "minimal-penalty")
    assert found[0] == 0, "published as n, it would be taken for the value n"


def test_a_missing_value_stays_missing():
    tree = DISEASES.with_missing()
    chances = deletions.LossChances((Fraction(9, 10),) * int(first_nodes(tree)[-1]))
    found = targets_of(families_of(tree, Fraction(1)), chances, Stakes(2, Fraction(1), 4), "balanced")
    missing = tree.code_of[None]
    assert found[missing] == missing


def test_a_name_outside_of_the_hierarchy_is_refused():
    with pytest.raises(UsageError, match=r"name 'fluu', which is nowhere in the hierarchy .* Did you mean 'flu'\?"):
        deletions.given({"fluu": Fraction(1, 2)}, DISEASES)
