"""Projects hold plain files: a link in one would let a visitor read or change what lies elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from krypsis.errors import UsageError


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
    krypsis.projects.links.LinkFound: hosts is a link, and links are not followed; ...
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
