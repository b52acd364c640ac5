"""The same plan gives the same release wherever the table lies: in memory, in files, on a server, on a cluster."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import krypsis
from conftest import public_data
from effort import IS_THOROUGH
from engines import places
from engines.nasty_values import NASTY, frequency_of, rows_of
from engines.places import ELSEWHERE, known_to, lies_in
from krypsis.data.recoding import as_cells
from krypsis.io.dataset import Dataset

ADULT = public_data() / "relational" / "adult"
KNOWN = ["sex", "age", "race", "education", "workclass"]
FEW = 1000
"""Tables with fewer rows are sent to Spark, which reads larger ones from a file."""
PLANS = {
    "optimal": {"models": ["k-anonymity:k=5", "distinct-l-diversity:l=2"], "suppression": "5%"},
    "mondrian": {"models": ["k-anonymity:k=5", "distinct-l-diversity:l=2"], "algorithm": "mondrian"},
    "anatomize": {"models": "frequency-l-diversity:l=2", "algorithm": "anatomize"},
    "t-closeness": {"models": ["k-anonymity:k=3", "t-closeness:t=0.35"], "suppression": "20%"},
    "population": {"models": ["delta-presence:delta_max=0.9", "k-map:k=4"], "suppression": "5%"},
}
TABLES = [pytest.param("adult", marks=pytest.mark.data), "nasty", *(["million"] if IS_THOROUGH else [])]


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("place", ELSEWHERE)
def test_a_plan_gives_the_same_release_everywhere(place, name, plan, monkeypatch):
    monkeypatch.setattr("secrets.randbits", lambda _: 5)  # what Anatomize draws
    ours, expected = released(place, name, plan), released_in_memory(name, plan)
    assert (ours.levels, ours.score, ours.suppressed) == (expected.levels, expected.score, expected.suppressed)
    assert ours.made_by.metrics == expected.made_by.metrics
    if expected.evidence is not None:
        assert frequency_of(ours.evidence.frequency) == frequency_of(expected.evidence.frequency)
        assert recoding_of(ours.evidence) == recoding_of(expected.evidence)
    found, wanted = ours.publication.tables(), expected.publication.tables()
    assert {one: table.schema for one, table in found.items()} == {one: table.schema for one, table in wanted.items()}
    assert {one: rows_of(table) for one, table in found.items()} == {
        one: rows_of(table) for one, table in wanted.items()
    }
    assert ours.verdicts == expected.verdicts
    assert all(verdict.holds for verdict in ours.verdicts)
    assert checked(ours, name, plan) == checked_in_memory(name, plan)


def recoding_of(evidence):
    """Return the labels of each tuple."""
    cells = as_cells(evidence.recoding, evidence.frequency)
    columns = zip(cells.codebooks, cells.released.T, strict=True)
    return [[book.labels[code] for code in codes] for book, codes in columns], cells.suppressed.tolist()


@cache
def released_in_memory(name, plan):
    return released("memory", name, plan)


def released(place, name, plan):
    _, roles, hierarchies = DATA[name]()
    people = laid_out(place, session_of(place), name, everybody=True) if plan == "population" else None
    data = laid_out(place, session_of(place), name)
    return krypsis.anonymize(data, roles, hierarchies=hierarchies, population=people, **PLANS[plan])


@cache
def checked_in_memory(name, plan):
    return checked(released_in_memory(name, plan), name, plan)


def checked(release, name, plan):
    """Return what the checker finds in the files, with the distribution and the people of before."""
    table, roles, hierarchies = DATA[name]()
    given = {}
    if plan == "t-closeness":
        hidden = next(column for column, role in roles.items() if role == "sensitive")
        counts = sample_of(table)[hidden].cast(str).value_counts(name="n")
        given = {"reference": {hidden: dict(counts.rows())}}
    elif plan == "population":
        given = {"population": table, "hierarchies": hierarchies}
    with tempfile.TemporaryDirectory() as folder:
        return krypsis.check(release.save(Path(folder, "release"), formats=["parquet"]).folder, **given)


@cache
def laid_out(place, session, name, *, everybody=False):
    """Return a table as a dataset of an engine, once for all plans: an engine holds nothing of a single run.

    What lies in a session goes with it.
    """
    table = DATA[name]()[0] if everybody else sample_of(DATA[name]()[0])
    if session is None or table.height < FEW:
        return lies_in(table, place)
    path = Path(_files().name, f"{place}-{name}-{everybody}.parquet")
    table.write_parquet(path, row_group_size=5000)  # each worker reads a part of it
    return Dataset.of(str(path), engine="spark")


@cache
def _files():
    return tempfile.TemporaryDirectory()


def session_of(place):
    return places.spark(place).sparkContext.applicationId if place.startswith("spark") else None


def sample_of(everybody):
    """Return two thirds of a population."""
    return everybody.filter(pl.int_range(pl.len()) % 3 != 0)


@cache
def adult():
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).with_columns(pl.col("age").cast(int))
    hierarchies = {name: ADULT / f"adult_hierarchy_{name}.csv" for name in KNOWN}
    return table, dict.fromkeys(KNOWN, "QI") | {"occupation": "sensitive", "salary-class": "insensitive"}, hierarchies


@cache
def nasty():
    """Return twelve copies of the nasty table, in the columns that every place has, with few quasi-identifiers."""
    known = known_to("spark", known_to("postgresql", NASTY))
    table = pl.concat([known] * 12)
    roles = dict.fromkeys(table.columns, "insensitive")
    roles |= dict.fromkeys(["tiny", "decimal", "text", "odd", "moment", "SAME"], "QI") | {"truth": "sensitive"}
    return table, roles, {}


@cache
def million():
    chance = np.random.default_rng(11)
    rows = 1_000_000
    table = pl.DataFrame(
        {
            "age": chance.integers(18, 90, rows),
            "zip": [f"{code:03}" for code in chance.integers(0, 300, rows)],
            "sex": chance.choice(["f", "m", None], rows),
            "disease": chance.choice(["flu", "gout", "hiv", "angina"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
    hierarchies = {"age": {"kind": "intervals", "width": 5}, "zip": {"kind": "masking"}}
    return table, {"age": "QI", "zip": "QI", "sex": "QI", "disease": "sensitive"}, hierarchies


DATA = {"adult": adult, "nasty": nasty, "million": million}
