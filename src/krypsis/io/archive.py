"""Zip files that strangers send, unpacked without following where they lead."""

import errno
import lzma
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from krypsis.errors import DataError, OutputError

PIECE = 1024**2
MOST_FILES = 1000
LONGEST = 255
"""The bytes that the name of a file may have."""
ENCRYPTED = 1
"""The bit of a member that says so."""

DAMAGED = (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, zlib.error, lzma.LZMAError, OSError)
"""What reading a damaged or unusual archive raises; bz2 has nothing but OSError for it."""
UNREADABLE = {errno.EIO, errno.ENXIO, errno.ENODEV, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""Errors of the system that say nothing about the archive."""


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
        if it is none, is damaged or encrypted, holds more, or names places outside the folder.
    OutputError
        if the files cannot be written, as on a full disk.
    OSError
        if the disk fails while the archive is read.
    """
    try:
        packed = zipfile.ZipFile(archive)
    except DAMAGED as error:
        raise _damaged(archive.name, error) from error
    with packed:
        members = [member for member in packed.infolist() if not member.is_dir()]
        _check_members(archive.name, members, most_bytes, most_files)
        left = most_bytes
        for member in members:
            left -= _unpack_one(packed, member, folder, left)


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
        if member.flag_bits & ENCRYPTED:
            raise DataError(f"{name} is encrypted; expected a zip file without a password")
    _check_names(name, members)


def _check_names(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Raise if two files would be one, a file a folder, or a name none that a disk can hold."""
    paths = [PurePosixPath(member.filename) for member in members]
    folders = {folder for path in paths for folder in path.parents}
    for path, times in Counter(paths).items():
        if times > 1 or path in folders:
            raise DataError(f"{name} holds {str(path)[:100]!r} twice, or as a file and as a folder; expected it once")
        if any(len(part.encode("utf-8", "surrogatepass")) > LONGEST for part in path.parts):
            raise DataError(f"{name} holds a file whose name is longer than {LONGEST} bytes: {str(path)[:100]!r}")


def _unpack_one(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int) -> int:
    """Write one file and return its size; stop as soon as there is more than may be left."""
    target = folder.joinpath(*PurePosixPath(member.filename).parts)
    size, name = 0, Path(packed.filename or "").name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            for piece in _pieces(packed, member, name):
                size += len(piece)
                if size > left:
                    raise _too_large(name, left)
                out.write(piece)
    except OSError as error:
        if error.filename == name:  # the archive cannot be read
            raise
        raise OutputError(f"{name} cannot be unpacked: {error.strerror or error}") from error
    return size


def _pieces(packed: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    """Read a member piece by piece; what goes wrong here is the fault of the archive."""
    try:
        with packed.open(member) as source:
            while piece := source.read(PIECE):
                yield piece
    except DAMAGED as error:
        raise _damaged(name, error) from error


def _damaged(name: str, error: Exception) -> DataError:
    """Return what to say of an archive that cannot be read, unless that is the fault of the system."""
    if isinstance(error, OSError) and error.errno in UNREADABLE:
        raise OSError(error.errno, error.strerror, name) from error
    return DataError(f"{name} is no zip file that can be unpacked: {getattr(error, 'strerror', None) or error}")


def _too_large(name: str, most_bytes: int) -> DataError:
    return DataError(f"{name} would unpack to more than {most_bytes / 1024**2:,.0f} MB, which is the limit here")
