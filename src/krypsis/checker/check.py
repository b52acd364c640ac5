"""Check anything that was published: a frame, a table file or the folder of a release.

Check a release from its published files alone.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from krypsis import registry
from krypsis.checker.base import (
    NOTHING,
    OPTIONAL_FIELDS,
    Given,
    KindCheck,
    attribute_sets,
    based_on,
    check_of_manifest,
    check_of_promises,
    names_of,
)
from krypsis.checker.evidence import Evidence, judge_with, read_evidence, unknown_promise
from krypsis.errors import DataError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import PARTED_FORMAT, Claims, PromiseClaim
from krypsis.format.files import PARQUET, verify_files
from krypsis.io.item_sets import ITEM
from krypsis.io.parquet_parts import is_parts
from krypsis.io.paths import usable_path
from krypsis.io.read import unread_of
from krypsis.io.workbook_extras import Extras
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.promises import has_unknown_model, read_promise

KNOWN_WRITER = re.compile(r"polars [0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc|-alpha\.|-beta\.|-rc\.)[0-9]{1,3})?")
"""How the manifest names what wrote its Parquet files."""

STATED = ("quasi_identifiers", "sensitive", "dependencies")
"""What a manifest states, and whoever checks may know otherwise."""

COLUMNS = ("group_column", "subject_column")
"""Fields of a manifest that name one column."""


def check_folder(
    path: Path | str, models: Sequence[PrivacyModel] | None = None, given: Given = NOTHING
) -> tuple[Verdict, ...]:
    """Say for each promise of a release whether its published files keep it.

    Promises, quasi-identifiers, sensitive attributes and reference distributions come from the manifest unless given.

    Raises
    ------
    PromiseBroken
        if the files are not the ones that the manifest names, or the manifest claims a level the data does not have.
    DataError
        if there is no manifest, or none that this version understands.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; give the folder of a release")
    claims = Claims.read(folder)
    verify_files(folder, claims.files)
    known = [claim for claim in claims.promises if not has_unknown_model(claim.promise)]
    own = [read_promise(claim.promise) for claim in known]
    kind = check_of_manifest(claims, own)
    _refuse_unjudged(folder, claims, own, kind)
    _refuse_public(kind, given)
    if kind.gives_roles:
        given = given.on_columns(_published_columns(claims))
    if given.from_plan and _is_claimed(claims, models, given):
        models, given = None, replace(given, quasi_identifiers=None, sensitive=None, dependencies=None)
    promises = own if models is None else models
    if not (promises or claims.promises or claims.guarantee):
        raise UsageError(f"no promise is given: neither by the manifest of {folder} nor by you; name at least one")
    hidden = names_of(claims.sensitive if given.sensitive is None else given.sensitive)
    columns, private = (
        [column.name for column in claims.columns],
        given.named("original", "population", "private_columns"),
    )
    evidence = Evidence(columns, hidden, **private, mechanism_record=claims.mechanism_record)
    verdicts = judge_with(evidence, promises, partial(check_data, folder, claims, given=given))
    basis = kind.basis(claims, given.quasi_identifiers, None if given.sensitive is None else hidden)
    verdicts = based_on(basis, verdicts)
    is_as_claimed = models is None and not any(map(given.has, (*STATED, "public")))
    if is_as_claimed and given.missing == "value" and not given.literal:
        _check_claims(folder, known, verdicts)
    return verdicts if models is not None else _with_unknown(claims, verdicts)


def _refuse_public(kind: KindCheck, given: Given) -> None:
    if not kind.knows_public:
        given.refuse(("public",), "ontologies; leave it out")


def _published_columns(claims: Claims) -> set[str]:
    """Return the columns of all tables that a release publishes."""
    second = () if claims.sensitive_table is None else claims.sensitive_table.columns
    further = [column for table in claims.tables.values() for column in table.columns]
    return {column.name for column in (*claims.columns, *second, *further)}


