"""What every command on a history does around its work: one process at a time, recovery, and what to beware of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from krypsis.errors import DataError, PrivacyWarning, UsageError
from krypsis.history.lock import only_one
from krypsis.history.published import Change
from krypsis.history.seal import Seal
from krypsis.history.staging import Places
from krypsis.history.state import State, open_state


@contextmanager
def working(places: Places) -> Iterator[State]:
    """Open the state of a history for one process, after recovering from a crash."""
    if not places.state.is_file():
        raise DataError(
            f"{places.folder} does not hold a history: {places.state} is missing. 'krypsis history init' begins one"
        )
    with only_one(places.lock), open_state(places.state) as state:
        known = state.rows("SELECT version, release_id, manifest FROM versions")
        places.recover({version: Seal(*seal) for version, *seal in known})
        yield state


def left_out_of(state: State, version: int) -> tuple[str, ...]:
    """Return the ids of the records of a version that were not published."""
    members = 'SELECT person FROM members WHERE version = ? AND "group" IS NULL'
    query = f"SELECT id FROM people WHERE person IN ({members}) ORDER BY person"  # noqa: S608  our names
    return tuple(name for (name,) in state.rows(query, [version]))


def refuse_old_table(state: State, fingerprint: str) -> None:
    """Raise for a table that was published before another one: versions were mixed up."""
    same = [number for (number,) in state.rows("SELECT version FROM versions WHERE fingerprint = ?", [fingerprint])]
    if same and max(same) < state.last:
        following = state.last + 1
        raise UsageError(
            f"this is the table of version {max(same)}, and the last version is {state.last}: the versions are out of "
            f"order. If the table really is as it was then, say that it is version {following}: --version {following}, "
            f"or version={following} in Python"
        )


def refuse_strangers(change: Change, column: str) -> None:
    """Raise if nobody is known: more likely than other people is that their ids are written in another way."""
    if change.version > 1 and change.inserted == change.records:
        raise UsageError(
            f"none of the {change.records} ids in {column!r} was in a version before. If they are only written in "
            "another way, everybody would be published as somebody new, and whoever compares the releases could learn "
            "their values: write them as before. If these really are other people, say that it is version "
            f"{change.version}: --version {change.version}, or version={change.version} in Python"
        )


def warn_of_left_out(change: Change) -> None:
    """Warn of what the absence of a record tells those who know that it belongs to the version."""
    if change.deferred:
        warnings.warn(
            f"{change.deferred} record(s) wait for a later version. Whoever misses one of them learns that its value "
            "is one that is frequent among the new records; on_ineligible=counterfeits publishes all",
            PrivacyWarning,
            stacklevel=3,
        )
    if change.withheld:
        warnings.warn(
            f"{change.withheld} record(s) are withheld. Whoever misses one of them learns that its value has changed",
            PrivacyWarning,
            stacklevel=3,
        )
