"""The private state of a history: a DuckDB file that changes in one transaction per version."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from pydantic import ValidationError

from krypsis.errors import DataError, OutputError
from krypsis.kinds.history.settings import HistorySettings

FORMAT = 3
"""The version of the state that is written. An older one is brought up to it when it is opened."""

TABLES = {
    "about": "format INTEGER, settings VARCHAR",
    "versions": (
        "version INTEGER, release_id VARCHAR, manifest VARCHAR, day VARCHAR, fingerprint VARCHAR, records BIGINT, "
        "inserted BIGINT, deleted BIGINT, updated BIGINT, returned BIGINT, published BIGINT, deferred BIGINT, "
        "withheld BIGINT, counterfeits BIGINT, groups BIGINT"
    ),
    "people": "person BIGINT, id VARCHAR, active BOOLEAN, value VARCHAR, signature INTEGER",
    "members": 'version INTEGER, person BIGINT, "group" BIGINT',
    "signatures": "signature INTEGER, level INTEGER, label VARCHAR",
    "turnover": "version INTEGER, value VARCHAR, population BIGINT, inserted BIGINT, deleted BIGINT",
    "generalized": "version INTEGER, signature INTEGER, level INTEGER, label VARCHAR, shown INTEGER, lowest INTEGER",
}
"""``versions``: what was published, with the checksum of each manifest. ``people``: everybody ever, with the last known
values (``q0``, ``q1``, … are the quasi-identifiers as text) and the signature they are bound to. ``members``: who was
in which published group; no group for a record that was left out. ``turnover``: how often values came and went.
``generalized``: entries of signatures that a version published at a higher level (``shown``), or that no later one may
publish at a lower level than ``lowest``."""

UPGRADES = {
    1: f"CREATE TABLE generalized ({TABLES['generalized']})",
    2: "ALTER TABLE versions ADD COLUMN manifest VARCHAR",
}
"""What brings a state of an older format to the next one."""


class State:
    """The state of a history while it is open; see :func:`open_state`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @property
    def settings(self) -> HistorySettings:
        """What is wanted of the history."""
        ((text,),) = self.rows("SELECT settings FROM about")
        try:
            return HistorySettings.model_validate_json(text)
        except ValidationError as error:
            raise _damaged(self._path, f"its settings have {error.error_count()} mistake(s)") from error

    @property
    def last(self) -> int:
        """The number of the last version, 0 before the first."""
        ((number,),) = self.rows("SELECT coalesce(max(version), 0) FROM versions")
        return int(number)

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return a few rows."""
        return self._connection.execute(query, parameters).fetchall()

    def frame(self, query: str) -> pl.DataFrame:
        """Return many rows, through a private file: the two libraries have nothing faster in common."""
        with tempfile.TemporaryDirectory(dir=self._path.parent, prefix="exchange-") as folder:
            path = Path(folder, "rows.parquet")
            self._connection.execute(f"COPY ({query}) TO '{_quoted(path)}' (FORMAT parquet, COMPRESSION lz4_raw)")
            return pl.read_parquet(path, glob=False, memory_map=False)

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Append rows; the columns of the frame have the names of those of the table."""
        if frame.height:
            with self._seen(frame):
                self._connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")  # noqa: S608  our names

    def update(self, table: str, key: str, frame: pl.DataFrame) -> None:
        """Change the rows whose key is in the frame to what the frame says."""
        columns = [name for name in frame.columns if name != key]
        changes = ", ".join(f"{name} = incoming.{name}" for name in columns)
        if frame.height and columns:
            with self._seen(frame):
                self._connection.execute(
                    f"UPDATE {table} SET {changes} FROM incoming WHERE {table}.{key} = incoming.{key}"  # noqa: S608
                )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside, or none of them."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _seen(self, frame: pl.DataFrame) -> Iterator[None]:
        self._connection.register("incoming", _Stream(frame))
        try:
            yield
        finally:
            self._connection.unregister("incoming")


class _Stream:
    """A frame of which DuckDB sees nothing but its data: for a polars frame it would ask for one more library."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def create_state(path: Path, settings: HistorySettings) -> None:
    """Write the state of a history without versions."""
    tables: Mapping[str, str] = TABLES | {
        "people": TABLES["people"] + "".join(f", q{place} VARCHAR" for place in range(len(settings.quasi_identifiers)))
    }
    try:
        with duckdb.connect(path) as connection:
            for name, columns in tables.items():
                connection.execute(f"CREATE TABLE {name} ({columns})")
            connection.execute("INSERT INTO about VALUES (?, ?)", [FORMAT, settings.model_dump_json()])
        path.chmod(0o600)
    except duckdb.Error as error:
        raise OutputError(f"the state of the history cannot be written to {path}: {_one_line(error)}") from error


@contextmanager
def open_state(path: Path, *, read_only: bool = False) -> Iterator[State]:
    """Open the state of a history.

    Raises
    ------
    DataError
        if the file is missing, damaged, or of another version of this tool.
    """
    try:
        with duckdb.connect(path, read_only=read_only) as connection:
            state = State(connection, path)
            _bring_up_to_date(connection, path)
            yield state
    except duckdb.Error as error:
        raise _damaged(path, _one_line(error)) from error


def _damaged(path: Path, why: str) -> DataError:
    return DataError(
        f"{path} cannot be read: {why}. The state of the history is damaged; bring it back from a backup of the same "
        "moment as the last release. If disk or memory is full, make room instead"
    )


def _bring_up_to_date(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    rows = connection.execute("SELECT format FROM about").fetchall()
    if len(rows) != 1:
        raise _damaged(path, f"'about' has {len(rows)} rows instead of one")
    ((found,),) = rows
    if found != FORMAT and found not in UPGRADES:
        raise DataError(
            f"{path} has format {found}; this version of krypsis reads formats up to {FORMAT}. Use the version that "
            "wrote it"
        )
    for older in range(found, FORMAT):
        connection.begin()
        connection.execute(UPGRADES[older])
        connection.execute("UPDATE about SET format = ?", [older + 1])
        connection.commit()


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
