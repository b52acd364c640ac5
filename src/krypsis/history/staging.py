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

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from krypsis.errors import DataError
from krypsis.history.seal import Seal
from krypsis.io.owners import remove_parts
from krypsis.release.exchange import move_to_free_place, sync


@dataclass(frozen=True)
class Places:
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
