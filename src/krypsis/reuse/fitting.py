"""Whether new rows and an earlier release can be one table."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import DataError, UsageError, shorten
from krypsis.recipe import Recipe
from krypsis.release.release import Release
from krypsis.schema import Role


def check_fits(recipe: Recipe, earlier: Release) -> None:
    """Raise unless a release was made by a recipe, as far as its manifest tells."""
    roles = {name: recipe.roles[name] for name in recipe.columns}
    names = {name: recipe.hierarchies[name].name for name in recipe.levels}
    for what, wanted, found in (
        ("columns", roles, {name: role for name, role in earlier.schema.roles.items() if role is not Role.IDENTIFIER}),
        ("promises", set(recipe.promises), set(earlier.promises)),
        ("quasi-identifier sets", set(recipe.schema_of_rows.sets), set(earlier.schema.sets)),
        ("suppressed records", recipe.suppressed, earlier.suppression),
        ("hierarchies", names if recipe.scheme == "levels" else None, _told(earlier.hierarchies, recipe)),
        ("levels", recipe.levels if recipe.scheme == "levels" else None, _told(earlier.levels, recipe)),
    ):
        if wanted != found:
            raise UsageError(
                f"the earlier release was not made by this recipe: its {what} are {_shown(found)}, "
                f"those of the recipe {_shown(wanted)}; give the release that the recipe comes from"
            )


def _told(found: Mapping[str, object], recipe: Recipe) -> dict[str, object] | None:
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
