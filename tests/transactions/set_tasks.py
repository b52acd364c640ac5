"""Random tasks for methods of sets, and what their releases reveal, for tests."""

from collections import Counter
from typing import Any, Literal, get_args, get_origin

import numpy as np
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.algorithms.sets.base import SetMethod
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.errors import Infeasible, PromiseBroken, UsageError
from krypsis.io.item_sets import sets_of
from strategies import hierarchies
from transactions.clusters import canonical

METHODS = {name: cls for name, cls in registry.classes("algorithm").items() if issubclass(cls, SetMethod)}
ITEMS = ("a", "b", "c", "d", "e", "f")
SEED = 271828182845904
"""Digits that are found nowhere else, to look for them in what is published."""


def options_of(cls: type[SetMethod]) -> st.SearchStrategy[dict[str, Any]]:
    """Every choice of the parameters that say what they may be."""
    drawn = {}
    for name, field in cls.model_fields.items():
        if get_origin(field.annotation) is Literal:
            drawn[name] = st.sampled_from(get_args(field.annotation))
        elif field.annotation is bool:
            drawn[name] = st.booleans()
    return st.fixed_dictionaries(drawn)


@st.composite
def tasks(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Small sets, some of them empty or alike, and the promises that a method keeps."""
    cls = METHODS[name]
    basket = st.frozensets(st.sampled_from(ITEMS), min_size=draw(st.integers(0, 1)), max_size=5)
    sets = draw(st.lists(basket, min_size=1, max_size=14))
    sets *= draw(st.sampled_from([1, 1, 2, 3]))
    held = sorted(frozenset().union(*sets))
    numbers = {"k": st.integers(1, 4), "m": st.integers(1, 3), "p": st.integers(1, 3), "l": st.integers(1, 4)}
    models = [model(**{each: draw(numbers[each]) for each in model.model_fields}) for model in cls.keeps]
    is_needed = any(model.needs_sensitive for model in models)
    return {
        "data": Transactions.of_sets(sets),
        "models": models if is_needed and held else [one for one in models if not one.needs_sensitive] or models,
        "sensitive_items": draw(st.lists(st.sampled_from(held), min_size=1, max_size=2)) if is_needed and held else (),
        "hierarchies": {"item": draw(hierarchies(ITEMS))} if cls.needs_hierarchy or draw(st.booleans()) else None,
        "algorithm": {"name": name, "seed": SEED, **draw(options_of(cls))},
    }


def release_of(task: dict[str, Any]) -> krypsis.Release | None:
    """Return the release; nothing where it is refused by an error that says why."""
    try:
        return krypsis.anonymize(**task)
    except PromiseBroken:
        assert task["algorithm"].get("variant") == "printed"  # the only one that may find out too late
        return None
    except (Infeasible, UsageError):
        return None


def published_by(release: krypsis.Release) -> PublishedSets:
    return (
        release.publication.chunks
        if release.publication.chunks is not None
        else sets_of(release.table, release.sensitive_table)
    )


def items_of(published: PublishedSets) -> Counter[str]:
    """How often each item is told, where only once is told that it occurs, once."""
    if isinstance(published, Disassociated):
        return counted(published.pieces) + counted(published.terms)
    if isinstance(published, GroupedSets):
        hidden = Counter({published.sensitive[code]: 0 for code in published.counts[:, 1].tolist()})
        for _, code, count in published.counts.tolist():
            hidden[published.sensitive[code]] += count
        return counted(published.records) + hidden
    return counted(published)


def alike(published: PublishedSets) -> object:
    """The same for what differs in nothing but order."""
    if isinstance(published, Disassociated):
        return canonical(published)
    if isinstance(published, GroupedSets):
        members = [np.flatnonzero(published.groups == group) for group in range(len(published.sizes))]
        records = [sorted(map(sorted, published.records.taken(one).sets())) for one in members]
        told: list[list[tuple[str, int]]] = [[] for _ in members]
        for group, code, count in published.counts.tolist():
            told[group].append((published.sensitive[code], count))
        return sorted(zip(records, map(sorted, told), strict=True))
    return sorted(map(sorted, published.sets()))


def counted(sets: Transactions) -> Counter[str]:
    return Counter(item for one in sets.sets() for item in one)
