"""Samples without small groups: the published formula for δ against the exact one of neighboring tables."""

from itertools import pairwise
from math import exp

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import krypsis
from krypsis.errors import Infeasible, UsageError
from krypsis.models.differential_privacy import least_k, sampling_delta

PEOPLE = pl.DataFrame({"sex": ["f"] * 2000 + ["m"] * 1500 + [None] * 3, "town": ["x", "y"] * 1751 + ["z"]})
HIERARCHIES = {"sex": {"*": ["f", "m"]}, "town": {"*": ["x", "y", "z"]}}


def outputs(records, rate, k):
    """The chance of every published size of one group: sizes below k are published as nothing."""
    chances = binom.pmf(np.arange(records + 2), records, rate)
    return np.concatenate([[chances[:k].sum()], chances[k:]])


def exact_delta(epsilon, rate, k, most):
    """δ is the largest sum of P - e^ε·Q over all outputs, for one record more and one less, in groups of any size."""
    worst = 0.0
    for records in range(max(k, 1) - 1, most):
        length = records + 3
        one, more = (
            np.pad(found, (0, length - len(found)))
            for found in (outputs(records, rate, k), outputs(records + 1, rate, k))
        )
        worst = max(worst, *(np.clip(p - exp(epsilon) * q, 0, None).sum() for p, q in ((one, more), (more, one))))
    return worst


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("k", [1, 2, 5, 12, 30])
def test_the_formula_is_never_below_the_exact_delta(epsilon, share, k):
    rate = (1 - exp(-epsilon)) * share - 1e-9
    assert exact_delta(epsilon, rate, k, 150) <= sampling_delta(epsilon, rate, k) * (1 + 1e-9)


@pytest.mark.parametrize(("epsilon", "rate"), [(1.0, 0.2), (0.5, 0.1)])
def test_larger_groups_are_safer_and_the_least_that_is_enough_is_found(epsilon, rate):
    deltas = [sampling_delta(epsilon, rate, k) for k in range(1, 60)]
    assert all(one >= other for one, other in pairwise(deltas))
    k = least_k(epsilon, 1e-4, rate)
    assert sampling_delta(epsilon, rate, k) <= 1e-4 < sampling_delta(epsilon, rate, k - 1)


def test_a_sample_that_is_too_large_keeps_nothing():
    assert sampling_delta(1.0, 0.7, 1000) == 1


def released(promise="differential-privacy:epsilon=1,delta=1e-5", **parameters):
    return krypsis.anonymize(
        PEOPLE,
        {"sex": "QI", "town": "sensitive"},
        hierarchies=HIERARCHIES,
        models=promise,
        algorithm={"name": "dp-sampling", **parameters},
    )


def test_true_records_are_published_about_as_many_as_the_rate_says_in_large_groups():
    release = released(rate=0.5)
    assert abs(release.table.height - 1750) < 150
    sizes = release.table.group_by("sex", "town").len()["len"]
    assert sizes.min() >= release.mechanism_record.smallest_group > 10
    assert set(release.table.rows()) <= {(sex, town) for sex in ("f", "m") for town in ("x", "y")}


def test_sensitive_columns_count_and_levels_can_be_chosen():
    assert released(levels={"town": 1}).table["town"].unique().to_list() == ["*"]
    assert released(columns="sex").table.columns == ["sex"]


def test_a_release_with_a_small_group_is_refused(tmp_path):
    release = released()
    forged = release.mechanism_record.model_copy(update={"smallest_group": 10**6})
    (verdict,) = krypsis.checker.published_tables.check_published(
        krypsis.checker.published_tables.PublishedTables(release.table, mechanism_record=forged),
        [krypsis.registry.create("model", release.promises[0])],
        krypsis.checker.Given(["sex"], ()),
    )
    assert not verdict.holds
    assert "shared by fewer than 1000000" in verdict.sentence
    loaded = krypsis.Release.load(release.save(tmp_path / "release").folder)
    assert loaded.mechanism_record == release.mechanism_record


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"promise": "differential-privacy:epsilon=1"}, UsageError, "promise it with a delta"),
        ({"rate": 0.7}, UsageError, "must be at most 1 - e"),
        ({"rate": 0}, UsageError, "rate of dp-sampling must be more than 0"),
        ({"promise": "differential-privacy:epsilon=1e-9,delta=1e-5"}, Infeasible, "a million records"),
    ],
)
def test_what_cannot_be_done_is_refused_in_plain_words(options, error, words):
    with pytest.raises(error, match=words):
        released(**options)
