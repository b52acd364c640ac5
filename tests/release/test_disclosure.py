"""Groups that disclose a sensitive value: counted as the definition says, said first, and never published."""

import json
import re
import warnings
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import krypsis
from krypsis.checker.disclosure import disclosures, inferences
from krypsis.checker.published_tables import PublishedTables
from krypsis.cli.main import app
from krypsis.errors import PrivacyRefused, PrivacyWarning
from krypsis.kinds.publishing import publish
from krypsis.kinds.table.profile.published_risks import said_of_inferences
from krypsis.plan import Plan
from krypsis.report import read_report
from krypsis.report.blocks import plain

ROLES = {"sex": "quasi-identifier", "disease": "sensitive"}
PATIENTS = pl.DataFrame(
    {
        "sex": ["F"] * 5 + ["M"] * 5,
        "disease": ["schizophrenia"] * 5 + ["flu", "cold", "flu", "asthma", "cancer"],
    }
)
PLAN = "data: patients.csv\ncolumns: {{sex: QI, disease: sensitive}}\npromises: [{}]\n"


def by_definition(rows: list[tuple[str, str]]) -> tuple[int, int]:
    """Count records in groups with one value, and in groups where a value has nine in ten; not of usual values."""
    groups, whole = defaultdict(list), Counter(value for _, value in rows)
    for key, value in rows:
        groups[key].append(value)
    certain = nearly = 0
    for values in groups.values():
        value, most = Counter(values).most_common(1)[0]
        if 10 * whole[value] >= 8 * len(rows):
            continue
        certain += len(values) if most == len(values) else 0
        nearly += len(values) if most < len(values) and 10 * most >= 9 * len(values) else 0
    return certain, nearly


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "x", "x", "y", "z"])), min_size=1, max_size=60))
def test_exposed_records_are_those_of_the_definition(rows):
    table = pl.DataFrame(rows, schema=["age", "disease"], orient="row")
    found = disclosures(PublishedTables(table), [["age"]], ["disease"])
    assert (sum(one.certain for one in found), sum(one.nearly for one in found)) == by_definition(rows)


def test_of_several_sets_the_one_that_discloses_most_counts():
    table = PATIENTS.with_columns(pl.Series("age", ["3*", "4*"] * 5))
    (found,) = disclosures(PublishedTables(table), [["age"], ["sex"]], ["disease"])
    assert found.certain == 5
    assert found.worst[0].values == {"sex": "F"}


def test_a_sensitive_column_without_a_promise_is_warned_of_with_its_records_groups_and_a_remedy():
    with pytest.warns(PrivacyWarning, match="no promise protects 'disease'.*5 of 10.*sex=F.*schizophrenia.*such as"):
        release = krypsis.anonymize(PATIENTS, ROLES, models="k-anonymity:k=5")
    assert release.summary().startswith("WARNING")


def test_with_a_promise_that_limits_every_value_nothing_is_warned_of():
    release = krypsis.anonymize(PATIENTS, ROLES, models=["k-anonymity:k=5", "recursive-l-diversity:c=3,l=2"])
    assert not release.disclosures
    assert "WARNING" not in release.summary()


def test_a_weak_promise_does_not_hide_what_is_disclosed():
    table = pl.DataFrame({"sex": ["F"] * 20 + ["M"] * 20, "disease": ["hiv"] * 19 + ["flu"] + ["flu", "cold"] * 10})
    with pytest.warns(PrivacyWarning, match="the promises about 'disease' are too weak"):
        release = krypsis.anonymize(table, ROLES, models=["k-anonymity:k=5", "distinct-l-diversity:l=2"])
    assert release.disclosures[0].nearly == 20
    assert release.summary().startswith("WARNING")


def written(tmp_path, promises: str, more: str = ""):
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "plan.yaml").write_text(PLAN.format(promises) + more)
    return tmp_path / "plan.yaml"


