"""Which promises the given files cannot decide, since something that is not published is missing.

The original table, for promises that are decided by comparing what was published with it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.checker.base import Given
from krypsis.checker.linkage import Linkage
from krypsis.data.groups import Groups
from krypsis.data.hierarchies import HierarchySpec, resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, Undecidable, UsageError, did_you_mean
from krypsis.io.frames import frame_of
from krypsis.io.texts import distinct_texts
from krypsis.models.base import GroupModel, PrivacyModel, Verdict
from krypsis.models.mechanisms import MechanismModel, MechanismRecord


@dataclass(frozen=True, eq=False)
class Original:
    """The records behind a published table, in any order, and the hierarchies that its labels come from."""

    table: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        data: Any,
        hierarchies: Mapping[str, HierarchySpec],
        folder: Path | None = None,
        what: str = "the original table",
    ) -> "Original":
        """Return the original table of a frame or file, with hierarchies in any form that a task may give."""
        table = frame_of(data, what)
        found = {
            name: resolve(spec, distinct_texts(table.get_column(name)), name, folder)
            for name, spec in hierarchies.items()
            if name in table.columns
        }
        return cls(table, found)

    def links_to(self, published: pl.DataFrame, sets: Sequence[Sequence[str]]) -> list[Linkage]:
        """Link the original records to the published ones, once for each quasi-identifier set."""
        return [Linkage.of(self.table, published, names, self.hierarchies) for names in sets]


def required(original: Original | None, promise: str) -> Original:
    """Return the original table, or say that a promise cannot be decided without it."""
    if original is None:
        raise Undecidable(
            f"{promise} is about who could be behind a published record, which nobody can verify from the published "
            "files alone; give the original table: --original private.csv, original=… in Python"
        )
    return original


Judge = Callable[[Sequence[PrivacyModel]], Sequence[Verdict]]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is at hand to decide promises."""

    columns: Sequence[str]
    """The published columns."""
    sensitive: Sequence[str] = ()
    original: Original | None = None
    population: Original | None = None
    private_columns: pl.DataFrame | None = None
    mechanism_record: MechanismRecord | None = None

    def lacks(self, model: PrivacyModel) -> str:
        """Say what a promise needs that is not at hand; empty if nothing is missing.

        Examples
        --------
        >>> from krypsis.models.k_map import KMap
        >>> Evidence(["age"]).lacks(KMap(k=2)).partition(";")[0]
        'k-map:k=2 is about the population that the records come from and none is given'
        """
        if not isinstance(model, PrivacyModel):
            return ""  # the judge says what is wrong with it
        columns = [*self.columns, *([] if self.private_columns is None else self.private_columns.columns)]
        try:
            if model.needs_original:
                required(self.original, model.spec)
            if model.needs_population and self.population is None:
                Groups(np.zeros(0, dtype=np.int64), {}).people(model.spec)
            if isinstance(model, MechanismModel):
                required_record(model, self.mechanism_record)
            combinations_of([model], self.sensitive, columns)
        except Undecidable as error:
            return str(error)
        return ""


def required_record(model: MechanismModel, record: MechanismRecord | None) -> MechanismRecord:
    """Return how a table was made, or say that a promise of chances cannot be decided without it."""
    if record is None:
        raise Undecidable(
            f"{model.spec} is a promise about how a table was made, which the table does not show; check the folder of "
            "a release, whose manifest describes it"
        )
    return record


def read_evidence(given: Given) -> Given:
    """Return what is given with its tables read, and those hierarchies that need no values of the original table."""
    specs = given.hierarchies

    def read(table: Any, what: str) -> Original | None:
        return None if table is None else Original.of(table, specs or {}, what=what)

    return replace(
        given,
        hierarchies=None if specs is None else {name: one for name, one in specs.items() if isinstance(one, Hierarchy)},
        original=read(given.original, "the original table"),
        population=read(given.population, "the population"),
        private_columns=read_private_columns(given.private_columns),
    )


