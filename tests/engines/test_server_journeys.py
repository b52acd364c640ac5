"""The whole way from a table on a server to a checked release, with the commands that people type."""

import os
import subprocess
import sys

import narwhals as nw
import polars as pl
import pytest

import krypsis
from engines import places
from engines.places import address, address_of, role, run_sql, server_folder
from engines.test_journeys import ROLES, patients_table, plan_text, published
from krypsis.errors import PlanError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.plan import Plan
from krypsis.projects.project import check_places
from krypsis.registry import classes

PASSWORD = "s3cret-of-the-clinic"  # not written into any file
TABLE = patients_table()


def krypsis_in(folder, *words, **environment):
    """Run a command as people do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "krypsis.cli.main", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | environment,
    )


@pytest.fixture(scope="module")
def visits():
    """The address of a table that somebody with a password may read."""
    where = address_of(TABLE)
    name = where.rpartition("=")[2]
    role("clinic", PASSWORD)
    run_sql(f"grant select on {name} to clinic")
    return address(f"table={name}", user="clinic")


def test_init_run_and_check_on_a_server_with_a_password_from_the_environment(tmp_path, visits):
    secret = {"PGPASSWORD": PASSWORD}
    done = krypsis_in(tmp_path, "init", visits, **secret)
    assert done.returncode == 0, done.stderr
    proposed = (tmp_path / "plan.yaml").read_text(encoding="utf-8")
    assert f"{TABLE.height} records" in proposed
    assert Plan.load(tmp_path / "plan.yaml").data == visits
    (tmp_path / "plan.yaml").write_text(plan_text(visits), encoding="utf-8")
    for words in (["run", "plan.yaml"], ["check", "release"], ["check", "release", "--plan", "plan.yaml"]):
        done = krypsis_in(tmp_path, *words, **secret)
        assert done.returncode == 0, done.stderr
    TABLE.write_parquet(tmp_path / "patients.parquet")
    local = krypsis.anonymize(TABLE, plan=Plan.parse(plan_text("patients.parquet"), tmp_path))
    assert published(tmp_path / "release").equals(local.table.sort(local.table.columns))
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    assert not any(PASSWORD.encode() in content for content in written)


def test_a_wrong_password_is_said_in_a_line_and_not_shown(tmp_path, visits):
    (tmp_path / "plan.yaml").write_text(plan_text(visits), encoding="utf-8")
    done = krypsis_in(tmp_path, "run", "plan.yaml", PGPASSWORD="wrong-one")
    assert done.returncode == 2
    assert "password authentication failed" in done.stderr
    assert "PGPASSWORD" in done.stderr
    assert "wrong-one" not in done.stderr + done.stdout
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("way", ["environment", "password file", "service file"])
def test_a_password_comes_from_where_libpq_looks_for_it(tmp_path, visits, monkeypatch, way):
    where = visits
    if way == "environment":
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
    elif way == "password file":
        (tmp_path / "pgpass").write_text(f"*:*:*:clinic:{PASSWORD}\n", encoding="utf-8")
        (tmp_path / "pgpass").chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    else:
        lines = [f"host={server_folder()}", "dbname=postgres", "user=clinic", f"password={PASSWORD}"]
        (tmp_path / "services").write_text("\n".join(["[clinic]", *lines, ""]), encoding="utf-8")
        monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
        where = f"postgresql://?service=clinic&{visits.rpartition('&')[2]}"
    assert Dataset.of(where).rows == TABLE.height


@pytest.mark.parametrize(
    "given", ["postgresql://ann:s3cret@host/db?table=t", "postgresql://host/db?password=s3cret&table=t"]
)
def test_a_password_in_a_plan_is_refused_with_what_to_do(tmp_path, given):
    with pytest.raises(PlanError, match=r"data: the address has a password .* PGPASSWORD, .* ~/\.pgpass") as refusal:
        Plan.parse(plan_text(given), tmp_path)
    assert "s3cret" not in str(refusal.value)
    with pytest.raises(PlanError, match="population: the address has a password") as refusal:
        Plan.parse(plan_text("patients.csv") + f"population: {given}\n", tmp_path)
    assert "s3cret" not in str(refusal.value)
    done = krypsis_in(tmp_path, "init", given)
    assert done.returncode == 2
    assert "must not be written down" in done.stderr
    assert "s3cret" not in done.stderr
    assert not (tmp_path / "plan.yaml").exists()


def test_a_population_may_lie_on_the_server(tmp_path):
    everybody = pl.concat([TABLE, TABLE]).drop("disease")
    plan = plan_text("patients.parquet", promises="['delta-presence:delta_min=0,delta_max=0.9']")
    TABLE.write_parquet(tmp_path / "patients.parquet")
    everybody.write_parquet(tmp_path / "everybody.parquet")
    levels = [
        Plan.parse(f"{plan}population: {where}\n", tmp_path).run().levels
        for where in (f'"{address_of(everybody)}"', "everybody.parquet")
    ]
    assert levels[0] == levels[1]


@pytest.mark.parametrize(
    "line",
    [
        "data: postgresql://host/db?table=t",
        "data: data/p.csv\npopulation: postgresql://host/db?table=t",
        "data: data/p.csv\nengine: spark",
        "data: data/p.csv\noutput: {table: public.t}",
        "data: data/p.csv\ntables: {visits: {data: 'postgresql://host/db?table=t'}}",
    ],
)
def test_a_plan_in_the_browser_reaches_no_server(line):
    with pytest.raises(PlanError, match="not with databases or clusters"):
        check_places(line)


def test_data_that_is_no_table_is_not_looked_for_on_a_server(tmp_path):
    text = "kind: transactions\ndata: postgresql://h/d?table=t\npromises: ['km-anonymity:k=2,m=2']\n"
    plan = Plan.parse(text, tmp_path)
    with pytest.raises(UsageError, match="postgresql://h/d is no file"):
        plan.run()
    done = krypsis_in(tmp_path, "init", "postgresql://h/d?table=t", "--kind", "transactions")
    assert done.returncode == 2
    assert "is read from files" in done.stderr


@pytest.mark.xdist_group("spark")
def test_a_plan_for_spark_names_a_path_or_a_table(tmp_path, monkeypatch):
    from typer.testing import CliRunner  # noqa: PLC0415

    from krypsis.cli.main import app  # noqa: PLC0415

    session = places.spark()
    monkeypatch.chdir(tmp_path)  # relative paths start here, wherever Spark was started
    TABLE.write_parquet(tmp_path / "patients.parquet")
    session.read.parquet(str(tmp_path / "patients.parquet")).createOrReplaceTempView("patients_known")
    expected = krypsis.anonymize(TABLE, plan=Plan.parse(plan_text("patients.parquet"), tmp_path)).table
    for number, data in enumerate(("patients.parquet", "patients_known")):
        done = CliRunner().invoke(app, ["init", data, "--engine", "spark", "--force"])
        assert done.exit_code == 0, done.output
        loaded = Plan.load("plan.yaml")
        assert (loaded.data, loaded.engine) == (data, "spark")
        (tmp_path / "plan.yaml").write_text(plan_text(data) + "engine: spark\n", encoding="utf-8")
        done = CliRunner().invoke(app, ["run", "plan.yaml", "--output", f"release{number}"])
        assert done.exit_code == 0, done.output
        assert published(f"release{number}").equals(expected.sort(expected.columns))
    session.catalog.dropTempView("patients_known")
    frame = session.read.parquet(str(tmp_path / "patients.parquet"))
    assert Dataset.of(nw.from_native(frame)).engine.name == "spark"


@pytest.mark.xdist_group("spark")
def test_spark_reads_no_text_files(tmp_path):
    with pytest.raises(UsageError, match=r"reads Parquet files and tables, and patients\.csv is neither"):
        Plan.parse(plan_text("patients.csv") + "engine: spark\n", tmp_path).run()


ON_ROWS = [name for name, one in classes("algorithm").items() if getattr(one, "grain", "tuple") == "record"]
ON_ROWS += ["noise", "rank-swapping", "microaggregation"]
PROMISES = {"anatomize": "frequency-l-diversity:l=2", "permutation": "frequency-l-diversity:l=2"}
PROMISES |= {"noise": (), "rank-swapping": (), "microaggregation": ()}
IN_SPARK = pytest.param("spark", "anatomize", marks=pytest.mark.xdist_group("spark"))


@pytest.mark.parametrize(("engine", "algorithm"), [*(("postgresql", name) for name in ON_ROWS), IN_SPARK])
def test_what_works_on_rows_is_refused_without_a_scan_where_they_do_not_fit(monkeypatch, engine, algorithm):
    dataset = small_memory(engine)
    database = type(dataset.engine._database)
    asked, query = [], database.query
    monkeypatch.setattr(database, "query", lambda self, text: (asked.append(text), query(self, text))[1])
    message = rf"the algorithm {algorithm} needs the rows in memory: 2,000 rows of 4 column\(s\) take about"
    with pytest.raises(UsageError, match=message):
        krypsis.anonymize(dataset, ROLES, models=PROMISES.get(algorithm, "k-anonymity:k=5"), algorithm=algorithm)
    assert len(asked) == 2
    assert all("count(*)" in statement or statement.endswith("limit 1000") for statement in asked)


def small_memory(engine):
    if engine == "postgresql":
        return Dataset.of(address_of(TABLE), memory=10_000)
    return Dataset.of(places.spark().createDataFrame(TABLE.to_arrow()), memory=10_000)


def test_only_columns_that_are_needed_leave_the_server(monkeypatch):
    dataset = Dataset.of(address_of(TABLE.with_columns(secret=pl.lit("x"))))
    brought = []
    collect = type(dataset.engine).collect
    monkeypatch.setattr(
        type(dataset.engine), "collect", lambda self, names=None: (brought.append(names), collect(self, names))[1]
    )
    release = krypsis.anonymize(dataset, ROLES, models="frequency-l-diversity:l=2", algorithm="anatomize")
    assert brought == [["age", "zip", "sex", "disease"]]
    assert release.records == TABLE.height
