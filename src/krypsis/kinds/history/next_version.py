"""Make the next version of a history: everything but writing it down."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import LEFT_OUT, NEW, WHERE_TO_SET, Snapshot, VersionGrouping
from krypsis.algorithms.histories.penalties import version_figures
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.invariance import Bound
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, Infeasible, shorten
from krypsis.io.texts import encode
from krypsis.kinds.history.arrays import fits, past_of, signature_rows, signatures_of, snapshot_of, taxonomy_of
from krypsis.kinds.history.comparison import Comparison, VersionTable
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State
from krypsis.kinds.history.storage import Seal
from krypsis.kinds.history.version_release import Change
from krypsis.kinds.history.version_tables import numbered, release_of, shown_of, shown_rows
from krypsis.progress import Progress
from krypsis.release.order import in_published_order, seed_of
from krypsis.release.release import Release
from krypsis.release.run import Run


@dataclass(frozen=True, eq=False)
class VersionDraft:
    """A version that was made, with everything that the state has to remember of it."""

    table: VersionTable
    comparison: Comparison
    renewed: IntArray
    """The numbers of people who are somebody else from now on."""
    shown: BoolArray
    """Which records of the table the method saw; the others are withheld."""
    snapshot: Snapshot
    publication: VersionGrouping
    numbers: IntArray
    """The published number of each group."""
    signatures_before: Signatures
    """What people were bound to so far, as the state knows it."""
    release: Release
    change: Change

    @property
    def group(self) -> IntArray:
        """The published group of each record of the table, 0 where it is left out."""
        inside, groups = self.publication.group, np.zeros(len(self.shown), dtype=np.int64)
        groups[self.shown] = np.where(inside == LEFT_OUT, 0, np.append(self.numbers, 0)[inside])
        return groups

    @property
    def signature(self) -> IntArray:
        """What each record of the table is bound to from now on, ``NEW`` where it never was published."""
        inside, bound = self.publication.group, self.comparison.signature.copy()
        now = np.append(self.publication.signature, NEW)[inside]
        bound[self.shown] = np.where(inside == LEFT_OUT, bound[self.shown], now)
        return bound

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of the records that are not published."""
        return tuple(self.table.texts.get_column("id").filter(pl.Series(self.group == 0)).to_list())


def make_version(
    state: State, settings: HistorySettings, table: VersionTable, comparison: Comparison, progress: Progress
) -> VersionDraft:
    """Return the next version of a history. Its promises have not been checked."""
    version, method = state.last + 1, settings.create_method()
    taxonomy = taxonomy_of(settings, table.texts.get_column("value"), state)
    signatures = signatures_of(state, taxonomy)
    so_far = shown_of(state, signatures, taxonomy)
    bound = Signatures(signatures.starts, so_far.lowest)
    wrong = _misfits(table, comparison, bound, taxonomy, settings)
    shown, renewed = np.ones(len(wrong), dtype=np.bool_), np.zeros(0, dtype=np.int64)
    if wrong.any() and method.on_changed == "raise":
        raise _changed_values(table, comparison, wrong, settings)
    if method.on_changed == "withhold":
        shown = ~wrong
        _require_somebody(shown)
    if wrong.any() and method.on_changed == "renew":
        renewed, comparison = _renewed(state, comparison, wrong)
    run = Run(progress, method.seed)
    with run.phase("encode"):
        snapshot, absent_codes = snapshot_of(settings, table.texts, comparison, taxonomy, shown)
        past = past_of(state, signatures, so_far, comparison, snapshot, absent_codes, shown)
    rng = run.random([str(version).encode(), snapshot.values.tobytes(), snapshot.codes.tobytes()])
    with run.phase("search"):
        publication = method.publication(snapshot, past, settings.models, rng, progress)
        _require_something(publication, len(table.texts))
    with run.phase("recode"):
        numbers = numbered(publication, rng)
        release = release_of(settings, method, snapshot, publication, numbers, table, run)
        figures = version_figures(snapshot, publication, float(method.c), method.sensitive_weight)
        penalties = {reading: asdict(one) for reading, one in figures.items()}
    change = _change(version, comparison, publication, shown, len(renewed))
    return VersionDraft(
        table,
        comparison,
        renewed,
        shown,
        snapshot,
        publication,
        numbers,
        signatures,
        in_published_order(release.with_private({"version": version, "penalties": penalties, **seed_of(rng)})),
        change,
    )


def _misfits(
    table: VersionTable, comparison: Comparison, signatures: Signatures, taxonomy: Hierarchy, settings: HistorySettings
) -> BoolArray:
    """Say for each record whether its value has changed to one that the person is not bound to."""
    suspects = np.flatnonzero(comparison.changed & (comparison.signature != NEW))
    values = encode(table.texts.get_column("value").gather(suspects), taxonomy, settings.sensitive).astype(np.int64)
    wrong = np.zeros(table.texts.height, dtype=np.bool_)
    wrong[suspects] = ~fits(signatures, taxonomy, comparison.signature[suspects], values)
    return wrong


def _changed_values(
    table: VersionTable, comparison: Comparison, wrong: BoolArray, settings: HistorySettings
) -> DataError:
    ids = table.texts.get_column("id").filter(pl.Series(wrong)).to_list()
    back = int((wrong & ~comparison.was_there).sum())
    details = f" ({back} of them came back after they had left)" if back else ""
    return DataError(
        f"{len(ids)} record(s){details} have another {settings.sensitive!r} than before, not among the values that "
        f"earlier releases bind them to: {shorten(map(repr, ids), 5)}. Publishing them would reveal that something "
        "changed. Correct them, withhold them with on_changed=withhold, or treat them as records of somebody new with "
        "on_changed=renew"
    )


