"""Publishing new rows together with an earlier release: groups of the one may be completed by the other."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import FullDomain
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, Infeasible, PrivacyWarning, UsageError, shorten
from krypsis.format.claims import publishable
from krypsis.io.dataset import Dataset
from krypsis.io.engines.base import in_memory
from krypsis.io.frames import replaced, worked_on
from krypsis.io.texts import PLAIN, text_of
from krypsis.kinds.table.make import make_release
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.kinds.table.recipe.recipe import Recipe
from krypsis.kinds.table.task import TableTask, suppression_limit
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress
from krypsis.release.order import in_published_order, rows_of_origin
from krypsis.release.provenance import MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run


def check_fits(recipe: Recipe, earlier: Release) -> None:
    """Raise unless a release was made by a recipe, as far as its manifest says."""
    roles = {name: recipe.roles[name] for name in recipe.columns}
    names = {name: recipe.hierarchies[name].name for name in recipe.levels}
    for what, wanted, found in (
        ("columns", roles, {name: role for name, role in earlier.schema.roles.items() if role is not Role.IDENTIFIER}),
        ("promises", set(recipe.promises), set(earlier.promises)),
        ("quasi-identifier sets", set(recipe.schema_of_rows.sets), set(earlier.schema.sets)),
        ("suppressed records", recipe.suppressed, earlier.suppression),
        ("hierarchies", names if recipe.scheme == "levels" else None, _of_levels(earlier.hierarchies, recipe)),
        ("levels", recipe.levels if recipe.scheme == "levels" else None, _of_levels(earlier.levels, recipe)),
    ):
        if wanted != found:
            raise UsageError(
                f"the earlier release was not made by this recipe: its {what} are {_shown(found)}, "
                f"those of the recipe {_shown(wanted)}; give the release that the recipe comes from"
            )


def _of_levels(found: Mapping[str, object], recipe: Recipe) -> dict[str, object] | None:
    return dict(found) if recipe.scheme == "levels" else None


def _shown(given: object) -> str:
    if isinstance(given, dict):
        return shorten(f"{name}: {value}" for name, value in given.items())
    return shorten(sorted(map(str, given))) if isinstance(given, set) else str(given)


def in_types_of(earlier: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return new records with the columns and types of the earlier ones.

    Raises
    ------
    DataError
        if a value cannot be read as the type of its column.
    """
    return pl.DataFrame([_as_type(new[name], dtype) for name, dtype in earlier.schema.items()])


def _as_type(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if column.dtype == dtype:
        return column
    text = text_of(column).rename(PLAIN)
    try:
        if dtype == pl.Boolean:
            return text.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean).rename(column.name)
        values = text.str.strptime(dtype) if dtype.is_temporal() else text.cast(dtype)  # type: ignore[arg-type]
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"column {column.name!r} holds {dtype} in the earlier release, and new values that cannot be read as that: "
            f"{str(error).splitlines()[0]}"
        ) from None
    changed = text.filter(values.cast(pl.String).ne_missing(text)) if dtype.is_integer() else text.clear()
    if len(changed):
        raise DataError(
            f"column {column.name!r} holds whole numbers in the earlier release, and {changed[0]!r} among the new "
            "values is a code that would lose its zeros or signs; publish the new rows by themselves"
        )
    return values.rename(column.name)


@dataclass(frozen=True, eq=False)
class _Promised:
    """What the table published together must keep; its sensitive values are compared with all that are published."""

    schema: Schema
    models: Sequence[GroupModel]
    hierarchies: Mapping[str, Hierarchy]
    combinations: tuple[tuple[str, ...], ...]

    def refused(self, table: pl.DataFrame) -> BoolArray:
        """Say for each record of a published table whether its group breaks a promise."""
        engine = Dataset(table, "table").engine
        names = self.schema.quasi_identifiers
        labels = {name: Hierarchy.from_rows([label, TOP] for label in engine.distinct(name)) for name in names}
        counted = engine.count_tuples(self.schema, {**self.hierarchies, **labels}, combinations=self.combinations)
        judge = Judge(counted.frequency, self.models)
        refused = FullDomain((0,) * len(names), judge.refused(judge.rollup.bottom(), self.models))
        answer = np.zeros(table.height, dtype=np.bool_)
        answer[in_memory(counted).suppressed_rows(refused)] = True
        return answer