def test_no_public_file_says_which_group_is_disclosed(tmp_path):
    plan = Plan.load(written(tmp_path, "k-anonymity:k=5"))
    with pytest.warns(PrivacyWarning, match="schizophrenia"):
        published = publish(plan, tmp_path / "release")
    assert published.as_dict()["disclosed"][0]["exposed"] == 5
    manifest = (tmp_path / "release" / "manifest.json").read_text()
    assert "schizophrenia" not in manifest
    assert "disclos" not in manifest


def test_the_report_says_the_worst_first(tmp_path):
    with pytest.warns(PrivacyWarning):
        publish(Plan.load(written(tmp_path, "k-anonymity:k=5")), tmp_path / "release")
    first, second, *_ = read_report(tmp_path / "release").section("summary").blocks
    assert "5 of 10 published records" in plain(first.words)
    assert "promise holds" in plain(second.words)


def test_a_strict_plan_writes_nothing_where_a_value_is_disclosed(tmp_path):
    plan = Plan.load(written(tmp_path, "k-anonymity:k=5", "strict: true\n"))
    with pytest.raises(PrivacyRefused, match="no promise protects 'disease'"):
        publish(plan, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_strict_run_says_so_by_its_exit_code(tmp_path):
    plan = written(tmp_path, "k-anonymity:k=5")
    refused = CliRunner().invoke(app, ["run", str(plan), "--strict", "--quiet"])
    assert refused.exit_code == 1
    assert "schizophrenia" in refused.stderr
    assert not (tmp_path / "release").exists()


def test_a_strict_run_refuses_what_a_weak_promise_does_not_prevent(tmp_path):
    plan = written(tmp_path, '"k-anonymity:k=5", "distinct-l-diversity:l=2"')
    diseases = ["hiv"] * 19 + ["flu"] + ["flu", "cold"] * 10
    pl.DataFrame({"sex": ["F"] * 20 + ["M"] * 20, "disease": diseases}).write_csv(tmp_path / "patients.csv")
    refused = CliRunner().invoke(app, ["run", str(plan), "--strict", "--quiet"])
    assert refused.exit_code == 1
    assert refused.stderr.count("20 of 40 published records") == 1
    assert not (tmp_path / "release").exists()


def test_a_check_warns_of_disclosed_values_and_refuses_if_strict(tmp_path):
    PATIENTS.write_csv(tmp_path / "table.csv")
    asked = ["check", str(tmp_path / "table.csv"), "--promise", "k-anonymity:k=5", "--qi", "sex"]
    asked += ["--sensitive", "disease"]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code == 0
    assert "5 of 10 published records" in found.stderr
    assert CliRunner().invoke(app, [*asked, "--strict"]).exit_code == 1
    assert "5 of 10" in json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["warnings"][0]


def test_subjects_of_several_tables_who_look_alike_and_share_a_value_are_warned_of():
    patients = pl.DataFrame(
        {
            "id": range(6),
            "age": ["3*", "3*", "4*", "4*", "4*", "4*"],
            "ill": ["hiv", "HIV", "cancer", "flu", "gout", "flu"],
        }
    )
    visits = pl.DataFrame({"id": [0, 0, 1, 1, 2, 3, 4, 5], "year": [1, 2, 1, 2, 1, 1, 1, 1], "drug": list("xyxzuvwu")})
    with pytest.warns(PrivacyWarning, match=r"protects '.*'\. 2 of 6 published subjects.*certain for 2") as heard:
        release = krypsis.anonymize(
            patients,
            {"id": "identifier", "age": "quasi-identifier", "ill": "sensitive"},
            key="id",
            tables={"visits": {"data": visits, "roles": {"year": "quasi-identifier", "drug": "sensitive"}}},
            models="multirelational-k-anonymity:k=2",
        )
    assert [found.column for found in release.disclosures] == ["ill", "visits.drug"]
    assert all("several tables" in str(one.message) for one in heard if one.category is PrivacyWarning)
    assert release.summary().startswith("WARNING")


def linked_by_definition(ages, labels, values):
    """Count the people whose possible records, found by their age, all have one value that is not usual."""
    whole, certain = Counter(values), 0
    for age in ages:
        possible = {value for (low, high), value in zip(labels, values, strict=True) if low <= age <= high}
        certain += len(possible) == 1 and 10 * whole[next(iter(possible))] < 8 * len(values)
    return certain


@given(st.lists(st.tuples(st.integers(20, 40), st.sampled_from(["hiv", "flu", "flu"])), min_size=4, max_size=12))
def test_people_whose_possible_records_all_have_one_value_are_those_of_the_definition(rows):
    table = pl.DataFrame(rows, schema=["age", "disease"], orient="row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        roles = {"age": "quasi-identifier", "disease": "sensitive"}
        release = krypsis.anonymize(table, roles, models="kk-anonymity:k=2", algorithm="kk-anonymizer")
    span = (min(table["age"]), max(table["age"]))
    bounds = [
        [int(end) for end in re.findall(r"\d+", label)] or span for label in release.table["age"].cast(str).to_list()
    ]
    labels = [(ends[0], ends[-1]) for ends in bounds]
    certain = linked_by_definition(table["age"].to_list(), labels, release.table["disease"].to_list())
    assert sum(found.certain for found in release.disclosures) == certain


def test_a_release_without_groups_warns_of_people_whose_possible_records_share_a_value():
    table = pl.DataFrame(
        {"age": [20, 21, 22, 23, 40, 41, 42, 43], "disease": ["hiv"] * 4 + ["flu", "cold", "gout", "flu"]}
    )
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    with pytest.warns(PrivacyWarning, match="no promise protects 'disease'.*all hiv"):
        release = krypsis.anonymize(table, roles, models="kk-anonymity:k=2", algorithm="kk-anonymizer")
    assert release.summary().startswith("WARNING")


def test_a_loaded_release_without_groups_does_not_claim_that_nothing_is_disclosed(tmp_path):
    table = pl.DataFrame({"age": [20, 21, 40, 41], "disease": ["hiv", "hiv", "flu", "cold"]})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    with pytest.warns(PrivacyWarning):
        release = krypsis.anonymize(table, roles, models="kk-anonymity:k=2", algorithm="kk-anonymizer")
    loaded = krypsis.Release.load(release.save(tmp_path / "release").folder)
    assert "by chance" not in loaded.summary()
    assert "without the original table" in loaded.summary()


WIVES = pl.DataFrame(
    {
        "age": ["30"] * 6 + ["40"] * 6 + ["50"] * 6,
        "method": ["pill"] * 6 + ["pill", "none", "loop"] * 2 + ["none"] * 6,
        "sort": ["x", "y"] * 9,
    }
)
DOUBTFUL = "data: wives.csv\ncolumns: {{age: QI, method: {{role: QI{}}}}}\npromises: [k-anonymity:k=2]\n"


def wives(tmp_path, doubt: str):
    WIVES.write_csv(tmp_path / "wives.csv")
    (tmp_path / "plan.yaml").write_text(DOUBTFUL.format(doubt))
    return tmp_path / "plan.yaml"


@pytest.mark.filterwarnings("always::krypsis.errors.PrivacyWarning")
def test_a_column_in_doubt_that_follows_from_the_others_is_warned_of_by_run_and_check(tmp_path):
    plan = wives(tmp_path, ", in_doubt: true")
    learned = "whoever knows the other quasi-identifiers of a person learns method for 12 of 18 records; give such a"
    ran = CliRunner().invoke(app, ["run", str(plan)])
    assert ran.exit_code == 0
    assert ran.stderr.count(learned) == 1
    checked = CliRunner().invoke(app, ["check", str(tmp_path / "release"), "--plan", str(plan)])
    assert checked.stderr.count(learned) == 1


def test_a_quasi_identifier_that_is_not_in_doubt_is_not_warned_of(tmp_path):
    ran = CliRunner().invoke(app, ["run", str(wives(tmp_path, ""))])
    assert (ran.exit_code, "learns method" in ran.stderr) == (0, False)


def test_init_names_the_columns_that_it_does_not_recognize_and_says_how_to_confirm_them(tmp_path):
    WIVES.write_csv(tmp_path / "wives.csv")
    begun = CliRunner().invoke(app, ["init", str(tmp_path / "wives.csv"), "-o", str(tmp_path / "plan.yaml")])
    assert "Not recognized: method, sort. Make a column sensitive" in begun.stderr
    text = (tmp_path / "plan.yaml").read_text(encoding="utf-8")
    assert "# Not recognized: method, sort. Make a column sensitive" in text
    assert Plan.load(tmp_path / "plan.yaml").in_doubt == ("method", "sort")


@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 2, st.sampled_from(["x", "x", "y", "*", None])), min_size=1))
def test_inferred_values_are_those_that_are_disclosed_if_the_column_is_sensitive(rows):
    table = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    found = sum(one.exposed for one in inferences(table, [["a", "b", "c"]], ["c"]))
    groups, whole = defaultdict(list), Counter(row[2] for row in rows)
    for a, b, c in rows:
        groups[a, b].append(c)
    exposed = 0
    for values in groups.values():
        value, most = Counter(values).most_common(1)[0]
        told = value in (None, "*") or 10 * whole[value] >= 8 * len(rows)
        exposed += len(values) if 10 * most >= 9 * len(values) and not told else 0
    assert found == exposed


