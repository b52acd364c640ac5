"""Check a release from its published files alone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from krypsis.checker.base import (
    OPTIONAL_FIELDS,
    Given,
    KindCheck,
    QuasiIdentifiers,
    based_on,
    check_of_manifest,
    names_of,
)
from krypsis.checker.evidence import Evidence, judge_with, unknown_promise
from krypsis.errors import DataError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims, PromiseClaim
from krypsis.format.files import PARQUET, verify_files
from krypsis.io.set_tables import ITEM
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.promises import has_unknown_model, read_promise

KNOWN_WRITER = re.compile(r"polars [0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc|-alpha\.|-beta\.|-rc\.)[0-9]{1,3})?")
"""How the manifest names what wrote its Parquet files."""

COLUMNS = ("group_column", "subject_column")
"""Fields of a manifest that name one column."""


def check_folder(
    path: Path | str,
    models: Sequence[PrivacyModel] | None = None,
    quasi_identifiers: QuasiIdentifiers | None = None,
    sensitive: str | Sequence[str] | None = None,
    **details: Any,
) -> tuple[Verdict, ...]:
    """Say for each promise of a release whether its published files keep it.

    Promises, quasi-identifiers, sensitive attributes and reference distributions come from the manifest unless given.
    For ``details`` see :func:`krypsis.checker.table.check_table`.

    Raises
    ------
    PromiseBroken
        if the files are not the ones the manifest speaks of, or the manifest claims a level the data does not have.
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
    promises = own if models is None else models
    if not (promises or claims.promises or claims.guarantee):
        raise UsageError(f"no promise is given: neither by the manifest of {folder} nor by you; name at least one")
    given = Given(quasi_identifiers, sensitive, **details)
    hidden = names_of(claims.sensitive if sensitive is None else sensitive)
    columns, private = (
        [column.name for column in claims.columns],
        given.named("original", "population", "private_columns"),
    )
    evidence = Evidence(columns, hidden, **private, mechanism_record=claims.mechanism_record)
    judge = partial(check_data, folder, claims, quasi_identifiers=quasi_identifiers, sensitive=sensitive, **details)
    verdicts = judge_with(evidence, promises, judge)
    basis = kind.basis(claims, quasi_identifiers, None if sensitive is None else hidden)
    verdicts = based_on(basis, verdicts)
    is_as_claimed = models is None and quasi_identifiers is None and sensitive is None
    if is_as_claimed and given.missing == "value" and not given.literal:
        _check_claims(folder, known, verdicts)
    return verdicts if models is not None else _with_unknown(claims, verdicts)


def _with_unknown(claims: Claims, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return a verdict for each promise of a manifest: those whose model is not known are undecided."""
    found = iter(verdicts)
    return tuple(
        unknown_promise(claim.promise, claim.required) if has_unknown_model(claim.promise) else next(found)
        for claim in claims.promises
    )


def check_data(
    folder: Path,
    claims: Claims,
    models: Sequence[PrivacyModel],
    quasi_identifiers: QuasiIdentifiers | None = None,
    sensitive: str | Sequence[str] | None = None,
    **details: Any,
) -> tuple[Verdict, ...]:
    """Read the data files in a folder back and say for each promise whether they keep it.

    For ``details`` see :func:`krypsis.checker.table.check_table`.
    """
    given = Given(quasi_identifiers, sensitive, **details)
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
    found = [*(f"the file {name}" for name in names), *_strange_names(claims), *_strange_writer(claims)]
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
