"""The report on a table whose rows stay where they lie says what the report on the same table in memory says."""

import json
from dataclasses import fields, is_dataclass

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from engines.places import SERVERS, lies_in
from krypsis.cli.main import app
from krypsis.errors import UsageError
from krypsis.io.sql import publishing
from krypsis.io.sql.engine import SqlEngine
from krypsis.kinds.table.families import recoding
from krypsis.kinds.table.profile.published_risks import said_of_inferences
from krypsis.kinds.table.report_figures import table_figures
from krypsis.kinds.table.utility import cluster_agreement
from krypsis.report import build_report, parse_json, render_json

ROWS = 900
pytestmark = pytest.mark.usefixtures("rows_must_stay")
ROLES = {
    "name": "identifier",
    "age": "QI",
    "zip": "QI",
    "sex": "QI",
    "disease": "sensitive",
    "cost": "sensitive",
    "ward": "insensitive",
    "stay": "insensitive",
}
HIERARCHIES = {"age": {"kind": "intervals", "width": 5}, "zip": "masking"}
PROMISES = ["k-anonymity:k=6", "distinct-l-diversity:l=2"]


def made(rows=ROWS):
    numbers = range(rows)
    return pl.DataFrame(
        {
            "name": [f"n{number}" for number in numbers],
            "age": [None if number % 97 == 0 else 20 + number * 7 % 60 for number in numbers],
            "zip": [f"0{1000 + number * 13 % 40}" for number in numbers],
            "sex": ["mf"[number % 2] for number in numbers],
            "disease": [("flu", "hiv", "cold", "gout", None)[number * number % 7 % 5] for number in numbers],
            "cost": [float(number * 31 % 83) / 4 for number in numbers],
            "ward": [f"w{number * number % 11}" for number in numbers],
            "stay": [number % 5 + (number * 7 % 60) // 10 for number in numbers],
        }
    )


def released(data, **options):
    promised = {"hierarchies": HIERARCHIES, "models": PROMISES, "suppression": "4%", **options}
    return krypsis.anonymize(data, ROLES, **promised)


@pytest.fixture
def rows_must_stay(monkeypatch):
    """Refuse to bring all rows into memory, before or after."""

    def refuse(*_):
        raise AssertionError("all rows were collected")

    monkeypatch.setattr(SqlEngine, "collect", refuse)
    monkeypatch.setattr("krypsis.checker.parted_rows.PartedRows.collected", refuse)


def same(one, other):
    """Say whether two figures are the same but for the rounding of sums in another order."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-9, abs=1e-9)
    return one == other


def assert_same_figures(found, expected):
    for field in fields(expected):
        ours, wanted = getattr(found, field.name), getattr(expected, field.name)
        assert same(ours, wanted), (field.name, ours, wanted)


@pytest.mark.parametrize("suppressed", ["remove", "keep"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
@pytest.mark.parametrize("engine", SERVERS)
def test_every_figure_of_the_report_is_that_of_the_table_in_memory(engine, algorithm, suppressed):
    expected = table_figures(released(made(), algorithm=algorithm, suppressed=suppressed))
    release = released(lies_in(made(), engine), algorithm=algorithm, suppressed=suppressed)
    found = table_figures(release)
    assert_same_figures(found, expected)
    report = build_report(release, "patients")
    assert parse_json(render_json(report)) == report
    assert "sample" not in render_json(report)


def test_figures_of_a_sample_say_so(monkeypatch):
    table = made(6000).sample(fraction=1, shuffle=True, seed=1)  # so that every fourth record is like the others
    whole = table_figures(released(table))
    monkeypatch.setattr(recoding, "MOST_ROWS", 1500)
    found = table_figures(released(lies_in(table, "duckdb")))
    words = "from a sample of 1,500 records"
    assert words in found.dependence.note
    assert words in found.gauge.sentence
    assert [words in part.sentence for part in found.gauge.parts] == [False, False, False, True]
    assert found.gauge.value == pytest.approx(whole.gauge.value, abs=3)
    names = found.dependence.columns
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            exact = {ROLES[one], ROLES[other]} in ({"QI"}, {"QI", "sensitive"})
            precision = 1e-4 if exact else 0.1
            assert found.dependence.before[i][j] == pytest.approx(whole.dependence.before[i][j], abs=precision)
            assert found.dependence.after[i][j] == pytest.approx(whole.dependence.after[i][j], abs=precision)


def test_nothing_is_sampled_where_counts_suffice(monkeypatch):
    monkeypatch.setattr(recoding, "MOST_ROWS", 100)
    chosen = ["age", "zip", "sex", "disease"]
    roles = {name: ROLES[name] for name in chosen}
    options = {"hierarchies": HIERARCHIES, "models": PROMISES, "suppression": "4%"}
    expected = table_figures(krypsis.anonymize(made().select(chosen), roles, **options))
    found = table_figures(krypsis.anonymize(lies_in(made().select(chosen), "duckdb"), roles, **options))
    assert_same_figures(found, expected)


@pytest.mark.data
def test_the_report_on_adult_is_the_same_from_counts(data_folder, tmp_path):
    folder = data_folder / "relational" / "adult"
    table = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False)
    table.write_parquet(tmp_path / "adult.parquet")
    known = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    roles = {**dict.fromkeys(known, "QI"), "salary-class": "sensitive"}
    options = {
        "hierarchies": {name: folder / f"adult_hierarchy_{name}.csv" for name in known},
        "models": ["k-anonymity:k=5", "distinct-l-diversity:l=2"],
        "suppression": "2%",
    }
    expected = table_figures(krypsis.anonymize(table, roles, **options))
    found = table_figures(krypsis.anonymize(lies_in(tmp_path / "adult.parquet", "duckdb"), roles, **options))
    assert_same_figures(found, expected)


def attack(*arguments):
    result = CliRunner().invoke(app, ["attack", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_attacks_on_a_release_in_parts_find_what_they_find_in_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "PART_ROWS", (100, 200))
    released(made()).save(tmp_path / "whole", formats=["parquet"])
    released(lies_in(made(), "duckdb")).save(tmp_path / "parts", formats=["parquet"])
    assert len(list((tmp_path / "parts").glob("data-*.parquet"))) > 2
    found = attack(tmp_path / "parts")
    assert {one["attack"] for one in found} >= {"linkage", "homogeneity", "background"}
    assert same(found, attack(tmp_path / "whole"))
    made().select("name", "sex", "age").write_csv(tmp_path / "register.csv")
    for spec in (
        f'register-linkage:persons={tmp_path / "register.csv"},known="age,sex",sensitive=ward',
        "homogeneity:known=zip,sensitive=ward",
    ):
        assert same(attack(tmp_path / "parts", "--attack", spec), attack(tmp_path / "whole", "--attack", spec))


def test_columns_in_doubt_are_found_from_counts():
    rows = 400
    table = pl.DataFrame(
        {
            "age": [20 + number % 40 for number in range(rows)],
            "job": ["nurse" if number % 40 < 10 else ("cook", "judge")[number % 2] for number in range(rows)],
            "pay": [number * 7 % 13 for number in range(rows)],
        }
    )
    roles, wanted = dict.fromkeys(table.columns, "QI"), {"models": "k-anonymity:k=8", "algorithm": "mondrian"}
    said = [
        said_of_inferences(krypsis.anonymize(lies_in(table, engine), roles, **wanted), ["job"])
        for engine in ("memory", "duckdb")
    ]
    assert "of 400 records" in said[0]
    assert said[0] == said[1]


def test_what_compares_records_one_by_one_says_that_it_needs_them_in_memory(monkeypatch):
    monkeypatch.undo()  # it brings the published records here, and says why that does not suffice
    release = released(lies_in(made(), "duckdb"))
    with pytest.raises(UsageError, match=r"one by one.* which takes 900 rows in memory"):
        cluster_agreement(made(), release, clusters=3)
