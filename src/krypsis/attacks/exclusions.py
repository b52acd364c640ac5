"""What follows in single releases from values that some people are known not to have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.cascade import PEOPLE_AT_ONCE, Cascade
from krypsis.attacks.chances import chances_of
from krypsis.attacks.learned import COLUMNS, Learned
from krypsis.attacks.trails import Trails


def chances_with_exclusions(
    trails: Trails, kind: IntArray, allowed: BoolArray, name: str, exact_people: int
) -> Learned:
    """Return the chances in every group with people who cannot have one of its values.

    ``kind`` is a number for each person, and ``allowed[kind, value]`` says what such people can have. Every release is
    looked at by itself; of several that concern a person, the one with the surest value counts.
    """
    found = []
    concerned = _concerned(trails, kind, allowed)
    for release in np.unique(trails.member_release[concerned]).tolist():
        part = trails.restricted_to(concerned & (trails.member_release == release))
        found.append(chances_of(Cascade.of(part, kind, allowed).run(), name, exact_people).chances)
    return Learned(name, _surest(found))


def _concerned(trails: Trails, kind: IntArray, allowed: BoolArray) -> BoolArray:
    """Return for each member whether somebody in the group is excluded from a value of it."""
    group = np.zeros(trails.groups, dtype=np.bool_)
    members = len(trails.member_person)
    for begin in range(0, members, PEOPLE_AT_ONCE):
        person, slot = trails.links(np.arange(begin, min(begin + PEOPLE_AT_ONCE, members)))
        excluded = ~allowed[kind[person], trails.slot_value[slot]]
        group[trails.slot_group[slot[excluded]]] = True
    return np.asarray(group[trails.member_group])


def _surest(found: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return for each person the chances in the release with the surest value."""
    if not found:
        return pl.DataFrame(schema=COLUMNS)
    rows = pl.concat([one.with_columns(release=pl.lit(place)) for place, one in enumerate(found)])
    best = rows.group_by("person", "release").agg(
        low_best=(pl.col("low") / pl.col("low_of")).max(), high_best=(pl.col("high") / pl.col("high_of")).max()
    )
    best = best.sort("low_best", "high_best", "release", descending=[True, True, False])
    chosen = best.unique("person", keep="first", maintain_order=True).select("person", "release")
    return rows.join(chosen, on=["person", "release"], how="semi", maintain_order="left").drop("release")
