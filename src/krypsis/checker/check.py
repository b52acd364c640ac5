"""Check anything that was published: a frame, a table file or the folder of a release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.basis import based_on, basis_of_table
from krypsis.checker.evidence import Evidence, Judge, judge_with, read_beside
from krypsis.checker.folder import check_folder
from krypsis.checker.grouping import Distribution
from krypsis.checker.kinds import check_kind, kind_of
from krypsis.checker.original import Original
from krypsis.checker.published import Published, check_published, sensitive_table_of
from krypsis.checker.table import Missing, QuasiIdentifiers, check_table, names_of
from krypsis.datasets.frames import frame_of
from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.hierarchies import HierarchySpec
from krypsis.hierarchies.base import Hierarchy
from krypsis.io.paths import usable_path
from krypsis.io.read import read_table, unread_of
from krypsis.io.workbook_extras import Extras
from krypsis.models.base import PrivacyModel
from krypsis.models.verdict import Verdict


def check(
    published: Any,
    models: Sequence[PrivacyModel] | None = None,
    quasi_identifiers: QuasiIdentifiers | None = None,
    sensitive: str | Sequence[str] | None = None,
    *,
    reference: Mapping[str, Distribution] | None = None,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    missing: Missing = "value",
    original: Any = None,
    population: Any = None,
    beside: Any = None,
    literal: bool = False,
    group: str | None = None,
    sensitive_table: Any = None,
    key: str | None = None,
    tables: Mapping[str, Any] | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> tuple[Verdict, ...]:
    """Say for each promise whether what was published keeps it; where that needs more than is given, it is undecided.

    Parameters
    ----------
    published
        A polars, pandas or pyarrow frame or a duckdb relation; the folder of a release; or a table file. Of a workbook
        the first sheet is judged; if it publishes more, such as further sheets or comments, no promise is shown.
    models
        The promises. A release folder brings its own.
    quasi_identifiers
        The attributes an attacker may know, or several such sets. A release folder brings its own.
    sensitive
        The attributes nobody should be able to attach to a person.
    reference, missing
        See :func:`krypsis.checker.table.check_table`.
    hierarchies
        Of sensitive attributes, for promises that measure distance in them; and of quasi-identifiers, for promises that
        compare labels with original values: there in any form that a task may give.
    original
        The table behind the published one, in any form that :func:`krypsis.anonymize` takes: promises about who could
        be who are decided by comparing the two.
    population
        The table of all people whom the published records may be about, in the same forms, with the quasi-identifiers
        as they were before anonymization: promises such as delta-presence compare with it.
    beside
        Columns that are not published and that a promise counts, such as the number of a person: a table or a file with
        one record for each published one, in the same order; or the private record of a release.
    literal
        Count every spelling of a sensitive value as a value of its own, see :func:`krypsis.checker.table.check_table`.
    group
        The column that says which records form a group, where that cannot be seen from the quasi-identifiers. Promises
        about sensitive values are judged on these groups. A release folder brings its own.
    sensitive_table
        The sensitive values of such groups, where they are published apart: a table or a file with the columns group,
        value and count.
    key
        The column that says whose row it is, the same in all tables, for promises such as multirelational-k-anonymity;
        or which record an item belongs to, for promises about sets of items.
    tables
        Name → a further table or its file; its quasi-identifiers have the name before their own: ``visits.year``.
    item
        The column of items, for promises about sets of items; without it a file has one set per line.
    delimiter, encoding
        Of a CSV file; found out unless given.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> published = pl.DataFrame({"age": ["[30-35)", "[30-35)"], "disease": ["Flu", "Fever"]})
    >>> [verdict.holds for verdict in check(published, [KAnonymity(k=2)], ["age"])]
    [True]
    """
    given_key: dict[str, Any] = {"key": key, "tables": tables, "item": item}
    if not _is_folder(published) and kind_of(models or ()) != "table":
        options: dict[str, Any] = {
            **given_key,
            "sensitive": sensitive,
            "group": group,
            "sensitive_table": sensitive_table,
            "hierarchies": hierarchies,
            "delimiter": delimiter,
            "encoding": encoding,
        }
        found = check_kind(published, models or (), quasi_identifiers, **options)
        return judged_in_part([published, sensitive_table, *(tables or {}).values()], found)
    if strange := [name for name, value in given_key.items() if value is not None]:
        raise UsageError(f"{strange[0]} is for promises about several tables or sets of items; leave it out")
    details: dict[str, Any] = {
        "literal": literal,
        "reference": reference,
        "hierarchies": _finished(hierarchies),
        "missing": missing,
    }
    for name, table, what in (
        ("original", original, "the original table"),
        ("population", population, "the population"),
    ):
        details[name] = None if table is None else Original.of(table, hierarchies or {}, what=what)
    details["beside"] = read_beside(beside)
    reading: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding}
    is_file = isinstance(published, (str, Path)) and not _is_folder(published)
    if not is_file and (given := [name for name, value in reading.items() if value is not None]):
        raise UsageError(f"{given[0]} is for CSV files; leave it out")
    grouping: dict[str, Any] = {"group": group, "sensitive_table": sensitive_table}
    if not isinstance(published, (str, Path)):
        table = frame_of(published)
        found = _check_any(table, models, quasi_identifiers, sensitive, **grouping, **details)
        return judged_in_part([sensitive_table], found)
    path = Path(published)
    if not path.exists():
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise DataError(f"no file or folder {path}.{did_you_mean(path.name, names)}")
    if not path.is_dir():
        table = read_table(path, **reading)
        found = _check_any(table, models, quasi_identifiers, sensitive, **grouping, **details)
        return judged_in_part([path, sensitive_table], found)
    if named := [name for name, value in grouping.items() if value is not None]:
        raise UsageError(f"{named[0]} is for tables of other tools; the release in {path} brings its own: leave it out")
    return check_folder(path, models, quasi_identifiers, sensitive, **details)


def _is_folder(data: Any) -> bool:
    return isinstance(data, str | Path) and usable_path(data).is_dir()


def _check_any(
    table: pl.DataFrame,
    models: Sequence[PrivacyModel] | None,
    quasi_identifiers: QuasiIdentifiers | None,
    sensitive: str | Sequence[str] | None,
    *,
    group: str | None,
    sensitive_table: Any,
    **details: Any,
) -> tuple[Verdict, ...]:
    """Say for each promise whether a table keeps it, whichever tool has made it."""
    if group is None:
        if sensitive_table is not None:
            raise UsageError("a table of sensitive values needs the column that both tables share; name the group")
        models, quasi_identifiers = _given(models, quasi_identifiers)
        judge = partial(check_table, table, quasi_identifiers=quasi_identifiers, sensitive=sensitive or (), **details)
        return _judged(table, models, sensitive, judge, quasi_identifiers, details)
    only_groups = bool(models) and all(model.needs_sensitive for model in models or ())
    models, known = _given(models, quasi_identifiers or ([group] if only_groups else None))
    values = None if sensitive_table is None else sensitive_table_of(frame_of(sensitive_table), group, sensitive)
    published = Published(table, group, values)
    judge = partial(check_published, published, quasi_identifiers=known, sensitive=sensitive or (), **details)
    return _judged(table, models, sensitive, judge, known, details)


def _judged(
    table: pl.DataFrame,
    models: Sequence[PrivacyModel],
    sensitive: str | Sequence[str] | None,
    judge: Judge,
    known: QuasiIdentifiers,
    details: Mapping[str, Any],
) -> tuple[Verdict, ...]:
    given = {name: details[name] for name in ("original", "population", "beside")}
    evidence = Evidence(table.columns, names_of(sensitive), **given)
    found = judge_with(evidence, models, lambda decidable: judge(decidable) if decidable else ())
    return based_on(basis_of_table(table.columns, known, names_of(sensitive)), found)


def _finished(hierarchies: Mapping[str, HierarchySpec] | None) -> dict[str, Hierarchy] | None:
    """Return the hierarchies that can be used without the values of the original table."""
    if hierarchies is None:
        return None
    return {name: given for name, given in hierarchies.items() if isinstance(given, Hierarchy)}


def _given(
    models: Sequence[PrivacyModel] | None, quasi_identifiers: QuasiIdentifiers | None
) -> tuple[Sequence[PrivacyModel], QuasiIdentifiers]:
    """Return both, or say which one a table without a manifest still needs."""
    if not models:
        raise UsageError("a table brings no promises of its own; name at least one, such as k-anonymity:k=5")
    if not quasi_identifiers:
        raise UsageError("a table does not say which attributes an attacker may know; name the quasi-identifiers")
    return models, quasi_identifiers


def judged_in_part(published: Iterable[Any], verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts on published files, undecided where a workbook publishes more than the table that was judged.

    Parameters
    ----------
    published
        files and frames; only workbooks among them matter.
    verdicts
        on the tables that were read from them. A broken promise stays broken.
    """
    files = [Path(one) for one in published if isinstance(one, str | os.PathLike)]
    reasons = [reason for file in files if (extras := unread_of(file)) and (reason := _not_judged(extras))]
    return tuple(_undecided(verdict, " ".join(reasons)) for verdict in verdicts) if reasons else tuple(verdicts)


def _not_judged(extras: Extras) -> str:
    """Say what was published and not judged; empty if there is nothing."""
    parts = [*extras.not_read()]
    if extras.formulas:
        parts.append("formulas, of which only the stored values were judged")
    if not extras.is_examined:
        parts.append("possibly comments and formulas, which are examined in .xlsx and .xlsm files only")
    if not parts:
        return ""
    return f"{extras.name} also publishes what was not judged: {'; '.join(parts)}. Publish the table alone, as CSV."


def _undecided(verdict: Verdict, reason: str) -> Verdict:
    if verdict.holds is not True:
        return verdict.model_copy(update={"sentence": f"{verdict.sentence} {reason}"})
    found = f"Undecided: {reason} The table itself: {verdict.sentence}"
    return verdict.model_copy(update={"holds": None, "sentence": found})
