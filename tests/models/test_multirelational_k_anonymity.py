"""Multirelational k-anonymity: checked and achieved on several tables, against brute force."""

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import krypsis
from krypsis.checker import SubjectTable, check_views
from krypsis.cli.main import app
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, DataError, Infeasible, PromiseBroken, SearchWarning, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity
from krypsis.plan import Plan
from krypsis.progress import Progress
from krypsis.release.release import Release
from oracles.views import shared_joins, shared_views

AGES = [["20", "2*", "*"], ["25", "2*", "*"], ["30", "3*", "*"], ["35", "3*", "*"]]
YEARS = [["2019", "201*", "*"], ["2020", "202*", "*"], ["2021", "202*", "*"]]
ROLES = {"id": "identifier", "age": "quasi-identifier", "disease": "sensitive"}
VISIT_ROLES = {"year": "quasi-identifier", "drug": "sensitive"}

person = st.tuples(
    st.sampled_from([row[0] for row in AGES]), st.lists(st.sampled_from([row[0] for row in YEARS]), max_size=3)
)
persons = st.lists(person, min_size=1, max_size=6)


def tables_of(people):
    rows = pl.DataFrame(
        [(f"p{number}", age, f"d{number}") for number, (age, _) in enumerate(people)],
        schema=["id", "age", "disease"],
        orient="row",
    )
    visits = [(f"p{number}", year, f"m{number}") for number, (_, years) in enumerate(people) for year in years]
    schema = {"who": pl.String, "year": pl.String, "drug": pl.String}
    return rows, pl.DataFrame(visits, schema=schema, orient="row")


def linked(people, visits):
    known = {"people": SubjectTable(people, "id", ("age",))}
    return known | {"visits": SubjectTable(visits, "who", ("year",))}


def anonymize(people, visits, k, **options):
    return krypsis.anonymize(
        people,
        ROLES,
        key="id",
        hierarchies={"age": Hierarchy.from_rows(AGES)},
        models=MultirelationalKAnonymity(k=k),
        tables={
            "visits": {
                "data": visits,
                "key": "who",
                "roles": VISIT_ROLES,
                "hierarchies": {"year": Hierarchy.from_rows(YEARS)},
            }
        },
        **options,
    )


def verdict_on(tables, k):
    (verdict,) = check_views(tables, [MultirelationalKAnonymity(k=k)])
    return verdict


@given(people=persons, k=st.integers(1, 4))
def test_the_verdict_is_that_of_the_definition(people, k):
    first, visits = tables_of(people)
    counts, _ = shared_views([list(first.select("id", "age").rows()), list(visits.select("who", "year").rows())])
    verdict = verdict_on(linked(first, visits), k)
    assert verdict.achieved == min(counts.values())
    assert verdict.holds == (min(counts.values()) >= k)


@given(people=persons)
def test_the_promise_about_tables_implies_the_one_about_their_join(people):
    first, visits = tables_of(people)
    joins = shared_joins([list(first.select("id", "age").rows()), list(visits.select("who", "year").rows())])
    achieved = verdict_on(linked(first, visits), 1).achieved
    assert all(count >= achieved for count in joins.values())


@given(people=persons)
def test_the_join_as_one_table_is_judged_by_the_definition_of_the_paper(people):
    first, visits = tables_of(people)
    join = first.join(visits, left_on="id", right_on="who")
    joins = shared_joins([list(first.select("id", "age").rows()), list(visits.select("who", "year").rows())])
    if joins:
        assert verdict_on({"join": SubjectTable(join, "id", ("age", "year"))}, 1).achieved == min(joins.values())