def publish_together(recipe: Recipe, task: TableTask, earlier: Release, progress: Progress) -> Release:
    """Return the release of an earlier one and new rows as one table, in which the promises hold.

    Only new records are suppressed, as the earlier ones may be in other hands already.

    Raises
    ------
    Infeasible
        if too many new records would have to be suppressed, or records of the earlier release lose their protection.
    """
    check_fits(recipe, earlier)
    _refuse_links(task)
    hierarchies = {name: found for name, found in task.hierarchies.items() if isinstance(found, Hierarchy)}
    tops = _tops(task, hierarchies)
    recoded = make_release(replace(task, models=[KAnonymity(k=1)], suppression=0), progress)
    old = replaced(publishable(earlier.table), (text_of(earlier.table.get_column(name)) for name in tops))
    new = in_types_of(old, publishable(recoded.table))
    promised = _Promised(task.schema, task.group_models, hierarchies, task.combinations)
    hidden = _hide(old, new, promised, tops)
    _check_limit(task, hidden)
    shown = _published(new, hidden, tops)
    _warn_of_difference(promised, shown)
    suppressed = earlier.suppressed + int(hidden.sum())
    origin = rows_of_origin(recoded.private, new.height, "remove")
    published = GeneralizedTable(
        pl.concat([old, shown]),
        task.schema,
        sensitive_hierarchies={name: hierarchies[name] for name in _compared(task) if name in hierarchies},
        from_text=recoded.publication.from_text if isinstance(recoded.publication, GeneralizedTable) else frozenset(),
    )
    made_by = MadeBy(
        promises=recipe.promises,
        algorithm=recoded.algorithm,
        scheme=recoded.scheme,
        hierarchies={name: recipe.hierarchies[name].name for name in recoded.hierarchies},
        levels=recoded.levels if recipe.scheme == "levels" else {},
        heights=recoded.heights,
        suppressed=suppressed,
        suppression=task.suppressed,
        rows_before=earlier.rows_before + new.height,
    )
    release = Run().release(
        published,
        made_by,
        recipe=recipe.model_dump(mode="json"),
        together_with=earlier.release_id,
        suppressed_new_rows=[] if origin is None else sorted(origin[hidden].tolist()),
    )
    return in_published_order(release).checked()


def _refuse_links(task: TableTask) -> None:
    if task.needs_every_record:
        raise UsageError(
            "a promise about who could be who, such as kk-anonymity, compares a release with its original table, and "
            "that of the earlier release is not here; publish the new rows by themselves"
        )
    if task.unpublished:
        raise UsageError(
            f"a promise counts the values of {task.unpublished[0]!r}, which the earlier release does not publish; "
            "publish the new rows by themselves, or anonymize all rows anew"
        )


def _tops(task: TableTask, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Label]:
    """Return what suppressed records show where they are kept; nothing where they are removed."""
    if task.suppressed == "remove":
        return {}
    found = {name: hierarchies[name] for name in task.schema.quasi_identifiers}
    return {name: hierarchy.labels[-1][0] if hierarchy.height else TOP for name, hierarchy in found.items()}


def _hide(old: pl.DataFrame, new: pl.DataFrame, promised: _Promised, tops: Mapping[str, Label]) -> BoolArray:
    """Return which new records must be suppressed so that all others, old and new, keep the promises."""
    hidden = np.zeros(new.height, dtype=np.bool_)
    while True:
        refused = promised.refused(pl.concat([old, _published(new, hidden, tops)]))
        if not refused.any():
            return hidden
        newly = np.zeros(new.height, dtype=np.bool_)
        newly[np.ones_like(hidden) if tops else ~hidden] = refused[old.height :]
        if not (newly & ~hidden).any():
            raise _broken_for_good(refused, old.height)
        hidden = hidden | newly


def _published(new: pl.DataFrame, hidden: BoolArray, tops: Mapping[str, Label]) -> pl.DataFrame:
    """Return new records as they are published: without the hidden ones, or with these at the top of everything."""
    mask = pl.Series(hidden)
    if not tops:
        return new.filter(~mask)
    return replaced(
        new, (worked_on(new.get_column(name), partial(_hidden_as, mask=mask, top=top)) for name, top in tops.items())
    )


def _hidden_as(column: pl.Series, mask: pl.Series, top: Label) -> pl.Series:
    return pl.select(pl.when(mask).then(pl.lit(top, dtype=pl.String)).otherwise(column)).to_series()


def _check_limit(task: TableTask, hidden: BoolArray) -> None:
    rows, needed = len(hidden), int(hidden.sum())
    allowed = 0 if task.suppression is None else suppression_limit(task.suppression, rows)
    if needed <= allowed and needed < rows:
        return
    promises = " or ".join(model.spec for model in task.models)
    message = f"together with the earlier release, {needed} of {rows} new records ({needed / rows:.2%}) are in groups "
    message += f"that break {promises}; "
    message += "nothing new would be left" if needed == rows else f"at most {allowed} may be suppressed"
    raise Infeasible(message + ". Wait for more rows, or allow more suppression", {"rows": rows, "suppression": needed})


def _broken_for_good(refused: BoolArray, earlier: int) -> Infeasible:
    old, new = int(refused[:earlier].sum()), int(refused[earlier:].sum())
    if not old:
        return Infeasible(
            f"{new} suppressed new records, published together at the top, do not keep the promises. Wait for more",
            {"broken": new},
        )
    return Infeasible(
        f"with the new rows, {old} of {earlier} records of the earlier release are in groups that no longer keep the "
        "promises, and leaving out new rows does not help. Anonymize all rows anew",
        {"rows": earlier, "broken": old},
    )


def _warn_of_difference(promised: _Promised, shown: pl.DataFrame) -> None:
    leaning = int(promised.refused(shown).sum())
    if leaning:
        warnings.warn(
            f"{leaning} of {shown.height} new records are hidden only among records of the earlier release. Whoever "
            "has both releases can subtract one from the other, and finds these in groups that break the promises. "
            "Withdraw the earlier release, or publish the new rows by themselves",
            PrivacyWarning,
            stacklevel=4,
        )


def _compared(task: TableTask) -> list[str]:
    """Return the sensitive attributes that a promise compares with the whole table."""
    wanted = {getattr(model, "attribute", None) for model in task.models if model.compares_with_whole}
    return [name for name in task.schema.sensitive if name in wanted or None in wanted]
