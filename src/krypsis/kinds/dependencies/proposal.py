"""The plan that is proposed for a table with dependencies, with those that were found in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from krypsis.data.dependencies.cells import ColumnCells
from krypsis.data.dependencies.discovery import FoundDependency, discover_dependencies
from krypsis.data.dependencies.rules import quoted
from krypsis.data.schema import Role
from krypsis.io.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.io.yaml_file import comment, entry, flow, item
from krypsis.kinds.base import PLAN_PLACE, ProfileTable, ProfileView, ProposedPlan
from krypsis.kinds.table.profile import plan_file
from krypsis.kinds.table.profile.roles import Guess, guess_roles
from krypsis.kinds.table.profile.table import profile_table
from krypsis.texts.printable import one_line

MOST_PROPOSED = 20
NOTHING_NAMED = (
    "give at least one column the role 'sensitive', and name it, or some of its cells, under 'secrets': "
    "'diagnosis where ward = oncology'"
)
NOT_HIDDEN = (
    "this kind keeps cells secret that follow from others; it hides nobody among others, and columns that single "
    "people out stay as they are"
)


def propose_dependencies(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the table in a file; ``data`` is its path as seen from the plan."""
    dataset = Dataset(read_table(file, **reading), file.name, file)
    guesses = guess_roles(profile_table(dataset))
    published = [name for name, guess in guesses.items() if guess.role is not Role.IDENTIFIER]
    found = discover_dependencies({name: ColumnCells.of(dataset.collect_texts(name)) for name in published})
    sensitive = [name for name, guess in guesses.items() if guess.role is Role.SENSITIVE]
    return ProposedPlan(
        text=plan_text(dataset, data, plan_file.reading_of(file, **reading), guesses, found),
        profile=profile_view(dataset, guesses, found),
        missing=() if sensitive else (NOTHING_NAMED,),
        look_at="the secrets and the rules in it",
        following=("run", PLAN_PLACE),
    )


def profile_view(dataset: Dataset, guesses: Mapping[str, Guess], found: Sequence[FoundDependency]) -> ProfileView:
    """Return the columns with their guessed roles, and the dependencies that hold."""
    columns = tuple((name, _role(guess).value, one_line(guess.reason)) for name, guess in guesses.items())
    rows = tuple((one.rule.text, f"{one.determined:,}") for one in found[:MOST_PROPOSED])
    tables = [ProfileTable("Columns", ("column", "role", "why"), columns)]
    if rows:
        title = "Columns that determine others, without exception"
        tables.append(ProfileTable(title, ("dependency", "records"), rows, figures=("records",)))
    return ProfileView(
        f"{dataset.name}: {dataset.rows:,} records, {len(dataset.columns)} columns",
        tuple(tables),
        (f"Note: {NOT_HIDDEN}.",),
        dataset.rows,
    )


def _role(guess: Guess) -> Role:
    """Return a role that has a meaning here."""
    return Role.INSENSITIVE if guess.role is Role.QUASI_IDENTIFIER else guess.role


def plan_text(
    dataset: Dataset,
    data: str,
    read: Mapping[str, str],
    guesses: Mapping[str, Guess],
    found: Sequence[FoundDependency],
) -> str:
    """Return the plan, with dependencies as comments: which of them are known to others, people decide."""
    sensitive = [name for name, guess in guesses.items() if guess.role is Role.SENSITIVE]
    lines = [
        HEADER,
        "kind: dependencies",
        entry("data", f"{flow(data)}   # {dataset.rows} records; relative to this file"),
        *([entry("read", flow(dict(read)))] if read else []),
        COLUMNS,
        *(entry(name, _role(guess).value, "  ") for name, guess in guesses.items()),
        HIDDEN if sensitive else HIDDEN + " []",
        *(f"  - {item(quoted(name))}" for name in sensitive),
        RULES,
        "dependencies:",
        *(f"  # - {item(comment(one.rule.text))}   # {one.determined} records" for one in found[:MOST_PROPOSED]),
        OUTPUT,
    ]
    return "\n".join(lines)


HEADER = """\
# A plan for krypsis: a table whose cells follow from others by rules. Run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

COLUMNS = """
# Identifiers, and columns that are not listed, are not published. This kind hides nobody among others.
columns:"""

HIDDEN = """
# What must not follow: sensitive columns, or some cells of them: diagnosis where ward = oncology
secrets:"""

RULES = """
# What everybody knows: columns that determine others, and rules about values. Those below hold in the data without
# exception, for so many records: take the # away from those that others may know, and add what else they know:
# - drug = insulin => diagnosis in E10, E11
# - {rule: zip -> city, public: cities.csv}   # the mapping itself is public"""

OUTPUT = """
# What it costs to blank a cell, by column; 1 unless given, .inf where a column has to be published as it is.
# weights: {zip: 2}

promises:
  - dependency-safety
algorithm: auto     # the fewest cells are blanked

output:
  folder: release   # what may be published, relative to this file
  report: true      # a page about the release, written next to the folder
"""
