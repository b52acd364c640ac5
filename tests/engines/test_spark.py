"""The Spark engine: the answers of the memory engine, from a session in this process and from a cluster."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from effort import either
from engines import places
from engines.nasty_values import counted, published, rows_of, some_recoding
from engines.places import ON_CLUSTER, ON_SPARK, lies_in
from engines.spark_cluster import NO_PYTHON, cluster, executors
from krypsis.cli.main import app
from krypsis.errors import DataError, PrivacyWarning
from krypsis.io.dataset import Dataset
from krypsis.io.engines import find_engine
from krypsis.io.sql import publishing
from krypsis.plan import Plan
from patience import wait_until

pytestmark = ON_SPARK
MEMORY = find_engine("memory")
ROWS = 2000
MOST_TRIES = 50
RANDOM = np.random.default_rng(7)
TABLE = pl.DataFrame(
    {
        "age": RANDOM.integers(20, 26, ROWS),
        "zip": RANDOM.integers(0, 4, ROWS).astype(str),
        "number": np.arange(ROWS),
    }
)
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "number": "insensitive"}


def test_rows_in_another_order_give_the_same_files(monkeypatch):
    monkeypatch.setattr(publishing, "PART_ROWS", (400, 400))
    files = []
    for table in (TABLE, TABLE.sample(fraction=1.0, shuffle=True, seed=3)):
        found = counted(lies_in(table, "spark").engine, ROLES)
        parts = found.publish(some_recoding(found.frequency, (1, 1)), "remove", "5ad3")
        files.append([path.read_bytes() for path in parts.paths])
    assert len(files[0]) > 3
    assert files[0] == files[1]


def test_a_data_frame_lies_where_spark_works():
    session = places.spark()
    frame = session.createDataFrame(TABLE.head(50).to_arrow())
    dataset = Dataset.of(frame)
    assert (dataset.engine.name, dataset.name, dataset.path) == ("spark", "table", None)
    assert dataset.engine.collect_sample(np.array([0, 20, 40])).equals(TABLE.head(50).gather_every(20))
    dataset.engine.close()
    dataset.engine.close()


def test_tables_and_paths_are_read_by_their_names(tmp_path):
    session = places.spark()
    TABLE.head(5).write_parquet(tmp_path / "visits.parquet")
    by_path = Dataset.of(str(tmp_path / "visits.parquet"), engine="spark")
    session.read.parquet(str(tmp_path / "visits.parquet")).createOrReplaceTempView("visits")
    by_name = Dataset.of("visits", engine="spark")
    assert by_path.rows == by_name.rows == 5
    assert (by_name.name, by_name.path) == ("visits", None)
    views = {table.name for table in session.catalog.listTables()}
    by_name.engine.close()
    assert len(views - {table.name for table in session.catalog.listTables()}) == 1


def test_from_init_to_a_report_on_a_table_that_spark_knows_by_its_name(tmp_path):
    further = {"sex": ["m", "f"] * (ROWS // 2), "disease": list("abcde") * (ROWS // 5)}
    people = TABLE.select("age", "zip").hstack(pl.DataFrame(further))
    people.write_parquet(tmp_path / "people.parquet")
    places.spark().read.parquet(str(tmp_path / "people.parquet")).createOrReplaceTempView("people")
    plan = tmp_path / "plan.yaml"
    made = CliRunner().invoke(app, ["init", "people", "--engine", "spark", "--output", str(plan)])
    assert made.exit_code == 0, made.output
    assert (Plan.load(plan).data, Plan.load(plan).engine) == ("people", "spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        ran = CliRunner().invoke(app, ["run", str(plan), "--quiet"])
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "release.report.html").is_file()
    records = json.loads(next(tmp_path.glob("release.*.private.json")).read_text())
    assert records["input"] == "people"


@pytest.mark.parametrize(
    ("data", "message"), [("nowhere", "nowhere cannot be read"), ("/no/x.parquet", "cannot be read")]
)
def test_what_cannot_be_read_is_explained_in_a_line(data, message):
    places.spark()
    with pytest.raises(DataError, match=message) as caught:
        Dataset.of(data, engine="spark")
    assert "\n" not in str(caught.value)


def test_a_cluster_that_cannot_be_reached_is_explained_in_a_line(monkeypatch):
    from py4j.protocol import Py4JError  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    def refuse(_):
        raise Py4JError("All masters are unresponsive! Giving up.\n\tat org.apache.spark.Trace")

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", refuse)
    with pytest.raises(
        DataError, match=r"^Spark cannot be reached .* SPARK_REMOTE: All masters are unresponsive"
    ) as said:
        Dataset.of("clinic.visits", engine="spark")
    assert "\n" not in str(said.value)


def test_columns_that_cannot_be_compared_are_texts_or_refused():
    frame = places.spark().sql(
        "select * from values (map('a', 1), array(1), '1'), (map('b', 2), array(2), '1') as t(pairs, list, age)"
    )
    dataset = Dataset.of(frame)
    assert dataset.engine.distinct("pairs") == ["{a -> 1}", "{b -> 2}"]
    with pytest.raises(DataError, match="column 'list' holds"):
        dataset.engine.distinct("list")


def test_many_columns():
    table = pl.DataFrame({f"column {place}": [place, place + 1, place] for place in range(either(2000, 300))})
    roles = dict.fromkeys(table.columns, "insensitive") | {"column 7": "quasi-identifier"}
    found = counted(lies_in(table, "spark").engine, roles)
    recoding = some_recoding(found.frequency, (1,))
    assert rows_of(published(found, recoding)) == rows_of(published(counted(MEMORY(table), roles), recoding))


def test_files_that_are_added_are_not_seen_and_those_that_change_are_noticed(tmp_path):
    places.spark()
    TABLE.write_parquet(tmp_path / "a.parquet")
    found = counted(Dataset.of(f"{tmp_path}/", engine="spark").engine, ROLES)
    recoding = some_recoding(found.frequency, (0, 0))
    TABLE.head(7).write_parquet(tmp_path / "b.parquet")
    expected = published(counted(MEMORY(TABLE), ROLES), recoding)
    assert rows_of(published(found, recoding)) == rows_of(expected)
    TABLE.with_columns(age=pl.col("age") + 1).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="has changed"):
        found.publish(recoding, "remove", "5ad3")
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(DataError, match="cannot be worked on"):
        found.publish(recoding, "remove", "5ad3")


@ON_CLUSTER
def test_workers_without_python_are_enough():
    session = places.spark("spark-cluster")
    with pytest.raises(Exception, match=NO_PYTHON):  # so nothing of ours can run there
        session.sparkContext.parallelize([1]).map(str).collect()
    assert counted(lies_in(TABLE, "spark-cluster").engine, ROLES).frequency.rows == ROWS


@ON_CLUSTER
def test_a_worker_that_is_lost_loses_and_doubles_no_row(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "PART_ROWS", (400, 400))
    TABLE.write_parquet(tmp_path / "visits.parquet", row_group_size=250)
    session = places.spark("spark-cluster")
    before = executors(session)
    session.conf.set("spark.sql.files.maxPartitionBytes", "2000")  # many tasks, so that some are done and others not
    found = counted(Dataset.of(str(tmp_path / "visits.parquet"), engine="spark").engine, ROLES)
    expected = counted(MEMORY(TABLE), ROLES)
    recoding = some_recoding(expected.frequency, (1, 0))
    wanted = rows_of(published(expected, recoding))
    with cluster().losing_a_worker(session) as is_lost:
        for _ in range(MOST_TRIES):  # a job may end before the worker does
            assert rows_of(published(found, recoding)) == wanted
            if is_lost():
                break
        assert is_lost()
    wait_until(lambda: executors(session) == before - 1)
    assert found.frequency.counts.tolist() == expected.frequency.counts.tolist()
