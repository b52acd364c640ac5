"""Check a table in memory."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Literal

import polars as pl

from krypsis.checker.beside import combinations_of, with_beside
from krypsis.checker.free_form import judge_free_form
from krypsis.checker.grouping import Distribution, count, groups_of
from krypsis.checker.isolation import judge_isolation
from krypsis.checker.judgment import judge, nothing_published
from krypsis.checker.link_judgment import judge_links, nothing_to_link
from krypsis.checker.mechanisms import judge_mechanism
from krypsis.checker.original import Original, required
from krypsis.checker.population import with_population
from krypsis.checker.wildcard import covering_groups_of, refuse_unsound
from krypsis.errors import UsageError, wrong_role
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.ct_isolation import CTIsolation
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.models.links import LinkModel
from krypsis.models.mechanisms import MechanismModel, MethodModel
from krypsis.models.verdict import Verdict

Missing = Literal["value", "wildcard"]
QuasiIdentifiers = Sequence[str] | Sequence[Sequence[str]]


def check_table(
    table: pl.DataFrame,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers,
    sensitive: str | Sequence[str] = (),
    *,
    reference: Mapping[str, Distribution] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "value",
    original: Original | None = None,
    population: Original | None = None,
    beside: pl.DataFrame | None = None,
    literal: bool = False,
) -> tuple[Verdict, ...]:
    """Say for each promise whether a published table keeps it.

    Parameters
    ----------
    table
        What is published. Values compare as they stand there: ``*`` equals only ``*``.
    models
        The promises.
    quasi_identifiers
        The attributes an attacker may know, or several such sets; with several, the worst counts.
    sensitive
        The attributes nobody should be able to attach to a person.
    reference
        Sensitive attribute → distribution in the whole table, records that were suppressed included. The published
        distribution unless given.
    hierarchies
        Sensitive attribute → its hierarchy, for promises that measure distance in one.
    missing
        ``value``: a missing cell matches only a missing cell. ``wildcard``: it may stand for any value; the group of a
        record is then the set of records that show, in each attribute, the same value or nothing (see
        :mod:`krypsis.checker.wildcard`).
    original
        The table behind the published one, for promises about who could be who.
    population
        The table of all people whom the published records may be about, for promises that compare with it.
    beside
        Columns that are not published and that a promise counts, such as the number of a person, in the order of the
        records.
    literal
        Count every spelling of a sensitive value as a value of its own. By default ``Flu``, ``flu `` and ``FLU`` are
        one value, and so are 5 and 5.0, a date in several forms, and the ways to write that a value is missing.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> table = pl.DataFrame({"job": ["Artist", "Artist", "Lawyer"], "disease": ["Flu", "Fever", "Flu"]})
    >>> verdict, = check_table(table, [KAnonymity(k=2)], ["job"])
    >>> verdict.holds, verdict.achieved, verdict.offending
    (False, 1.0, ({'values': {'job': 'Lawyer'}, 'size': 1},))
    """
    sets, hidden = attribute_sets(quasi_identifiers), names_of(sensitive)
    _check_arguments(models, hidden, {name for names in sets for name in names}, missing)
    if missing == "wildcard":
        refuse_unsound(models)
    attributes = _unique(name for names in sets for name in names)
    table = with_beside(table, beside)
    combinations = combinations_of(models, hidden, table.columns)
    counted = count(table, attributes, hidden, reference or {}, hierarchies or {}, combinations, literal=literal)
    derive = cache(partial(covering_groups_of if missing == "wildcard" else groups_of, counted))
    verdicts: dict[PrivacyModel, Verdict] = {}
    for model in models:
        if isinstance(model, GroupModel):
            found = [derive(names) for names in model.sets_of(attributes) or sets]
            if model.needs_population:
                found = [with_population(groups, population, model) for groups in found]
            verdicts[model] = nothing_published(model, found[0].groups) if table.is_empty() else judge(model, found)
    about_links = [model for model in models if isinstance(model, LinkModel)]
    verdicts.update(_check_links(table, about_links, sets, original))
    for model in models:
        if isinstance(model, MechanismModel):
            verdicts[model] = judge_mechanism(model, None, table)
        elif isinstance(model, FFAnonymity):
            verdicts[model] = judge_free_form(model, table, hierarchies or {})
        elif isinstance(model, CTIsolation):
            verdicts[model] = judge_isolation(model, table, required(original, model.spec).table, attributes)
    return tuple(verdicts[model] for model in models)


def _check_links(
    table: pl.DataFrame, models: Sequence[LinkModel], sets: Sequence[Sequence[str]], original: Original | None
) -> Mapping[PrivacyModel, Verdict]:
    if table.is_empty() or not models:
        return {model: nothing_to_link(model) for model in models}
    links = required(original, models[0].spec).links_to(table, sets)
    return {model: judge_links(model, links) for model in models}


def names_of(sensitive: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the sensitive attributes as names; a single one may be given as it is."""
    names = (sensitive,) if isinstance(sensitive, str) else sensitive or ()
    if not isinstance(names, Iterable):
        raise UsageError(f"sensitive must be the names of attributes, got {sensitive!r}")
    return _unique(names)


def attribute_sets(quasi_identifiers: QuasiIdentifiers) -> tuple[tuple[str, ...], ...]:
    """Return the quasi-identifiers as sets of names: a list of names is one set.

    Examples
    --------
    >>> attribute_sets(["age", "zip"]), attribute_sets([["age"], ["zip", "sex"]])
    ((('age', 'zip'),), (('age',), ('zip', 'sex')))
    """
    if isinstance(quasi_identifiers, str):
        return ((quasi_identifiers,),)
    if not isinstance(quasi_identifiers, Iterable):
        raise UsageError(f"quasi_identifiers must be names or lists of names, got {quasi_identifiers!r}")
    names = [item for item in quasi_identifiers if isinstance(item, str)]
    sets = (names,) if names else quasi_identifiers
    if names and len(names) < len(quasi_identifiers):
        raise UsageError("quasi_identifiers must be names or lists of names, got both; write every set as a list")
    if not sets or not all(sets):
        raise UsageError("no quasi-identifier is given; name at least one attribute an attacker may know")
    return tuple(_unique(names) for names in sets)


def _check_arguments(
    models: Sequence[PrivacyModel], sensitive: Sequence[str], quasi_identifiers: Container[str], missing: str
) -> None:
    if not models:
        raise UsageError("no promise is given; name at least one, such as k-anonymity:k=5")
    if missing not in ("value", "wildcard"):
        raise UsageError(f"missing must be 'value' or 'wildcard', got {missing!r}")
    for model in models:
        if not isinstance(model, (GroupModel, LinkModel, MethodModel)):
            raise UsageError(f"a promise must be a model such as KAnonymity(k=5), got {model!r}")
        if model.needs_sensitive and not sensitive:
            raise UsageError(f"{model.spec} is about a sensitive attribute and none is given; name at least one")
        attribute = getattr(model, "attribute", None)
        if attribute is not None and attribute in quasi_identifiers and attribute not in sensitive:
            raise wrong_role(attribute, "quasi-identifier", "sensitive", sensitive)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
