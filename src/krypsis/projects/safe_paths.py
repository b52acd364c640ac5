"""Names that are safe as names of files, and projects without links to other places."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from krypsis.errors import UsageError

LONGEST = 100
PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


def slug(title: str) -> str:
    """Return a name made of small letters, digits and hyphens.

    Examples
    --------
    >>> slug("Patients of 2024: Ärzte!")
    'patients-of-2024-arzte'
    >>> slug("Ασθενείς")
    'project'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-") or "project"


def check_project_name(name: str) -> str:
    """Return the name of a project after making sure that it can be one.

    Raises
    ------
    UsageError
        if it holds anything but small letters, digits and hyphens.
    """
    if not PROJECT.fullmatch(name):
        raise UsageError(f"a project is called by small letters, digits and hyphens, got {name[:LONGEST]!r}")
    return name


def file_name(sent: str) -> str:
    r"""Return the last part of a name that somebody sent, free of anything that leads elsewhere.

    Examples
    --------
    >>> file_name("..\\..\\etc/pass wd.csv"), file_name("Δεδομένα.csv")
    ('pass wd.csv', 'Δεδομένα.csv')
    """
    last = unicodedata.normalize("NFC", sent).replace("\\", "/").rsplit("/", 1)[-1]
    clean = "".join(sign for sign in last if sign.isprintable() and sign not in '<>:"|?*').strip(" .")
    if not clean:
        raise UsageError(f"{sent[:LONGEST]!r} is not the name of a file; rename it, such as data.csv")
    stem, dot, ending = clean.rpartition(".")
    return (stem[: LONGEST - len(ending)] + dot + ending) if dot else clean[:LONGEST]


class LinkFound(UsageError):  # noqa: N818  what was found, rather than a mistake
    """A folder holds something that is neither a folder nor a file of its own."""


def check_no_links(folder: Path) -> None:
    """Raise if something in a folder, at any depth, leads elsewhere: a link, a hard link, a pipe or a device.

    Raises
    ------
    LinkFound
        with its name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     Path(place, "hosts").symlink_to("/etc/hosts")
    ...     check_no_links(Path(place))
    Traceback (most recent call last):
        ...
    krypsis.projects.safe_paths.LinkFound: hosts is a link, and links are not followed; ...
    """
    for entry in _entries(folder):
        if (kind := _strange_kind(entry)) is not None:
            name = Path(entry.path).relative_to(folder)
            raise LinkFound(f"{name} is {kind}, and links are not followed; put the file itself there, or remove it")


def _entries(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except FileNotFoundError:  # it was deleted meanwhile
        return
    for entry in entries:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path)


def _strange_kind(entry: os.DirEntry[str]) -> str | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if stat.S_ISREG(found.st_mode):
        return "a second name of a file elsewhere (a hard link)" if found.st_nlink > 1 else None
    return None if stat.S_ISDIR(found.st_mode) else "no plain file"
