"""What is wanted of a history, as it is kept in its state."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from krypsis import registry
from krypsis.algorithms.histories.base import HistoryMethod
from krypsis.algorithms.tables.base import Method
from krypsis.data.hierarchies import HierarchySpec
from krypsis.data.hierarchies.base import Hierarchy, HierarchyBuilder, Label
from krypsis.data.schema import Role, Schema
from krypsis.errors import UsageError, wrong_role
from krypsis.kinds.table.plan import TablePlan
from krypsis.models.base import PrivacyModel
from krypsis.models.k_anonymity import KAnonymity


class HistorySettings(BaseModel):
    """The identifier of a record, the roles, the promises and the method; nothing of it changes between versions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    schema_of_columns: Schema
    hierarchies: dict[str, Any]
    rows: dict[str, tuple[tuple[Label, ...], ...]]
    """Hierarchies that a program gave as such, row by row."""
    folder: str
    """Where relative paths of hierarchies start."""
    promises: tuple[str, ...]
    method: dict[str, Any]
    formats: tuple[str, ...]
    reading: dict[str, str | None]
    """How to read files where the usual guess fails: ``delimiter``, ``encoding``, ``sheet``."""

    @classmethod
    def of(cls, plan: TablePlan, id_column: str, formats: Sequence[str]) -> Self:
        """Return what a plan says, after making sure that a history can do it.

        Raises
        ------
        UsageError
            if roles, promises or the algorithm do not fit a table that changes.
        """
        schema = _with_identifier(plan.schema_of_columns, id_column)
        _check_roles(schema)
        models = plan.models()
        method = _method(plan, models)
        _check_options(plan, method)
        hierarchies = plan.hierarchies
        _check_measure(schema.sensitive[0], models, hierarchies)
        given = {name: one for name, one in hierarchies.items() if isinstance(one, Hierarchy)}
        return cls(
            id=id_column,
            schema_of_columns=schema,
            hierarchies={name: _plain(one) for name, one in hierarchies.items() if name not in given},
            rows={name: tuple(map(tuple, one.rows())) for name, one in given.items()},
            folder=os.fspath(plan.folder.resolve()),
            promises=tuple(model.spec for model in models),
            method={"name": method.name, **method.model_dump(mode="json", exclude_defaults=True)},
            formats=tuple(formats),
            reading=plan.read.model_dump(),
        )

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What an attacker may know."""
        return self.schema_of_columns.quasi_identifiers

    @property
    def sensitive(self) -> str:
        """The sensitive attribute."""
        return self.schema_of_columns.sensitive[0]

    @property
    def models(self) -> list[PrivacyModel]:
        """The promises."""
        return [registry.create("model", promise) for promise in self.promises]

    @property
    def k(self) -> int:
        """How many people must look alike in every release; 1 where nothing is promised about it."""
        return max((model.k for model in self.models if isinstance(model, KAnonymity)), default=1)

    def create_method(self) -> HistoryMethod:
        """Return the method that makes the releases."""
        found: HistoryMethod = registry.create("algorithm", self.method)
        return found

    def with_options(self, options: Mapping[str, str | None]) -> Self:
        """Return the settings with other options of the method, where they are given: what one version asks for."""
        given = {name: value for name, value in options.items() if value is not None}
        chosen = self.model_copy(update={"method": {**self.method, **given}})
        chosen.create_method()  # says what is wrong with them
        return chosen

    def hierarchy_of(self, name: str) -> HierarchySpec:
        """Return what the user said about a column."""
        if name in self.rows:
            return Hierarchy.from_rows(self.rows[name], name)
        found: HierarchySpec = self.hierarchies.get(name)
        return found


def _with_identifier(schema: Schema, id_column: str) -> Schema:
    if not isinstance(id_column, str) or not id_column:
        raise UsageError(f"id must be the name of the column that says whose record it is, got {id_column!r}")
    role = schema.roles.get(id_column, Role.IDENTIFIER)
    if role is not Role.IDENTIFIER:
        raise wrong_role(id_column, role.value, Role.IDENTIFIER.value, schema.identifiers)
    return schema.model_copy(update={"roles": {id_column: Role.IDENTIFIER, **schema.roles}})


def _check_roles(schema: Schema) -> None:
    if len(schema.sensitive) != 1:
        raise UsageError(
            f"a history has one sensitive attribute, got {', '.join(schema.sensitive) or 'none'}; give exactly one "
            "column the role 'sensitive', and others that must not be published 'identifier'. "
            "'krypsis init FILE --kind history' writes a plan that fits"
        )
    if other := schema.with_role(Role.INSENSITIVE):
        raise UsageError(
            f"{', '.join(other)} has the role 'insensitive', and a counterfeit record would have no value for it; make "
            "it a quasi-identifier, or an identifier, which is not published"
        )
    if len(schema.sets) > 1:
        raise UsageError("a history has one set of quasi-identifiers; leave out 'quasi_identifier_sets'")


def _check_options(plan: TablePlan, method: HistoryMethod) -> None:
    """Refuse what a plan may say and a history does not do.

    A limit for suppressed records is kept by a method that suppresses none, which is what most plans ask for.
    """
    leaves_out = method.on_ineligible == "defer" or method.on_changed == "withhold"
    given = {
        "suppression": plan.suppression is not None and leaves_out,
        "min_level": any(column.min_level is not None for column in plan.columns.values()),
        "max_level": any(column.max_level is not None for column in plan.columns.values()),
        "population": plan.population is not None,
        "engine": plan.engine not in (None, "memory"),
        "memory": plan.memory is not None,
        "key": plan.key is not None,
        "tables": bool(plan.tables),
    }
    if unused := [name for name, is_given in given.items() if is_given]:
        more = ": records that wait or are withheld are not limited" * ("suppression" in unused)
        raise UsageError(f"a history does nothing with {', '.join(map(repr, unused))}{more}; leave it out")


def _check_measure(sensitive: str, models: Sequence[PrivacyModel], hierarchies: Mapping[str, HierarchySpec]) -> None:
    """Refuse a hierarchy of an attribute that the promise takes for a number."""
    about_numbers = [model.spec for model in models if getattr(model, "limits", None) is not None]
    if about_numbers and hierarchies.get(sensitive) is not None:
        raise UsageError(
            f"{about_numbers[0]} measures how far numbers lie apart, and {sensitive!r} has a hierarchy; leave out the "
            "hierarchy, or 'low' and 'high' of the promise"
        )


def _method(plan: TablePlan, models: Sequence[PrivacyModel]) -> HistoryMethod:
    """Return the method that was asked for, or the first that keeps the promises."""
    if plan.algorithm == "auto":
        known = [cls for cls in registry.classes("algorithm").values() if issubclass(cls, HistoryMethod)]
        about_values = [model for model in models if not isinstance(model, KAnonymity)]
        fitting = [cls for cls in known if all(isinstance(model, cls.keeps) for model in about_values)]
        promises = sorted({model.name for cls in known for model in cls.keeps})
        if not fitting or not about_values:
            given = " and ".join(model.spec for model in models) or "nothing"
            raise UsageError(
                f"a history promises {' or '.join(promises)}, with or without k-anonymity, and {given} is promised; "
                "promise something such as m-invariance:m=3. 'krypsis init FILE --kind history' writes a plan that fits"
            )
        return _fitting_form(fitting[0](), models)
    method: Method = registry.create("algorithm", plan.algorithm)
    if not isinstance(method, HistoryMethod):
        raise UsageError(f"{method.name} publishes one table once; take the algorithm 'auto' for a history")
    return _fitting_form(method, models)


def _fitting_form(method: HistoryMethod, models: Sequence[PrivacyModel]) -> HistoryMethod:
    """Return the method, with generalized quasi-identifiers where k-anonymity is promised and no form was chosen."""
    wants_crowds = any(isinstance(model, KAnonymity) for model in models)
    if wants_crowds and "publish" not in method.model_fields_set:
        method = method.model_copy(update={"publish": "generalization"})
    method.require_promises(models)
    return method


def _plain(spec: HierarchySpec) -> object:
    """Return a spec that JSON can hold."""
    if isinstance(spec, HierarchyBuilder):
        return {"kind": spec.kind, **spec.model_dump(mode="json", exclude_none=True)}
    if isinstance(spec, os.PathLike):
        return os.fspath(spec)
    return dict(spec) if isinstance(spec, Mapping) else spec
