"""The plan that is proposed for a table, as commented YAML to edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from krypsis.datasets.dataset import Dataset
from krypsis.io.csv_file import describe_csv
from krypsis.io.read import file_kind
from krypsis.profile.propose import propose_hierarchy, wants_file
from krypsis.profile.reasons import Guess
from krypsis.profile.roles import guess_roles
from krypsis.profile.table import Profile
from krypsis.profile.yaml_text import comment, entry, flow, scalar
from krypsis.schema import Role

WIDEST = 24
NO_QUASI_IDENTIFIER = (
    "No quasi-identifier was found. Give at least one column that others may know the role 'quasi-identifier' "
    "before you run the plan."
)
NAME_A_FILE = ". It has {} values, published as they are or not at all: a hierarchy file would keep more"


def plan_text(profile: Profile, dataset: Dataset, data: str, read: Mapping[str, str] | None = None) -> str:
    """Return the plan for a table.

    Parameters
    ----------
    profile
        of the table.
    dataset
        the table.
    data
        the path of the file, relative to the folder of the plan.
    read
        how to read the file, where the usual guess must not be relied on.
    """
    guesses = guess_roles(profile)
    parts = [
        HEADER,
        opening(profile, data, read),
        COLUMNS,
        *([f"# {NO_QUASI_IDENTIFIER}"] if not _has(guesses, Role.QUASI_IDENTIFIER) else []),
        "columns:",
        *(column_line(profile, name, guesses, dataset) for name in guesses),
        _risk(profile),
        PROMISES,
        *([L_DIVERSITY] if _has(guesses, Role.SENSITIVE) else []),
        SETTINGS,
    ]
    return "\n".join(part for part in parts if part)


def reading_of(file: Path, delimiter: str | None, encoding: str | None, sheet: str | None) -> dict[str, str]:
    """Return what the plan must say so that the file is read the same way again."""
    if file_kind(file) != "csv":
        return {} if sheet is None else {"sheet": sheet}
    found_delimiter, found_encoding = describe_csv(file, delimiter, encoding)
    usual = {"delimiter": ",", "encoding": "utf-8"}
    found = {"delimiter": found_delimiter, "encoding": found_encoding}
    return {name: value for name, value in found.items() if value not in (usual[name], "ascii")}


def opening(profile: Profile, data: str, read: Mapping[str, str] | None) -> str:
    """Return the lines that say where the data is, and how to read it."""
    where = entry("data", f"{scalar(data)}   # {profile.rows} records; the path is relative to this file")
    return "\n".join([where, *([entry("read", flow(read))] if read else [])])


def column_line(
    profile: Profile, name: str, guesses: Mapping[str, Guess], dataset: Dataset, *, ranges: bool = False
) -> str:
    """Return the line about a column: its role, a hierarchy for a quasi-identifier, and why.

    With ``ranges``, numbers and dates get no hierarchy, for methods that publish ranges of them.
    """
    guess = guesses[name]
    content: dict[str, object] = {"role": guess.role.value}
    more = ""
    if guess.role is Role.QUASI_IDENTIFIER:
        proposed = propose_hierarchy(profile.column(name), dataset)
        if not (ranges and proposed["kind"] in ("intervals", "dates")):
            content["hierarchy"] = proposed
        more = NAME_A_FILE.format(profile.column(name).distinct) if wants_file(profile.column(name), proposed) else ""
    return entry(name, f"{flow(content)}   # why: {comment(guess.reason)}{more}", "  ", _width(guesses))


def _width(names: Iterable[str]) -> int:
    return min(max(len(scalar(name)) for name in names) + 1, WIDEST)


def _risk(profile: Profile) -> str:
    if not profile.pairs:
        return ""
    worst = (profile.triples or profile.pairs)[0]
    names = comment(", ".join(worst.columns))
    return (
        f"\n# Risk before: {worst.unique_share:.1%} of the records are alone with their values of {names};\n"
        f"# the smallest group has {worst.smallest_group} record(s)."
    )


def _has(guesses: Mapping[str, Guess], role: Role) -> bool:
    return any(guess.role is role for guess in guesses.values())


HEADER = """\
# A plan for krypsis: check the roles, then run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

COLUMNS = """
# The role of every column; the guesses are made from names and values, the decision is yours.
#   identifier        names a person: removed from the release
#   quasi-identifier  others may know it: generalized along its hierarchy
#   sensitive         nobody should be able to attach it to a person: published as it is
#   insensitive       neither: published as it is
# A hierarchy is a kind with its options, as below, or the name of a CSV file with one line per value:
# the value, then its generalizations."""

PROMISES = """
# What the release must keep; 'krypsis models' lists all promises, 'krypsis explain NAME' explains one.
promises:
  - k-anonymity:k=5   # every record looks like at least 4 others in the quasi-identifiers"""

L_DIVERSITY = """\
  # Take the # away below to also keep a group from sharing one sensitive value:
  # - distinct-l-diversity:l=2"""

SETTINGS = """
algorithm: auto     # 'krypsis algorithms' lists all
metric: loss        # what is kept low; 'krypsis metrics' lists all
suppression: 2%     # records that may be left out at most: a share (2% or 0.02) or a count such as 10

output:
  folder: release   # what may be published, relative to this file
  formats: [csv]    # csv, parquet
  report: true      # a page about the release, written beside the folder
"""
