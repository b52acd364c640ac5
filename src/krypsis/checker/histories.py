"""Check a table that was published several times."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.checker.claims import Claims
from krypsis.checker.files import read_companion, read_data, read_tables, verify_files
from krypsis.datasets.history import People, Version
from krypsis.errors import DataError, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.m_invariance import MInvariance
from krypsis.models.verdict import Verdict

COUNTERFEITS = "counterfeits"
"""The name of the published table that tells how many counterfeits a group has."""

ALONE = "Whether everybody is among the same values in all releases cannot be seen from one of them."

SHOWN = 5
"""How many offending groups and persons a verdict shows."""


@dataclass(frozen=True, eq=False)
class Bound:
    """What people are bound to: ``people`` has ``person`` and ``signature``, ``values`` ``signature`` and ``value``.

    Whoever keeps it after each release and compares the next one with it need not read all earlier ones again.
    """

    people: pl.DataFrame
    values: pl.DataFrame


@dataclass(frozen=True, eq=False)
class _Finding:
    """What is wrong, over all releases."""

    groups: pl.DataFrame
    """``release``, ``group``, ``records``, ``values``, ``signature``: every group of every release."""
    records: pl.DataFrame
    """``release``, ``group``, ``value``: every record."""
    changed: pl.DataFrame
    """``person``, ``different``, ``signatures``: those whose signature is not always the same."""


def check_history(
    versions: Sequence[Version], models: Sequence[PrivacyModel], bound: Bound | None = None
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
        if not isinstance(model, MInvariance):
            raise UsageError(f"a promise about several releases is such as m-invariance:m=3; got {model!r}")
    several = len(versions) > 1 or bound is not None
    if several and any(version.members is None for version in versions):
        raise UsageError(
            "whether everybody is among the same values in all releases is decided by who is in which group, which is "
            "not published; give 'person' or 'people' with every version"
        )
    finding = _find(versions, bound)
    return tuple(_judge(model, finding, len(versions)) for model in models if isinstance(model, MInvariance))


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
    table, apart = read_data(folder, claims), read_companion(folder, claims)
    if COUNTERFEITS in claims.tables and counterfeits is None:
        counterfeits = _told(read_tables(folder, claims)[COUNTERFEITS])
    options: dict[str, Any] = {"people": people, "counterfeits": counterfeits}
    return version_of_tables(table, apart, claims.group_column, claims.sensitive[0], **options)


def version_of_tables(
    table: pl.DataFrame, companion: pl.DataFrame | None, group: str, sensitive: str, **options: Any
) -> Version:
    """Return the version that published tables tell; for the options see :meth:`Version.of`."""
    if companion is not None:
        number = companion.get_column(companion.columns[2]).cast(pl.Int64).to_numpy()
        table = companion[np.repeat(np.arange(companion.height), number)]
    return Version.of(table, group=group, sensitive=sensitive, **options)


def judge_alone(version: Version, models: Sequence[PrivacyModel]) -> tuple[Verdict, ...]:
    """Say for each promise about several releases what one of them tells by itself, which never decides it."""
    alone = Version(version.records, None, version.counterfeits)
    return tuple(
        verdict.model_copy(update={"proven": False, "sentence": f"{verdict.sentence} {ALONE}"})
        for verdict in check_history([alone], models)
    )


def _told(table: pl.DataFrame) -> dict[str, int]:
    group, count = table.get_columns()
    return dict(zip(group.cast(pl.String), count.cast(pl.Int64), strict=True))


def _find(versions: Sequence[Version], bound: Bound | None) -> _Finding:
    parts = [one.records.with_columns(release=pl.lit(place)) for place, one in enumerate(versions, start=1)]
    if bound is not None:  # as if it were a release before all others, with a group for each signature
        parts.append(bound.values.select(group=pl.col("signature").cast(pl.String), value="value", release=pl.lit(0)))
    records = pl.concat(parts)
    # Values as numbers, so that no sign in a value can make two signatures look the same.
    records = records.with_columns(code=pl.col("value").rank("dense").fill_null(0).cast(pl.UInt32))
    sizes = records.group_by("release", "group").len("records")
    different = records.select("release", "group", "code").unique().sort("release", "group", "code")
    groups = (
        different.group_by("release", "group", maintain_order=True)
        .agg(values=pl.len(), codes=pl.col("code"))
        .with_columns(signature=pl.col("codes").cast(pl.List(pl.String)).list.join(","))
        .drop("codes")
        .join(sizes, on=["release", "group"], how="left", maintain_order="left")
    )
    known = [
        one.members.select("person", "group", release=pl.lit(place))
        for place, one in enumerate(versions, start=1)
        if one.members is not None
    ]
    if bound is not None:
        known.append(bound.people.select("person", group=pl.col("signature").cast(pl.String), release=pl.lit(0)))
    changed = _changed(pl.concat(known), groups, records) if known else pl.DataFrame()
    return _Finding(groups.filter(pl.col("release") > 0), records, changed)


def _changed(members: pl.DataFrame, groups: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    lives = members.join(groups.select("release", "group", "signature"), on=["release", "group"])
    ends = lives.group_by("person").agg(first=pl.col("signature").min(), last=pl.col("signature").max())
    changed = lives.join(ends.filter(pl.col("first") != pl.col("last")), on="person", how="semi")
    told = changed.join(_named(changed, records), on=["release", "group"]).sort("person", "release")
    return told.group_by("person", maintain_order=True).agg(
        pl.col("signature").n_unique().alias("different"),
        (pl.lit("{") + pl.col("names") + pl.lit("}")).str.join("; ").alias("signatures"),
    )


def _named(groups: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """Return the values of groups as text."""
    inside = records.join(groups, on=["release", "group"], how="semi")
    return inside.group_by("release", "group").agg(
        names=pl.col("value").fill_null("(missing)").unique().sort().str.join(", ")
    )


def _judge(model: MInvariance, finding: _Finding, releases: int) -> Verdict:
    groups = finding.groups
    accepted = model.accepts(groups["records"].to_numpy(), groups["values"].to_numpy())
    refused, changed = groups.filter(pl.Series(~accepted)), finding.changed
    repeated = (groups["values"] < groups["records"]).any()
    achieved = 0 if changed.height or repeated else int(groups["records"].min())  # type: ignore[arg-type]
    holds = refused.is_empty() and changed.is_empty()
    return Verdict(
        promise=model.spec,
        holds=holds,
        required=model.required,
        achieved=float(achieved),
        sentence=_sentence(
            model, refused.height, finding, f"required at least {model.m}, achieved {achieved}", releases
        ),
        offending=(*_groups_shown(refused, finding.records), *_people_shown(changed)),
    )


def _sentence(model: MInvariance, refused: int, finding: _Finding, figures: str, releases: int) -> str:
    over = f"over {releases} release(s)"
    if not refused and not finding.changed.height:
        return f"Kept {over}: {model.promise()} ({figures})."
    parts = [
        f"{refused} of {finding.groups.height} groups are smaller or hold a sensitive value twice" * bool(refused),
        f"{finding.changed.height} person(s) are not always among the same values" * bool(finding.changed.height),
    ]
    found = "; ".join(filter(None, parts))
    return f"Not kept {over}: {found}. The promise is that {model.promise()} ({figures})."


def _groups_shown(refused: pl.DataFrame, records: pl.DataFrame) -> list[dict[str, object]]:
    shown = refused.sort("records", maintain_order=True).head(SHOWN)
    named = shown.join(_named(shown, records), on=["release", "group"], how="left", maintain_order="left")
    return [
        {"values": {"release": row["release"], "group": row["group"], "values": row["names"]}, "size": row["records"]}
        for row in named.iter_rows(named=True)
    ]


def _people_shown(changed: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {"values": {"person": row["person"], "signatures": row["signatures"]}, "size": row["different"]}
        for row in changed.head(SHOWN).iter_rows(named=True)
    ]
