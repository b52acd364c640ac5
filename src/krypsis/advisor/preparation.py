"""What has to change in a plan, besides promises and algorithm, so that a model can be promised about its table."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krypsis import registry
from krypsis.advisor.choice import Choice
from krypsis.advisor.domains import ColumnDomain, cells_of, proposed_domains, read_domains, within
from krypsis.advisor.needs import ACCEPT, said
from krypsis.advisor.promise import is_available
from krypsis.advisor.situation import Situation
from krypsis.data.schema import Role
from krypsis.errors import column_not_found, shorten
from krypsis.format.files import DATA, SENSITIVE_TABLE
from krypsis.io.dataset import Dataset
from krypsis.kinds.base import kinds
from krypsis.kinds.table.profile.propose import propose_hierarchy
from krypsis.kinds.table.profile.roles import guess_roles
from krypsis.kinds.table.profile.table import profile_table
from krypsis.specs import split_list, unquoted, write_spec

RECORDS_PER_CELL = 5
"""So many records there should be for each published count, times epsilon: else the noise hides them."""
FEWEST_CELLS = 20
MOST_CELLS = 100_000
"""Up to so many combinations the method for (d,γ)-privacy draws in a few seconds."""
RECORDS_PER_PERSON = 3
"""How many records of a person count, where persons have several."""

Notes = tuple[tuple[str, Mapping[str, object]], ...]


class CannotBeHad(Exception):  # noqa: N818  an answer rather than an error
    """A model cannot be promised about this data; ``key`` names the text that says why."""

    def __init__(self, key: str, **figures: object) -> None:
        super().__init__(key)
        self.key, self.figures = key, figures


@dataclass(frozen=True)
class Preparation:
    """What a plan has to say for a model."""

    algorithm: str | None = None
    """Instead of the suggested one."""
    entries: Mapping[str, Any] = field(default_factory=dict)
    """Entries of the plan and their content."""
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    """Column → its hierarchy."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Column → its other role."""
    notes: Notes = ()
    """Keys of texts, with their figures: what the user should know about the result."""
    identifier: str | None = None
    """The column that says whose record it is, for a history."""


