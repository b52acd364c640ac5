"""Check anything that was published: a frame, a table file or the folder of a release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from krypsis.checker.base import Given, Missing, QuasiIdentifiers, check_of_manifest, check_of_promises
from krypsis.checker.evidence import read_evidence
from krypsis.checker.folder import check_folder
from krypsis.checker.grouping import Distribution
from krypsis.data.hierarchies import HierarchySpec
from krypsis.format.claims import Claims
from krypsis.io.paths import usable_path
from krypsis.io.read import unread_of
from krypsis.io.workbook_extras import Extras
from krypsis.models.base import PrivacyModel, Verdict


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
    private_columns: Any = None,
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
    private_columns
        Columns that are not published and that a promise counts, such as the number of a person: a table or a file with
        one record for each published one, in the same order; or the private record of a release.
    literal
        Count every spelling of a sensitive value as a value of its own, see :func:`krypsis.checker.table.check_table`.
    group
        The column that says which records form a group, where that cannot be seen from the quasi-identifiers. Promises
        about sensitive values are judged on these groups. A release folder brings its own.
    sensitive_table
        The sensitive values of such groups, where they are published separately: a table or a file with the columns
        group, value and count.
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
    given = Given(
        quasi_identifiers,
        sensitive,
        reference=reference,
        hierarchies=hierarchies,
        missing=missing,
        original=original,
        population=population,
        private_columns=private_columns,
        literal=literal,
        group=group,
        sensitive_table=sensitive_table,
        key=key,
        tables=tables,
        item=item,
        delimiter=delimiter,
        encoding=encoding,
    )
    if not _is_folder(published):
        found = check_of_promises(models or ()).check_data(published, models or (), given)
        return judged_in_part([published, sensitive_table, *(tables or {}).values()], found)
    given.refuse(("key", "tables", "item"), "promises about several tables or sets of items; leave it out")
    given = read_evidence(given)
    given.refuse(("delimiter", "encoding"), "CSV files; leave it out")
    path = Path(published)
    given.refuse(
        ("group", "sensitive_table"), f"tables of other tools; the release in {path} brings its own: leave it out"
    )
    details = given.named("reference", "hierarchies", "missing", "original", "population", "private_columns", "literal")
    return check_folder(path, models, quasi_identifiers, sensitive, **details)


def shows_records(published: Any, models: Sequence[PrivacyModel]) -> bool:
    """Say whether what is checked is one table of records, whose columns may give something away besides.

    Examples
    --------
    >>> from krypsis.models.km_anonymity import KmAnonymity
    >>> shows_records("people.csv", []), shows_records("baskets.csv", [KmAnonymity(k=2, m=2)])
    (True, False)
    """
    if models or not _is_folder(published):
        return check_of_promises(models).shows_records(models)
    return check_of_manifest(Claims.read(Path(published)), models).shows_records(models)


def _is_folder(data: Any) -> bool:
    return isinstance(data, str | Path) and usable_path(data).is_dir()


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