def _is_claimed(claims: Claims, models: Sequence[PrivacyModel] | None, given: Given) -> bool:
    """Say whether promises and roles are those that a manifest states, in whatever order."""
    if models is not None and {model.spec for model in models} != {claim.promise for claim in claims.promises}:
        return False
    known, stated = given.quasi_identifiers, set(map(frozenset, claims.quasi_identifier_sets))
    if known is not None and set(map(frozenset, attribute_sets(known))) != stated:
        return False
    rules = given.dependencies
    if rules is not None and {_rule(rule) for rule in rules} != {
        (one.rule, one.mapping) for one in claims.dependencies
    }:
        return False
    return given.sensitive is None or {*names_of(given.sensitive)} == {*claims.sensitive, *claims.sensitive_items}


def _rule(given: Any) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return a rule as a manifest states it."""
    return getattr(given, "text", given), getattr(given, "mapping", ())


def _with_unknown(claims: Claims, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return a verdict for each promise of a manifest: those whose model is not known are undecided."""
    found = iter(verdicts)
    return tuple(
        unknown_promise(claim.promise, claim.required) if has_unknown_model(claim.promise) else next(found)
        for claim in claims.promises
    )


def check_data(
    folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given = NOTHING
) -> tuple[Verdict, ...]:
    """Read the data files in a folder back and say for each promise whether they keep it."""
    return check_of_manifest(claims, models).check_files(folder, claims, models, given)


def _check_claims(folder: Path, promises: Sequence[PromiseClaim], verdicts: Sequence[Verdict]) -> None:
    """Refuse a manifest that says more than the data keeps, or less: it was not made from this data.

    What is kept of a promise about a population depends on the population, which is no part of the release.
    """
    for claim, verdict in zip(promises, verdicts, strict=True):
        if read_promise(claim.promise).needs_population or verdict.achieved is None:
            continue
        if claim.proven and not verdict.decided:
            raise PromiseBroken(
                f"the manifest of {folder} claims that {claim.promise} is proven, which its files cannot show; do not "
                "trust this release"
            )
        if not math.isclose(claim.required, verdict.required, rel_tol=1e-9):
            raise PromiseBroken(
                f"the manifest of {folder} says that {claim.promise} requires {claim.required:.6g}, but it requires "
                f"{verdict.required:.6g}; do not trust this release"
            )
        if not math.isclose(claim.achieved, verdict.achieved, rel_tol=1e-6, abs_tol=1e-9):
            raise PromiseBroken(
                f"the manifest of {folder} claims {claim.achieved:.6g} for {claim.promise}, "
                f"but the published data has {verdict.achieved:.6g}; do not trust this release"
            )


def _refuse_unjudged(folder: Path, claims: Claims, promises: Sequence[PrivacyModel], kind: KindCheck) -> None:
    """Raise if a manifest declares files, tables or values that no promise of the release is judged on.

    Raises
    ------
    PromiseBroken
        with what is declared and not judged.
    """
    names = sorted({file.name for file in claims.files} - kind.files(claims))
    if claims.format == PARTED_FORMAT and not kind.reads_parts:
        raise PromiseBroken(f"{folder} publishes data of the kind {kind.name!r} in parts; do not trust this release")
    found = [*(f"the file {name}" for name in names), *_strange_names(claims), *_strange_writer(claims)]
    found += _strange_metrics(claims, kind)
    found += kind.unjudged(claims, promises)
    others = [name for name in OPTIONAL_FIELDS if name not in kind.judged_fields]
    found += [f"the field {name}" for name in others if getattr(claims, name) not in (None, (), {})]
    if found:
        raise PromiseBroken(
            f"the manifest of {folder} declares what no promise is judged on: {shorten(found, 5)}; nothing is known "
            "about it: do not trust this release"
        )


def _strange_writer(claims: Claims) -> Iterator[str]:
    """Yield a name of what wrote Parquet files that is no version of polars, or where there are none."""
    has_parquet = any(file.name.endswith(PARQUET) for file in claims.files)
    if claims.parquet_writer and not (has_parquet and KNOWN_WRITER.fullmatch(claims.parquet_writer)):
        yield f"{claims.parquet_writer!r} as the writer of Parquet files"


