"""Check a table that was published several times."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.checker.crowds import judge_crowds, looks_of
from krypsis.checker.invariance import Bound, Invariance
from krypsis.checker.similarity import Similarity
from krypsis.checker.spellings import in_one_spelling
from krypsis.datasets.history import People, Version
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import DataError, InternalError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims
from krypsis.format.files import read_data, read_sensitive_table, read_tables, verify_files
from krypsis.format.types import restore_types
from krypsis.hierarchies.base import TOP, Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.correlation import Relations
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.m_invariance import MInvariance
from krypsis.models.number_line import NumberLine
from krypsis.models.verdict import Verdict

COUNTERFEITS = "counterfeits"
"""The name of the published table that tells how many counterfeits a group has."""

ALONE = "Whether everybody is among the same values in all releases cannot be seen from one of them."
UNRELATED = " How closely the values of a group are related cannot be seen without their hierarchy."


def check_history(
    versions: Sequence[Version],
    models: Sequence[PrivacyModel],
    bound: Bound | None = None,
    taxonomy: Hierarchy | None = None,
) -> tuple[Verdict, ...]:
    """Say for each promise whether all releases of a table that changes keep it together.

    Parameters
    ----------
    versions
        the releases, the oldest first. With more than one, they must know who is in which group: that somebody was in
        another group before cannot be seen from what is published.
    models
        the promises.
    bound
        what people are bound to by releases that are not among these.
    taxonomy
        the hierarchy of the sensitive attribute, for promises about how closely values are related.

    Examples
    --------
    >>> first = Version.of_signatures({"Ann": ["flu", "cancer"], "Bob": ["flu", "cancer"]})
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"], "Cat": ["flu", "asthma"]})
    >>> verdict, = check_history([first, second], [MInvariance(m=2)])
    >>> verdict.holds, verdict.offending
    (False, ({'values': {'person': 'Ann', 'signatures': '{cancer, flu}; {asthma, flu}'}, 'size': 2},))
    """
    if not versions:
        raise UsageError("no release is given; give the releases of the table, the oldest first")
    for model in models:
        if not isinstance(model, MInvariance | EMCorrelation | KAnonymity):
            raise UsageError(
                f"a promise about several releases is such as m-invariance:m=3, or k-anonymity:k=5 in each of them; "
                f"got {model!r}"
            )
        if isinstance(model, EMCorrelation) and model.limits is None and taxonomy is None:
            raise UsageError(
                f"{model.spec} is about how closely sensitive values are related, which their hierarchy tells; give it "
                "as 'taxonomy'"
            )
    several = len(versions) > 1 or bound is not None
    if several and any(version.members is None for version in versions):
        raise UsageError(
            "whether everybody is among the same values in all releases is decided by who is in which group, which is "
            "not published; give 'person' or 'people' with every version"
        )
    versions, bound, several_spellings = in_one_spelling(versions, bound, taxonomy)
    found = (_judge(model, versions, bound, taxonomy) for model in models)
    return tuple(
        verdict.model_copy(update={"sentence": verdict.sentence + several_spellings}) if several_spellings else verdict
        for verdict in found
    )


def _judge(
    model: PrivacyModel, versions: Sequence[Version], bound: Bound | None, taxonomy: Hierarchy | None
) -> Verdict:
    if isinstance(model, EMCorrelation) and model.limits is not None:
        line = NumberLine.of(_values(versions, bound), model.limits)
        return Similarity.of(versions, line, bound).judge(model)
    if isinstance(model, EMCorrelation) and taxonomy is not None:
        return Similarity.of(versions, Relations(taxonomy), bound).judge(model)
    if isinstance(model, KAnonymity):
        return judge_crowds(model, versions)
    if isinstance(model, MInvariance):
        return Invariance.of(versions, bound).judge(model)
    raise InternalError(f"{model.spec} was accepted, and nobody can judge it; please report this")


def _values(versions: Sequence[Version], bound: Bound | None) -> list[str | None]:
    """Return the different sensitive values of all releases."""
    columns = [version.records.get_column("value") for version in versions]
    columns += [] if bound is None else [bound.values.get_column("value")]
    return pl.concat([column.cast(pl.String).unique().rename("value") for column in columns]).unique().to_list()


def version_of_folder(
    path: str | os.PathLike[str], people: People | None = None, counterfeits: Mapping[Any, int] | None = None
) -> Version:
    """Return the version that the folder of a release publishes; ``people`` says who is in which group.

    How many counterfeits a group has is told by the release itself, unless given.

    Raises
    ------
    DataError
        if the release does not name the groups of its records, or not one sensitive attribute.
    """
    folder = Path(path)
    claims = Claims.read(folder)
    verify_files(folder, claims.files)
    if claims.group_column is None or len(claims.sensitive) != 1:
        raise DataError(
            f"{folder} must tell the group of every record and one sensitive attribute, as releases in groups do; read "
            "its table and name both with Version.of"
        )
    apart, table = read_sensitive_table(folder, claims), read_data(folder, claims)
    columns = claims.columns if claims.sensitive_table is None else claims.sensitive_table.columns
    # The state knows a value by its canonical text, in which a number is not written as in a CSV file: 3 and not 3.0.
    records = restore_types(table if apart is None else each_record(apart), columns, claims.sensitive)
    if counterfeits is None:
        counterfeits = counterfeits_in(folder, claims, ())
        version_with(records, claims.group_column, claims.sensitive[0], counterfeits)
    options: dict[str, Any] = {"people": people, "counterfeits": counterfeits}
    version = Version.of(records, group=claims.group_column, sensitive=claims.sensitive[0], **options)
    known = [name for names in claims.quasi_identifier_sets for name in names]
    return replace(version, looks=looks_of(table, known, claims.group_column))


def each_record(sensitive_table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of sensitive values counted by group with one row per record.

    Examples
    --------
    >>> each_record(pl.DataFrame({"group": ["1", "1"], "disease": ["flu", "cough"], "count": ["2", "1"]})).height
    3
    """
    number = sensitive_table.get_column(sensitive_table.columns[2]).cast(pl.Int64).to_numpy()
    return (
        sensitive_table
        if (number == 1).all()
        else sensitive_table[np.repeat(np.arange(sensitive_table.height), number)]
    )


