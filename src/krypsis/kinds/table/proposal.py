"""The plan that is proposed for a table, with the profile of its columns."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from krypsis.data.schema import Role, Schema
from krypsis.io.dataset import Dataset
from krypsis.kinds.base import PLAN_PLACE, ProfileTable, ProfileView, ProposedPlan
from krypsis.kinds.table.profile import plan_file
from krypsis.kinds.table.profile.column import ColumnProfile
from krypsis.kinds.table.profile.published_risks import suspects
from krypsis.kinds.table.profile.roles import Guess, guess_roles
from krypsis.kinds.table.profile.table import Combination, Profile, profile_table
from krypsis.texts.printable import one_line

LONGEST = 40
MOST_PROFILED = 500_000
"""Of a table whose rows stay where they lie, so many records are looked at."""
ONE_COLUMN = (
    "the table has one column, with spaces in it; if every line is an edge between two people, add --kind graph"
)
FIGURES = ("distinct", "missing", "unique", "smallest group")
DETAILS = ("missing", "smallest group", "length", "for example")


def propose_table(
    source: Path | str, data: str, reading: Mapping[str, str | None], engine: str | None = None
) -> ProposedPlan:
    """Return the plan that is proposed for a table.

    Parameters
    ----------
    source
        the path of a file, an address, or the name of a table that the engine knows.
    data
        the same as seen from the plan.
    reading
        how to read a file.
    engine
        what works on the table, where that is to stand in the plan.
    """
    whole = Dataset.of(source, engine=engine, reading=reading)
    dataset = whole.sampled(MOST_PROFILED, seed=plan_file.LOOKED_AT)
    profile = profile_table(dataset)
    if dataset.rows < whole.rows:
        note = f"{dataset.rows:,} of {whole.rows:,} records were looked at, a random sample"
        profile = replace(profile, rows=whole.rows, notes=(note, *profile.notes))
    guesses = guess_roles(profile)
    return ProposedPlan(
        text=plan_file.plan_text(profile, dataset, data, _reading(source, reading), engine, whole),
        profile=profile_view(profile, guesses),
        warnings=tuple(_warnings(dataset, guesses)),
        following=("run", PLAN_PLACE),
    )


def _reading(source: Path | str, reading: Mapping[str, str | None]) -> dict[str, str]:
    """Return what the plan must say so that a file is read the same way again."""
    return plan_file.reading_of(source, **reading) if isinstance(source, Path) and source.is_file() else {}


def profile_view(profile: Profile, guesses: Mapping[str, Guess]) -> ProfileView:
    """Return the columns with their guessed roles, and the combinations that distinguish most records."""
    none_known = not any(guess.role is Role.QUASI_IDENTIFIER for guess in guesses.values())
    tables = [_columns(profile, guesses), *([_combinations(profile)] if profile.pairs else ())]
    return ProfileView(
        f"{_shown(profile.name)}: {profile.rows:,} records, {len(profile.columns)} columns",
        tuple(tables),
        (*(f"Note: {note}." for note in profile.notes), *([plan_file.NO_QUASI_IDENTIFIER] if none_known else ())),
    )


def _warnings(dataset: Dataset, guesses: Mapping[str, Guess]) -> list[str]:
    """Return what the publisher should know: columns that single people out, nothing sensitive, columns in doubt."""
    roles = Schema.of({name: guess.role.value for name, guess in guesses.items()})
    found = [suspect.said() for suspect in suspects(dataset, roles)]
    if len(guesses) == 1 and len(next(iter(guesses)).split()) > 1:
        found.append(ONE_COLUMN)
    if not roles.sensitive:
        found.append(plan_file.NO_SENSITIVE)
    if said := plan_file.said_of_doubt(guesses):
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
