"""What the releases of a table that changes reveal together: who is among which sensitive values, and when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import judges
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.io.history import Version
from krypsis.io.texts import numbered
from krypsis.models.base import Verdict
from krypsis.models.m_invariance import MInvariance

SHOWN = 5
"""How many offending groups and persons a verdict shows."""

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class Bound:
    """What people are bound to: ``people`` has ``person`` and ``signature``, ``values`` ``signature`` and ``value``.

    Whoever keeps it after each release and compares the next one with it need not read all earlier ones again.
    """

    people: pl.DataFrame
    values: pl.DataFrame
    is_lowest: bool = False
    """Whether no release before published anything more special, and none after may."""

    def as_version(self) -> Version:
        """Return it as a release with one group per signature; a group may have more people than records."""
        records = self.values.select(group=pl.col("signature").cast(pl.String), value="value")
        return Version(records)


@dataclass(frozen=True, eq=False)
class Versions:
    """The releases of a table that changes, the oldest first."""

    versions: Sequence[Version]
    bound: Bound | None = None
    """What people are bound to by releases that are not among these."""
    taxonomy: Hierarchy | None = None
    """The hierarchy of the sensitive attribute."""


@judges(MInvariance, Versions)
def _judge_versions(model: MInvariance, published: Versions) -> Verdict:
    return Invariance.of(published.versions, published.bound).judge(model)


@dataclass(frozen=True, eq=False)
class ReleasedGroups:
    """The groups of one release, by number: how many records, how many different values, and which."""

    sizes: IntArray
    values: IntArray
    signature: IntArray
    """Equal where groups hold the same values, in whatever release."""


@dataclass(frozen=True, eq=False)
class Invariance:
    """All releases, with the groups of each and the group of everybody in each."""

    versions: tuple[Version, ...]
    groups: tuple[ReleasedGroups, ...]
    is_changed: BoolArray
    """For each person, whether the signature is not always the same."""
    people: pl.Series
    """The names of the persons."""
    bound: Bound | None

    @classmethod
    def of(cls, versions: Sequence[Version], bound: Bound | None = None) -> "Invariance":
        """Return what the releases reveal, and what people are bound to by others before them."""
        seen = [*versions, *([] if bound is None else [bound.as_version()])]
        groups = _groups_of(seen)
        lives = [version.members for version in versions if version.members is not None]
        names = [*(one.get_column("person") for one in lives), *([] if bound is None else [bound.people["person"]])]
        people, is_changed = pl.Series(dtype=pl.String), np.zeros(0, dtype=np.bool_)
        if names:
            texts = [name.cast(pl.String) for name in names]
            numbers, limit = numbered(texts)
            signatures = _signatures_of_people(versions, groups, bound)
            is_changed = _changing(numbers, signatures, limit)
            people = _names(texts, numbers, limit)
        return cls(tuple(versions), tuple(groups[: len(versions)]), is_changed, people, bound)

    def judge(self, model: MInvariance) -> Verdict:
        """Say whether all releases together keep m-invariance."""
        # m-invariance, condition 1: every release is m-unique (erratum 12), counterfeits included.
        refused = [~model.accepts(one.sizes, one.values) & (one.sizes > 0) for one in self.groups]
        # m-invariance, condition 2: everybody has the same signature in all releases they are in.
        number, changed = sum(int(one.sum()) for one in refused), int(self.is_changed.sum())
        repeated = any((one.values < one.sizes).any() for one in self.groups)
        smallest = min(int(one.sizes[one.sizes > 0].min()) for one in self.groups)
        achieved = 0 if changed or repeated else smallest
        return Verdict(
            promise=model.spec,
            holds=not number and not changed,
            required=model.required,
            achieved=float(achieved),
            sentence=self._sentence(model, number, changed, f"required at least {model.m}, achieved {achieved}"),
            offending=(*self._groups_shown(refused), *self._people_shown()),
        )

    def _sentence(self, model: MInvariance, refused: int, changed: int, figures: str) -> str:
        over = f"over {len(self.versions)} release(s)" if self.bound is None else "in this release and all before"
        if not refused and not changed:
            return f"Kept {over}: {model.promise()} ({figures})."
        total = sum(int((one.sizes > 0).sum()) for one in self.groups)
        parts = [
            f"{refused} of {total} groups are smaller or hold a sensitive value twice" * bool(refused),
            f"{changed} person(s) are not always among the same values" * bool(changed),
        ]
        found = "; ".join(filter(None, parts))
        return f"Not kept {over}: {found}. The promise is that {model.promise()} ({figures})."

    def _groups_shown(self, refused: Sequence[BoolArray]) -> list[dict[str, object]]:
        found = [
            (int(groups.sizes[number]), release, int(number))
            for release, (groups, wrong) in enumerate(zip(self.groups, refused, strict=True))
            for number in np.flatnonzero(wrong)[np.argsort(groups.sizes[wrong], kind="stable")][:SHOWN]
        ]
        return [
            {
                "values": {
                    "release": release + 1,
                    "group": self.versions[release].name_of(number),
                    "values": values_in(self.versions[release], number),
                },
                "size": size,
            }
            for size, release, number in sorted(found)[:SHOWN]
        ]

    def _people_shown(self) -> list[dict[str, object]]:
        names = self.people.filter(pl.Series(self.is_changed)).sort().head(SHOWN).to_list()
        return [
            {"values": {"person": name, "signatures": "; ".join(lives)}, "size": len(set(lives))}
            for name, lives in ((name, list(self._lives(name))) for name in names)
        ]

    def _lives(self, name: str) -> Iterator[str]:
        """Yield the values that somebody is among, release by release."""
        if self.bound is not None:
            own = self.bound.people.filter(pl.col("person").cast(pl.String) == name)
            for (number,) in own.select("signature").iter_rows():
                values = self.bound.values.filter(pl.col("signature") == number)["value"]
                yield f"{{{_listed(values)}}}"
        for version in self.versions:
            if version.members is not None:
                places = (version.members.get_column("person").cast(pl.String) == name).arg_true()
                for place in places.to_list():
                    yield f"{{{values_in(version, int(version.numbers.people[place]))}}}"


def values_in(version: Version, number: int) -> str:
    """Return the different sensitive values of a group as text."""
    return _listed(version.records.get_column("value").filter(pl.Series(version.numbers.records == number)))


def _listed(values: pl.Series) -> str:
    return ", ".join(values.fill_null("(missing)").unique().sort().to_list())


def _groups_of(versions: Sequence[Version]) -> list[ReleasedGroups]:
    codes, radix = numbered([version.records.get_column("value").cast(pl.String) for version in versions])
    limits = [version.numbers.limit for version in versions]
    base = np.concatenate([[0], np.cumsum(limits)])
    keys = np.concatenate(
        [
            (start + version.numbers.records) * radix + values
            for start, version, values in zip(base[:-1], versions, codes, strict=True)
        ]
    )
    different = np.sort(keys)
    different = different[np.diff(different, prepend=-1) != 0]
    owner, values = different // radix, different % radix
    counted = np.bincount(owner, minlength=int(base[-1]))
    signature = number_sets(counted, values, radix)
    return [
        ReleasedGroups(version.numbers.sizes, counted[start:end], signature[start:end])
        for version, start, end in zip(versions, base[:-1], base[1:], strict=True)
    ]


def number_sets(sizes: IntArray, values: IntArray, radix: int) -> IntArray:
    """Return a number for each set, equal for equal sets; ``values`` lists them one after the other, each in order.

    Examples
    --------
    >>> number_sets(np.array([2, 1, 2]), np.array([0, 3, 0, 0, 3]), 4).tolist()
    [1, 0, 1]
    """
    starts = np.concatenate([[0], np.cumsum(sizes)])
    numbers = np.zeros(len(sizes), dtype=np.int64)
    given = 0
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        keys, space = np.zeros(len(rows), dtype=np.int64), 1
        for place in range(size):
            if space * radix >= 2**62:
                _, keys = np.unique(keys, return_inverse=True)
                space = len(rows)
            keys, space = keys * radix + values[starts[rows] + place], space * radix
        found, inverse = np.unique(keys, return_inverse=True)
        numbers[rows] = given + inverse
        given += len(found)
    return numbers


def _signatures_of_people(
    versions: Sequence[Version], groups: Sequence[ReleasedGroups], bound: Bound | None
) -> list[IntArray]:
    found = [
        one.signature[version.numbers.people]
        for version, one in zip(versions, groups, strict=False)
        if version.members is not None
    ]
    if bound is None:
        return found
    names = [bound.values.get_column("signature").cast(pl.String), bound.people.get_column("signature").cast(pl.String)]
    (of_values, of_people), limit = numbered(names)
    by_number = np.full(limit, NOWHERE)
    by_number[of_values] = groups[-1].signature[bound.as_version().numbers.records]
    return [*found, by_number[of_people]]


def _changing(people: Sequence[IntArray], signatures: Sequence[IntArray], limit: int) -> BoolArray:
    """Say for each person whether there are two different signatures."""
    known = np.full(limit, NOWHERE)
    changing = np.zeros(limit, dtype=np.bool_)
    # The signature before is enough: if all neighbors agree, all do.
    for person, signature in zip(people, signatures, strict=True):
        before = known[person]
        changing[person[(before != NOWHERE) & (before != signature)]] = True
        known[person] = signature
    return changing


def _names(texts: Sequence[pl.Series], numbers: Sequence[IntArray], limit: int) -> pl.Series:
    """Return the name of each person by number."""
    every = pl.concat([one.rename("name") for one in texts])
    place = np.zeros(limit, dtype=np.int64)
    place[np.concatenate(numbers)] = np.arange(len(every))
    return every.gather(place) if len(every) else pl.Series([None] * limit, dtype=pl.String)
