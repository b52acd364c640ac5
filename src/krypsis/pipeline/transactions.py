"""Releases of records that are sets of items."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.base import SetMethod, SetTask
from krypsis.datasets.set_tables import ITEM
from krypsis.errors import DataError, PrivacyWarning, UsageError, did_you_mean, shorten
from krypsis.hierarchies import HierarchySpec, resolve
from krypsis.hierarchies.base import Hierarchy
from krypsis.hierarchies.resolve import describe, follows_from_data
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.models.base import PrivacyModel
from krypsis.pipeline.chance import generator
from krypsis.pipeline.clock import Clock
from krypsis.pipeline.set_metrics import measure_sets
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.before import Before
from krypsis.release.made_by import MadeBy
from krypsis.release.release import Release
from krypsis.spelling import key_of
from krypsis.transactions import Disassociated, GroupedSets, PublishedSets, Transactions


@dataclass(frozen=True)
class SetPlan:
    """What is wanted of sets of items."""

    models: Sequence[PrivacyModel]
    algorithm: object = "auto"
    hierarchy: HierarchySpec = None
    """Of the items; ``None`` where they have none."""
    sensitive: Sequence[str] = ()
    constraints: Sequence[Sequence[str]] = ()
    """Sets of items that analyses need together, for methods that respect them."""
    folder: Path | None = None
    """Where relative paths of hierarchies start."""

    def __post_init__(self) -> None:
        _check_models(self.models)

    @property
    def method(self) -> SetMethod:
        """The method that was asked for, or the one for these promises."""
        named = self._usual() if self.algorithm == "auto" else self.algorithm
        found = registry.create("algorithm", named)
        if not isinstance(found, SetMethod):
            known = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, SetMethod)]
            raise UsageError(f"{found.name} is for tables and these are sets of items; methods: {', '.join(known)}")
        return self._constrained(found) if self.constraints else found

    def _constrained(self, method: SetMethod) -> SetMethod:
        if "constraints" not in type(method).model_fields:
            raise UsageError(f"{method.name} knows no utility constraints; choose disassociation, or leave them out")
        return method.model_copy(update={"constraints": tuple(tuple(one) for one in self.constraints)})

    def _usual(self) -> str:
        """Return what suits most: generalization where items have a hierarchy, else disassociation."""
        if not self.models:
            raise UsageError("no promise is given; name at least one model, such as 'km-anonymity:k=5,m=2'")
        kept = [
            name
            for name in ("apriori", "disassociation", "cahd")
            if all(isinstance(model, registry.find("algorithm", name).keeps) for model in self.models)
            and (self.hierarchy is not None or name != "apriori")
        ]
        if not kept:
            raise UsageError(f"no method keeps {' and '.join(model.spec for model in self.models)} together")
        return kept[0]


def sets_release(transactions: Transactions, plan: SetPlan, progress: Progress = NO_PROGRESS) -> Release:
    """Return the release of sets of items. Its promises have not been checked."""
    method, clock = plan.method, Clock()
    task = SetTask(transactions, plan.models, _hierarchy(plan, transactions), _sensitive(plan, transactions))
    method.check(task)
    _refuse_tree_of_data(plan, method)
    seed = secrets.randbits(64) if method.seed is None else method.seed
    rng = generator(seed, _hidden(transactions))
    with clock.time("search"):
        progress.phase("search")
        made = method.publish(task, rng, progress)
    with clock.time("recode"):
        progress.phase("recode")
        published = _shuffled(made.published, rng)
    with clock.time("measure"):
        progress.phase("measure")
        figures = measure_sets(task, made.published, generator(seed, (b"metrics", *_hidden(transactions))))
    made_by = MadeBy(
        promises=tuple(model.spec for model in plan.models),
        algorithm=_told(method, plan),
        scheme=method.scheme,
        guarantee=method.guarantee,
        hierarchies={} if plan.hierarchy is None else {ITEM: describe(plan.hierarchy)},
        rows_before=len(transactions),
        metrics=figures.told,
        rounded=figures.rounded,
        hides_figures=True,
    )
    return Release(
        SetsPublication(published, task.sensitive, _told_hierarchy(published, task.hierarchy)),
        made_by,
        before=Before(sets=transactions),
        private={"seed": seed, "seconds": clock.seconds, "metrics": figures.kept, **made.private},
    )


def _told(method: SetMethod, plan: SetPlan) -> str:
    """Return the method as the release tells it: sets from a file may name items that nobody has."""
    return (method.model_copy(update={"constraints": ()}) if plan.constraints else method).spec


def _check_models(models: Sequence[PrivacyModel]) -> None:
    for model in models:
        if model.kind != "transactions":
            known = [name for name, cls in registry.classes("model").items() if cls.kind == "transactions"]
            raise UsageError(
                f"{model.spec} is about a table, and these are sets of items; promises about them: {', '.join(known)}"
            )


def _refuse_tree_of_data(plan: SetPlan, method: SetMethod) -> None:
    """Raise if the published hierarchy would list the items of the data, also those that no published set names."""
    if method.tells_hierarchy and follows_from_data(plan.hierarchy, ITEM):
        raise UsageError(
            f"{method.spec} publishes which items may lie below a node, so these must be known without the data; give "
            "the items a hierarchy as a file or as a taxonomy, or use recoding=global, which publishes none"
        )


def _hierarchy(plan: SetPlan, transactions: Transactions) -> Hierarchy | None:
    return None if plan.hierarchy is None else resolve(plan.hierarchy, transactions.items, ITEM, plan.folder)


def _sensitive(plan: SetPlan, transactions: Transactions) -> frozenset[str]:
    if isinstance(plan.sensitive, str) or not isinstance(plan.sensitive, Iterable):
        raise UsageError(f"sensitive must be a list of items, got {plan.sensitive!r}")
    wanted = [str(item) for item in plan.sensitive]
    if strangers := [item for item in wanted if item not in set(transactions.items)]:
        hint = did_you_mean(strangers[0], transactions.items)
        raise UsageError(
            f"no record holds the sensitive item(s) {shorten(map(repr, strangers), 5)}; name items that occur.{hint}"
        )
    _warn_of_spellings(wanted, transactions.items)
    return frozenset(wanted)


def _warn_of_spellings(sensitive: Sequence[str], items: Iterable[str]) -> None:
    """Warn of items that are other spellings of a sensitive one: items are counted and published as they are."""
    spellings: dict[str | None, list[str]] = {key_of(item): [] for item in sensitive}
    for item in items:
        if (key := key_of(item)) in spellings:
            spellings[key].append(item)
    several = [shorten(map(repr, spelt), 5) for spelt in spellings.values() if len(spelt) > 1]
    if several:
        warnings.warn(
            f"sensitive items occur in several spellings: {shorten(several, 5)}; each counts as an item of its "
            "own, and those not named as sensitive are not protected: write every item in one way",
            PrivacyWarning,
            stacklevel=4,
        )


def _hidden(transactions: Transactions) -> Iterable[bytes]:
    """Yield which items stand together, which no release tells."""
    yield repr(transactions.items).encode()
    yield transactions.codes.astype("<i4").tobytes()
    yield transactions.starts.astype("<i8").tobytes()


def _shuffled(published: PublishedSets, rng: np.random.Generator) -> PublishedSets:
    """Return the same in random order: the numbers of records and groups follow from it."""
    if isinstance(published, Disassociated):
        return published.shuffled(rng)
    order = rng.permutation(len(published))
    if isinstance(published, Transactions):
        return published.taken(order)
    number = rng.permutation(len(published.sizes))
    counts = published.counts.copy()
    counts[:, 0] = number[counts[:, 0]]
    counts = counts[np.lexsort((counts[:, 1], counts[:, 0]))]
    return GroupedSets(published.records.taken(order), number[published.groups[order]], published.sensitive, counts)


def _told_hierarchy(published: PublishedSets, hierarchy: Hierarchy | None) -> Hierarchy | None:
    """Return the part of the hierarchy that a reader needs to know which labels may stand for the same item.

    Where every item is told in one way only, nobody needs it.
    """
    if hierarchy is None or not isinstance(published, Transactions):
        return None
    told = set(published.items)
    rows = [row for row in hierarchy.rows() if told.intersection(map(str, row))]
    if all(len(told.intersection(map(str, row))) == 1 for row in rows):
        return None
    if not rows:
        raise DataError("no published label stands in the hierarchy of the items")
    return Hierarchy.from_rows(rows, ITEM)
