"""(X,Y)-anonymity, -linkability and -privacy: people behind records, columns that are not published, bad input."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.errors import ColumnError, DataError, Infeasible, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.xy_privacy import XYAnonymity, XYLinkability, XYPrivacy
from strategies import tables

# Every patient has three records: three records that look alike may be one patient (spec 5.3.2).
VISITS = pl.DataFrame(
    {
        "patient": ["p1"] * 3 + ["p2"] * 3 + ["p3"] * 3 + ["p4"] * 3,
        "job": ["cook"] * 6 + ["nurse"] * 6,
        "sex": ["f"] * 3 + ["m"] * 3 + ["f"] * 3 + ["m"] * 3,
        "disease": ["flu", "cold", "hiv"] * 4,
    }
)
ROLES = {"patient": "identifier", "job": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}


def test_a_group_of_three_records_may_be_one_patient():
    models = [KAnonymity(k=3), XYAnonymity(y=("patient",), k=2), XYAnonymity(y=("patient",), k=1)]
    verdicts = check_table(VISITS, models, Given(["job", "sex"]))
    assert [(verdict.holds, verdict.achieved) for verdict in verdicts] == [(True, 3), (False, 1), (True, 1)]


def test_a_release_hides_people_among_people_and_does_not_publish_who_they_are():
    by_records = krypsis.anonymize(VISITS, ROLES, models="k-anonymity:k=3", algorithm="optimal")
    by_people = krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patient,k=2", algorithm="optimal")
    assert sum(by_records.levels.values()) == 0
    assert sum(by_people.levels.values()) == 1
    assert "patient" not in by_people.table.columns
    assert by_people.verdicts[0].achieved == 2


@pytest.mark.parametrize(
    "spec", ["xy-anonymity:y=patient,k=3", "xy-linkability:y=patient,h=0.5", "xy-privacy:y=patient,k=2,h=0.5"]
)
def test_optimal_finds_the_node_of_fewest_levels_that_keeps_it(spec):
    model = registry.create("model", spec)
    release = krypsis.anonymize(VISITS, ROLES, models=model, algorithm="optimal", metric="height", suppression=0)
    nodes = [dict(zip(("job", "sex"), levels, strict=True)) for levels in product((0, 1), repeat=2)]
    feasible = [node for node in nodes if keeps(model, _recoded(node), ["job", "sex"])]
    assert sum(release.levels.values()) == min(sum(node.values()) for node in feasible)


def _recoded(node: dict[str, int]) -> pl.DataFrame:
    return VISITS.with_columns(pl.lit("*").alias(name) for name, level in node.items() if level)


def keeps(model: XYAnonymity | XYLinkability | XYPrivacy, table: pl.DataFrame, names: list[str]) -> bool:
    """The definition, group by group: the values of y as tuples."""
    for _, group in table.group_by(list(model.x or names)):
        counts = Counter(group.select(model.y).rows())
        if len(counts) < getattr(model, "k", 1):
            return False
        if any(Fraction(count, group.height) > Fraction(str(getattr(model, "h", 1))) for count in counts.values()):
            return False
    return True


@given(data=st.data(), table=tables())
def test_the_checker_agrees_with_the_definition(data, table):
    known = [name for name in table.columns if name.startswith("q")]
    table = table.with_columns(
        person=pl.Series(data.draw(st.lists(st.sampled_from("abc"), min_size=table.height))[: table.height])
    )
    y = tuple(
        data.draw(
            st.lists(st.sampled_from([name for name in table.columns if name not in known]), min_size=1, unique=True)
        )
    )
    x = data.draw(st.none() | st.lists(st.sampled_from(known), min_size=1, unique=True).map(tuple))
    model = data.draw(
        st.sampled_from([XYAnonymity(y=y, x=x, k=2), XYLinkability(y=y, x=x, h=0.5), XYPrivacy(y=y, x=x, k=2, h=0.75)])
    )
    (verdict,) = check_table(table, [model], Given(known))
    assert verdict.holds == keeps(model, table, known)


@given(table=tables(), k=st.integers(1, 4))
def test_with_a_key_for_each_record_it_is_k_anonymity(table, k):
    known = [name for name in table.columns if name.startswith("q")]
    keyed = table.with_columns(key=pl.int_range(pl.len()))
    ours, anonymity = check_table(keyed, [XYAnonymity(y=("key",), k=k), KAnonymity(k=k)], Given(known))
    assert (ours.holds, ours.achieved) == (anonymity.holds, anonymity.achieved)


@given(table=tables(max_sensitive=1), diversity=st.integers(1, 4))
def test_with_a_sensitive_attribute_it_is_distinct_diversity(table, diversity):
    if "s0" not in table.columns:
        return
    known = [name for name in table.columns if name.startswith("q")]
    models = [XYAnonymity(y=("s0",), k=diversity), DistinctLDiversity(l=diversity)]
    ours, distinct = check_table(table, models, Given(known, "s0"))
    assert (ours.holds, ours.achieved) == (distinct.holds, distinct.achieved)


@given(data=st.data(), table=tables(max_rows=10))
def test_whatever_is_suppressed_the_people_stay_with_their_records(data, table):
    """The checker decides with the people at the published records; a release is only made where it accepts it."""
    people = data.draw(st.lists(st.sampled_from("abcd"), min_size=table.height, max_size=table.height))
    known = [name for name in table.columns if name.startswith("q")]
    roles = dict.fromkeys(known, "quasi-identifier") | {"person": "identifier"}
    model = data.draw(st.sampled_from([XYAnonymity(y=("person",), k=2), XYPrivacy(y=("person",), k=2, h=0.75)]))
    mode = data.draw(st.sampled_from(["remove", "keep"]))
    private = table.with_columns(person=pl.Series(people))
    try:
        release = krypsis.anonymize(
            private,
            roles,
            models=model,
            suppression=0.5,
            suppressed=mode,
            algorithm=data.draw(st.sampled_from(["optimal", "datafly"])),
        )
    except Infeasible:
        return
    assert keeps(model, release.table.hstack(release.before.private_columns), known)
    assert "person" not in release.table.columns


def test_what_is_not_published_cannot_be_checked_from_the_files_alone(tmp_path):
    saved = krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patient,k=2").save(tmp_path / "release")
    assert not any("p3" in path.read_text() for path in saved.folder.iterdir())
    (undecided,) = krypsis.check(saved.folder)
    assert undecided.holds is None
    assert "about 'patient', which is not among the published columns" in undecided.sentence
    assert "--private-columns" in undecided.sentence
    (verdict,) = krypsis.check(saved.folder, private_columns=saved.private)
    assert verdict.holds
    assert verdict.achieved == 2


def test_the_private_record_keeps_people_in_the_order_of_the_published_records(tmp_path):
    """Nobody else has this disease: it says whose record is where."""
    table = VISITS.with_columns(disease=pl.format("{} of {}", "disease", "patient"))
    saved = krypsis.anonymize(table, ROLES, models="xy-anonymity:y=patient,k=2").save(tmp_path / "release")
    people = json.loads(saved.private.read_text())["private_columns"]["patient"]
    diseases = pl.read_csv(saved.folder / "data.csv")["disease"].to_list()
    assert [disease.split(" of ")[1] for disease in diseases] == people
    assert people != VISITS["patient"].to_list()


def test_the_wrong_number_of_private_records_is_refused():
    with pytest.raises(UsageError, match="have 3 records and the published table 12"):
        check_table(
            VISITS.drop("patient"),
            [XYAnonymity(y=("patient",), k=2)],
            Given(["job"], private_columns=VISITS.select("patient")[:3]),
        )


def test_a_private_record_without_such_columns_is_refused(tmp_path):
    saved = krypsis.anonymize(VISITS, ROLES, models="k-anonymity:k=2").save(tmp_path / "release")
    with pytest.raises(DataError, match="holds no private columns"):
        krypsis.check(saved.folder, private_columns=saved.private)


def test_new_rows_are_anonymized_by_a_recipe_with_their_people():
    release = krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patient,k=2")
    recipe = krypsis.Recipe.of(release)
    again = krypsis.apply(recipe, VISITS.with_columns(patient=pl.col("patient") + "x"))
    assert again.verdicts[0].achieved == 2
    with pytest.raises(Infeasible):
        krypsis.apply(recipe, VISITS.with_columns(patient=pl.lit("p1")))
    with pytest.raises(ColumnError, match="column 'patient' not found"):
        krypsis.apply(recipe, VISITS.drop("patient"))
    with pytest.raises(UsageError, match="'patient', which the earlier release does not publish"):
        krypsis.apply(recipe, VISITS, together_with=release)


def test_a_quasi_identifier_cannot_be_counted():
    with pytest.raises(UsageError, match="'sex', which is a quasi-identifier and may be generalized"):
        krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=sex,k=2")


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ColumnError, match="Did you mean 'patient'"):
        krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patiant,k=2")
    with pytest.raises(ColumnError, match="Did you mean 'job'"):
        krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patient,x=jobb,k=2")


def test_algorithms_that_do_not_count_people_refuse_and_name_one_that_does():
    with pytest.raises(UsageError, match="algorithm 'optimal'"):
        krypsis.anonymize(VISITS, ROLES, models="xy-anonymity:y=patient,k=2", algorithm="incognito")


def test_a_table_in_groups_does_not_tell_whose_values_are_whose():
    with pytest.raises(UsageError, match="nobody knows which value of its group a record has"):
        krypsis.check(
            VISITS.with_columns(group=pl.lit(1)),
            "xy-anonymity:y=disease,k=2",
            quasi_identifiers=["job"],
            sensitive="disease",
            group="group",
        )


def test_missing_cells_as_wildcards_count_the_people_who_could_be_meant():
    table = pl.DataFrame({"job": ["cook", "cook", None], "person": ["a", "a", "b"]})
    promise = XYAnonymity(y=("person",), k=2)
    assert not check_table(table, [promise], Given(["job"]))[0].holds
    (verdict,) = check_table(table, [promise], Given(["job"], missing="wildcard"))
    assert verdict.achieved == 1  # nobody covers the record without a job but itself
    covered = pl.DataFrame({"job": ["cook", "cook", None, None], "person": ["a", "a", "b", "c"]})
    assert check_table(covered, [promise], Given(["job"], missing="wildcard"))[0].holds


def test_k_optimize_sees_the_sensitive_values_that_are_counted():
    table = pl.DataFrame({"age": ["31", "34", "47", "48"], "disease": ["flu", "flu", "flu", "hiv"]})
    release = krypsis.anonymize(
        table,
        {"age": "quasi-identifier", "disease": "sensitive"},
        hierarchies={"age": {"kind": "intervals", "width": 10}},
        models="xy-anonymity:y=disease,k=2",
        algorithm="k-optimize",
    )
    assert release.verdicts[0].achieved >= 2


@pytest.mark.parametrize("person", ["*", "^p$"])
def test_the_column_of_persons_may_be_called_as_it_is(person, tmp_path):
    visits = VISITS.rename({"patient": person})
    roles = {person: "identifier", "job": "quasi-identifier", "disease": "sensitive"}
    release = krypsis.anonymize(visits, roles, models=[XYAnonymity(y=(person,), k=2)])
    saved = release.save(tmp_path / "release")
    assert all(krypsis.check(saved.folder, private_columns=saved.private))
