"""The engine of a table in a database: one SQL text, whatever the database is."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any
from weakref import finalize

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.recoding import FrequencySet, Grain
from krypsis.data.schema import Schema
from krypsis.errors import InternalError, UsageError, column_not_found
from krypsis.io.engines.base import CountedElsewhere, Engine
from krypsis.io.memory import available_memory, shown_bytes
from krypsis.io.population_tuples import check_contained, table_first
from krypsis.io.sql.column_values import ColumnValues
from krypsis.io.sql.database import SqlDatabase, changed
from krypsis.io.sql.divided_table import DividedInDatabase
from krypsis.io.sql.encoded_table import EncodedColumn
from krypsis.io.sql.keys import KeyLayout
from krypsis.io.sql.publishing import CountedInDatabase
from krypsis.io.sql.tuple_counts import CountedTuples, combination, count_tuples, histogram
from krypsis.kernels.rows import number_rows

LOOKED_AT = 1000
"""How many rows are looked at to estimate what all of them take in memory."""
MOST_KEPT = 100_000
"""Values of columns with more of them are asked for again rather than kept."""


class SqlEngine(Engine):
    """A table that a :class:`~krypsis.io.sql.database.SqlDatabase` answers for.

    A subclass says how to connect and which sources it takes; nothing else differs.
    """

    def __init__(self, source: Any, memory: int | None = None) -> None:
        self.memory = available_memory() // 2 if memory is None else memory
        """How many bytes may be taken."""
        self._database = self.connect(source, self.memory)
        self._kept: dict[str, ColumnValues] = {}
        self.close = finalize(self, self._database.close)
        """Ends the connection; done once nobody refers to the engine, too."""

    @classmethod
    def check_no_file(cls, reading: Mapping[str, str | None]) -> None:
        """Refuse options for reading a file, for engines whose tables are in none."""
        if given := [name for name, value in reading.items() if value is not None]:
            raise UsageError(f"the engine {cls.name} reads no text file; leave out {', '.join(given)}")

    @classmethod
    @abstractmethod
    def connect(cls, source: Any, memory: int) -> SqlDatabase:
        """Return the connection to a source."""

    @property
    def columns(self) -> list[str]:
        return list(self._database.types)

    @property
    def types(self) -> dict[str, pl.DataType]:
        return self._database.types

    @cached_property
    def rows(self) -> int:
        return int(self._database.query(f"select count(*) as n from {self._database.table} t").item())  # noqa: S608

    def collect(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        names = self.columns if columns is None else list(columns)
        if (needed := self.bytes_of(names)) > self.memory:
            raise UsageError(
                f"{self.rows:,} rows of {len(names)} column(s) take about {shown_bytes(needed)} of memory, and "
                f"{shown_bytes(self.memory)} may be taken; allow more memory"
            )
        return self._unless_changed(self._database.rows_of(names))

    def collect_sample(self, rows: IntArray, columns: Iterable[str] | None = None) -> pl.DataFrame:
        names = self.columns if columns is None else list(columns)
        found = self._database.sample_of(rows, names)
        self._database.check_unchanged()
        if found.height != len(rows):
            raise changed(f"it had {self.rows} rows, and {len(rows) - found.height} of {len(rows)} are missing now")
        return found

    def bytes_of(self, columns: Iterable[str]) -> int:
        """Return about how many bytes the rows of some columns take in memory."""
        names = [self._database.column(name) for name in columns]
        if not names:
            return 0
        called = ", ".join(f"{name} as u{place}" for place, name in enumerate(names))
        head = self._database.query(f"select {called} from {self._database.table} t limit {LOOKED_AT}")  # noqa: S608
        return int(head.estimated_size() * self.rows / max(head.height, 1))

    def distinct(self, column: str) -> list[Label]:
        return self._values(column).labels

    def count_tuples(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Engine | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> CountedElsewhere:
        if grain != "tuple":
            raise InternalError("the rows should have been brought into memory first; please report this")
        names = schema.quasi_identifiers
        keyed = [self._coded(name, hierarchies[name]) for name in names]
        layout = KeyLayout.of([len(hierarchies[name].values) for name in names])
        sets = [*((name,) for name in schema.sensitive), *combinations]
        counted = {name: self._values(name) for one in sets for name in one}
        found = count_tuples(self._database, self.rows, keyed, layout, counted, sets)
        self._database.check_unchanged()
        codes, counts, people = _with_population(found, names, hierarchies, population)
        domains = {name: values.counted(hierarchies.get(name)) for name, values in counted.items()}
        frequency = FrequencySet(
            attributes=names,
            hierarchies=tuple(hierarchies[name] for name in names),
            codes=codes,
            counts=counts,
            sensitive={name: histogram(found.contents[name,], name, *domains[name]) for name in schema.sensitive},
            sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
            weights=tuple(schema.weight(name) for name in names),
            population=people,
            combined={
                columns: combination(found.contents[columns], {name: domains[name] for name in columns})
                for columns in combinations
            },
        )
        contents = tuple(found.contents.values())
        return CountedInDatabase(
            frequency, schema, self._database, keyed, layout, counted, contents, self.memory, owner=self
        )

    def divided(self, schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> DividedInDatabase:
        names = schema.quasi_identifiers
        counted = {name: self._values(name) for name in schema.sensitive}
        return DividedInDatabase(
            schema,
            self._database,
            keyed=[self._coded(name, hierarchies[name]) for name in names],
            layout=KeyLayout.of([len(hierarchies[name].values) for name in names]),
            values=counted,
            domains={name: values.counted(hierarchies.get(name)) for name, values in counted.items()},
            empty=FrequencySet(
                attributes=names,
                hierarchies=tuple(hierarchies[name] for name in names),
                codes=np.zeros((0, len(names)), dtype=np.int32),
                counts=np.zeros(0, dtype=np.int64),
                sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
                weights=tuple(schema.weight(name) for name in names),
            ),
            rows=self.rows,
            memory=self.memory,
            owner=self,
        )

    def _values(self, name: str) -> ColumnValues:
        if name not in self.types:
            raise column_not_found(name, self.columns)
        if name in self._kept:
            return self._kept[name]
        values = ColumnValues.of(self._database, name)
        if len(values.sent) <= MOST_KEPT:
            self._kept[name] = values
        return values

    def _coded(self, name: str, hierarchy: Hierarchy) -> EncodedColumn:
        values = self._values(name)
        return EncodedColumn(values, values.codes(hierarchy))

    def _unless_changed(self, frame: pl.DataFrame) -> pl.DataFrame:
        self._database.check_unchanged()
        if frame.height != self.rows:
            raise changed(f"it had {self.rows} rows and has {frame.height}")
        return frame


def _with_population(
    found: CountedTuples, names: Sequence[str], hierarchies: Mapping[str, Hierarchy], population: Engine | None
) -> tuple[CodeArray, IntArray, IntArray | None]:
    """Return codes, counts and people of all tuples, those of the table first."""
    if population is None:
        return found.codes, found.counts, None
    roles = Schema.of(dict.fromkeys(names, "quasi-identifier"))
    everybody = population.count_tuples(roles, hierarchies).frequency
    codes = np.concatenate([found.codes, everybody.codes])
    radices = [len(hierarchies[name].values) for name in names]
    own = len(found.codes)
    numbers, first = table_first(*number_rows(list(codes.T), radices, len(codes)), own)
    counts, people = np.zeros((2, len(first)), dtype=np.int64)
    counts[numbers[:own]] = found.counts
    people[numbers[own:]] = everybody.counts
    check_contained(counts, people)
    return np.ascontiguousarray(codes[first]), counts, people
