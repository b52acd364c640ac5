"""What a model needs besides its parameters: another table, a column that names persons, declared values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from krypsis.advisor.choice import Choice
from krypsis.advisor.domains import proposed_domains
from krypsis.advisor.situation import Situation
from krypsis.kinds.table.findings import Facts

ACCEPT = "accept"
"""The value of ``domains`` by which somebody confirms the proposed values of all columns."""


@dataclass(frozen=True)
class Need:
    """One thing that has to be known before a plan can promise a model; texts/en.yaml has its question."""

    name: str
    suggestion: str | None = None
    """What is taken unless somebody says something else."""
    choices: tuple[str, ...] = ()
    optional: bool = False
    is_parameter: bool = False
    """Whether it is a parameter of the model, which has its own words."""

    def is_open(self, given: Mapping[str, str]) -> bool:
        """Whether nobody has said it yet."""
        return not self.optional and self.suggestion is None and self.name not in given


def needs_of(choice: Choice, situation: Situation) -> tuple[Need, ...]:
    """Return what a model needs in this situation, its parameters without a value included."""
    if situation.schema is None:
        entries = [Need(name) for name in situation.kind.entries_to_fill(situation.plan)]
        return (*entries, *_parameters(choice, None))
    find = _NEEDS.get(choice.result)
    return (*(find(situation) if find else ()), *_parameters(choice, situation.table))


def open_needs(choice: Choice, situation: Situation, given: Mapping[str, str]) -> tuple[Need, ...]:
    """Return what has to be said before the model can be promised."""
    return tuple(need for need in needs_of(choice, situation) if need.is_open(given))


def said(name: str, choice: Choice, situation: Situation, given: Mapping[str, str]) -> str | None:
    """Return what was said about a need, or what is taken unless somebody says something else."""
    if name in given:
        return given[name]
    return next((need.suggestion for need in needs_of(choice, situation) if need.name == name), None)


def _parameters(choice: Choice, facts: Facts | None) -> Iterator[Need]:
    for name in choice.missing:
        yield Need(name, choices=_choices(name, facts), is_parameter=True)


def _choices(name: str, facts: Facts | None) -> tuple[str, ...]:
    """Return what a parameter could be: columns that are not published, or sensitive values, the rarest first."""
    if facts is None:
        return ()
    if name in ("y", "guarding"):
        return facts.schema.identifiers
    if name == "value" and facts.schema.sensitive:
        counts = facts.dataset.collect_texts(facts.schema.sensitive[0]).drop_nulls().rename("text").value_counts()
        return tuple(counts.sort("count", "text")["text"].head(20))
    return ()


def _population(situation: Situation) -> tuple[Need, ...]:
    return (Need("population", situation.table_plan.population),)


def _key(situation: Situation) -> tuple[Need, ...]:
    facts = situation.table
    key = situation.table_plan.key or situation.evidence.values.get("person")
    return (Need("key", key, facts.schema.identifiers), Need("tables", optional=True))


def _id(situation: Situation) -> tuple[Need, ...]:
    facts = situation.table
    own = [name for name in facts.schema.identifiers if facts.profiles[name].distinct == facts.rows]
    return (Need("id", next(iter(own), None), facts.schema.identifiers),)


def _domains(situation: Situation) -> tuple[Need, ...]:
    domains = proposed_domains(situation.table_plan, situation.table)
    is_clear = domains and not any(one.is_from_data for one in domains.values())
    return (Need("domains", ACCEPT if is_clear else None, (ACCEPT,)),)


def _private_columns(situation: Situation) -> tuple[Need, ...]:
    return (Need("private_columns", situation.table_plan.private_columns, optional=True),)


_NEEDS: dict[str, Callable[[Situation], tuple[Need, ...]]] = {
    "delta-presence": _population,
    "multirelational-k-anonymity": _key,
    "m-invariance": _id,
    "differential-privacy": _domains,
    "d-gamma-privacy": _domains,
    "personalized-privacy": _private_columns,
}
