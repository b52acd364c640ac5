"""From an advice to what a plan says: promises and an algorithm that this toolkit knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from krypsis import registry
from krypsis.advisor.advice import Advice
from krypsis.advisor.choice import Choice
from krypsis.algorithms.tables.base import Bucketing
from krypsis.data.schema import Schema
from krypsis.kinds.base import kind_named, kinds
from krypsis.models.base import PrivacyModel
from krypsis.models.mechanisms import MethodModel
from krypsis.registry import USUAL_KIND

Kind = TypeVar("Kind", bound=Choice)


@dataclass(frozen=True)
class Proposal:
    """The lines of a plan that follow from an advice."""

    promises: tuple[str, ...]
    algorithm: str


def as_promised_before(advice: Advice, models: Sequence[PrivacyModel]) -> Advice:
    """Return the advice with the parameters of promises that were made before: k = 10 does not become k = 5.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> advice = advise(["yes", "yes", "yes", "no", "no", "no", "no", "yes"], tree="seed")
    >>> as_promised_before(advice, [registry.create("model", "k-anonymity:k=10")]).spec
    'k-anonymity:k=10'
    """
    # A promise about one column says nothing about the parameters of one about all of them.
    promised = {model.name: model for model in models if getattr(model, "attribute", None) is None}
    complements = tuple(_as_promised(one, promised) for one in advice.complements)
    return _as_promised(advice, promised).model_copy(update={"complements": complements})


def values_promised_before(advice: Advice, models: Sequence[PrivacyModel]) -> dict[str, str]:
    """Return the parameters of an advice that promises made before set to other values than the advised ones.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> advice = advise(["yes", "yes", "yes", "no", "no", "no", "no", "yes"], tree="seed")
    >>> values_promised_before(advice, [registry.create("model", "k-anonymity:k=10")])
    {'k': '10'}
    """
    before = as_promised_before(advice, models)
    pairs = zip((advice, *advice.complements), (before, *before.complements), strict=True)
    return {
        other.name: other.value
        for one, promised in pairs
        for mine, other in zip(one.parameters, promised.parameters, strict=True)
        if other.value is not None and other.value != mine.value
    }


def _as_promised(choice: Kind, promised: Mapping[str, PrivacyModel]) -> Kind:
    if choice.model not in promised:
        return choice
    found = {name: getattr(promised[choice.model], name, None) for name in choice.names}
    values = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in found.items() if value}
    return Choice.with_values(choice, values)


def kind_of(advice: Advice) -> str:
    """Return the kind of the data by the answers: the last one whose question was answered with yes, else a table.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> kind_of(advise(["no", "yes", "no", "no"]))
    'transactions'
    """
    named = {kind.question: kind.name for kind in kinds().values() if kind.question}
    answered = [named[step.question] for step in advice.path if step.taken == "yes" and step.question in named]
    return answered[-1] if answered else USUAL_KIND


def is_available(choice: Choice, kind: str = "table") -> bool:
    """Whether a plan of this kind can promise the model: the toolkit knows it, and it is about such data.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> is_available(advise(["yes", "no", "no", "no", "no", "no", "yes"], tree="seed"))
    True
    """
    known = registry.classes("model")
    return choice.model in known and known[choice.model].kind in kind_named(kind).model_kinds


def proposal(advice: Advice, schema: Schema | None = None, kind: str = "table") -> Proposal | None:
    """Return what to write into a plan, or nothing where no plan can promise it or the user has to say a value first.

    Complements are promised along with the main model as far as a plan can promise both; see :func:`combinable`.
    ``kind`` is what the plan is about.

    Raises
    ------
    UsageError
        if a parameter has a value that the model refuses.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> proposal(advise(["yes", "no", "no", "no", "no", "no", "yes"], tree="seed"))
    Proposal(promises=('t-closeness:t=0.2',), algorithm='mondrian')
    """
    if not is_available(advice, kind) or advice.missing:
        return None
    complements = [one for one in combinable(advice, kind) if not one.missing]
    for one in (advice, *complements):
        registry.create("model", one.spec)  # a value that the model refuses is reported before anything is written
    promises = tuple(one.spec for one in (advice, *complements))
    return Proposal(promises, suggested_algorithm(advice, schema, is_alone=not complements, kind=kind))


def combinable(advice: Advice, kind: str = "table") -> tuple[Choice, ...]:
    """Return the complements that one plan can promise along with the main model.

    A model that only a method of its own keeps, or that is about several tables, stands alone.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> of_a_table = ["no"] * 8
    >>> pay = advise([*of_a_table, "yes", "no", "yes", "yes", "no", "no", "yes", "no"])
    >>> pay.title, [one.title for one in combinable(pay)]
    ('(X,Y)-privacy', ['(k,e)-anonymity'])
    """
    if not shares_a_plan(advice, kind):
        return ()
    return tuple(one for one in advice.complements if shares_a_plan(one, kind))


def shares_a_plan(choice: Choice, kind: str) -> bool:
    """Say whether a plan of this kind can promise the model along with others."""
    known = registry.classes("model")
    if not is_available(choice, kind):
        return False
    return known[choice.model].kind == kind and not issubclass(known[choice.model], MethodModel)


def suggested_algorithm(
    choice: Choice, schema: Schema | None = None, *, is_alone: bool = True, kind: str = "table"
) -> str:
    """Return the first algorithm of a choice that is there and fits the roles and other promises, or ``auto``.

    Algorithms that separate sensitive values from the rest do so for one attribute, in groups of the size that the
    promise itself asks for. A kind of data may leave the choice to ``auto``.
    """
    if not kind_named(kind).suggests_algorithms:
        return "auto"
    known = registry.classes("algorithm")
    can_separate = is_alone and (schema is None or len(schema.sensitive) == 1)
    there = [name for name in choice.algorithms if name in known]
    return next((name for name in there if can_separate or not issubclass(known[name], Bucketing)), "auto")
