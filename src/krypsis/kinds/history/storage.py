"""Where a history lies, and how a release and the state change together.

::

    patients-history/
        releases/
            1/  2/  …              the releases, one folder per version: publish these
        private/                   readable by the owner only
            state.duckdb
            lock
            2.<release>.private.json
            staging/               a release that is not yet in its place

A release is written and checked in ``staging``. Then the state is committed, which names it; then it is moved to its
place. After a crash before the commit, the next one to open the history removes what is in ``staging``; after a crash
behind it, the move is made up for. So a release that lies in ``releases`` is always known to the state.
"""

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from krypsis.errors import DataError, HistoryBusy, OutputError, PrivacyWarning, UsageError
from krypsis.format.claims import MANIFEST, read_json
from krypsis.format.files import fingerprint
from krypsis.io.private import HELD, lock, remove_parts
from krypsis.kinds.history.state import State, open_state
from krypsis.kinds.history.version_release import Change
from krypsis.release.manifest import Manifest
from krypsis.release.workshop import move_to_free_place, private_path, release_id_of, sync


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of a history; the system gives it back when the process ends, however it ends.

    Raises
    ------
    HistoryBusy
        if somebody else holds it.
    OutputError
        if the place knows no locks, as some network drives do.
    """
    with path.open("a+b") as stream:
        if not _is_free(stream, path):
            raise HistoryBusy(
                f"somebody else is working on this history{_holder(path)}; wait until that has ended and try again"
            )
        _write_holder(stream)
        yield


def _is_free(stream: IO[bytes], path: Path) -> bool:
    """Take the lock, and say whether it could be taken."""
    try:
        lock(stream)
    except HELD:
        return False
    except OSError as error:
        raise OutputError(
            f"{path} cannot be locked ({error.strerror}), so two programs could change the history at once; "
            "move it to a drive of this machine"
        ) from error
    return True


def _write_holder(stream: IO[bytes]) -> None:
    stream.truncate(0)
    stream.write(str(os.getpid()).encode())
    stream.flush()


def _holder(path: Path) -> str:
    number = path.read_bytes().decode("ascii", "replace").strip()
    return f" (process {number})" if number.isdigit() else ""


@dataclass(frozen=True)
class Seal:
    """The id of a release, and the checksum of its manifest, which names the checksums of all its files."""

    release_id: str
    manifest: str | None
    """``None`` for a release of which the state does not know it: states before format 3 did not keep it."""

    @classmethod
    def of(cls, folder: Path, release_id: str) -> "Seal":
        """Return the seal of the release in a folder."""
        return cls(release_id, _checksum(folder))

    def fits(self, folder: Path) -> bool:
        """Say whether a folder holds the release, with its manifest as it was."""
        return release_id_of(folder) == self.release_id and self.manifest in (None, _checksum(folder))


def _checksum(folder: Path) -> str:
    return fingerprint(folder / MANIFEST).sha256


@dataclass(frozen=True)
class HistoryFiles:
    """The folder of a history and what lies in it."""

    folder: Path

    @property
    def private(self) -> Path:
        """What must not leave the publisher."""
        return self.folder / "private"

    @property
    def state(self) -> Path:
        """The file of the state."""
        return self.private / "state.duckdb"

    @property
    def lock(self) -> Path:
        """Whoever works on the history holds this."""
        return self.private / "lock"

    @property
    def staging(self) -> Path:
        """Where a release is written before it is put in its place."""
        return self.private / "staging"

    @property
    def releases(self) -> Path:
        """What may be published."""
        return self.folder / "releases"

    def release(self, version: int) -> Path:
        """Return the folder of the release of a version."""
        return self.releases / str(version)

    def staged(self, version: int) -> Path:
        """Return where the release of a version is written before it is put in its place."""
        return self.staging / str(version)

    def put_in_place(self, version: int) -> None:
        """Move a staged release and its private record to where they belong."""
        for record in self.staging.glob(f"{version}.*.private.json"):
            record.replace(self.private / record.name)
        move_to_free_place(self.staged(version), self.release(version))
        sync(self.releases)
        sync(self.private)

    def private_record(self, version: int) -> dict[str, Any]:
        """Return the private record of a version, empty where there is none."""
        release_id = Manifest.read(self.release(version)).release_id
        record = self.private / private_path(self.release(version), release_id).name
        return read_json(record) if record.is_file() else {}

    def recover(self, versions: dict[int, Seal]) -> None:
        """Finish, or take back, what a crash has interrupted; ``versions`` are the seals of the releases by version.

        Raises
        ------
        DataError
            if releases and state do not belong together.
        """
        last = max(versions, default=0)
        if last and not self.release(last).exists() and versions[last].fits(self.staged(last)):
            self.put_in_place(last)
        self.clear()
        remove_parts(self.private)  # of a report that was being written
        self._check(versions)

    def clear(self) -> None:
        """Remove what is in the staging place."""
        if self.staging.exists():
            shutil.rmtree(self.staging)
        self.staging.mkdir(mode=0o700)

    def _check(self, versions: dict[int, Seal]) -> None:
        for version, seal in versions.items():
            if not seal.fits(self.release(version)):
                raise DataError(
                    f"{self.release(version)} is not the release that the state of the history knows as version "
                    f"{version}: it is missing, another one, or was changed afterwards; bring it back, together with "
                    "the state of the same moment"
                )
        later = [
            path.name for path in self.releases.iterdir() if path.name.isdigit() and int(path.name) not in versions
        ]
        if later:
            raise DataError(
                f"{self.releases} holds version {min(later, key=int)}, of which the state knows nothing: it is older "
                "than the releases. Bring the newer state back; a version that was published must not be forgotten"
            )


@contextmanager
def working(places: HistoryFiles) -> Iterator[State]:
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
    """Warn of what the absence of a record reveals to those who know that it belongs to the version."""
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
