"""What needs all rows, or all distinct tuples, in memory says so with both sizes before it works on them."""

import re

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from engines.test_divided_tables import HIERARCHIES, PROMISES, ROLES, people
from engines.test_journeys import ROLES as PATIENT_ROLES
from engines.test_journeys import patients_table, plan_text
from krypsis.cli.main import app
from krypsis.data.schema import Schema
from krypsis.errors import MemoryShort, MemoryWarning, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.item_sets import transactions_of
from krypsis.io.sql.divided_table import DividedInDatabase
from krypsis.kinds.table.findings import evidence_of
from krypsis.plan import Plan

SIZES = r"take about [\d.]+ KB of memory, and ([\d.]+ KB|1000 bytes) may be taken; allow more memory, or "
TUPLES = r"there are \d+, and 3 may be worked on; allow more memory, or generalize"
PATIENTS = patients_table()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PATIENTS.write_parquet("patients.parquet")
    return tmp_path


@pytest.fixture
def _few_tuples(monkeypatch):
    monkeypatch.setattr(DividedInDatabase, "most_tuples", property(lambda _: 3))


def command(*words):
    done = CliRunner().invoke(app, [*map(str, words)])
    return done.exit_code, " ".join(f"{done.stderr} {done.exception}".split())


def test_a_check_that_compares_with_the_original_table_says_what_it_takes(folder):
    text = plan_text("patients.parquet", promises="['kk-anonymity:k=3']").replace("suppression: 2%\n", "")
    Plan.parse(text, folder).run().save("release", formats=["parquet"])
    for memory, code in (("1GB", 0), ("10KB", 2)):
        (folder / "plan.yaml").write_text(f"{text}engine: duckdb\nmemory: {memory}\n", encoding="utf-8")
        found, said = command("check", "release", "--plan", "plan.yaml")
        assert found == code, said
    assert re.search("comparing with the original table needs the rows in memory: 2,000 rows of 4 .*" + SIZES, said)


@pytest.mark.usefixtures("folder")
def test_a_population_that_does_not_fit_is_refused_before_the_search():
    everybody = pl.concat([PATIENTS] * 2)
    wanted = {"models": "delta-presence:delta_max=0.9", "suppression": "100%"}
    with pytest.raises(
        UsageError, match="a promise about the population needs the rows in memory: 4,000 rows.*" + SIZES
    ):
        krypsis.anonymize(
            Dataset.of("patients.parquet", engine="duckdb"),
            PATIENT_ROLES,
            population=Dataset.of(everybody, engine="duckdb", memory=1000),
            **wanted,
        )


@pytest.mark.usefixtures("folder")
def test_advice_from_data_that_does_not_fit_says_what_it_takes():
    roles = Schema.of({name: role for name, role in PATIENT_ROLES.items() if name != "name"})
    expected = evidence_of(PATIENTS, roles).findings
    assert evidence_of(Dataset.of("patients.parquet", engine="duckdb"), roles).findings == expected
    with pytest.raises(UsageError, match="looking for what suits the data needs the rows in memory: 2,000.*" + SIZES):
        evidence_of(Dataset.of("patients.parquet", engine="duckdb", memory=1000), roles)


@pytest.mark.usefixtures("_few_tuples")
def test_a_solution_space_and_a_recipe_need_all_tuples():
    table = people(100, seed=7)
    wanted = {"hierarchies": HIERARCHIES, "models": PROMISES[0], "suppression": "100%"}
    with pytest.raises(UsageError, match="^the solution space needs all distinct combinations .*" + TUPLES):
        krypsis.explore(Dataset.of(table, engine="duckdb"), ROLES, **wanted)
    recipe = krypsis.Recipe.of(krypsis.anonymize(table, ROLES, algorithm="datafly", **wanted))
    with pytest.raises(
        UsageError, match="^publishing new rows by a recipe needs all distinct combinations .*" + TUPLES
    ):
        recipe.apply(Dataset.of(table, engine="duckdb"))


@pytest.mark.exposed
@pytest.mark.usefixtures("_few_tuples")
def test_more_groups_than_fit_are_published_with_a_warning():
    wanted = {"hierarchies": HIERARCHIES, "models": PROMISES[0], "algorithm": "mondrian"}
    with pytest.warns(MemoryWarning, match=r"^\d+ groups were found; .* takes about [\d.]+ KB, which is more"):
        krypsis.anonymize(Dataset.of(people(100, seed=7), engine="duckdb"), ROLES, **wanted)


def test_sets_that_do_not_fit_are_refused_with_both_sizes(folder, monkeypatch):
    monkeypatch.setattr("krypsis.io.read.available_memory", lambda: 1000)
    (folder / "baskets.txt").write_text("milk bread\n" * 50, encoding="utf-8")
    pl.DataFrame({"who": range(90), "what": ["milk"] * 90}).write_parquet("baskets.parquet")
    with pytest.raises(
        MemoryShort, match=r"550 bytes of text; .* 37.6 KB, and 1000 bytes .* sets need all of them in memory"
    ):
        transactions_of("baskets.txt")
    with pytest.raises(MemoryShort, match=r"90 records of 2 columns; .* leave out records"):
        transactions_of("baskets.parquet", key="who", item="what")
    plan = "kind: transactions\ndata: baskets.txt\npromises: ['km-anonymity:k=2,m=2']\nalgorithm: disassociation\n"
    (folder / "plan.yaml").write_text(plan, encoding="utf-8")
    code, said = command("run", "plan.yaml")
    assert (code, "leave out records" in said) == (2, True)


HISTORY = """
data: patients.parquet
columns: {name: identifier, age: QI, zip: QI, sex: QI, disease: sensitive}
promises: [m-invariance:m=2]
"""


def test_a_history_needs_its_rows_in_memory_and_says_so(folder, monkeypatch):
    for line, said_of in (("engine: duckdb", "'engine'"), ("memory: 1GB", "'memory'")):
        (folder / "plan.yaml").write_text(f"{HISTORY}{line}\n", encoding="utf-8")
        code, said = command("history", "init", "patients.parquet")
        assert (code, f"a history does nothing with {said_of}" in said) == (2, True), said
    monkeypatch.setattr("krypsis.io.read.available_memory", lambda: 1000)
    (folder / "plan.yaml").write_text(HISTORY, encoding="utf-8")
    code, said = command("history", "init", "patients.parquet")
    assert code == 2
    assert re.search(
        r"2,000 records of 5 columns; .* and 1000 bytes are available. A history needs the rows in memory", said
    )
