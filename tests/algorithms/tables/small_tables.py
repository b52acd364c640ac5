"""Small tables as the frequency sets that an algorithm sees."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from krypsis.data.hierarchies import resolve
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset


def frequency_of(
    columns: Mapping[str, Sequence[Any]],
    hierarchies: Mapping[str, Any] | None = None,
    roles: Mapping[str, str] | None = None,
) -> FrequencySet:
    """The frequency set of a table, all columns quasi-identifiers unless given."""
    table = pl.DataFrame(columns)
    schema = Schema.of(roles or dict.fromkeys(table.columns, "quasi-identifier"))
    engine = Dataset.of(table).engine
    trees = {
        name: resolve((hierarchies or {}).get(name), engine.distinct(name), name, None)
        for name in schema.quasi_identifiers
    }
    return engine.count_tuples(schema, trees).frequency
