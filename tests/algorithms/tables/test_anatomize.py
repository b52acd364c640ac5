"""Anatomize makes groups of different values exactly where they exist, and names what stands in the way elsewhere."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.algorithms.tables.bucketing.anatomize import Anatomize
from krypsis.data.hierarchies import resolve
from krypsis.data.schema import Schema
from krypsis.errors import Infeasible, UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility import reconstruction_error
from krypsis.models.l_diversity import FrequencyLDiversity
from krypsis.release.order import in_input_order
from oracles.partitions import partitions

ROLES = {"age": "quasi-identifier", "disease": "sensitive"}


def table_of(values, ages=None):
    frame = {"age": list(range(len(values))) if ages is None else ages, "disease": values}
    return pl.DataFrame(frame, schema={"age": pl.Int64, "disease": pl.String})


def anatomized(values, diversity, model="frequency-l-diversity", **options):
    promises = [f"{model}:l={diversity}", *options.pop("more", [])]
    algorithm = {"name": "anatomize", **options}
    return krypsis.anonymize(table_of(values), ROLES, models=promises, algorithm=algorithm)


def groups_of(release, values):
    """The sensitive values of each group, from the ages, which are the numbers of the records."""
    groups = {}
    for age, group in release.table.rows():
        groups.setdefault(group, []).append(values[age])
    return groups


some_values = st.lists(st.sampled_from(["flu", "cancer", "hiv", "asthma", "cold", None]), min_size=1, max_size=40)


@given(values=some_values, diversity=st.integers(1, 6))
def test_it_keeps_every_statement_about_its_groups_or_fails_where_a_value_is_too_frequent(values, diversity):
    most = max(Counter(values).values())
    if most * diversity > len(values):
        with pytest.raises(Infeasible):
            anatomized(values, diversity)
        return
    release = anatomized(values, diversity)
    groups = groups_of(release, values)
    assert sum(map(len, groups.values())) == len(values)
    for members in groups.values():
        assert len(set(members)) == len(members)
        assert diversity <= len(members) <= 2 * diversity - 1
    assert reconstruction_error(release).total == pytest.approx(len(values) - len(values) // diversity)


@given(values=st.lists(st.sampled_from("abc"), min_size=1, max_size=7), diversity=st.integers(1, 4))
def test_it_fails_exactly_where_no_diverse_partition_exists(values, diversity):
    possible = any(
        all(max(Counter(values[record] for record in group).values()) * diversity <= len(group) for group in partition)
        for partition in partitions(len(values))
    )
    if possible:
        assert all(anatomized(values, diversity).verdicts)
    else:
        with pytest.raises(Infeasible):
            anatomized(values, diversity)


def test_the_second_table_counts_the_values_of_each_group():
    values = ["flu", "flu", "cancer", "hiv", "cold", None]
    release = anatomized(values, 2)
    told = {group: {} for group in release.sensitive_table["group"]}
    for group, value, count in release.sensitive_table.rows():
        told[group][value] = count
    assert told == {group: dict(Counter(members)) for group, members in groups_of(release, values).items()}
    assert release.table.columns == ["age", "group"]


@pytest.mark.parametrize(("diversity", "sizes"), [(2, [2] * 5), (3, [3, 3, 4])])
def test_the_ten_patients_of_the_thesis_become_groups_of_the_sizes_expected(diversity, sizes):
    values = ["Hepatitis"] * 2 + ["AIDS", "Hepatitis", "AIDS", "AIDS", "Flu", "Flu", "Heart", "Heart"]
    assert sorted(map(len, groups_of(anatomized(values, diversity), values).values())) == sizes


def test_the_error_names_the_value_its_count_and_the_largest_feasible_l():
    values = ["flu"] * 4 + ["cancer"] * 3 + [None] * 3
    with pytest.raises(Infeasible) as caught:
        anatomized(values, 3)
    assert "4 of 10 records have 'flu' as disease" in str(caught.value)
    assert "have room for it 3 times. The largest feasible l is 2" in str(caught.value)
    assert caught.value.closest == {"value": "flu", "count": 4, "rows": 10, "l": 2}
    assert anatomized(values, caught.value.closest["l"])


def test_the_error_speaks_of_missing_values():
    with pytest.raises(Infeasible, match="3 of 4 records have a missing value as disease"):
        anatomized([None] * 3 + ["flu"], 2)


def test_a_promise_that_other_groups_could_keep_is_refused_with_an_algorithm_that_tries():
    values = ["flu"] * 5 + ["cancer"] * 2
    with pytest.raises(Infeasible, match="choose the algorithm 'optimal'"):
        anatomized(values, 2, "distinct-l-diversity")
    release = krypsis.anonymize(table_of(values), ROLES, models="distinct-l-diversity:l=2", algorithm="optimal")
    assert all(release.verdicts)


@pytest.mark.parametrize(
    ("values", "diversity", "groups"),
    [(["flu"], 1, 1), (["flu"] * 3, 1, 3), (list("abcdef"), 6, 1), (list("abcdef"), 4, 1), (list("abcdef"), 3, 2)],
)
def test_the_smallest_tables(values, diversity, groups):
    assert len(groups_of(anatomized(values, diversity), values)) == groups


def test_more_different_values_than_records_cannot_be_had():
    with pytest.raises(Infeasible, match="The largest feasible l is 3"):
        anatomized(list("abc"), 4)


@pytest.mark.parametrize(
    ("promises", "least"),
    [
        (["frequency-l-diversity:l=2", "distinct-l-diversity:l=3"], 3),
        (["entropy-l-diversity:l=2.5"], 3),
        (["recursive-l-diversity:c=2,l=4"], 4),
        (["alpha-k-anonymity:alpha=0.4,k=2"], 3),
        (["alpha-k-anonymity:alpha=1,k=4"], 4),
        (["alpha-k-anonymity:alpha=0.25,k=2,value=a"], 4),
    ],
)
def test_the_strictest_promise_decides_how_large_groups_are(promises, least):
    values = list("abcdefgh") * 3
    release = krypsis.anonymize(table_of(values), ROLES, models=promises, algorithm="anatomize")
    assert min(map(len, groups_of(release, values).values())) == least
    assert len(release.verdicts) == len(promises)


def test_a_promise_that_its_groups_do_not_keep_is_infeasible_with_the_level_they_achieve():
    values = ["a"] * 6 + list("bcdefg")
    with pytest.raises(Infeasible) as caught:
        anatomized(values, 2, more=["t-closeness:t=0.1"])
    assert "distance=equal: required at most 0.1, achieved 0.416667" in str(caught.value)
    assert "Promise a larger l" in str(caught.value)
    assert all(anatomized(values, 2, more=["t-closeness:t=0.95"]).verdicts)


def test_promises_without_an_l_are_refused():
    with pytest.raises(UsageError, match="names no l; promise 'frequency-l-diversity:l=3'"):
        krypsis.anonymize(table_of(list("abab")), ROLES, models="t-closeness:t=0.5", algorithm="anatomize")


def test_which_record_of_a_value_goes_where_is_left_to_chance():
    values = ["flu"] * 6 + ["cancer"] * 6
    partners = [
        tuple(sorted(tuple(sorted(pair)) for pair in records_of(anatomized(values, 2, seed=seed)).values()))
        for seed in range(20)
    ]
    assert len(set(partners)) > 10
    assert partners[3] == tuple(
        sorted(tuple(sorted(pair)) for pair in records_of(anatomized(values, 2, seed=3)).values())
    )


def records_of(release):
    groups = {}
    for age, group in release.table.rows():
        groups.setdefault(group, []).append(age)
    return groups


def test_every_record_is_equally_likely_to_be_with_every_value():
    engine = Dataset.of(table_of(["flu"] * 4 + list("abcd"))).engine
    schema = Schema.of(ROLES)
    frequency = engine.count_tuples(schema, {"age": resolve(None, engine.distinct("age"), "age")}, "record").frequency
    met = np.zeros((4, 4))
    for seed in range(400):
        models, rng = [FrequencyLDiversity(l=2)], np.random.default_rng(seed)
        groups = Anatomize().group(frequency, models, rng)
        for flu in range(4):
            (other,) = np.flatnonzero(groups[4:] == groups[flu])
            met[flu, other] += 1
    assert np.abs(met - 100).max() < 45  # five standard deviations


def test_a_guessed_seed_tells_nothing_to_who_does_not_have_the_values():
    """With another secret of two people the same seed makes other groups of all people."""
    values = ["flu", "cold"] * 100
    others = ["cold", "flu", *values[2:]]
    found = [in_input_order(anatomized(secrets, 2, seed=42))["group"].to_list() for secrets in (values, others)]
    assert sum(one == other for one, other in zip(*found, strict=True)) < 40


def test_columns_that_no_promise_protects_are_named_in_a_warning_of_the_release():
    table = pl.DataFrame({"age": [1, 2], "disease": ["flu", "gout"], "ward": ["A", "B"], "bed": [1, 2]})
    roles = {"age": "quasi-identifier", "disease": "sensitive", "ward": "insensitive", "bed": "insensitive"}
    release = krypsis.anonymize(table, roles=roles, models=["frequency-l-diversity:l=2"], algorithm="anatomize")
    assert "Warning: ward, bed is not protected" in release.guarantee
    assert release.guarantee in release.summary()