def judge_alone(
    version: Version, models: Sequence[PrivacyModel], taxonomy: Hierarchy | None = None
) -> tuple[Verdict, ...]:
    """Say for each promise about several releases what one of them tells by itself, which never decides it.

    Without the hierarchy of the sensitive attribute, nothing is said about how closely its values are related.
    """
    alone = Version(version.records, None, version.counterfeits)
    found = check_history([alone], models, taxonomy=taxonomy or _flat(version))
    unseen = [UNRELATED * (taxonomy is None and getattr(model, "limits", ()) is None) for model in models]
    return tuple(_undecided(verdict, more) for verdict, more in zip(found, unseen, strict=True))


def _flat(version: Version) -> Hierarchy:
    """Return the hierarchy in which no two values are related."""
    values = version.records.get_column("value").cast(pl.String).unique().sort().to_list()
    rows = [[value, TOP] for value in values if value not in (None, TOP)]
    flat = Hierarchy.from_rows([*rows, *([[TOP, TOP]] if TOP in values or not rows else [])])
    return flat.with_missing() if None in values else flat


def _undecided(verdict: Verdict, more: str) -> Verdict:
    if not verdict.holds:
        return verdict
    figures = f"required {verdict.required:g}, achieved {verdict.achieved:g}"
    sentence = f"Undecided: nothing in this release contradicts it ({figures}). {ALONE}{more}"
    return verdict.model_copy(update={"holds": None, "sentence": sentence})


def counterfeits_in(folder: Path, claims: Claims, models: Sequence[PrivacyModel]) -> dict[str, int] | None:
    """Return how many counterfeits each group of a release has, as it declares them; ``None`` if it has no such table.

    Raises
    ------
    PromiseBroken
        if a release of a table that changes does not declare them, or the table holds anything but one count per group.
    """
    if COUNTERFEITS in claims.tables:
        return _declared(folder, read_tables(folder, claims)[COUNTERFEITS])
    if any(model.kind == "history" for model in models):
        raise PromiseBroken(
            f"{folder} is a release of a table that changes, and its manifest does not name the table "
            f"{COUNTERFEITS!r}, which says how many records nobody has; do not trust this release"
        )
    return None


def version_with(table: pl.DataFrame, group: str, sensitive: str, counterfeits: Mapping[str, int] | None) -> Version:
    """Return the groups of a release, after making sure that the declared counterfeits can be among its records.

    Raises
    ------
    PromiseBroken
        if a group has fewer records than counterfeits, or nothing else, or is not there.
    """
    version = Version.of(table, group=group, sensitive=sensitive)
    sizes = dict(version.records.get_column("group").value_counts().iter_rows())
    for name, count in (counterfeits or {}).items():
        if count >= sizes.get(name, 0):
            raise PromiseBroken(
                f"the table of counterfeits declares {count} in group {name!r}, which has {sizes.get(name, 0)} "
                "record(s); every group has a record of somebody: do not trust this release"
            )
    return replace(version, counterfeits=counterfeits)


def _declared(folder: Path, table: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a table of counterfeits."""
    if table.width != 2:
        raise PromiseBroken(f"the table of counterfeits of {folder} must have two columns, group and count")
    group, text = (text_of(column.rename(PLAIN)) for column in table.get_columns())
    count = text.cast(pl.Int64, strict=False)
    is_wrong = count.is_null() | (count < 1) | group.is_null() | group.is_duplicated()
    if is_wrong.any():
        shown = [f"{name},{number}" for name, number in zip(group.filter(is_wrong), text.filter(is_wrong), strict=True)]
        raise PromiseBroken(
            f"the table of counterfeits of {folder} must name every group once, with a whole number from 1 on; got "
            f"{shorten(shown, 5)}: do not trust this release"
        )
    return dict(zip(group, count, strict=True))
