"""The plan that is proposed for a table that changes, with the profile of its columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

from krypsis.data.schema import Role
from krypsis.io.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.kinds.base import PLAN_PLACE, ProposedPlan
from krypsis.kinds.table.profile.plan_file import column_line, opening, reading_of
from krypsis.kinds.table.profile.propose import propose_hierarchy
from krypsis.kinds.table.profile.roles import Guess, guess_roles
from krypsis.kinds.table.profile.table import Profile, profile_table
from krypsis.kinds.table.proposal import profile_view


def propose_history(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the first version of a table; ``data`` is its path as seen from the plan."""
    dataset = Dataset(read_table(file, **reading), file.name, file)
    profile = profile_table(dataset)
    proposed = history_plan(profile, dataset, data, reading_of(file, **reading))
    return ProposedPlan(
        text=proposed.text,
        profile=profile_view(profile, guess_roles(profile)),
        missing=proposed.missing,
        following=("history", "init", str(file), "--id", proposed.id or "", "--plan", PLAN_PLACE),
    )


USUAL_K = 5
"""How many people look alike in every release, unless the table is tiny."""

MANY_NUMBERS = 50
"""From so many different numbers on, those of a group are kept apart by their distance."""

NOT_PUBLISHED = (
    "not published: a history has one sensitive attribute; give it the role 'sensitive' instead of the other"
)
IN_DOUBT_HERE = "nothing in the name or the values shows what it is; make it an identifier if it need not be published"
NO_COUNTERFEIT = "; a counterfeit needs a value for every column that is published"
NO_SENSITIVE = "No sensitive attribute was found. Give exactly one column the role 'sensitive' before you begin."
NO_ID = "No column identifies every record. Add an id that stays the same from version to version."


@dataclass(frozen=True)
class HistoryPlan:
    """A plan, and the column that says whose record it is; ``None`` where no column can."""

    text: str
    id: str | None
    missing: tuple[str, ...]
    """What has to be done before a history can begin, in sentences."""


def history_plan(profile: Profile, dataset: Dataset, data: str, read: Mapping[str, str] | None = None) -> HistoryPlan:
    """Return the plan for a table that will be published version after version.

    Of several columns that seem sensitive the first is taken, one with words before one with numbers; others are not
    published. Parameters as for :func:`krypsis.kinds.table.profile.plan_file.plan_text`.
    """
    guesses, sensitive, own = guess_roles(profile), _sensitive(profile), _identifier(profile)
    fitting = {name: _fitting(name, guess, sensitive, own) for name, guess in guesses.items()}
    missing = (NO_SENSITIVE,) * (sensitive is None) + (NO_ID,) * (own is None)
    promise = "m-invariance:m=3" if sensitive is None else _promise(profile, dataset, sensitive)
    parts = [
        HEADER,
        opening(profile, data, read),
        COLUMNS,
        *(f"# {sentence}" for sentence in missing),
        "columns:",
        *(column_line(profile, name, fitting, _hierarchy(profile, name, fitting, dataset)) for name in fitting),
        PROMISES.format(promise, k=max(2, min(USUAL_K, profile.rows // 4))),
        SETTINGS,
    ]
    return HistoryPlan("\n".join(part for part in parts if part), own, missing)


def _hierarchy(
    profile: Profile, name: str, fitting: Mapping[str, Guess], dataset: Dataset
) -> Mapping[str, object] | None:
    """Return the hierarchy of a quasi-identifier; none for numbers and dates, of which ranges are published."""
    if fitting[name].role is not Role.QUASI_IDENTIFIER:
        return None
    proposed = propose_hierarchy(profile.column(name), dataset)
    return None if proposed["kind"] in ("intervals", "dates") else proposed


def _sensitive(profile: Profile) -> str | None:
    """Return the attribute that is protected, if there is one."""
    found = [name for name, guess in guess_roles(profile).items() if guess.role is Role.SENSITIVE]
    words = [name for name in found if not profile.column(name).is_number]
    return next(iter([*words, *found]), None)


def _identifier(profile: Profile) -> str | None:
    """Return the column that says whose record it is: the first identifier that every record has for itself."""
    found = [name for name, guess in guess_roles(profile).items() if guess.role is Role.IDENTIFIER]
    return next((name for name in found if profile.column(name).distinct == profile.rows), None)


def _fitting(name: str, guess: Guess, sensitive: str | None, own: str | None) -> Guess:
    """Return the role of a column in a history, where nothing is insensitive and one attribute sensitive."""
    if name == own:
        return Guess(Role.IDENTIFIER, "it says whose record it is; " + guess.reason)
    if guess.role is Role.SENSITIVE and name != sensitive:
        return Guess(Role.IDENTIFIER, NOT_PUBLISHED)
    if guess.key == "in-doubt":
        return Guess(guess.role, IN_DOUBT_HERE)
    if guess.role is Role.INSENSITIVE:
        return Guess(Role.QUASI_IDENTIFIER, guess.reason + NO_COUNTERFEIT)
    return guess


def _promise(profile: Profile, dataset: Dataset, sensitive: str) -> str:
    """Return a promise that the table can keep: of numbers, one that looks at how far they lie apart."""
    texts, column = dataset.collect_texts(sensitive), profile.column(sensitive)
    most = int(texts.value_counts()["count"].max() or 1)  # type: ignore[arg-type]
    m = max(min(4, profile.rows // most), 2)
    if not column.is_number or column.distinct < MANY_NUMBERS:
        return f"m-invariance:m={m}"
    numbers = [Decimal(text.strip()) for text in texts.drop_nulls()]
    low, high = min(numbers).to_integral_value(ROUND_FLOOR), max(numbers).to_integral_value(ROUND_CEILING)
    return f'"em-correlation:e=20,m={min(m, 3)},low={low:f},high={high:f}"'


HEADER = """\
# A plan for a table that changes: check the roles, then begin with 'krypsis history init'.
# Lines that begin with # are comments.
"""

COLUMNS = """
# The role of every column; the guesses are made from names and values, the decision is yours.
#   identifier        not published; one of them says whose record it is, in every version
#   quasi-identifier  others may know it: generalized along its hierarchy, numbers and dates without one to ranges
#   sensitive         nobody should be able to attach it to a person: one column"""

PROMISES = """
# What all releases together must keep.
#   m-invariance:m=3     nobody learns a sensitive value: everybody is among the same three or more values for ever
#   em-correlation:...   the same, and values that mean almost the same are kept apart: by the hierarchy of the
#                        sensitive attribute, or numbers by their distance; correct 'low' and 'high', the lowest and the
#                        highest that there can be
#   k-anonymity:k=5      nobody is found: in every release at least five people look alike in the quasi-identifiers
# The first two do not hide who is in the table. Without k-anonymity the quasi-identifiers are published exactly, and
# most people can be found by them; remove it only if it may be known who is in the table.
promises:
  - {}
  - k-anonymity:k={k}"""

SETTINGS = """
# auto generalizes the quasi-identifiers where k-anonymity is promised. It stops with an error where a value is too
# frequent among the new records, or somebody's value changes. For other choices see 'krypsis explain m-invariant':
#   m-invariant:on_ineligible=counterfeits,on_changed=renew
algorithm: auto

output:
  formats: [csv]    # csv, parquet
"""
