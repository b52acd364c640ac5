"""How many people look alike in the releases of a table that changes, where some records are counterfeits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.datasets.history import Version
from krypsis.datasets.numbering import numbered
from krypsis.datasets.texts import text_of
from krypsis.errors import UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.verdict import Verdict


def looks_of(table: pl.DataFrame, quasi_identifiers: Sequence[str], group_column: str) -> pl.DataFrame:
    """Return the group of each published record, and a number that records with equal quasi-identifiers share.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*", "3*", "4*"], "g": [1, 1, 2]})
    >>> first, second, third = looks_of(table, ["age"], "g")["look"]
    >>> first == second, second == third
    (True, False)
    """
    look = np.zeros(table.height, dtype=np.int64)
    for name in dict.fromkeys(quasi_identifiers):
        (codes,), limit = numbered([text_of(table.get_column(name)).rename("value")])
        look = np.unique(look * max(limit, 1) + codes, return_inverse=True)[1].astype(np.int64)
    return pl.DataFrame({"group": text_of(table.get_column(group_column)), "look": look})


def people_alike(version: Version) -> IntArray:
    """Return how many people share each look, at the least: counterfeits of a group may be among any of its records.

    Examples
    --------
    >>> looks = pl.DataFrame({"group": ["1", "1", "2"], "look": [0, 0, 1]})
    >>> records = pl.DataFrame({"group": ["1", "1", "2"], "value": ["a", "b", "a"]})
    >>> people_alike(Version(records, counterfeits={"1": 1}, looks=looks)).tolist()
    [1, 1]
    """
    if version.looks is None:
        raise UsageError("how many people look alike is decided by the published quasi-identifiers; read the release")
    counts = version.looks.group_by("look", "group").len("records")
    false = _counterfeits(counts.get_column("group"), version.counterfeits or {})
    real = counts.get_column("records").cast(pl.Int64).to_numpy() - np.minimum(
        false, counts.get_column("records").to_numpy()
    )
    found: IntArray = np.bincount(counts.get_column("look").to_numpy(), weights=real).astype(np.int64)
    return found


def judge_crowds(model: KAnonymity, versions: Sequence[Version]) -> Verdict:
    """Say whether at least ``k`` people look alike in each of the releases; counterfeits are nobody."""
    alike = [people_alike(version) for version in versions]
    smallest = min((int(one.min()) for one in alike if len(one)), default=0)
    broken = [int((one < model.k).sum()) for one in alike]
    figures = f"required at least {model.k}, achieved {smallest}"
    others = "1 other person" if model.k == 2 else f"{model.k - 1} other people"
    promise = f"everybody looks like at least {others} in the quasi-identifiers of each release"
    over = f"in {len(versions)} release(s)"
    sentence = (
        f"Not kept {over}: {sum(broken)} combination(s) of quasi-identifiers stand for fewer people. The promise is "
        f"that {promise}; counterfeits do not count ({figures})."
        if sum(broken)
        else f"Kept {over}: {promise}; counterfeits do not count ({figures})."
    )
    return Verdict(
        promise=model.spec,
        holds=not sum(broken),
        required=model.required,
        achieved=float(smallest),
        sentence=sentence,
        offending=tuple(
            {"values": {"release": number + 1}, "size": int(one.min())}
            for number, one in enumerate(alike)
            if broken[number]
        ),
    )


def _counterfeits(groups: pl.Series, told: Mapping[str, int]) -> IntArray:
    return np.array([told.get(group, 0) for group in groups.to_list()], dtype=np.int64)