def test_tables_that_hide_everybody_one_by_one_may_give_somebody_away_together():
    people = pl.DataFrame({"id": [1, 2, 3, 4], "age": ["2*", "2*", "3*", "3*"]})
    visits = pl.DataFrame({"id": [1, 2, 3, 4], "year": [2020, 2021, 2020, 2021]})
    for table, name in ((people, "age"), (visits, "year")):
        assert verdict_on({"one": SubjectTable(table, "id", (name,))}, 2)
        assert krypsis.check(table, "k-anonymity:k=2", quasi_identifiers=[name])[0]
    known = {"people": SubjectTable(people, "id", ("age",)), "visits": SubjectTable(visits, "id", ("year",))}
    assert verdict_on(known, 2).achieved == 1.0


def test_rows_are_not_persons():
    """Three equal rows of one patient: 3-anonymous by rows, and the patient is alone."""
    visits = pl.DataFrame({"id": [7, 7, 7], "year": [2020, 2020, 2020]})
    assert krypsis.check(visits, "k-anonymity:k=3", quasi_identifiers=["year"])[0]
    verdict = verdict_on({"visits": SubjectTable(visits, "id", ("year",))}, 2)
    assert not verdict
    assert verdict.offending == ({"values": {"visits": "(2020); (2020); (2020)"}, "size": 1, "unit": "subject"},)


def test_a_subject_without_rows_in_a_table_looks_different_from_one_with():
    people = pl.DataFrame({"id": [1, 2], "age": ["*", "*"]})
    visits = pl.DataFrame({"id": [1], "year": ["*"]})
    known = {"people": SubjectTable(people, "id", ("age",)), "visits": SubjectTable(visits, "id", ("year",))}
    verdict = verdict_on(known, 2)
    assert {entry["values"]["visits"] for entry in verdict.offending} == {"(*)", "no rows"}


def test_a_missing_value_looks_like_a_missing_value_only():
    table = pl.DataFrame({"id": [1, 2, 3, 4], "age": [None, None, "a", "a"]})
    assert verdict_on({"t": SubjectTable(table, "id", ("age",))}, 2)
    assert not verdict_on({"t": SubjectTable(table[1:], "id", ("age",))}, 2)


def brute_force(people, visits, k, most):
    """Every pair of levels: the lowest loss, by the formula of the metric, and what it suppresses."""
    ages, years = {row[0]: row for row in AGES}, {row[0]: row for row in YEARS}
    best = None
    for age, year in product(range(3), repeat=2):
        one = [(who, ages[value][age]) for who, value in people]
        other = [(who, years[value][year]) for who, value in visits]
        counts, views = shared_views([one, other])
        gone = {who for who, view in views.items() if counts[view] < k}
        if len(gone) > most or len(gone) == len(views):
            continue
        losses = [mean_loss(people, gone, AGES, age), mean_loss(visits, gone, YEARS, year)]
        score = ((1 + losses[0]) * (1 + losses[1])) ** 0.5 - 1
        best = score if best is None else min(best, score)
    return best


def mean_loss(rows, gone, hierarchy, level):
    def loss(value):
        label = next(row[level] for row in hierarchy if row[0] == value)
        return (sum(row[level] == label for row in hierarchy) - 1) / (len(hierarchy) - 1)

    return sum(1.0 if who in gone else loss(value) for who, value in rows) / len(rows)


@settings(deadline=None)
@given(people=persons, k=st.integers(1, 3), most=st.integers(0, 3))
def test_the_levels_found_have_the_lowest_loss_of_all(people, k, most):
    first, visits = tables_of(people)
    if visits.is_empty():
        return
    expected = brute_force(first.select("id", "age").rows(), visits.select("who", "year").rows(), k, most)
    if expected is None:
        with pytest.raises(Infeasible):
            anonymize(first, visits, k, suppression=most)
        return
    release = anonymize(first, visits, k, suppression=most)
    assert release.score == pytest.approx(expected)
    assert release.lower_bound == pytest.approx(expected)
    assert release.verdicts[0].holds


PEOPLE, VISITS = tables_of(
    [("20", ["2019", "2020"]), ("25", ["2020", "2019"]), ("30", ["2021"]), ("35", ["2020"]), ("35", ["2019", "2019"])]
)


