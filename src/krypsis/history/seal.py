"""What the state remembers of a release, so that no other one can take its place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from krypsis.format.claims import MANIFEST
from krypsis.format.files import fingerprint
from krypsis.release.workshop import release_id_of


@dataclass(frozen=True)
class Seal:
    """The id of a release, and the checksum of its manifest, which names the checksums of all its files."""

    release_id: str
    manifest: str | None
    """``None`` for a release of which the state does not know it: states before format 3 did not keep it."""

    @classmethod
    def of(cls, folder: Path, release_id: str) -> Seal:
        """Return the seal of the release in a folder."""
        return cls(release_id, _checksum(folder))

    def fits(self, folder: Path) -> bool:
        """Say whether a folder holds the release, with its manifest as it was."""
        return release_id_of(folder) == self.release_id and self.manifest in (None, _checksum(folder))


def _checksum(folder: Path) -> str:
    return fingerprint(folder / MANIFEST).sha256
