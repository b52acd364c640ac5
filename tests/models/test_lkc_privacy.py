"""LKC-privacy beyond what every model has to keep: sets of attributes, special cases, searches, bad input."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.checker import Given, check_table
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.alpha_k_anonymity import AlphaKAnonymity
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import FrequencyLDiversity
from krypsis.models.lkc_privacy import LKCPrivacy
from strategies import tables

shares = st.sampled_from([0.25, 0.5, 0.75, 1.0])


def brute_force(table: pl.DataFrame, l: int, k: int, c: float) -> bool:  # noqa: E741
    """The definition: every combination of at most l values that occurs, and every sensitive value."""
    known = [name for name in table.columns if name.startswith("q")]
    secret = [name for name in table.columns if name.startswith("s")]
    for count in range(1, l + 1):
        for names in combinations(known, min(count, len(known))):
            for _, group in table.group_by(names):
                sizes = [Counter(group[name]).most_common(1)[0][1] for name in secret]
                if group.height < k or any(Fraction(size, group.height) > Fraction(c) for size in sizes):
                    return False
    return True


@given(table=tables(), l=st.integers(1, 4), k=st.integers(1, 4), c=shares)
def test_the_checker_agrees_with_the_definition(table, l, k, c):  # noqa: E741
    secret = [name for name in table.columns if name.startswith("s")]
    known = [name for name in table.columns if name.startswith("q")]
    c = c if secret else 1.0
    (verdict,) = check_table(table, [LKCPrivacy(l=l, k=k, c=c)], Given(known, secret))
    assert verdict.holds == brute_force(table, l, k, c)


@given(table=tables(), k=st.integers(1, 4))
def test_an_attacker_who_knows_everything_and_no_shares_is_k_anonymity(table, k):
    known = [name for name in table.columns if name.startswith("q")]
    lkc, anonymity = check_table(table, [LKCPrivacy(l=len(known), k=k), KAnonymity(k=k)], Given(known))
    assert lkc.holds == anonymity.holds
    assert lkc.offending == anonymity.offending


@given(table=tables(max_sensitive=1), k=st.integers(1, 4), c=shares)
def test_an_attacker_who_knows_everything_is_alpha_k_anonymity(table, k, c):
    if "s0" not in table.columns:
        return
    known = [name for name in table.columns if name.startswith("q")]
    models = [LKCPrivacy(l=len(known), k=k, c=c), AlphaKAnonymity(alpha=c, k=k)]
    lkc, alpha = check_table(table, models, Given(known, "s0"))
    assert (lkc.holds, lkc.achieved) == (alpha.holds, alpha.achieved)


@given(table=tables(max_sensitive=1), c=shares)
def test_without_a_size_it_bounds_the_confidence_in_every_value(table, c):
    if "s0" not in table.columns:
        return
    known = [name for name in table.columns if name.startswith("q")]
    values = [value for value in table["s0"].unique() if value is not None]
    bounds = [krypsis.registry.create("model", f"confidence-bounding:value={value},h={c}") for value in values]
    lkc, *bounded = check_table(
        table.drop_nulls("s0"), [LKCPrivacy(l=len(known), k=1, c=c), *bounds], Given(known, "s0")
    )
    assert lkc.holds == (bool(bounded) and all(bounded))


@given(data=st.data(), diversity=st.integers(1, 4))
def test_a_share_of_1_in_l_is_frequency_diversity(data, diversity):
    counts = data.draw(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 5), min_size=1), min_size=1))
    groups = Groups.of_histograms(counts)
    lkc = LKCPrivacy(l=9, k=1, c=1 / diversity)
    assert lkc.accepts(groups).tolist() == FrequencyLDiversity(l=diversity).accepts(groups).tolist()


PEOPLE = pl.DataFrame(
    {
        "age": ["30", "30", "30", "40", "40", "40"],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "zip": ["1", "1", "2", "2", "2", "1"],
        "disease": ["flu", "flu", "hiv", "flu", "hiv", "cold"],
    }
)
ROLES = dict.fromkeys(["age", "sex", "zip"], "quasi-identifier") | {"disease": "sensitive"}


def test_knowing_fewer_values_costs_less_generalization():
    one = krypsis.anonymize(PEOPLE, ROLES, models="lkc-privacy:l=1,k=3", algorithm="optimal")
    all_three = krypsis.anonymize(PEOPLE, ROLES, models="k-anonymity:k=3", algorithm="optimal")
    assert sum(one.levels.values()) == 0
    assert sum(all_three.levels.values()) > 0


@pytest.mark.parametrize("l", [1, 2, 3])
def test_optimal_finds_the_node_of_fewest_levels_that_keeps_it(l):  # noqa: E741
    release = krypsis.anonymize(
        PEOPLE, ROLES, models=LKCPrivacy(l=l, k=2, c=0.67), algorithm="optimal", metric="height", suppression=0
    )
    names = ["age", "sex", "zip"]
    nodes = [dict(zip(names, levels, strict=True)) for levels in _binary(3)]
    feasible = [node for node in nodes if brute_force(_recoded(node), l, 2, 0.67)]
    assert sum(release.levels.values()) == min(sum(node.values()) for node in feasible)


def _binary(count: int) -> list[tuple[int, ...]]:
    return [tuple(number >> place & 1 for place in range(count)) for number in range(2**count)]


def _recoded(node: dict[str, int]) -> pl.DataFrame:
    shown = PEOPLE.with_columns(pl.lit("*").alias(name) for name, level in node.items() if level)
    return shown.rename({"age": "q0", "sex": "q1", "zip": "q2", "disease": "s0"})


def test_algorithms_that_look_at_groups_one_by_one_refuse_it_and_name_one_that_does_not():
    with pytest.raises(UsageError, match="algorithm 'optimal'"):
        krypsis.anonymize(PEOPLE, ROLES, models="lkc-privacy:l=1,k=3", algorithm="mondrian")


def test_where_the_attacker_knows_everything_any_algorithm_will_do():
    release = krypsis.anonymize(PEOPLE, ROLES, models="lkc-privacy:l=3,k=3", algorithm="mondrian")
    assert release.verdicts[0].holds


def test_limited_shares_need_a_sensitive_attribute():
    with pytest.raises(UsageError, match="give at least one column the role 'sensitive'"):
        check_table(PEOPLE, [LKCPrivacy(l=1, k=1, c=0.5)], Given(["age"]))


def test_too_many_sets_are_refused_with_their_number():
    names = [f"q{number}" for number in range(40)]
    with pytest.raises(UsageError, match="every 20 of 40 quasi-identifiers, 137,846,528,820 sets"):
        LKCPrivacy(l=20, k=2).sets_of(names)


def test_a_table_in_groups_does_not_tell_the_values_of_records_that_look_alike():
    with pytest.raises(UsageError, match="nobody knows which value of its group a record has"):
        krypsis.check(
            PEOPLE.with_columns(group=pl.lit(1)),
            "lkc-privacy:l=1,k=2,c=0.9",
            quasi_identifiers=["age"],
            sensitive="disease",
            group="group",
        )


def test_a_verdict_names_the_set_of_attributes_that_breaks_it():
    (verdict,) = check_table(PEOPLE, [LKCPrivacy(l=2, k=2)], Given(["age", "sex", "zip"]))
    assert not verdict.holds
    assert "formed by" in verdict.sentence
    assert all(len(group["values"]) == 2 and group["size"] == 1 for group in verdict.offending)


def test_an_exploration_shows_the_level_on_the_sets_of_the_promise():
    space = krypsis.explore(PEOPLE, ROLES, models="lkc-privacy:l=1,k=3,c=0.9")
    bottom = space.nodes.row(0, named=True)
    assert bottom["feasible"]
    assert bottom["achieved:lkc-privacy:l=1,k=3,c=0.9"] == pytest.approx(2 / 3)
