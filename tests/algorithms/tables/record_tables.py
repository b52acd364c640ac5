"""Small tables for algorithms that see every record as a tuple of its own."""

import polars as pl

import krypsis
from krypsis.data.hierarchies import resolve
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset


def publish(columns, algorithm, models="k-anonymity:k=2", sensitive=(), **options) -> krypsis.Release:
    """The release of a table, all columns quasi-identifiers but the sensitive ones."""
    table = pl.DataFrame(columns)
    roles = {name: "sensitive" if name in sensitive else "quasi-identifier" for name in table.columns}
    return krypsis.anonymize(
        table, roles, models=models, algorithm=algorithm, **{"metric": "generalized-loss", **options}
    )


def records_of(columns, sensitive=()) -> FrequencySet:
    """The frequency set of the records of a table."""
    table = pl.DataFrame(columns)
    roles = {name: "sensitive" if name in sensitive else "quasi-identifier" for name in table.columns}
    schema, engine = Schema.of(roles), Dataset.of(table).engine
    trees = {name: resolve(None, engine.distinct(name), name, None) for name in schema.quasi_identifiers}
    return engine.count_tuples(schema, trees, "record").frequency