def test_a_release_says_what_was_done_to_every_table():
    release = anonymize(PEOPLE, VISITS, 2, suppression=1)
    assert release.levels == {"age": 1, "visits.year": 1}
    assert release.suppressed == 1
    assert sorted(release.table["age"]) == ["2*", "2*", "3*", "3*"]
    assert sorted(release.tables["visits"]["year"]) == ["201*", "201*", "202*", "202*", "202*", "202*"]
    text = release.summary()
    assert "4 records, 6 of visits are published; an attacker is assumed to know: age, visits.year" in text


def test_the_keys_are_replaced_by_random_numbers_that_still_link_the_tables():
    release = anonymize(PEOPLE, VISITS, 2, suppression=1)
    first, visits = release.table, release.tables["visits"]
    assert sorted(first["subject"]) == [1, 2, 3, 4]
    assert not {"id", "who"} & {*first.columns, *visits.columns}
    drugs = dict(first.join(visits, on="subject").select("disease", "drug").rows())
    assert drugs == {f"d{number}": f"m{number}" for number in range(4)}
    orders = {tuple(anonymize(PEOPLE, VISITS, 2, suppression=1).table.sort("disease")["subject"]) for _ in range(12)}
    assert len(orders) > 1


def test_a_saved_release_is_checked_from_its_files_and_loads_again(tmp_path):
    saved = anonymize(PEOPLE, VISITS, 2, suppression=1).save(tmp_path / "release", formats=("csv", "parquet"))
    names = {"data.csv", "data.parquet", "visits.csv", "visits.parquet", "manifest.json"}
    assert {path.name for path in saved.folder.iterdir()} == names
    assert [verdict.achieved for verdict in krypsis.check(saved.folder)] == [2.0]
    again = Release.load(saved.folder)
    assert again.tables["visits"].sort(pl.all()).equals(saved.release.tables["visits"].sort(pl.all()))
    assert again.publication.further["visits"].schema.quasi_identifiers == ("year",)
    assert again.checked().verdicts[0].holds
    assert "p1" not in (saved.folder / "manifest.json").read_text("utf-8")


def test_a_row_more_in_a_further_table_is_noticed(tmp_path):
    folder = anonymize(PEOPLE, VISITS, 2, suppression=1).save(tmp_path / "release").folder
    with (folder / "visits.csv").open("a", encoding="utf-8") as file:
        file.write("1,201*,m9\n")
    with pytest.raises(PromiseBroken, match=r"visits\.csv was changed"):
        krypsis.check(folder)


def test_a_manifest_that_drops_a_further_table_is_noticed(tmp_path):
    folder = anonymize(PEOPLE, VISITS, 2, suppression=1).save(tmp_path / "release").folder
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"] = [file for file in manifest["files"] if file["name"] != "visits.csv"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"holds files that its manifest does not name: visits\.csv"):
        krypsis.check(folder)


