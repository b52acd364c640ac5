"""The whole way from a file to a checked release with an engine that keeps the rows where they lie."""

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.errors import UnknownNameError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.engines import engine_for
from krypsis.release.release import Release

ROWS = 2000
ROLES = {"name": "identifier", "age": "QI", "zip": "QI", "sex": "QI", "disease": "sensitive"}
PLAN = """
data: {data}
columns:
  name: identifier
  age: {{role: quasi-identifier, hierarchy: {{kind: intervals, width: 5}}}}
  zip: {{role: quasi-identifier, hierarchy: {{kind: masking}}}}
  sex: quasi-identifier
  disease: sensitive
promises: {promises}
suppression: 2%
algorithm: {algorithm}
output: {{formats: [parquet], report: false}}
"""


def plan_text(data, algorithm="optimal", promises="[k-anonymity:k=5, distinct-l-diversity:l=2]"):
    return PLAN.format(data=f'"{data}"', algorithm=algorithm, promises=promises)


def patients_table():
    numbers = range(ROWS)
    return pl.DataFrame(
        {
            "name": [f"n{number}" for number in numbers],
            "age": [None if number % 97 == 0 else 20 + number * 7 % 60 for number in numbers],
            "zip": [f"0{1000 + number * 13 % 40}" for number in numbers],
            "sex": ["mf"[number % 2] for number in numbers],
            "disease": [("flu", "hiv", "cold", "gout")[number * number % 7 % 4] for number in numbers],
        }
    )


@pytest.fixture
def patients():
    return patients_table()


@pytest.fixture
def folder(tmp_path, patients, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients.write_parquet("patients.parquet")
    patients.write_csv("patients.csv")
    (tmp_path / "many").mkdir()
    patients[: ROWS // 3].write_parquet("many/a.parquet")
    patients[ROWS // 3 :].write_parquet("many/b.parquet")
    return tmp_path


def run(plan, data, *options, algorithm="optimal"):
    plan.write_text(plan_text(data, algorithm), encoding="utf-8")
    return CliRunner().invoke(app, ["run", str(plan), *options])


def published(folder):
    table = Release.load(folder).table
    return table.sort(table.columns)


@pytest.mark.parametrize(
    ("data", "algorithm"),
    [("patients.parquet", "datafly"), ("patients.csv", "mondrian"), ("many/*.parquet", "optimal"), ("many", "optimal")],
)
def test_a_plan_gives_the_same_release_however_the_files_are_named(folder, data, algorithm):
    local = "patients.csv" if data.endswith("csv") else "patients.parquet"
    assert run(folder / "plan.yaml", local, "--engine", "memory", algorithm=algorithm).exit_code == 0
    expected, manifest = published("release"), Release.load("release")
    result = run(
        folder / "plan.yaml", data, "--engine", "duckdb", "--memory", "500MB", "--output", "other", algorithm=algorithm
    )
    assert result.exit_code == 0, result.stderr
    found = Release.load("other")
    assert published("other").equals(expected)
    assert published("other").schema == expected.schema
    assert (found.levels, found.score, found.suppressed) == (manifest.levels, manifest.score, manifest.suppressed)
    assert found.verdicts == manifest.verdicts
    assert [one.holds for one in krypsis.check("other")] == [True, True]


@pytest.mark.usefixtures("folder")
def test_what_needs_the_rows_gets_them_or_says_how_much_they_take(patients):
    wanted = {"models": "frequency-l-diversity:l=2", "algorithm": "anatomize"}
    release = krypsis.anonymize(Dataset.of("patients.parquet", engine="duckdb"), ROLES, **wanted)
    assert release.records == patients.height
    small = Dataset.of("patients.parquet", engine="duckdb", memory=10_000)
    with pytest.raises(UsageError, match=r"anatomize needs the rows in memory: 2,000 rows of 4 .* 9\.8 KB may"):
        krypsis.anonymize(small, ROLES, **wanted)


def test_the_size_and_the_place_of_the_data_choose_the_engine(folder):
    assert engine_for("patients.parquet").name == "memory"
    assert engine_for("patients.parquet", memory=1000).name == "duckdb"
    assert engine_for(folder / "many").name == "duckdb"
    assert engine_for("many/*.parquet").name == "duckdb"


@pytest.mark.parametrize("scheme", ["mysql", "mariadb", "mssql+pyodbc", "oracle"])
@pytest.mark.parametrize("engine", [None, "memory", "duckdb"])
def test_other_servers_are_refused_with_what_to_do(scheme, engine):
    with pytest.raises(UsageError, match=r"host/clinic .*MySQL, MariaDB or SQL Server, .*read_database") as refusal:
        Dataset.of(f"{scheme}://ann:secret@host/clinic?table=visits", engine=engine)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("wrap", ["polars", "lazy", "pandas", "pyarrow", "duckdb"])
def test_frames_of_narwhals_are_the_tables_inside_them(patients, wrap):
    import duckdb  # noqa: PLC0415
    import narwhals as nw  # noqa: PLC0415

    inside = {
        "polars": lambda: patients,
        "lazy": patients.lazy,
        "pandas": patients.to_pandas,
        "pyarrow": patients.to_arrow,
        "duckdb": lambda: duckdb.from_arrow(patients.to_arrow()),
    }[wrap]()
    dataset = Dataset.of(nw.from_native(inside))
    assert dataset.engine.name == engine_for(inside).name
    assert dataset.engine.distinct("zip") == Dataset.of(patients).engine.distinct("zip")
    assert dataset.rows == patients.height


def test_init_looks_at_a_pattern_of_files(folder):
    result = CliRunner().invoke(app, ["init", "many/*.parquet", "-o", "plan.yaml"])
    assert result.exit_code == 0, result.stderr
    assert "formats: [parquet]" in (folder / "plan.yaml").read_text("utf-8")
    assert 'data: "many/*.parquet"' in (folder / "plan.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--engine", "duckbd"), "Did you mean 'duckdb'"), (("--memory", "much"), "such as 2GB")],
)
def test_an_unknown_engine_or_amount_is_refused_before_anything_is_read(folder, options, words):
    result = run(folder / "plan.yaml", "nowhere.parquet", *options)
    assert isinstance(result.exception, UnknownNameError | UsageError) or words in result.stderr
    assert words in f"{result.exception} {result.stderr}"


def test_an_engine_is_refused_for_data_that_is_no_table(folder):
    (folder / "plan.yaml").write_text(
        "kind: transactions\ndata: sales.csv\npromises: [km-anonymity:k=2,m=2]\n", encoding="utf-8"
    )
    result = CliRunner().invoke(app, ["run", "plan.yaml", "--engine", "duckdb"])
    assert result.exit_code != 0
    assert "no meaning for kind: transactions" in f"{result.exception} {result.stderr}"