def _strange_metrics(claims: Claims, kind: KindCheck) -> Iterator[str]:
    """Yield figures that belong to no metric: their names, or their digits, could say anything about anybody.

    The publisher's own metric is known by being the one that the release minimizes.
    """
    own = claims.metric.partition(":")[0]
    if own and not registry.NAME.fullmatch(own):
        yield f"the metric {claims.metric!r}"
    known = registry.names_in_sources("metric") | {own} if kind.publishes_figures else frozenset()
    for name, value in claims.metrics.items():
        if name not in known:
            yield f"{value:g} for {name!r} among the metrics"


def _strange_names(claims: Claims) -> Iterator[str]:
    """Yield fields that name columns which are not published."""
    published = {column.name for column in claims.columns}
    further = {f"{name}.{column.name}" for name, table in claims.tables.items() for column in table.columns}
    known = {*published, *further, *claims.sensitive, ITEM}
    for field in ("weights", "hierarchies", "levels", "heights"):
        yield from (f"{field} of {name!r}" for name in getattr(claims, field) if name not in known)
    for field in ("reference", "sensitive_hierarchies"):
        yield from (f"{field} of {name!r}" for name in getattr(claims, field) if name not in claims.sensitive)
    named = {"quasi_identifier_sets": {name for names in claims.quasi_identifier_sets for name in names}}
    named |= {field: {name} for field in COLUMNS if (name := getattr(claims, field)) is not None}
    for field, names in named.items():
        yield from (f"{field} with {name!r}" for name in sorted(names - published))


def check(published: Any, models: Sequence[PrivacyModel] | None = None, given: Given = NOTHING) -> tuple[Verdict, ...]:
    """Say for each promise whether what was published keeps it; where that needs more than is given, it is undecided.

    Parameters
    ----------
    published
        A polars, pandas or pyarrow frame or a duckdb relation; the folder of a release; a table file; or a table in
        several Parquet files, as their folder or a pattern such as ``parts/*.parquet``, read one at a time. Of a
        workbook the first sheet is judged; if it publishes more, such as further sheets or comments, no promise is
        shown.
    models
        The promises. A release folder brings its own.
    given
        What else is known: of a table all of it, of a release folder what its manifest does not say.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> published = pl.DataFrame({"age": ["[30-35)", "[30-35)"], "disease": ["Flu", "Fever"]})
    >>> [verdict.holds for verdict in check(published, [KAnonymity(k=2)], Given(["age"]))]
    [True]
    """
    if not is_folder(published):
        kind = check_of_promises(models or ())
        _refuse_public(kind, given)
        found = kind.check_data(published, models or (), given)
        return judged_in_part([published, given.sensitive_table, *(given.tables or {}).values()], found)
    given.refuse(("key", "tables", "item"), "promises about several tables or sets of items; leave it out")
    given = read_evidence(given)
    given.refuse(("delimiter", "encoding"), "CSV files; leave it out")
    path = Path(published)
    given.refuse(
        ("group", "sensitive_table"), f"tables of other tools; the release in {path} brings its own: leave it out"
    )
    return check_folder(path, models, given)


def shows_records(published: Any, models: Sequence[PrivacyModel]) -> bool:
    """Say whether what is checked is one table of records, whose columns may give something away besides.

    Examples
    --------
    >>> from krypsis.models.km_anonymity import KmAnonymity
    >>> shows_records("people.csv", []), shows_records("baskets.csv", [KmAnonymity(k=2, m=2)])
    (True, False)
    """
    if models or not is_folder(published):
        return check_of_promises(models).shows_records(models)
    return check_of_manifest(Claims.read(Path(published)), models).shows_records(models)


def is_folder(data: Any) -> bool:
    """Say whether what is checked is a folder, as of a release, and not one of the files of a table."""
    return isinstance(data, str | Path) and usable_path(data).is_dir() and not is_parts(data)


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
