"""Delta-presence: the tables of the thesis, what an attacker can conclude, and populations that do not fit."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.errors import ColumnError, DataError, HierarchyError, Infeasible, UsageError
from krypsis.models.delta_presence import DeltaPresence, PublishedPresence

THESIS = Path(__file__).parents[1] / "papers" / "thesis_2016_k_anonymity"
JOB = ["job", "sex", "age"]
HIERARCHIES = {name: THESIS / f"{name}.csv" for name in JOB}


def table(number: str) -> pl.DataFrame:
    return pl.read_csv(THESIS / f"table_5_{number}.csv", infer_schema=False)


def anonymize(data: Any, population: Any, *models: str, **options: Any) -> krypsis.Release:
    roles = dict.fromkeys(JOB, "quasi-identifier") | {"disease": "sensitive"}
    return krypsis.anonymize(data, roles, models=models, hierarchies=HIERARCHIES, population=population, **options)


def check(published: pl.DataFrame, models: list[Any], names: list[str], **options: Any) -> tuple[krypsis.Verdict, ...]:
    return krypsis.check(published, models, quasi_identifiers=names, **options)


def test_alice_and_vasilis_of_the_thesis():
    """Tables 5.8 and 5.9, with erratum E32: Alice is in the data with 4/5, Vasilis with 3/4."""
    models = [DeltaPresence(delta_min=0.75, delta_max=0.8), DeltaPresence(delta_max=0.79)]
    models += [DeltaPresence(delta_min=0.76, delta_max=0.8)]
    kept, above, below = check(table("8"), models, JOB, population=table("9"))
    assert kept.holds
    assert kept.achieved == 0.8
    assert (
        "everybody of the population is in the data with a probability of at least 0.75 and at most 0.8"
        in kept.sentence
    )
    assert not above.holds
    assert [group["values"]["job"] for group in above.offending] == ["Artist"]
    assert not below.holds
    assert [group["values"]["job"] for group in below.offending] == ["Professional"]


def test_the_population_may_be_given_as_it_was_before_generalization():
    (verdict,) = check(
        table("8"), ["delta-presence:delta_min=0.75,delta_max=0.8"], JOB, population=table("7"), hierarchies=HIERARCHIES
    )
    assert verdict.holds


def test_the_release_of_the_thesis_is_found():
    release = anonymize(table("6"), table("7"), "delta-presence:delta_min=0.75,delta_max=0.8", suppression=0)
    assert release.levels == {"job": 1, "sex": 0, "age": 1}
    assert Counter(release.table.rows()) == Counter(table("8").rows())
    assert release.verdicts[0].achieved == 0.8


def test_people_of_whom_nothing_is_published_break_the_lower_limit():
    """Lawyers of 39 and dancers of 32 are in the population only; as they are, nobody like them is published."""
    (strict,) = check(table("6"), ["delta-presence:delta_min=0.5,delta_max=1"], JOB, population=table("7"))
    assert not strict.holds
    assert {tuple(group["values"].values()) for group in strict.offending} == {
        ("Lawyer", "Male", "39"),
        ("Dancer", "Female", "32"),
    }
    assert [group["size"] for group in strict.offending] == [0, 0]
    models = ["published-presence:delta_min=0.5,delta_max=1", "delta-presence:delta_max=1"]
    assert all(check(table("6"), models, JOB, population=table("7")))


@st.composite
def small_worlds(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """What each person of a population is published as, and which of them are in the data."""
    looks = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=7))
    return looks, sorted(draw(st.sets(st.integers(0, len(looks) - 1), min_size=1)))


@given(small_worlds(), st.sampled_from([0, 0.25, 0.5, 0.75]), st.sampled_from([0.25, 0.5, 0.75, 1]))
def test_an_attacker_who_tries_all_worlds_concludes_what_the_verdict_says(world, low, high):
    """Of all sets of people that could be the data, those that would have been published the same way are possible."""
    looks, inside = world
    published = Counter(looks[person] for person in inside)
    everybody = range(len(looks))
    possible = [
        chosen for chosen in combinations(everybody, len(inside)) if Counter(looks[p] for p in chosen) == published
    ]
    likely = [Fraction(sum(person in chosen for chosen in possible), len(possible)) for person in everybody]
    model = DeltaPresence(delta_min=min(low, high), delta_max=high)
    data = pl.DataFrame({"look": [looks[person] for person in inside]})
    (verdict,) = check(data, [model], ["look"], population=pl.DataFrame({"look": looks}))
    assert verdict.holds == all(model.delta_min <= chance <= model.delta_max for chance in likely)
    if verdict.holds:
        assert verdict.achieved == pytest.approx(float(max(likely)))


def test_nothing_is_suppressed_where_everybody_counts():
    data, people = table("6").head(6), table("7")
    strict = anonymize(data, people, "delta-presence:delta_min=0.5,delta_max=0.8", suppression=1.0)
    assert strict.suppressed == 0
    published = anonymize(data, people, "published-presence:delta_min=0.7,delta_max=0.8", suppression=1.0)
    assert published.suppressed == 3
    assert all(published.verdicts)


def test_more_records_than_people_are_refused():
    with pytest.raises(DataError, match="2 of 7 records are not in the population: nobody there, or too few"):
        anonymize(table("6"), table("7").filter(pl.col("job") != "Writer"), "k-map:k=2")
    with pytest.raises(DataError, match="1 of 2 published groups hold more records than the population has people"):
        check(table("8"), ["k-map:k=2"], JOB, population=table("9").head(6))


def test_an_empty_population_holds_nobody():
    with pytest.raises(DataError, match="the population has no rows; expected at least one record"):
        anonymize(table("6"), table("7").head(0), "k-map:k=2")
    with pytest.raises(DataError, match="the population has no rows; expected at least one record"):
        check(table("8"), ["k-map:k=2"], JOB, population=table("9").head(0))


def test_a_population_without_a_quasi_identifier_is_refused():
    people = table("7").rename({"job": "jobs"})
    with pytest.raises(ColumnError, match="column 'job' not found; columns: name, jobs, sex, age"):
        anonymize(table("6"), people, "k-map:k=2")
    with pytest.raises(ColumnError, match="column 'job' not found"):
        check(table("8"), ["k-map:k=2"], JOB, population=people)


def test_values_that_no_hierarchy_knows_are_named():
    people = table("7").with_columns(pl.col("job").str.to_lowercase())
    with pytest.raises(HierarchyError, match="job"):
        anonymize(table("6"), people, "k-map:k=2")


def test_people_written_otherwise_are_not_in_the_population():
    people = table("7").with_columns(pl.col("job").str.to_lowercase())
    roles = {"job": "quasi-identifier"}
    with pytest.raises(DataError, match=r"7 of 7 records are not in the population.*written the same way"):
        krypsis.anonymize(table("6"), roles, models=["k-map:k=2"], population=people)


def test_a_promise_about_a_population_asks_for_it():
    with pytest.raises(UsageError, match=r"k-map:k=2 compares with the population.*population: people.csv in the plan"):
        anonymize(table("6"), None, "k-map:k=2")
    (undecided,) = check(table("8"), ["k-map:k=2"], JOB)
    assert undecided.holds is None
    assert "k-map:k=2 is about the population" in undecided.sentence
    assert "--population people.csv" in undecided.sentence


@pytest.mark.parametrize("name", ["delta-presence", "published-presence"])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            "delta_min=0.8,delta_max=0.75",
            "delta_max of {} must be at least delta_min, got delta_min=0.8 and delta_max=0.75",
        ),
        ("delta_max=1.5", "delta_max of {} must be at most 1, got 1.5"),
        ("delta_max=-0.1", "delta_max of {} must be at least 0, got -0.1"),
        ("delta_max=0.5,delta_min=-1", "delta_min of {} must be at least 0, got -1"),
        ("delta_max=nan", "delta_max of {} must be a number"),
        ("delta_min=0.1", "{} needs delta_max"),
    ],
)
def test_limits_that_make_no_sense_are_explained(name, parameters, message):
    with pytest.raises(UsageError, match=message.format(name)):
        registry.create("model", f"{name}:{parameters}")


def test_with_labels_that_overlap_presence_cannot_be_decided_and_k_map_can():
    people = pl.DataFrame({"age": ["31", "33", "36", "38"]})
    published = pl.DataFrame({"age": ["[30-35)", "[33-40)"]})
    with pytest.raises(
        DataError, match=r"1 people of the population look like .* more than one published group, such as age=33"
    ):
        check(published, [PublishedPresence(delta_max=0.5)], ["age"], population=people)
    (verdict,) = check(published, ["k-map:k=2"], ["age"], population=people)
    assert (verdict.holds, verdict.achieved) == (True, 2)


def test_local_labels_that_do_not_overlap_are_understood():
    people = pl.DataFrame({"age": ["31", "33", "36", "38", "52"], "sex": ["f", "m", "f", "m", "f"]})
    published = pl.DataFrame({"age": ["[30-35)", "36", ">=50"], "sex": ["{f, m}", "f", "*"]})
    models = ["published-presence:delta_max=0.5", "published-presence:delta_max=1", "k-map:k=2"]
    presence, anything, k_map = check(published, models, ["age", "sex"], population=people)
    assert not presence.holds
    assert {group["values"]["age"] for group in presence.offending} == {"36", ">=50"}
    assert anything.holds
    assert k_map.achieved == 1


def test_missing_values_match_missing_values_in_the_population():
    people = pl.DataFrame({"age": [None, None, "31"]})
    (verdict,) = check(pl.DataFrame({"age": [None]}), ["delta-presence:delta_max=0.5"], ["age"], population=people)
    assert verdict.holds
    with pytest.raises(UsageError, match="compares with a population, in which a missing value is a value"):
        check(pl.DataFrame({"age": [None]}), ["k-map:k=1"], ["age"], population=people, missing="wildcard")


def test_what_cannot_be_kept_says_what_can():
    with pytest.raises(Infeasible, match="delta-presence"):
        anonymize(table("6"), table("7"), "delta-presence:delta_max=0.5", suppression=0)


@pytest.mark.parametrize("algorithm", ["samarati", "incognito", "mondrian", "k-optimize"])
def test_algorithms_that_look_at_groups_one_by_one_refuse(algorithm):
    with pytest.raises(UsageError, match="Use algorithm 'optimal', which judges the table as a whole"):
        anonymize(table("6"), table("7"), "k-map:k=2", algorithm=algorithm, suppression=0)


def test_several_sets_and_kept_records_are_refused_where_everybody_counts():
    with pytest.raises(UsageError, match="is about all groups together; it needs one set of quasi-identifiers"):
        anonymize(
            table("6"),
            table("7"),
            "delta-presence:delta_min=0.1,delta_max=1",
            quasi_identifier_sets=[["job"], ["age", "sex"]],
        )
    with pytest.raises(UsageError, match="suppressed records that are removed"):
        anonymize(table("6"), table("7"), "delta-presence:delta_max=0.9", suppressed="keep", suppression=1.0)
