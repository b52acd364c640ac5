"""The plan that is proposed for a table, with the profile of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from krypsis.data.schema import Role, Schema
from krypsis.io.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.kinds.proposal import PLAN_PLACE, ProfileTable, ProfileView, ProposedPlan
from krypsis.kinds.table.profile.column import ColumnProfile
from krypsis.kinds.table.profile.plan_file import (
    NO_QUASI_IDENTIFIER,
    NO_SENSITIVE,
    plan_text,
    reading_of,
    said_of_doubt,
)
from krypsis.kinds.table.profile.published_risks import suspects
from krypsis.kinds.table.profile.roles import Guess, guess_roles
from krypsis.kinds.table.profile.table import Combination, Profile, profile_table
from krypsis.texts.printable import one_line

LONGEST = 40
FIGURES = ("distinct", "missing", "unique", "smallest group")
DETAILS = ("missing", "smallest group", "length", "for example")


def propose_table(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the table in a file; ``data`` is its path as seen from the plan."""
    dataset = Dataset(read_table(file, **reading), file.name, file)
    profile = profile_table(dataset)
    guesses = guess_roles(profile)
    return ProposedPlan(
        text=plan_text(profile, dataset, data, reading_of(file, **reading)),
        profile=profile_view(profile, guesses),
        warnings=tuple(_warnings(dataset, guesses)),
        following=("run", PLAN_PLACE),
    )


def profile_view(profile: Profile, guesses: Mapping[str, Guess]) -> ProfileView:
    """Return the columns with their guessed roles, and the combinations that distinguish most records."""
    none_known = not any(guess.role is Role.QUASI_IDENTIFIER for guess in guesses.values())
    tables = [_columns(profile, guesses), *([_combinations(profile)] if profile.pairs else ())]
    return ProfileView(
        f"{_shown(profile.name)}: {profile.rows:,} records, {len(profile.columns)} columns",
        tuple(tables),
        (*(f"Note: {note}." for note in profile.notes), *([NO_QUASI_IDENTIFIER] if none_known else ())),
    )


def _warnings(dataset: Dataset, guesses: Mapping[str, Guess]) -> list[str]:
    """Return what the publisher should know: columns that single people out, nothing sensitive, columns in doubt."""
    roles = Schema.of({name: guess.role.value for name, guess in guesses.items()})
    found = [suspect.said() for suspect in suspects(dataset, roles)]
    if not roles.sensitive:
        found.append(NO_SENSITIVE)
    if said := said_of_doubt(guesses):
        found.append(said)
    return found


def _columns(profile: Profile, guesses: Mapping[str, Guess]) -> ProfileTable:
    rows: list[tuple[str, ...]] = []
    headings: tuple[str, ...] = ()
    before = ""
    for column in profile.columns:
        guess = guesses[column.name]
        cells = _cells(column, guess, "as above" if guess.reason == before else guess.reason)
        headings, before = tuple(cells), guess.reason
        rows.append(tuple(cells.values()))
    return ProfileTable("Columns", headings, tuple(rows), FIGURES, DETAILS)


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


def _combinations(profile: Profile) -> ProfileTable:
    figures = ("records alone", "smallest group", "pairs distinguished")
    rows = tuple(_measures(found) for found in (*profile.pairs, *profile.triples))
    return ProfileTable("What distinguishes most records", ("columns together", *figures), rows, figures)


def _measures(found: Combination) -> tuple[str, ...]:
    names = ", ".join(_shown(name) for name in found.columns)
    return names, _percent(found.unique_share), f"{found.smallest_group:,}", _percent(found.separation)


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _shown(text: str) -> str:
    """Return a text from the data as it may be shown: on one line, printable, not too long."""
    printable = "".join(letter if letter.isprintable() else "�" for letter in text)
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"
