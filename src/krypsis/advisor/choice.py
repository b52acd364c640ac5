"""One model of an advice, with its parameters and everything a result page says about it.

The catalogue: every model that can be advised or promised, with what it protects from and where it comes from.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from krypsis import registry
from krypsis.advisor.files import AdvisorPart
from krypsis.advisor.results import THREATS, Parameter, Threat, references, results
from krypsis.advisor.texts import Texts, load_texts
from krypsis.errors import UsageError, did_you_mean
from krypsis.specs import write_spec
from krypsis.texts.description import summary


class ChosenParameter(AdvisorPart):
    """A parameter with its value, if there is a sensible one."""

    name: str
    value: str | None
    meaning: str
    optional: bool = False


class Reference(AdvisorPart):
    """A work behind a model."""

    number: int
    work: str
    link: str = ""
    """Where it can be read; empty in an advice that an earlier version saved."""

    @property
    def text(self) -> str:
        """The work with its address."""
        return f"{self.work}. {self.link}" if self.link else self.work


class Choice(AdvisorPart):
    """A model in plain words."""

    result: str
    model: str
    """Its name in the registry."""
    title: str
    promise: str
    threats: tuple[Threat, ...]
    parameters: tuple[ChosenParameter, ...]
    limits: str
    algorithms: tuple[str, ...]
    """The suggested one first."""
    algorithm: str
    """How it is achieved, in words."""
    instead: tuple[str, ...]
    """Results that come next where this model cannot be had."""
    references: tuple[Reference, ...]

    @property
    def spec(self) -> str:
        """The promise as a plan writes it, with ``…`` where the user has to say something.

        Examples
        --------
        >>> from krypsis.advisor import advise
        >>> advise(["yes", "no", "no", "no", "yes"], tree="seed").spec
        'confidence-bounding:h=0.2,value=…'
        """
        shown = {one.name: one.value or "…" for one in self.parameters if one.value is not None or not one.optional}
        return write_spec(self.model, shown)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(one.name for one in self.parameters)

    @property
    def missing(self) -> tuple[str, ...]:
        """The parameters that have no value yet and need one."""
        return tuple(one.name for one in self.parameters if one.value is None and not one.optional)

    def with_values(self, values: Mapping[str, str]) -> Self:
        """Return the choice with other values of its parameters."""
        for name in values:
            if name not in self.names:
                raise unknown_parameter(self.model, name, self.names)
        changed = [one.model_copy(update={"value": values.get(one.name, one.value)}) for one in self.parameters]
        return self.model_copy(update={"parameters": tuple(changed)})


def unknown_parameter(model: str, name: str, known: Sequence[str]) -> UsageError:
    """Return the error for a parameter that a model does not have."""
    return UsageError(f"{model} has no parameter {name!r}; parameters: {', '.join(known)}.{did_you_mean(name, known)}")


def choice_of(name: str, texts: Texts, values: Mapping[str, str]) -> Choice:
    """Return a result as a choice; ``values`` is what the data says about parameters."""
    result, text = results()[name], texts.results[name]
    return Choice(
        result=name,
        model=result.model,
        title=text.title,
        promise=text.promise,
        threats=result.threats,
        parameters=tuple(
            ChosenParameter(name=key, value=_value(one, values), meaning=text.parameters[key], optional=one.optional)
            for key, one in result.parameters.items()
        ),
        limits=text.limits,
        algorithms=result.algorithms,
        algorithm=text.algorithm,
        instead=result.instead,
        references=tuple(Reference(number=one, **references()[one].model_dump()) for one in result.references),
    )


def _value(parameter: Parameter, values: Mapping[str, str]) -> str | None:
    fitted = values.get(parameter.fit) if parameter.fit else None
    return parameter.default if fitted is None else fitted


class CatalogueModel(AdvisorPart):
    """A model of the catalogue."""

    name: str
    """In the registry, or as it would be called there."""
    title: str
    promise: str
    protects: str
    leaves_open: str
    references: tuple[str, ...]
    is_available: bool
    """Whether this toolkit can promise it."""

    def holds(self, text: str) -> bool:
        """Say whether all words of a text stand in it somewhere, whatever their case.

        Examples
        --------
        >>> next(iter(catalogue())).holds("K-Anonymity sweeney"), next(iter(catalogue())).holds("graph")
        (True, False)
        """
        everything = " ".join([self.name, self.title, self.promise, self.protects, *self.references]).casefold()
        return all(word in everything for word in text.casefold().split())


def catalogue(language: str = "en") -> tuple[CatalogueModel, ...]:
    """Return all models: those that the questions lead to first, k-anonymity before all others, then the rest by name.

    What the registry says about a model is in English; what the advisor says is in the language asked for.

    Examples
    --------
    >>> found = catalogue()
    >>> found[0].title, len({entry.name for entry in found}) == len(found)
    ('k-anonymity', True)
    """
    advised = {entry.name: entry for entry in _advised(language)}
    others = [entry for entry in _registered() if entry.name not in advised]
    return (*sorted(advised.values(), key=lambda entry: entry.name != "k-anonymity"), *others)


def _advised(language: str) -> Iterator[CatalogueModel]:
    texts = load_texts(language)
    for name in results():
        one = choice_of(name, texts, {})
        yield CatalogueModel(
            name=one.model,
            title=one.title,
            promise=one.promise,
            protects="; ".join(texts.threats[threat] for threat in one.threats),
            leaves_open="; ".join(texts.threats[threat] for threat in THREATS if threat not in one.threats),
            references=tuple(reference.work for reference in one.references),
            is_available=one.model in registry.classes("model"),
        )


def _registered() -> Iterator[CatalogueModel]:
    for name, cls in registry.classes("model").items():
        yield CatalogueModel(
            name=name,
            title=name,
            promise=summary(cls),
            protects=cls.protects_from,
            leaves_open=cls.does_not_protect_from,
            references=(cls.reference,),
            is_available=True,
        )