def test_a_column_that_is_suppressed_as_a_whole_gives_nothing_away():
    assert inferences(WIVES.with_columns(method=pl.lit("*")), [["age", "method"]], ["method"]) == ()


def test_a_warning_names_three_columns_of_a_group_and_counts_the_others():
    wide = PATIENTS.with_columns(pl.lit("v" * 90).alias(f"column {place}") for place in range(8))
    roles = {**ROLES, **{f"column {place}": "QI" for place in range(8)}}
    with pytest.warns(PrivacyWarning, match="sex=F, column 0=v+…, column 1=v+… and 6 more: 5 records") as heard:
        krypsis.anonymize(wide, roles, models="k-anonymity:k=5")
    assert len(str(heard[0].message)) <= 500


def test_python_warns_of_values_that_are_disclosed_in_spite_of_a_weak_promise(tmp_path):
    table = pl.DataFrame({"sex": ["F"] * 20 + ["M"] * 20, "disease": ["hiv"] * 19 + ["flu"] + ["flu", "cold"] * 10})
    promises = ["k-anonymity:k=5", "distinct-l-diversity:l=2"]
    with pytest.warns(PrivacyWarning, match="promises about 'disease' are too weak. 20 of 40 published records"):
        saved = krypsis.anonymize(table, ROLES, models=promises).save(tmp_path / "release")
    with pytest.warns(PrivacyWarning, match="20 of 40 published records"):
        krypsis.check(saved.folder)
    with pytest.warns(PrivacyWarning, match="20 of 40 published records"):
        krypsis.check(table, promises, quasi_identifiers=["sex"], sensitive="disease")


@pytest.mark.filterwarnings("always::krypsis.errors.PrivacyWarning")
def test_where_labels_overlap_whom_a_record_could_be_about_decides_what_is_inferred():
    table = pl.DataFrame({"age": [20, 21, 22, 23, 30, 31, 32, 33], "method": [1, 1, 1, 1, 2, 2, 3, 3]})
    plan = {"data": "-", "columns": {"age": "QI", "method": {"role": "QI", "in_doubt": True}}}
    release = krypsis.anonymize(table, {"age": "QI", "method": "QI"}, models="k-anonymity:k=4", algorithm="mondrian")
    assert Plan.of({**plan, "promises": ["k-anonymity:k=4"]}).in_doubt == ("method",)
    assert "method for 4 of 8 records" in said_of_inferences(release, ["method"])
