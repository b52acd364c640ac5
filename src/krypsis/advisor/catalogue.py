"""The catalogue: every model that can be advised or promised, with what it protects from and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from krypsis import registry
from krypsis.advisor.choice import choice_of
from krypsis.advisor.files import AdvisorPart
from krypsis.advisor.results import THREATS, results
from krypsis.advisor.texts import load_texts
from krypsis.texts.description import summary


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