def test_a_plan_with_further_tables_runs(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    VISITS.write_csv(tmp_path / "visits.csv")
    (tmp_path / "year.csv").write_text("\n".join(",".join(row) for row in YEARS), encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(
        """
data: people.csv
key: id
columns:
  id: identifier
  age: {role: quasi-identifier, hierarchy: {kind: masking}}
  disease: sensitive
tables:
  visits:
    data: visits.csv
    key: who
    columns:
      year: {role: quasi-identifier, hierarchy: year.csv, min_level: 1}
      drug: sensitive
promises: ["multirelational-k-anonymity:k=2"]
suppression: "1"
""",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml")])
    assert result.exit_code == 0, result.stderr
    assert "visits.year: level 1 of 2" in result.stdout
    result = CliRunner().invoke(app, ["check", str(tmp_path / "release")])
    assert result.exit_code == 0, result.stderr
    assert "the same for at least 2 subjects (required at least 2, achieved 2)" in result.stdout
    wrong = Path(tmp_path / "plan.yaml").read_text("utf-8").replace("key: who", "ky: who")
    (tmp_path / "plan.yaml").write_text(wrong, encoding="utf-8")
    with pytest.raises(UsageError, match=r"unknown key 'tables.visits.ky'.*Did you mean 'key'"):
        Plan.load(tmp_path / "plan.yaml")


def test_tables_of_other_tools_are_checked_on_the_command_line(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    VISITS.rename({"who": "id"}).write_csv(tmp_path / "visits.csv")
    options = ["check", str(tmp_path / "people.csv"), "--key", "id", "--table", str(tmp_path / "visits.csv")]
    promise = ["--promise", "multirelational-k-anonymity:k=2"]
    result = CliRunner().invoke(app, [*options, *promise, "--qi", "age,visits.year"])
    assert result.exit_code == 1, result.stderr
    assert "1 subject(s): data=(20), visits=(2019); (2020)" in result.stdout
    nothing = CliRunner().invoke(app, [*options, *promise])
    assert nothing.exit_code == 2
    assert "age, visits.year" in nothing.stderr


def test_sets_of_items_are_checked_on_the_command_line(tmp_path):
    (tmp_path / "bought.csv").write_text(
        "customer,product\n1,bread\n1,milk\n2,bread\n2,milk\n3,milk\n", encoding="utf-8"
    )
    (tmp_path / "sets.txt").write_text("bread,milk\nbread,milk\nmilk\n", encoding="utf-8")
    promise = ["--promise", "km-anonymity:k=2,m=2"]
    pairs = [str(tmp_path / "bought.csv"), "--key", "customer", "--item", "product"]
    assert CliRunner().invoke(app, ["check", *pairs, *promise]).exit_code == 0
    assert CliRunner().invoke(app, ["check", str(tmp_path / "sets.txt"), *promise]).exit_code == 0
    broken = CliRunner().invoke(app, ["check", *pairs, "--promise", "km-anonymity:k=3,m=2"])
    assert broken.exit_code == 1
    assert "2 record(s): items=bread" in broken.stdout


def test_what_cannot_be_kept_says_what_could():
    with pytest.raises(Infeasible, match="2 suppressed subjects would be enough") as found:
        anonymize(PEOPLE, VISITS, 3)
    assert found.value.closest["suppression"] == 2
    with pytest.raises(Infeasible, match="promise a smaller k"):
        anonymize(PEOPLE, VISITS, 9)


def test_levels_stay_within_their_limits():
    release = anonymize(PEOPLE, VISITS, 2, suppression=1, min_levels={"age": 2})
    assert release.levels["age"] == 2
    with pytest.raises(UsageError, match="levels of 'age' must lie between 0 and 2"):
        anonymize(PEOPLE, VISITS, 2, max_levels={"age": 7})


def test_a_search_that_must_stop_early_says_so_and_keeps_its_promise():
    class Impatient(Progress):
        def wants_stop(self):
            return True

    with pytest.warns(SearchWarning, match="the search ended after 0 of 9 nodes"):
        release = anonymize(PEOPLE, VISITS, 2, suppression=1, progress=Impatient())
    assert release.verdicts[0].holds
    assert release.lower_bound < release.score


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"models": "k-anonymity:k=2"}, UsageError, "about one table: leave it out"),
        (
            {"models": ["multirelational-k-anonymity:k=2", "k-anonymity:k=2"]},
            UsageError,
            "k-anonymity:k=2 is about one",
        ),
        ({"key": None}, UsageError, "counts subjects, not rows; name the column"),
        ({"key": "idd"}, ColumnError, "Did you mean 'id'"),
        ({"key": "age"}, UsageError, "its role is 'identifier', not 'quasi-identifier'"),
        ({"algorithm": "mondrian"}, UsageError, "choose the algorithm 'multirelational'"),
        ({"metric": "discernibility"}, UsageError, "choose one such as 'loss'"),
        ({"suppressed": "keep"}, UsageError, "suppressed subjects are removed"),
        ({"tables": {"visits": {"data": VISITS}}}, UsageError, "must be a mapping with 'data' and 'roles'"),
        ({"tables": {"visits": {"data": VISITS, "roles": VISIT_ROLES, "kee": 1}}}, UsageError, "Did you mean 'key'"),
        ({"tables": {"visits": {"data": VISITS, "roles": VISIT_ROLES}}}, ColumnError, "column 'id' not found"),
        ({"tables": {"data": {"data": VISITS, "roles": {}, "key": "who"}}}, UsageError, "cannot be called 'data'"),
        ({"tables": {"../x": {"data": VISITS, "roles": {}, "key": "who"}}}, UsageError, "cannot be called '../x'"),
        (
            {"tables": {"v": {"data": VISITS.with_columns(who=None), "roles": {}, "key": "who"}}},
            DataError,
            r"is empty in 8 row\(s\)",
        ),
        (
            {
                "tables": {
                    "v": {"data": VISITS, "key": "who", "roles": {"drug": "sensitive"}, "hierarchies": {"drug": {}}}
                }
            },
            ColumnError,
            "expected 'quasi-identifier'",
        ),
    ],
)
def test_what_does_not_fit_several_tables_is_told(options, error, message):
    task = {"key": "id", "models": "multirelational-k-anonymity:k=2", "tables": {}, **options}
    with pytest.raises(error, match=message):
        krypsis.anonymize(PEOPLE, ROLES, **task)