def prepare(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    """Return what a plan has to say so that the model can be promised.

    Raises
    ------
    CannotBeHad
        if this model has no meaning for this data.
    UsageError
        if something that was said does not fit, such as a column that is not there.
    """
    require_meaning(choice, situation)
    if situation.schema is None:
        return Preparation(entries=_entries_to_fill(situation, given))
    found = _PREPARATIONS.get(choice.result)
    return found(choice, situation, given) if found else Preparation()


def _entries_to_fill(situation: Situation, given: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what was said about entries of the plan without which a kind of data has nothing to protect."""
    names = situation.kind.entries_to_fill(situation.plan)
    return {name: [unquoted(one) for one in split_list(given[name]) if one] for name in names if name in given}


def require_meaning(choice: Choice, situation: Situation) -> None:
    """Raise :class:`CannotBeHad` if the model has no meaning for this data, whatever else is said."""
    _require_available(choice, situation)
    if situation.facts is not None:
        _require_values(choice, situation)


def _require_available(choice: Choice, situation: Situation) -> None:
    is_history = choice.result == "m-invariance" and situation.facts is not None
    if is_history or is_available(choice, situation.plan.kind):
        return
    known = registry.classes("model").get(choice.model)
    if known is None:
        raise CannotBeHad("no-such-method", model=choice.title)
    for kind in kinds().values():
        if kind.shares_files_of == situation.plan.kind and is_available(choice, kind.name):
            raise CannotBeHad("other-plan", model=choice.title, kind=kind.name)
    raise CannotBeHad(f"not-about-{situation.plan.kind}", model=choice.title)


def _require_values(choice: Choice, situation: Situation) -> None:
    known = registry.classes("model").get(choice.model)
    is_about_values = choice.result in ("ff-anonymity", "m-invariance") or getattr(known, "needs_sensitive", False)
    if is_about_values and not situation.table.schema.sensitive:
        raise CannotBeHad("no-sensitive", model=choice.title)
    if choice.result in ("em-anonymity", "ke-anonymity") and not situation.table.numbers:
        raise CannotBeHad("no-numbers", model=choice.title)


def _population(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    return Preparation(entries={"population": said("population", choice, situation, given)})


def _one_column(choice: Choice, situation: Situation, given: Mapping[str, str], name: str) -> str:
    """Return the column that was said, which must be one of the table and is not published."""
    column = said(name, choice, situation, given) or ""
    columns = situation.table.dataset.columns
    if column not in columns:
        raise column_not_found(column, columns)
    return column


def _several_tables(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    key = _one_column(choice, situation, given, "key")
    entries: dict[str, Any] = {"key": key}
    if files := [part.strip() for part in given.get("tables", "").split(",") if part.strip()]:
        entries["tables"] = {table_name(file): _further_table(file, key, situation) for file in files}
    notes: Notes = () if files or situation.table_plan.tables else (("one-table", {}),)
    return Preparation(entries=entries, roles=_as_identifier(key, situation), notes=notes)


def table_name(file: str) -> str:
    """Return what a further table is called in the plan, and its file in the release.

    Examples
    --------
    >>> table_name("tables/my visits.csv.gz"), table_name("2024.csv"), table_name("data.csv")
    ('my_visits', 'table_2024', 'table_data')
    """
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", Path(file).name.partition(".")[0])
    is_free = plain[:1].isalpha() and plain.lower() not in (DATA, SENSITIVE_TABLE, "manifest")
    return plain if is_free else f"table_{plain}"


def _further_table(file: str, key: str, situation: Situation) -> dict[str, Any]:
    """Return what the plan says about a further table: roles and hierarchies as 'krypsis init' guesses them."""
    dataset = Dataset.of(situation.plan.folder / file)
    if key not in dataset.columns:
        raise column_not_found(key, dataset.columns)
    profile = profile_table(dataset)
    columns: dict[str, dict[str, Any]] = {}
    for name, guess in guess_roles(profile).items():
        role = Role.IDENTIFIER if name == key else guess.role
        columns[name] = {"role": role.value}
        if role is Role.QUASI_IDENTIFIER:
            columns[name]["hierarchy"] = dict(propose_hierarchy(profile.column(name), dataset))
    return {"data": file, "columns": columns}


def _history(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    own = _one_column(choice, situation, given, "id")
    facts = situation.table
    texts = facts.dataset.collect_texts(own)
    if texts.null_count() or texts.n_unique() < facts.rows:
        raise CannotBeHad("id-repeats", model=choice.title, column=own)
    kept = next(iter([name for name in facts.schema.sensitive if name not in facts.numbers]), facts.schema.sensitive[0])
    roles = {name: Role.IDENTIFIER for name in facts.schema.sensitive if name != kept}
    roles |= dict.fromkeys(facts.schema.with_role(Role.INSENSITIVE), Role.QUASI_IDENTIFIER)
    roles |= _as_identifier(own, situation)
    left_out = [name for name, role in roles.items() if role is Role.IDENTIFIER and name != own]
    notes: Notes = (("not-published", {"columns": shorten(left_out)}),) if left_out else ()
    return Preparation(algorithm="auto", roles=roles, identifier=own, notes=notes)


def _as_identifier(column: str, situation: Situation) -> dict[str, Role]:
    return {} if column in situation.table.schema.identifiers else {column: Role.IDENTIFIER}


def _counts(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    """Publish noisy counts of the columns whose combinations hold enough records each."""
    domains = _domains(choice, situation, given)
    epsilon = float(next((one.value for one in choice.parameters if one.name == "epsilon"), None) or 1)
    most = max(FEWEST_CELLS, situation.table.rows * epsilon / RECORDS_PER_CELL)
    sensitive = situation.table.schema.sensitive
    order = sorted(domains, key=lambda one: (one.column not in sensitive, one.size))
    chosen = within(order, most)
    return _declared(choice, situation, chosen, _persons(situation))


def _persons(situation: Situation) -> dict[str, object]:
    """Return whose records they are, where a person has several: else the promise would be about single records."""
    finding = situation.evidence.findings.get("page03a")
    if finding is None or finding.answer == "yes":
        return {}
    return {"person": situation.evidence.values["person"], "records_per_person": RECORDS_PER_PERSON}


def _combinations(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    """Publish combinations of values that are so many that each is improbable."""
    chosen = within(sorted(_domains(choice, situation, given), key=lambda one: one.size), MOST_CELLS)
    prior = min(situation.table.dataset.rows, cells_of(chosen)) / cells_of(chosen)
    d = float(next((one.value for one in choice.parameters if one.name == "d"), None) or 0)
    if prior > d:
        raise CannotBeHad("too-probable", model=choice.title, prior=prior, d=d)
    return _declared(choice, situation, chosen, {})


def _domains(choice: Choice, situation: Situation, given: Mapping[str, str]) -> list[ColumnDomain]:
    """Return the domains that were declared or confirmed."""
    proposed = proposed_domains(situation.table_plan, situation.table)
    answer = said("domains", choice, situation, given)
    if answer != ACCEPT:
        own = read_domains(situation.plan.folder / str(answer), list(proposed) or list(situation.table_plan.columns))
        proposed = {name: one for name, one in proposed.items() if not one.is_from_data} | own
    if not proposed:
        raise CannotBeHad("no-domain", model=choice.title)
    return list(proposed.values())


def _declared(
    choice: Choice, situation: Situation, chosen: Sequence[ColumnDomain], parameters: Mapping[str, object]
) -> Preparation:
    names = tuple(name for name in situation.table_plan.columns if name in {one.column for one in chosen})
    notes: list[tuple[str, Mapping[str, object]]] = [("publishes-columns", {"columns": shorten(names)})]
    if read := [one.column for one in chosen if one.is_from_data]:
        notes.append(("confirmed-domains", {"columns": shorten(read)}))
    return Preparation(
        algorithm=write_spec(choice.algorithms[0], {"columns": names, **parameters}),
        hierarchies={one.column: one.hierarchy for one in chosen if one.source != "plan"},
        notes=tuple(notes),
    )


def _numbers(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:  # noqa: ARG001
    facts = situation.table
    names = tuple(name for name in facts.schema.quasi_identifiers if facts.is_quantity(name))
    if not names:
        raise CannotBeHad("no-known-numbers", model=choice.title)
    algorithm = write_spec(choice.algorithms[0], {"columns": names})
    return Preparation(algorithm=algorithm, notes=(("publishes-boxes", {"columns": shorten(names)}),))


def _wishes(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Preparation:
    """Take the column of wishes out of what is published, and give the sensitive column a tree if it has none."""
    entries = {"private_columns": given["private_columns"]} if "private_columns" in given else {}
    facts = situation.table
    guarded = _named(choice, "attribute") or facts.schema.sensitive[0]
    wishes = _named(choice, "guarding") or ""
    roles = {wishes: Role.IDENTIFIER} if facts.schema.roles.get(wishes, Role.IDENTIFIER) is not Role.IDENTIFIER else {}
    if not entries and situation.table_plan.private_columns is None and wishes not in facts.dataset.columns:
        raise column_not_found(wishes, facts.dataset.columns)
    hierarchies = {} if situation.table_plan.columns[guarded].hierarchy else {guarded: {"kind": "flat"}}
    return Preparation(entries=entries, roles=roles, hierarchies=hierarchies)


def _named(choice: Choice, name: str) -> str | None:
    return next((one.value for one in choice.parameters if one.name == name), None)


_PREPARATIONS: dict[str, Callable[[Choice, Situation, Mapping[str, str]], Preparation]] = {
    "delta-presence": _population,
    "multirelational-k-anonymity": _several_tables,
    "m-invariance": _history,
    "differential-privacy": _counts,
    "d-gamma-privacy": _combinations,
    "ct-isolation": _numbers,
    "personalized-privacy": _wishes,
}
