"""Searches that could go on for ever end by default, with a gap or with advice."""

import random

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.km import optimal_cut as greedy_cut
from krypsis.algorithms.sets.km import published_sets as steps
from krypsis.algorithms.tables.k_optimize import k_optimize
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import SearchWarning, UsageError
from krypsis.kinds.table.families import recoding as generalized
from krypsis.models.km_anonymity import KmAnonymity
from oracles.itemsets import rare

CHANCE = random.Random(3)
FIFTEEN = pl.DataFrame(
    {
        "age": [20 + 3 * number for number in range(15)],
        "zip": [10_000 + CHANCE.randrange(900) for _ in range(15)],
        "pay": [CHANCE.randrange(1000, 5000) for _ in range(15)],
        "disease": [CHANCE.choice("abc") for _ in range(15)],
    }
)
ROLES = {**dict.fromkeys(["age", "zip", "pay"], "quasi-identifier"), "disease": "sensitive"}

ITEMS = [f"i{number:02}" for number in range(32)]
COMMON = [[item for item in ITEMS if CHANCE.random() < 0.97] for _ in range(200)]
GOODS = Hierarchy.from_rows([[item, f"g{int(item[1:]) // 4}", f"h{int(item[1:]) // 8}", "*"] for item in ITEMS])


def test_k_optimize_ends_without_a_limit_of_its_own_and_tells_the_gap(monkeypatch):
    monkeypatch.setattr(k_optimize, "USUAL_SECONDS", 0.4)
    promise = "entropy-l-diversity:l=2"
    gap = r"stopped after 0\.4 seconds: the best cost found is \d+.*a gap of \d+\.\d%"
    with pytest.warns(SearchWarning, match=gap):
        release = krypsis.anonymize(FIFTEEN, ROLES, models=promise, algorithm="k-optimize", metric="discernibility")
    assert all(release.verdicts)
    assert release.lower_bound < release.score


def test_k_optimize_that_is_done_in_time_warns_of_nothing(monkeypatch):
    monkeypatch.setattr(k_optimize, "USUAL_SECONDS", 30)
    few = FIFTEEN.select("age", "disease")
    roles = {name: ROLES[name] for name in few.columns}
    release = krypsis.anonymize(few, roles, models="k-anonymity:k=5", algorithm="k-optimize", metric="discernibility")
    assert release.lower_bound == release.score


def test_the_optimal_search_is_limited_where_nobody_could_wait_for_its_end(monkeypatch):
    monkeypatch.setattr(generalized, "MOST_WORK", 100)
    with pytest.warns(SearchWarning, match="too many to search them all"):
        krypsis.anonymize(FIFTEEN, ROLES, models="k-anonymity:k=2", algorithm="optimal", suppression=1.0)


@pytest.mark.parametrize(
    "spec", ["km-suppression", "km-suppression:scope=everywhere", "apriori", "apriori:variant=direct"]
)
def test_sets_of_many_common_items_are_refused_for_a_large_m_with_advice(spec, monkeypatch):
    monkeypatch.setattr(steps, "MOST_STEPS", 300_000)
    task = SetTask(Transactions.of_sets(COMMON), [KmAnonymity(k=5, m=20)], GOODS)
    with pytest.raises(UsageError, match=r"too many combinations of up to \d+ items.*Promise a smaller m"):
        registry.create("algorithm", spec).publish(task, np.random.default_rng(1))


@pytest.mark.parametrize("spec", ["km-suppression", "apriori"])
def test_the_same_sets_are_published_for_a_small_m(spec):
    task = SetTask(Transactions.of_sets(COMMON[:40]), [KmAnonymity(k=5, m=2)], GOODS)
    made = registry.create("algorithm", spec).publish(task, np.random.default_rng(1))
    assert not rare([sorted(one) for one in made.published.sets()], 5, 2)


def test_a_rare_set_with_too_many_ways_to_generalize_it_is_still_settled(monkeypatch):
    monkeypatch.setattr(greedy_cut, "MOST_WAYS", 3)
    sets = [[item for item in ITEMS[:12] if CHANCE.random() < 0.5] for _ in range(30)]
    task = SetTask(Transactions.of_sets(sets), [KmAnonymity(k=3, m=4)], GOODS)
    made = registry.create("algorithm", "apriori:variant=direct").publish(task, np.random.default_rng(1))
    assert not rare([sorted(one) for one in made.published.sets()], 3, 4)
