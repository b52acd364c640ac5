"""The profile of a table on the screen."""

from __future__ import annotations

import os

from rich.console import Console
from rich.table import Table
from rich.text import Text

from krypsis.printable import one_line
from krypsis.profile.column import ColumnProfile
from krypsis.profile.combinations import Combination
from krypsis.profile.plan_file import NO_QUASI_IDENTIFIER
from krypsis.profile.reasons import Guess
from krypsis.profile.roles import guess_roles
from krypsis.profile.table import Profile
from krypsis.schema import Role

LONGEST = 40
WITHOUT_TERMINAL = 200
NARROW = 120
"""Below this width the details are left out."""
DETAILS = ("missing", "smallest group", "length", "for example")
FIGURES = ("distinct", "missing", "unique", "smallest group")
HEADINGS = ("column", "type", *FIGURES, "length", "for example", "role", "why")


def show_profile(profile: Profile) -> None:
    """Print the columns with their guessed roles, and the combinations that tell most records apart, to stderr."""
    console = Console(stderr=True)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # without a terminal there is no width to fit into
        console = Console(stderr=True, width=WITHOUT_TERMINAL)
    guesses = guess_roles(profile)
    console.print(f"{_shown(profile.name)}: {profile.rows:,} records, {len(profile.columns)} columns", markup=False)
    console.print(_columns(profile, guesses, is_narrow=console.width < NARROW))
    if profile.pairs:
        console.print(_combinations(profile))
    for note in profile.notes:
        console.print(f"Note: {one_line(note)}.", markup=False)
    if not any(guess.role is Role.QUASI_IDENTIFIER for guess in guesses.values()):
        console.print(NO_QUASI_IDENTIFIER, markup=False)


def _columns(profile: Profile, guesses: dict[str, Guess], *, is_narrow: bool) -> Table:
    headings = [heading for heading in HEADINGS if not (is_narrow and heading in DETAILS)]
    table = Table(title="Columns", title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in FIGURES else "left")
    before = ""
    for column in profile.columns:
        guess = guesses[column.name]
        cells = _cells(column, guess, "as above" if guess.reason == before else guess.reason)
        table.add_row(*(Text(cells[heading]) for heading in headings))
        before = guess.reason
    return table


def _cells(column: ColumnProfile, guess: Guess, reason: str) -> dict[str, str]:
    lengths = str(column.shortest) if column.shortest == column.longest else f"{column.shortest}-{column.longest}"
    return {
        "column": _shown(column.name),
        "type": column.kind.value,
        "distinct": f"{column.distinct:,}",
        "missing": f"{column.missing:,}",
        "unique": _percent(column.unique_share),
        "smallest group": f"{column.smallest_group:,}",
        "length": lengths,
        "for example": ", ".join(_shown(value) for value in column.sample[:2]),
        "role": guess.role.value,
        "why": one_line(reason),
    }


def _combinations(profile: Profile) -> Table:
    table = Table("columns together", title="What tells most records apart", title_justify="left")
    for heading in ("records alone", "smallest group", "pairs told apart"):
        table.add_column(heading, justify="right")
    for found in (*profile.pairs, *profile.triples):
        table.add_row(*map(Text, _measures(found)))
    return table


def _measures(found: Combination) -> tuple[str, ...]:
    names = ", ".join(_shown(name) for name in found.columns)
    return names, _percent(found.unique_share), f"{found.smallest_group:,}", _percent(found.separation)


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _shown(text: str) -> str:
    """Return a text from the data as it may be shown: on one line, printable, not too long."""
    printable = "".join(letter if letter.isprintable() else "�" for letter in text)
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"
