"""Multi-attribute l-diversity: what somebody learns who knows the other sensitive values of a person."""

from collections import Counter
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.errors import Infeasible, UsageError
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity
from krypsis.models.multi_attribute_l_diversity import MultiAttributeLDiversity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from strategies import tables

# Both attributes are 2-diverse in each group. Whoever knows that the pay of a cook is low knows the disease.
TABLE = pl.DataFrame(
    {
        "job": ["cook", "cook", "nurse", "nurse", "nurse", "nurse"],
        "disease": ["flu", "hiv", "flu", "hiv", "flu", "hiv"],
        "pay": ["low", "high", "low", "low", "high", "high"],
    }
)
ROLES = {"job": "quasi-identifier", "disease": "sensitive", "pay": "sensitive"}


def test_diverse_attributes_may_tell_each_other():
    models = [DistinctLDiversity(l=2), MultiAttributeLDiversity(l=2)]
    each, together = check_table(TABLE, models, Given(["job"], ["disease", "pay"]))
    assert each.holds
    assert (together.holds, together.achieved) == (False, 1)
    assert together.offending == ({"values": {"job": "cook"}, "size": 2},)


def test_a_release_keeps_what_the_definition_says():
    release = krypsis.anonymize(TABLE, ROLES, models="multi-attribute-l-diversity:l=2", algorithm="optimal")
    assert release.levels == {"job": 1}
    assert by_definition(release.table, ["job"], ["disease", "pay"], 2)


def by_definition(table: pl.DataFrame, known: list[str], secret: list[str], l: int) -> bool:  # noqa: E741
    """For each sensitive attribute, group by the quasi-identifiers and the other sensitive attributes (LD-11)."""
    return all(
        len(set(group[name])) >= l
        for name in secret
        for _, group in table.group_by([*known, *(other for other in secret if other != name)])
    )


@given(table=tables(), diversity=st.integers(1, 3))
def test_the_checker_agrees_with_grouping_by_the_other_attributes(table, diversity):
    known = [name for name in table.columns if name.startswith("q")]
    secret = [name for name in table.columns if name.startswith("s")]
    if not secret:
        return
    (verdict,) = check_table(table, [MultiAttributeLDiversity(l=diversity)], Given(known, secret))
    assert verdict.holds == by_definition(table, known, secret, diversity)


@pytest.mark.parametrize(
    ("variant", "plain"),
    [
        (MultiAttributeLDiversity(l=2), DistinctLDiversity(l=2)),
        (MultiAttributeLDiversity(l=1.5, variant="entropy"), EntropyLDiversity(l=1.5)),
        (MultiAttributeLDiversity(l=2, variant="frequency"), FrequencyLDiversity(l=2)),
        (MultiAttributeLDiversity(l=2, variant="recursive", c=2), RecursiveLDiversity(l=2, c=2)),
    ],
)
@given(table=tables(max_sensitive=1))
def test_with_one_attribute_it_is_plain_diversity(variant, plain, table):
    if "s0" not in table.columns:
        return
    known = [name for name in table.columns if name.startswith("q")]
    ours, theirs = check_table(table, [variant, plain], Given(known, "s0"))
    assert ours.holds == theirs.holds


@given(table=tables(max_rows=8, max_quasi_identifiers=2))
def test_optimal_finds_the_lowest_node_and_says_when_there_is_none(table):
    known = [name for name in table.columns if name.startswith("q")]
    secret = [name for name in table.columns if name.startswith("s")]
    if len(secret) < 2:
        return
    roles = dict.fromkeys(known, "quasi-identifier") | dict.fromkeys(secret, "sensitive")
    nodes = list(product((0, 1), repeat=len(known)))
    good = [node for node in nodes if by_definition(_recoded(table, known, node), known, secret, 2)]
    options = {
        "models": "multi-attribute-l-diversity:l=2",
        "algorithm": "optimal",
        "metric": "height",
        "suppression": 0,
    }
    if not good:
        with pytest.raises(Infeasible):
            krypsis.anonymize(table, roles, **options)
        return
    release = krypsis.anonymize(table, roles, **options)
    # A column with one value has no level to climb.
    assert sum(release.levels.values()) <= min(map(sum, good))
    assert by_definition(release.table, known, secret, 2)


def _recoded(table: pl.DataFrame, known: list[str], node: tuple[int, ...]) -> pl.DataFrame:
    raised = [name for name, level in zip(known, node, strict=True) if level]
    return table.with_columns(pl.lit("*").alias(name) for name in raised)


def test_suppressed_records_leave_what_is_diverse():
    release = krypsis.anonymize(
        TABLE, ROLES, models="multi-attribute-l-diversity:l=2", suppression=2, max_levels={"job": 0}
    )
    assert Counter(release.table["job"]) == {"nurse": 4}


def test_it_asks_for_a_sensitive_attribute():
    with pytest.raises(UsageError, match="is about a sensitive attribute"):
        krypsis.anonymize(TABLE, {"job": "quasi-identifier"}, models="multi-attribute-l-diversity:l=2")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("l=2,variant=recursive", "needs c for variant 'recursive'"),
        ("l=2,c=3", "needs c for variant 'recursive', and only there"),
        ("l=1.5", "must be a whole number, got 1.5"),
        ("l=0", "must be at least 1"),
        ("l=2,variant=different", "variant of multi-attribute-l-diversity"),
    ],
)
def test_parameters_that_do_not_fit_are_explained(spec, problem):
    with pytest.raises(UsageError, match=problem):
        registry.create("model", f"multi-attribute-l-diversity:{spec}")


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({}, "every group of records that look alike and agree in all other sensitive attributes holds at least 2"),
        (
            {"variant": "entropy"},
            "in every group of records that look alike and agree in all other sensitive attributes, the",
        ),
    ],
)
def test_its_promise_is_a_sentence(variant, words):
    assert MultiAttributeLDiversity(l=2, **variant).promise().startswith(words)
