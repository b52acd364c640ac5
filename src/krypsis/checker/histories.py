"""Check a table that was published several times."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.claims import Claims
from krypsis.checker.files import read_companion, read_data, verify_files
from krypsis.datasets.history import Version
from krypsis.errors import DataError, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.m_invariance import MInvariance
from krypsis.models.verdict import Verdict

SHOWN = 5
"""How many offending groups and persons a verdict shows."""


@dataclass(frozen=True, eq=False)
class _Finding:
    """What is wrong, over all releases."""

    groups: pl.DataFrame
    """``release``, ``group``, ``records``, ``values``, ``signature``, ``unique``: every group of every release."""
    changed: pl.DataFrame
    """``person``, ``signatures``: those whose signature is not always the same."""


def check_history(versions: Sequence[Version], models: Sequence[PrivacyModel]) -> tuple[Verdict, ...]:
    """Say for each promise whether all releases of a table that changes keep it together.

    Parameters
    ----------
    versions
        the releases, the oldest first. With more than one, they must know who is in which group: that somebody was in
        another group before cannot be seen from what is published.
    models
        the promises.

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
    if len(versions) > 1 and any(version.members is None for version in versions):
        raise UsageError(
            "whether everybody is among the same values in all releases is decided by who is in which group, which is "
            "not published; give 'person' or 'people' with every version"
        )
    finding = _find(versions)
    return tuple(_judge(model, finding, len(versions)) for model in models if isinstance(model, MInvariance))


def version_of_folder(
    path: str | os.PathLike[str], people: Mapping[Any, Any] | None = None, counterfeits: Mapping[Any, int] | None = None
) -> Version:
    """Return the version that the folder of a release publishes; ``people`` says who is in which group.

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
    if apart is not None:
        number = apart.columns[2]
        rows = pl.Series("row", range(apart.height)).repeat_by(apart.get_column(number).cast(pl.Int64)).explode()
        table = apart[rows.to_list()]
    options: dict[str, Any] = {"people": people, "counterfeits": counterfeits}
    return Version.of(table, group=claims.group_column, sensitive=claims.sensitive[0], **options)


def _find(versions: Sequence[Version]) -> _Finding:
    records = pl.concat(
        [one.records.with_columns(release=pl.lit(place)) for place, one in enumerate(versions, start=1)]
    )
    # Values as numbers, so that no sign in a value can make two signatures look the same.
    records = records.with_columns(code=pl.col("value").rank("dense").fill_null(0).cast(pl.Int64).cast(pl.String))
    groups = (
        records.group_by("release", "group")
        .agg(
            records=pl.len(),
            values=pl.col("code").n_unique(),
            signature=pl.col("code").unique().sort().str.join(","),
            names=pl.col("value").fill_null("(missing)").unique().sort().str.join(", "),
        )
        .sort("release", "group")
    )
    known = [
        one.members.with_columns(release=pl.lit(place))
        for place, one in enumerate(versions, start=1)
        if one.members is not None
    ]
    return _Finding(groups, _changed(pl.concat(known), groups) if known else pl.DataFrame())


def _changed(members: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    lives = members.join(groups, on=["release", "group"]).sort("person", "release")
    told = lives.group_by("person", maintain_order=True).agg(
        pl.col("signature").n_unique().alias("different"),
        (pl.lit("{") + pl.col("names") + pl.lit("}")).str.join("; ").alias("signatures"),
    )
    return told.filter(pl.col("different") > 1)


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
        offending=(*_groups_shown(refused), *_people_shown(changed)),
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


def _groups_shown(refused: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {"values": {"release": row["release"], "group": row["group"], "values": row["names"]}, "size": row["records"]}
        for row in refused.sort("records", maintain_order=True).head(SHOWN).iter_rows(named=True)
    ]


def _people_shown(changed: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {"values": {"person": row["person"], "signatures": row["signatures"]}, "size": row["different"]}
        for row in changed.head(SHOWN).iter_rows(named=True)
    ]
