"""The address of a table in PostgreSQL, whose password never shows."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from krypsis.errors import UsageError
from krypsis.io.addresses import SECRETS

SCHEMES = ("postgresql", "postgres")
EXPECTED = (
    "expected an address such as postgresql://host/database?table=public.visits, or with ?query=select … in place of "
    "the table"
)
PARAMETERS = {
    *("host", "port", "user", "password", "passfile", "dbname", "service", "connect_timeout", "application_name"),
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "options", "target_session_attrs", "channel_binding"),
    *("gssencmode", "krbsrvname", "keepalives", "keepalives_idle", "require_auth"),
}
"""What of libpq an address may set after its question mark."""
SECONDS_TO_CONNECT = "20"
SEGMENT = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
UNQUOTED = re.compile(r'[^."]+')


@dataclass(frozen=True)
class PostgreSQLAddress:
    """A server, a database, and a table or a query there.

    Examples
    --------
    >>> address = PostgreSQLAddress.of("postgresql://ann:s3cret@db.example/clinic?table=public.visits")
    >>> address
    PostgreSQLAddress('postgresql://db.example/clinic?table=public.visits')
    >>> address.relation, address.has_password
    ('"public"."visits"', True)
    """

    settings: dict[str, str] = field(repr=False)
    """What libpq gets; what is missing, it takes from the environment or a password file."""
    table: str | None
    query: str | None

    @classmethod
    def of(cls, text: str) -> "PostgreSQLAddress":
        """Read an address.

        Raises
        ------
        UsageError
            if it is none; the message shows nothing of what was given, in which there may be a password.
        """
        try:
            parts = urlsplit(text)
            port = parts.port
            further = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise UsageError(f"this is not the address of a table in PostgreSQL; {EXPECTED}") from None
        if parts.scheme not in SCHEMES or parts.fragment:
            raise UsageError(f"this is not the address of a table in PostgreSQL; {EXPECTED}")
        given = dict(further)
        table, query = given.pop("table", None), given.pop("query", None)
        if bool(table) == bool(query):
            raise UsageError(
                f"the address of a table in PostgreSQL names a table or a query, and one of them; {EXPECTED}"
            )
        if unknown := sorted(set(given) - PARAMETERS):
            raise UsageError(f"the address has a parameter that is not known: {unknown[0]!r:.40}; {EXPECTED}")
        found = {
            "host": unquote(parts.hostname or ""),
            "port": str(port or ""),
            "dbname": unquote(parts.path.removeprefix("/")),
            "user": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "connect_timeout": SECONDS_TO_CONNECT,
            "application_name": "krypsis",
            **given,
        }
        return cls({name: value for name, value in found.items() if value}, table or None, query or None)

    @property
    def has_password(self) -> bool:
        """Whether a password is part of the address, so that it must not be written down anywhere."""
        return bool(SECRETS & set(self.settings))

    @property
    def name(self) -> str:
        """How messages and releases call the table."""
        return self.table or "query"

    @property
    def server(self) -> str:
        """The server and the database, without a user or a password."""
        host = self.settings.get("host", "")
        port = f":{self.settings['port']}" if "port" in self.settings else ""
        return f"postgresql://{quote(host, safe='.:[]-_/')}{port}/{quote(self.settings.get('dbname', ''))}"

    @property
    def relation(self) -> str:
        """What stands after ``from``: the quoted name of the table, or the query in parentheses."""
        if self.table is None:
            # The line break ends a comment that the query may end with.
            return f"({str(self.query).strip().rstrip(';')}\n) as q"
        return ".".join(quoted(segment) for segment in self.segments)

    @property
    def segments(self) -> list[str]:
        """Schema and name of the table, or the name alone."""
        return _segments(self.table or "")

    @property
    def connection(self) -> str:
        """The settings in the form that libpq reads; it holds the password."""
        return " ".join(f"{name}={_setting(value)}" for name, value in self.settings.items())

    def __repr__(self) -> str:
        what = f"table={self.table}" if self.table else "query=…"
        return f"PostgreSQLAddress('{self.server}?{what}')"


def is_postgresql(data: object) -> bool:
    """Say whether data is the address of a table in PostgreSQL.

    Examples
    --------
    >>> is_postgresql("postgresql://host/db?table=visits"), is_postgresql("visits.csv")
    (True, False)
    """
    return isinstance(data, str) and data.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def quoted(name: str) -> str:
    """Return a name as SQL quotes it.

    Examples
    --------
    >>> print(quoted('6" pipe'))
    "6"" pipe"
    """
    return '"' + name.replace('"', '""') + '"'


def _segments(table: str) -> list[str]:
    """Return schema and name, or the name alone; a segment in quotes may hold dots."""
    if '"' not in table:
        schema, _, name = table.rpartition(".")
        return [schema, name] if schema else [name]
    found = [(match[1] or match[2]).replace('""', '"') for match in SEGMENT.finditer(table)]
    if ".".join(f'"{one}"'.replace('"', "") for one in found) != table.replace('"', ""):
        raise UsageError('the name of the table has quotes in it that do not match; write "schema"."table"')
    return found


def _setting(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
