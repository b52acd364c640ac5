"""Addresses of data that is no file of this machine, such as a table of a database."""

import re
from pathlib import Path
from typing import TypeGuard
from urllib.parse import parse_qsl, urlsplit

from krypsis.errors import UsageError

ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
ELSEWHERE = (
    "only tables of PostgreSQL are worked on by their address, such as postgresql://host/database?table=public.visits, "
    "and without naming another engine. A table of another server, such as MySQL, MariaDB or SQL Server, is read whole "
    "where it fits into memory: krypsis.anonymize(krypsis.io.database.read_database(url, table), …); else export it as "
    "Parquet"
)
"""What to do about an address that nobody works on."""
SECRETS = {"password", "sslpassword"}
"""What an address may say after its question mark and nobody else may read."""


def is_address(data: object) -> TypeGuard[str]:
    """Say whether data is given by an address and not by a path.

    Examples
    --------
    >>> is_address("postgresql://host/clinic?table=visits"), is_address("visits/*.parquet"), is_address("C:/visits.csv")
    (True, False, False)
    """
    return isinstance(data, str) and ADDRESS.match(data) is not None


def without_password(address: str) -> str:
    """Return an address as it may be shown: without user, password and query.

    Examples
    --------
    >>> without_password("postgresql://ann:secret@host:5433/clinic?table=visits")
    'postgresql://host:5433/clinic'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def has_password(address: str) -> bool:
    """Say whether a password stands in an address, so that it must not be written down.

    Examples
    --------
    >>> has_password("postgresql://ann:secret@host/clinic"), has_password("postgresql://host/clinic?password=secret")
    (True, True)
    >>> has_password("postgresql://ann@host/clinic?table=visits")
    False
    """
    try:
        parts = urlsplit(address)
        return parts.password is not None or any(name in SECRETS for name, _ in parse_qsl(parts.query))
    except ValueError:  # an address that nobody can read is refused by whoever would work with it
        return False


def refuse_password(data: object) -> None:
    """Raise if data is given by an address with a password in it, where that would be written down.

    Raises
    ------
    UsageError
        saying where a password belongs; it shows nothing of the address.
    """
    if is_address(data) and has_password(data):
        raise UsageError(
            "the address has a password in it, which must not be written down; leave it out, and put it into the "
            "variable PGPASSWORD, the file ~/.pgpass or a service file that the address names: ?service=clinic"
        )


def located(data: str, folder: Path) -> Path | str:
    """Return where data lies that a plan in a folder names: an address is the same from everywhere.

    Examples
    --------
    >>> located("postgresql://host/clinic?table=visits", Path("plans"))
    'postgresql://host/clinic?table=visits'
    >>> located("visits.csv", Path("plans")).as_posix()
    'plans/visits.csv'
    """
    return data if is_address(data) else folder / data


def refuse_address(data: object, engine: str) -> None:
    """Raise if data is given by an address, for an engine that works on files.

    Raises
    ------
    UsageError
        saying which data has an address, and what to do about others.
    """
    if is_address(data):
        raise UsageError(f"{without_password(data)} is no file, and the engine {engine} works on files; {ELSEWHERE}")