def _renewed(state: State, comparison: Comparison, wrong: BoolArray) -> tuple[IntArray, Comparison]:
    people = comparison.person[wrong]
    before = state.frame("SELECT * FROM people WHERE active").filter(pl.col("person").is_in(people.tolist()))
    order = pl.DataFrame({"person": people})
    return people, comparison.renewed(wrong, order.join(before, on="person", how="left", maintain_order="left"))


def _require_something(publication: VersionGrouping, records: int) -> None:
    if not publication.groups:
        raise Infeasible(
            f"nothing can be published of this version: all {records} record(s) would have to wait for a later one. "
            f"Wait for more records, or add counterfeits with on_ineligible=counterfeits. {WHERE_TO_SET}"
        )


def _require_somebody(shown: BoolArray) -> None:
    if not shown.any():
        raise Infeasible(
            f"nothing can be published of this version: all {len(shown)} record(s) are withheld, as their values are "
            "not among those that earlier releases bind them to. Wait for more records, or treat them as records of "
            "somebody new with on_changed=renew"
        )


def _change(
    version: int, comparison: Comparison, publication: VersionGrouping, shown: BoolArray, renewed: int
) -> Change:
    known, there = comparison.is_known, comparison.was_there
    return Change(
        version=version,
        records=len(known),
        inserted=int((~known).sum()) - renewed,
        deleted=len(comparison.gone) - renewed,
        updated=int((comparison.moved | comparison.changed).sum()) + renewed,
        returned=int((known & ~there).sum()),
        published=int((publication.group != LEFT_OUT).sum()),
        deferred=len(publication.deferred),
        withheld=int((~shown).sum()),
        counterfeits=len(publication.counterfeits),
        groups=publication.groups,
    )


def turnover_rows(values: pl.Series, comparison: Comparison, version: int) -> pl.DataFrame:
    """Return one row per sensitive value of this version, or of those who left it, as the state keeps them."""
    parts = {
        "population": values,
        "inserted": values.filter(pl.Series(~comparison.was_there)),
        "deleted": comparison.gone,
    }
    counted = [part.rename("value").to_frame().with_columns(pl.lit(name).alias("kind")) for name, part in parts.items()]
    counts = (
        pl.concat(counted)
        .group_by("value")
        .agg((pl.col("kind") == name).sum().cast(pl.Int64).alias(name) for name in parts)
    )
    return counts.with_columns(pl.lit(np.int32(version), dtype=pl.Int32).alias("version"))


def record(state: State, made: VersionDraft, seal: Seal) -> None:
    """Write a version into the state; the caller has begun a transaction."""
    version, people = made.change.version, _people(made)
    known = pl.Series(made.comparison.is_known)
    changed = pl.Series(made.comparison.moved | made.comparison.changed | _newly_bound(made)) & pl.Series(made.shown)
    state.update("people", "person", pl.DataFrame({"person": made.renewed}).with_columns(active=pl.lit(value=False)))
    state.update("people", "person", people.filter(known & changed).drop("id", "active"))
    state.insert("people", people.filter(~known))
    state.insert("members", members_of(made).with_columns(version=pl.lit(version, dtype=pl.Int32)))
    taxonomy = made.snapshot.taxonomy
    state.insert("signatures", signature_rows(made.publication.signatures, taxonomy, len(made.signatures_before)))
    if (shown := made.publication.shown) is not None:
        state.insert("generalized", shown_rows(made.publication.signatures, shown, taxonomy, version))
    state.insert("turnover", turnover_rows(made.table.texts.get_column("value"), made.comparison, version))
    details = {**asdict(seal), "day": datetime.now(tz=UTC).date().isoformat()}
    state.insert(
        "versions", pl.DataFrame([{**made.change.as_dict(), **details, "fingerprint": made.table.fingerprint}])
    )


def members_of(made: VersionDraft) -> pl.DataFrame:
    """Return who is in which published group; nobody's group is empty where the record is left out."""
    group = pl.Series(made.group)
    return pl.DataFrame({"person": made.comparison.person, "group": group.set(group == 0, None)})


def bound_by(made: VersionDraft) -> Bound:
    """Return what everybody with a record in this version is bound to: newcomers by the method, others by the state.

    What the method says about people who were published before is not asked: it is what has to be checked.
    """
    before, taxonomy = made.comparison.signature, made.snapshot.taxonomy
    bound = np.where(before == NEW, made.signature, before)
    people = pl.DataFrame({"person": made.comparison.person, "signature": bound}).filter(pl.Series(bound != NEW))
    old, every = made.signatures_before, made.publication.signatures
    values = pl.concat([signature_rows(old, taxonomy, 0), signature_rows(every, taxonomy, len(old))])
    return Bound(people, values.select("signature", value="label"), is_lowest=True)


def _people(made: VersionDraft) -> pl.DataFrame:
    bound = pl.Series(made.signature.astype(np.int32))
    return made.table.texts.with_columns(
        person=pl.Series(made.comparison.person), active=pl.lit(value=True), signature=bound.set(bound == NEW, None)
    )


def _newly_bound(made: VersionDraft) -> BoolArray:
    return np.not_equal(made.signature, made.comparison.signature)
