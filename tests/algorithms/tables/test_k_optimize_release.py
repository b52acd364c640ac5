"""A release by k-Optimize is published, checked and reported like any other."""

import json
from collections import Counter

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis import report
from krypsis.cli.main import app

TABLE = pl.DataFrame({"age": [31, 32, 35, 47, 48, 49], "job": ["b"] * 6, "ill": list("xyxyxy")})
ROLES = {"age": "quasi-identifier", "job": "quasi-identifier", "ill": "sensitive"}


def test_a_release_is_published_checked_and_reported(tmp_path):
    """Three groups of two cost 3 · 2², and no two records can cost less."""
    release = krypsis.anonymize(
        TABLE, ROLES, models="k-anonymity:k=2", algorithm="k-optimize:seconds=5", metric="discernibility"
    )
    assert release.score == release.lower_bound == 12
    assert Counter(release.table.rows()) == Counter(
        [("<35", "b", "x"), ("<35", "b", "y"), ("[35-48)", "b", "x"), ("[35-48)", "b", "y"), (">=48", "b", "x"),
         (">=48", "b", "y")]
    )  # fmt: skip
    saved = release.save(tmp_path / "release")
    assert all(verdict.holds for verdict in krypsis.check(saved.folder))
    page, _ = report.write_report(saved.release, saved.folder)
    assert "k-optimize" in page.read_text(encoding="utf-8")


def test_suppressed_records_that_stay_are_at_the_top_of_everything():
    """Twelve ages alike and two strangers; apart from all, the two are a group themselves."""
    table = pl.DataFrame({"age": [30] * 12 + [1, 99], "job": ["b"] * 12 + ["a", "c"]})
    roles = {"age": "quasi-identifier", "job": "quasi-identifier"}
    release = krypsis.anonymize(
        table, roles, models="k-anonymity:k=2", algorithm="k-optimize", metric="discernibility", suppressed="keep"
    )
    assert Counter(release.table.rows()) == {("30", "b"): 12, ("*", "*"): 2}


def test_a_plan_can_ask_for_it(tmp_path):
    TABLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "plan.yaml").write_text(
        "data: people.csv\ncolumns: {age: quasi-identifier, job: quasi-identifier, ill: sensitive}\n"
        "promises: ['k-anonymity:k=2']\nalgorithm: 'k-optimize:cost=classification,target=ill,nodes=500'\n"
        "metric: classification\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--json", "--quiet"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["holds"]
    assert document["score"] == pytest.approx(1 / 3)  # in each of two groups of three, one guess is wrong
    assert document["lower_bound"] == pytest.approx(1 / 3)


@pytest.mark.data
def test_on_adult_it_beats_the_best_of_full_domain_generalization(data_folder):
    """The published optimum of full-domain generalization for k = 5 with any suppression is 7,220,555."""
    folder = data_folder / "relational" / "adult"
    table = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False)
    release = krypsis.anonymize(
        table,
        dict.fromkeys(table.columns, "quasi-identifier"),
        hierarchies={name: folder / f"adult_hierarchy_{name}.csv" for name in table.columns},
        models="k-anonymity:k=5",
        algorithm="k-optimize:level=1",
        metric="discernibility",
    )
    assert release.score == release.lower_bound < 7_220_555