def judge_with(evidence: Evidence, models: Sequence[PrivacyModel], judge: Judge) -> tuple[Verdict, ...]:
    """Return a verdict for each promise: that of the judge, or "undecided" where evidence is missing."""
    missing = {model: evidence.lacks(model) for model in models}
    decidable = [model for model in models if not missing[model]]
    found = dict(zip(decidable, attributed(decidable, judge(decidable)), strict=True))
    return tuple(found[model] if model in found else undecided(model, missing[model]) for model in models)


def attributed(models: Sequence[PrivacyModel], verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Say so where a rule is not one of ours: that the published data keeps it is all that was shown."""
    said = " The rule is the publisher's own; krypsis has applied it and does not vouch for it."
    return tuple(
        verdict
        if registry.is_built_in(type(model))
        else verdict.model_copy(update={"sentence": verdict.sentence + said})
        for model, verdict in zip(models, verdicts, strict=True)
    )


def unknown_promise(promise: str, required: float) -> Verdict:
    """Return the verdict about a promise whose model is not known here: nothing is believed of it."""
    hint = did_you_mean(promise.partition(":")[0], registry.classes("model"))
    sentence = (
        f"Undecided: {promise} is no promise that krypsis knows here. If it is the publisher's own, register its model "
        f"or install the package that has it.{hint}"
    )
    return Verdict(promise=promise, holds=None, required=required, sentence=sentence)


def undecided(model: PrivacyModel, reason: str) -> Verdict:
    """Return the verdict about a promise that cannot be decided, with the reason."""
    sentence = f"Undecided: {reason}."
    return Verdict(promise=model.spec, holds=None, required=model.required, sentence=sentence)


PRIVATE_COLUMNS = "private_columns"
"""Where the private record of a release keeps columns that are not published, in the order of the published records."""


def with_private_columns(table: pl.DataFrame, private_columns: pl.DataFrame | None) -> pl.DataFrame:
    """Return the table with the columns that are not published at their records.

    Raises
    ------
    UsageError
        if there are not as many records as in the table.

    Examples
    --------
    >>> with_private_columns(pl.DataFrame({"age": ["3*", "3*"]}), pl.DataFrame({"person": [7, 8]})).rows()
    [('3*', 7), ('3*', 8)]
    """
    if private_columns is None:
        return table
    if private_columns.height != table.height:
        raise UsageError(
            f"the private columns have {private_columns.height} records and the published table {table.height}; give "
            "one for each, in the same order"
        )
    return table.hstack([column for column in private_columns if column.name not in table.columns])


def read_private_columns(given: Any) -> pl.DataFrame | None:
    """Return private columns: of a frame, of a table file, or of the private record of a release.

    Raises
    ------
    DataError
        if the private record holds none.
    """
    if given is None or isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, str | Path) and Path(given).suffix == ".json":
        return _of_record(Path(given))
    return frame_of(given)


def combinations_of(
    models: Iterable[PrivacyModel], sensitive: Sequence[str], columns: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the columns whose values promises count together.

    Raises
    ------
    Undecidable
        if one is not there.
    """
    found: dict[tuple[str, ...], None] = {}
    for model in models:
        for names in model.combinations(sensitive) if isinstance(model, GroupModel) else ():
            if absent := [name for name in names if name not in columns]:
                raise _not_published(model, absent[0], columns)
            if names not in [(name,) for name in sensitive]:  # those are counted anyway
                found[names] = None
    return tuple(found)


def _not_published(model: PrivacyModel, name: str, columns: Sequence[str]) -> Undecidable:
    return Undecidable(
        f"{model.spec} is about {name!r}, which is not among the published columns ({', '.join(columns)}), so nobody "
        "can verify it from these alone; give the private record of the release, or a table with that column in the "
        "order of the published records: --private-columns release.private.json, private_columns=… in Python"
    )


def _of_record(path: Path) -> pl.DataFrame:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as a private record: {error}") from error
    columns = content.get(PRIVATE_COLUMNS) if isinstance(content, dict) else None
    if not columns:
        raise DataError(f"{path} holds no private columns; give a table that has them")
    return pl.DataFrame([pl.Series(name, values, dtype=pl.String) for name, values in columns.items()])
