"""Check a release from its published files alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from krypsis.checker.basis import based_on, basis_of_release
from krypsis.checker.declared import refuse_unjudged
from krypsis.checker.evidence import Evidence, judge_with, unknown_promise
from krypsis.checker.grouping import Distribution
from krypsis.checker.histories import counterfeits_in
from krypsis.checker.original import Original
from krypsis.checker.published import Published, check_published
from krypsis.checker.sets import check_sets_in
from krypsis.checker.table import Missing, QuasiIdentifiers, names_of
from krypsis.checker.views import SubjectTable
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import DataError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims, PromiseClaim
from krypsis.format.files import DATA, read_data, read_sensitive_table, read_tables, verify_files
from krypsis.format.types import restore_types
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.promises import has_unknown_model, read_promise
from krypsis.models.verdict import Verdict
from krypsis.schema import Role


def check_folder(
    path: Path | str,
    models: Sequence[PrivacyModel] | None = None,
    quasi_identifiers: QuasiIdentifiers | None = None,
    sensitive: str | Sequence[str] | None = None,
    *,
    reference: Mapping[str, Distribution] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "value",
    original: Original | None = None,
    population: Original | None = None,
    beside: pl.DataFrame | None = None,
    literal: bool = False,
) -> tuple[Verdict, ...]:
    """Say for each promise of a release whether its published files keep it.

    Promises, quasi-identifiers, sensitive attributes and reference distributions come from the manifest unless given.

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
    refuse_unjudged(folder, claims, own)
    promises = own if models is None else models
    if not (promises or claims.promises or claims.guarantee):
        raise UsageError(f"no promise is given: neither by the manifest of {folder} nor by you; name at least one")
    hidden = names_of(claims.sensitive if sensitive is None else sensitive)
    columns = [column.name for column in claims.columns]
    given = Evidence(columns, hidden, original, population, beside, claims.mechanism_record)
    verdicts = judge_with(
        given,
        promises,
        lambda decidable: check_data(
            folder,
            claims,
            decidable,
            quasi_identifiers,
            sensitive,
            reference=reference,
            hierarchies=hierarchies,
            missing=missing,
            original=original,
            population=population,
            beside=beside,
            literal=literal,
        ),
    )
    basis = basis_of_release(claims, quasi_identifiers, None if sensitive is None else hidden)
    verdicts = based_on(basis, verdicts)
    if models is None and quasi_identifiers is None and sensitive is None and missing == "value" and not literal:
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
    *,
    reference: Mapping[str, Distribution] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "value",
    original: Original | None = None,
    population: Original | None = None,
    beside: pl.DataFrame | None = None,
    literal: bool = False,
) -> tuple[Verdict, ...]:
    """Read the data files in a folder back and say for each promise whether they keep it."""
    if claims.kind == "transactions":
        return check_sets_in(folder, claims, models, (hierarchies or {}).get("item"))
    _check_roles(folder, claims)
    # The quasi-identifiers stay as they are written; sensitive values are compared with those of the reference.
    table = restore_types(read_data(folder, claims), claims.columns, claims.sensitive)
    if reference is None:
        _check_reference(folder, claims, table)
    linked = _subjects(folder, claims, table)
    false = counterfeits_in(folder, claims, models)
    published = Published(
        table, claims.group_column, _sensitive_table(folder, claims), claims.mechanism_record, linked, false
    )
    return check_published(
        published,
        models,
        claims.quasi_identifier_sets if quasi_identifiers is None else quasi_identifiers,
        claims.sensitive if sensitive is None else sensitive,
        reference=claims.distributions if reference is None else reference,
        hierarchies={**claims.hierarchies_of_sensitive, **(hierarchies or {})},
        missing=missing,
        original=original,
        population=population,
        beside=beside,
        literal=literal,
    )


def _sensitive_table(folder: Path, claims: Claims) -> pl.DataFrame | None:
    table = read_sensitive_table(folder, claims)
    if table is None or claims.sensitive_table is None:
        return None
    return restore_types(table, claims.sensitive_table.columns, table.columns)


def _subjects(folder: Path, claims: Claims, table: pl.DataFrame) -> dict[str, SubjectTable]:
    """Return the tables of a release of several, the first under the name of its file."""
    column = claims.subject_column
    if column is None:
        return {}
    first = tuple(one.name for one in claims.columns if one.role is Role.QUASI_IDENTIFIER)
    further = read_tables(folder, claims)
    known = {name: SubjectTable(further[name], column, one.quasi_identifiers) for name, one in claims.tables.items()}
    return {DATA: SubjectTable(table, column, first), **known}


def _check_roles(folder: Path, claims: Claims) -> None:
    """Refuse roles that contradict each other: a promise would be judged on less than the manifest says is known."""
    apart = () if claims.sensitive_table is None else claims.sensitive_table.columns
    further = (column for table in claims.tables.values() for column in table.columns)
    if named := [column.name for column in (*claims.columns, *apart, *further) if column.role is Role.IDENTIFIER]:
        raise PromiseBroken(f"{folder} publishes {shorten(named)}, which its manifest calls an identifier")
    known = [column.name for column in claims.columns if column.role is Role.QUASI_IDENTIFIER]
    judged = {name for names in claims.quasi_identifier_sets for name in names}
    if left_out := [name for name in known if name not in judged]:
        raise PromiseBroken(
            f"the manifest of {folder} calls {shorten(left_out)} a quasi-identifier and leaves it out of all sets that "
            "promises are judged on; do not trust this release"
        )
    if claims.group_column in known:
        raise PromiseBroken(
            f"the manifest of {folder} calls {claims.group_column!r} a quasi-identifier and the number of a group; "
            "do not trust this release"
        )


def _check_reference(folder: Path, claims: Claims, table: pl.DataFrame) -> None:
    """Refuse a distribution of the whole table that the published part of the table cannot come from."""
    for name, whole in claims.distributions.items():
        published = _counted(table.get_column(name)) if name in table.columns else Counter()
        if sum(whole.values()) != claims.rows_before or published - Counter(whole):
            raise PromiseBroken(
                f"the manifest of {folder} tells a distribution of {name!r} in the whole table of "
                f"{claims.rows_before} records that the published records cannot come from; do not trust this release"
            )


def _counted(column: pl.Series) -> Counter[str | None]:
    return Counter(dict(text_of(column.rename(PLAIN)).value_counts().iter_rows()))


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
