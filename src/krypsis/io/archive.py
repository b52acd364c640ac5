"""Zip files that strangers send, unpacked without following where they lead."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path, PurePosixPath

from krypsis.errors import DataError

PIECE = 1024**2
MOST_FILES = 1000


def unpack(archive: Path, folder: Path, most_bytes: int, most_files: int = MOST_FILES) -> None:
    """Unpack a zip file into a folder.

    Parameters
    ----------
    archive
        the file.
    folder
        gets what is in it; files outside are never touched.
    most_bytes, most_files
        how much may come out of it. What the archive itself says of its size is not believed.

    Raises
    ------
    DataError
        if it is none, is damaged, holds more, or names places outside the folder.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            _check_members(archive.name, members, most_bytes, most_files)
            left = most_bytes
            for member in members:
                left -= _unpack_one(packed, member, folder, left)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise DataError(f"{archive.name} is no zip file that can be unpacked: {error}") from error


def _check_members(name: str, members: list[zipfile.ZipInfo], most_bytes: int, most_files: int) -> None:
    if not members:
        raise DataError(f"{name} is empty; expected the files of a release")
    if len(members) > most_files:
        raise DataError(f"{name} holds {len(members):,} files; at most {most_files:,} are unpacked")
    if sum(member.file_size for member in members) > most_bytes:
        raise _too_large(name, most_bytes)
    for member in members:
        path, mode = PurePosixPath(member.filename), member.external_attr >> 16
        leads_out = path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in member.filename
        if leads_out or stat.S_ISLNK(mode) or not path.parts:
            raise DataError(f"{name} names the place {member.filename[:100]!r}, which is not a file in its own folder")


def _unpack_one(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int) -> int:
    """Write one file and return its size; stop as soon as there is more than may be left."""
    target = folder.joinpath(*PurePosixPath(member.filename).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with packed.open(member) as source, target.open("xb") as out:
        while piece := source.read(PIECE):
            size += len(piece)
            if size > left:
                raise _too_large(Path(packed.filename or "").name, left)
            out.write(piece)
    return size


def _too_large(name: str, most_bytes: int) -> DataError:
    return DataError(f"{name} would unpack to more than {most_bytes / 1024**2:,.0f} MB, which is the limit here")
