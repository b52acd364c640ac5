"""The plan of sets of items: what is known about the items."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from krypsis import registry
from krypsis.algorithms.sets.base import SetMethod
from krypsis.checker.base import Given
from krypsis.data.hierarchies import resolve
from krypsis.data.transactions import Transactions
from krypsis.errors import PrivacyWarning, UsageError, did_you_mean, shorten
from krypsis.io.item_sets import ITEM, read_item_sets, transactions_of
from krypsis.kinds.sets.make import SetsTask
from krypsis.kinds.sets.measures import metrics_named
from krypsis.models.base import PrivacyModel
from krypsis.plan.plan import HierarchyGiven, Plan, PlanPart, Read
from krypsis.texts.spelling import key_of


class PlanItems(PlanPart):
    """What a plan says about the items of sets."""

    hierarchy: HierarchyGiven = Field(default=None, description="a CSV file, or a kind with its options")
    sensitive: tuple[str, ...] = Field(default=(), description="items that nobody should be able to attach to a person")
    constraints: str | None = Field(
        default=None, description="a file with sets of items that analyses need together: JSON, or one set per line"
    )


class SetsRead(Read):
    """How to read sets of items."""

    key: str | None = Field(default=None, description="for sets of items in a table: which record a row belongs to")
    item: str | None = Field(default=None, description="for sets of items in a table: the column of items, or of lists")


class SetsPlan(Plan):
    """What is wanted of sets of items.

    Examples
    --------
    >>> plan = SetsPlan(promises=["km-anonymity:k=2,m=1"])
    >>> plan.bind([["milk"], ["milk", "bread"], ["bread"]]).release().records
    3
    """

    about: ClassVar[str] = "sets of items"

    kind: Literal["transactions"] = "transactions"
    read: SetsRead = SetsRead()
    items: PlanItems = Field(default=PlanItems(), description="what is known about the items")
    measures: tuple[str | dict[str, Any], ...] = Field(
        default=(),
        description="metrics to measure beyond the usual ones, for the private record and the report: tkd:top=100, re, "
        "are, mre",
    )

    @field_validator("promises")
    @classmethod
    def _promise_something(cls, value: tuple[object, ...], info: ValidationInfo) -> tuple[object, ...]:
        if not value and info.context is not None:
            raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
        return value

    @classmethod
    def of_keywords(
        cls,
        *,
        hierarchies: Mapping[str, Any] | None = None,
        sensitive_items: Sequence[str] = (),
        promises: Sequence[Any],
        algorithm: Any = "auto",
        **of_tables: object,
    ) -> Self:
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe.

        Raises
        ------
        UsageError
            if a keyword is given that has a meaning for tables only.
        """
        for name in of_tables:
            raise UsageError(f"sets of items have no columns, so {name} has no meaning for them; leave out the {name}")
        for name in hierarchies or {}:
            if name != ITEM:
                raise UsageError(f"the hierarchy of the items of sets is called 'item', got {name!r}; rename it")
        if isinstance(sensitive_items, str) or not isinstance(sensitive_items, Iterable):
            raise UsageError(f"sensitive must be a list of items, got {sensitive_items!r}")
        items = PlanItems(hierarchy=(hierarchies or {}).get(ITEM), sensitive=tuple(map(str, sensitive_items)))
        return cls.of_objects(items=items, promises=tuple(promises), algorithm=algorithm)

    def check(self) -> None:
        """Raise where promises, algorithm or measures are wrong in themselves."""
        self.method()
        metrics_named(self.measures)

    def read_data(self) -> Transactions:
        """Read the sets of items."""
        return transactions_of(self.data_path, **self.read.model_dump())

    def models(self) -> list[PrivacyModel]:
        """Return what is promised.

        Raises
        ------
        UsageError
            if a promise is not about sets of items.
        """
        models = super().models()
        for model in models:
            if model.kind != self.kind:
                known = [name for name, cls in registry.classes("model").items() if cls.kind == self.kind]
                raise UsageError(
                    f"{model.spec} is about a table, and these are sets of items; promises about them: "
                    + ", ".join(known)
                )
        return models

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:  # noqa: ARG002
        """Return the sensitive items, and of data of other tools the columns of records and items."""
        known = Given(sensitive=self.items.sensitive or None)
        return known if is_release else replace(known, key=self.read.key, item=self.read.item)

    def private_inputs(self, models: Sequence[PrivacyModel], given: Given) -> dict[str, Any]:  # noqa: ARG002
        """Return the hierarchy of the items."""
        spec = self.items.hierarchy
        if spec is None or given.hierarchies is not None:
            return {}
        sets = self.read_data() if given.original is None and self.data is not None else given.original
        made = resolve(spec, () if sets is None else transactions_of(sets).items, ITEM, self.folder)
        return {"hierarchies": {ITEM: made, self.read.item or ITEM: made}}

    def method(self) -> SetMethod:
        """Return the method that was asked for, or the one for these promises."""
        named = self._usual(self.models()) if self.algorithm == "auto" else self.algorithm
        found = registry.create("algorithm", named)
        if not isinstance(found, SetMethod):
            known = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, SetMethod)]
            raise UsageError(f"{found.name} is for tables and these are sets of items; methods: {', '.join(known)}")
        return found if self.items.constraints is None else self._constrained(found)

    def _constrained(self, method: SetMethod) -> SetMethod:
        if "constraints" not in type(method).model_fields:
            raise UsageError(f"{method.name} knows no utility constraints; choose disassociation, or leave them out")
        wanted = read_item_sets(self.folder / str(self.items.constraints))
        return method.model_copy(update={"constraints": tuple(tuple(one) for one in wanted)})

    def _usual(self, models: Sequence[PrivacyModel]) -> str:
        """Return what suits most: generalization where items have a hierarchy, else disassociation."""
        if not models:
            raise UsageError("no promise is given; name at least one model, such as 'km-anonymity:k=5,m=2'")
        kept = [
            name
            for name in ("apriori", "disassociation", "cahd")
            if all(isinstance(model, registry.find("algorithm", name).keeps) for model in models)
            and (self.items.hierarchy is not None or name != "apriori")
        ]
        if not kept:
            raise UsageError(f"no method keeps {' and '.join(model.spec for model in models)} together")
        return kept[0]

    def bind(self, data: Any) -> SetsTask:
        """Return the plan together with sets of items."""
        transactions = transactions_of(data, key=self.read.key, item=self.read.item)
        spec = self.items.hierarchy
        return SetsTask(
            transactions=transactions,
            models=self.models(),
            hierarchy=None if spec is None else resolve(spec, transactions.items, ITEM, self.folder),
            sensitive=_sensitive(self.items.sensitive, transactions),
            method=self.method(),
            hierarchy_spec=spec,
            hides_constraints=self.items.constraints is not None,
            measures=metrics_named(self.measures),
        )


def _sensitive(wanted: Sequence[str], transactions: Transactions) -> frozenset[str]:
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
