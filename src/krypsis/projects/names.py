"""Names that are safe as names of files, whoever sent them."""

from __future__ import annotations

import re
import unicodedata

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
