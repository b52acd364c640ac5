"""The fewest cells to blank: brute force over all subsets, an independent chase, refusals."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dependencies.naive_chase import follows, leaked, least_cost
from dependencies.random_tables import random_case
from effort import either, examples
from krypsis.algorithms.dependencies import cell_facts
from krypsis.algorithms.dependencies.minimal_blanking import BlankedCells, DependencyTask, MinimalBlanking
from krypsis.algorithms.minimal_removal import Derivations, remove_by_closed_sets, remove_minimally
from krypsis.checker.dependencies import check_dependencies
from krypsis.data.dependencies import FunctionalDependency, parse_dependency
from krypsis.data.dependencies.cells import ColumnCells
from krypsis.errors import Infeasible, TooLarge
from krypsis.models.dependency_safety import DependencySafety

MOST_CELLS = 11
"""All subsets of so many cells are tried."""


def frame_of(rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))


def blanked(rows, rules, sensitive, weights=None) -> tuple[BlankedCells, list[dict[str, str | None]]]:
    """Return what is blanked of a table whose secret cells are blank, and the table that is left."""
    frame = frame_of(rows)
    task = DependencyTask(
        cells={name: ColumnCells.of(frame[name]) for name in frame.columns},
        secret={name: frame[name].is_null().to_numpy() for name in sensitive},
        rules=rules,
        weights=weights or {},
    )
    found = MinimalBlanking().publish(task)
    gone = found.blanked
    left = [
        {name: None if name in gone and gone[name][place] else value for name, value in row.items()}
        for place, row in enumerate(rows)
    ]
    return found, left


def verdict_on(rows, rules, sensitive):
    (verdict,) = check_dependencies(frame_of(rows), [DependencySafety()], rules=rules, sensitive=sensitive)
    return verdict


def small_cases(first: int, last: int):
    for seed in range(first, last):
        case = random_case(seed, rows=2 + seed % 3, hidden=seed % 5 == 0)
        if sum(value is not None for row in case[0] for value in row.values()) <= MOST_CELLS:
            yield seed, case


@pytest.mark.parametrize("first", range(0, either(2000, 150), 50))
def test_no_subset_of_the_cells_that_is_safe_costs_less(first):
    protected = 0
    for seed, (rows, rules, sensitive, weights) in small_cases(first, first + 50):
        found, left = blanked(rows, rules, sensitive, weights)
        assert not leaked(left, rules, sensitive), seed
        assert found.is_optimal, seed
        assert found.cost == pytest.approx(least_cost(rows, rules, sensitive, weights)), seed
        protected += found.cost > 0
    assert protected > 10


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32), st.integers(1, 8), st.booleans())
def test_the_checker_finds_what_the_definition_says(seed, rows, hidden):
    table, rules, sensitive, _ = random_case(seed, rows, hidden=hidden)
    verdict = verdict_on(table, rules, sensitive)
    expected = len(leaked(table, rules, sensitive))
    assert (verdict.achieved, verdict.holds) == (expected, expected == 0)


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32), st.integers(2, 12), st.randoms(use_true_random=False))
def test_what_is_published_is_part_of_the_table_and_stays_safe_with_less(seed, rows, random):
    table, rules, sensitive, weights = random_case(seed, rows)
    found, left = blanked(table, rules, sensitive, weights)
    assert all(now[name] in (None, row[name]) for row, now in zip(table, left, strict=True) for name in row)
    cost = sum(weights.get(name, 1) * int(cells.sum()) for name, cells in found.blanked.items())
    assert found.cost == pytest.approx(cost)
    assert verdict_on(left, rules, sensitive).holds
    less = [
        {name: None if name not in sensitive and random.random() < 0.3 else value for name, value in row.items()}
        for row in left
    ]
    assert verdict_on(less, rules, sensitive).holds


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32), st.integers(2, 8), st.randoms(use_true_random=False))
def test_the_order_and_the_number_of_equal_records_do_not_matter(seed, rows, random):
    table, rules, sensitive, weights = random_case(seed, rows)
    once, _ = blanked(table, rules, sensitive, weights)
    twice = [row for row in table for _ in range(2)]
    random.shuffle(twice)
    found, left = blanked(twice, rules, sensitive, weights)
    assert found.cost == pytest.approx(2 * once.cost)
    assert not leaked(left, rules, sensitive)


def test_every_way_to_see_a_mapping_is_closed():
    """Of one value with three secret and two other records, hiding the two is cheapest."""
    rows = [{"zip": "1", "city": None}] * 3 + [{"zip": "1", "city": "A"}] * 2
    found, left = blanked(rows, parse_dependency("zip -> city"), ["city"])
    assert found.cost == 2
    assert {row["zip"] for row in left[:3]} == {"1"}
    assert found.followed == {"city": 3}


def test_a_public_mapping_needs_no_other_record():
    rows = [{"zip": "1", "city": None}, {"zip": "2", "city": None}]
    rule = FunctionalDependency(("zip",), "city", (("1", "A"), ("3", "B")))
    found, left = blanked(rows, [rule], ["city"])
    assert [row["zip"] for row in left] == [None, "2"]
    assert found.leaks[0].steps[0].sentence == (
        "city = A in record 1, because zip = 1 in record 1 and zip = 1 goes with city = A, by zip -> city"
    )
    assert found.leaks[0].blanked == ("zip = 1 in record 1",)


def test_a_chain_through_a_column_that_is_not_published_is_followed():
    rules = [
        FunctionalDependency(("zip",), "city", (("1", "A"),)),
        *parse_dependency("city = A => region = North"),
    ]
    rows = [{"zip": "1", "region": None}]
    assert verdict_on(rows, rules, ["region"]).achieved == 1
    found, _ = blanked(rows, rules, ["region"])
    assert list(found.blanked) == ["zip"]
    assert len(found.leaks[0].steps) == 2


def test_two_rules_that_leave_some_values_leave_what_they_have_in_common():
    rules = [
        rule
        for text in ("drug = x => illness in A, B", "ward = y => illness in B, C", "illness = B => fate = bad")
        for rule in parse_dependency(text)
    ]
    rows = [{"drug": "x", "ward": "y", "fate": None}]
    assert (0, "illness", frozenset({"B"})) in follows(rows, rules)
    found, _ = blanked(rows, rules, ["fate"])
    assert found.cost == 1


def test_a_cell_that_is_blanked_to_protect_another_must_not_follow_either():
    """Blanking the second city would protect the first, and then be told by its own drug."""
    rules = [*parse_dependency("zip -> city"), *parse_dependency("code = q => city in A, B")]
    rows = [{"zip": "1", "code": None, "city": None}, {"zip": "1", "code": "q", "city": "A"}]
    found, left = blanked(rows, rules, ["city"], {"zip": 3.0})
    assert found.cost == 2
    assert left[1] == {"zip": "1", "code": None, "city": None}


def test_what_cannot_be_protected_is_refused_with_a_derivation():
    rows = [{"drug": "insulin", "diagnosis": None}]
    rules = parse_dependency("drug = insulin => diagnosis in E10, E11")
    with pytest.raises(
        Infeasible, match="diagnosis in E10, E11 in record 1, because drug = insulin in record 1"
    ) as error:
        blanked(rows, rules, ["diagnosis"], {"drug": float("inf")})
    assert error.value.closest == {"columns": ["diagnosis"]}


def test_when_the_time_is_over_the_result_is_safe_and_the_gap_stated():
    rng = np.random.default_rng(5)
    rows = [
        {name: f"{name}{rng.integers(4)}" for name in "abcdef"} | {"s": None if rng.random() < 0.5 else "s0"}
        for _ in range(60)
    ]
    rules = [rule for left in "abcdef" for rule in parse_dependency(f"{left} -> s")]
    frame = frame_of(rows)
    cells = {name: ColumnCells.of(frame[name]) for name in frame.columns}
    task = DependencyTask(cells=cells, secret={"s": frame["s"].is_null().to_numpy()}, rules=rules)
    found = MinimalBlanking(time_limit=1e-6).publish(task)
    best = MinimalBlanking().publish(task)
    assert best.is_optimal
    assert found.lower_bound <= best.cost <= found.cost
    assert found.gap >= 1 - best.cost / found.cost - 1e-9


@pytest.mark.parametrize("seed", range(either(300, 30)))
def test_closed_sets_cost_what_hitting_sets_cost(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 14))
    firings = [
        (tuple(rng.choice(size, int(rng.integers(1, 4)), replace=False).tolist()), int(rng.integers(size)))
        for _ in range(int(rng.integers(3, 25)))
    ]
    weights = np.where(rng.random(size) < 0.6, rng.integers(1, 5, size).astype(float), np.nan)
    goals = np.flatnonzero(np.isnan(weights))[:3]
    graph = Derivations.of(size, firings)
    one, other = remove_by_closed_sets(graph, goals, weights), remove_minimally(graph, goals, weights)
    assert one.cost == pytest.approx(other.cost)
    left = np.setdiff1d(np.flatnonzero(np.isfinite(weights)), one.removed)
    assert not graph.derivable(left)[goals].any()


def test_rules_from_which_too_much_follows_are_refused(monkeypatch):
    monkeypatch.setattr(cell_facts, "MOST_FACTS", 12)
    rows = [{"a": "1", "s": None}] + [{"a": "1", "s": str(number)} for number in range(5)]
    with pytest.raises(TooLarge, match="leave out rules that the data contradicts"):
        blanked(rows, parse_dependency("a -> s"), ["s"])