@pytest.mark.parametrize("spec", ["km-anonymity:k=2,m=2", "m-invariance:m=2"])
def test_promises_about_other_data_cannot_be_made_about_one_table(spec):
    with pytest.raises(UsageError, match="and this is one table; promise something else"):
        krypsis.anonymize(PEOPLE, ROLES, models=spec)


def test_promises_about_several_tables_are_not_explored():
    with pytest.raises(UsageError, match="is about several tables"):
        krypsis.explore(PEOPLE, ROLES, models="multirelational-k-anonymity:k=2", key="id")


def test_a_single_table_with_a_key_counts_persons():
    visits = VISITS.rename({"who": "id"})
    roles = {"id": "identifier", "year": "quasi-identifier", "drug": "sensitive"}
    release = krypsis.anonymize(visits, roles, key="id", models="multirelational-k-anonymity:k=2")
    sizes = release.table.group_by("subject").agg(pl.col("year").sort()).group_by("year").len()["len"]
    assert min(sizes) >= 2


def test_the_checker_says_what_it_needs():
    table = pl.DataFrame({"id": [1, None], "age": ["a", "b"]})
    with pytest.raises(DataError, match=r"is empty in 1 row\(s\)"):
        verdict_on({"t": SubjectTable(table, "id", ("age",))}, 2)
    with pytest.raises(UsageError, match="name the column that says whose row it is"):
        krypsis.check(table, "multirelational-k-anonymity:k=2", quasi_identifiers=["age"])
    with pytest.raises(UsageError, match="cannot be a quasi-identifier as well"):
        krypsis.check(table, "multirelational-k-anonymity:k=2", quasi_identifiers=["id"], key="id")
    with pytest.raises(UsageError, match="about different kinds of data"):
        krypsis.check(
            table, ["multirelational-k-anonymity:k=2", "k-anonymity:k=2"], quasi_identifiers=["age"], key="id"
        )
    with pytest.raises(UsageError, match="key is for promises about several tables"):
        krypsis.check(table, "k-anonymity:k=2", quasi_identifiers=["age"], key="id")
    with pytest.raises(UsageError, match="check_history"):
        krypsis.check(table, "m-invariance:m=2")
    with pytest.raises(UsageError, match="such as multirelational-k-anonymity"):
        check_views({"t": SubjectTable(table, "id", ("age",))}, [KAnonymity(k=2)])


def test_nothing_published_hides_nobody():
    empty = pl.DataFrame(schema={"id": pl.String, "age": pl.String})
    verdict = verdict_on({"t": SubjectTable(empty, "id", ("age",))}, 2)
    assert not verdict
    assert "no rows" in verdict.sentence
