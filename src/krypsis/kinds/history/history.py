"""A table that changes, published version after version so that no comparison of releases gives anybody away."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from krypsis.algorithms.histories.base import Changed, Ineligible
from krypsis.attacks.histories import HistoryAttackReport
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.checker.histories import check_history
from krypsis.data.hierarchies import HierarchySpec
from krypsis.errors import DataError, OutputError, UsageError
from krypsis.io.history import Version
from krypsis.io.paths import usable_path
from krypsis.kinds.history import storage, verification
from krypsis.kinds.history.attack import attack_folder, release_sequence, taxonomy_in, taxonomy_so_far
from krypsis.kinds.history.comparison import compare, read_version, with_one_spelling
from krypsis.kinds.history.next_version import VersionDraft, make_version, record
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import TABLES, State, create_state
from krypsis.kinds.history.version_release import Change, VersionRelease
from krypsis.kinds.table.plan import TablePlan
from krypsis.models.base import Verdict
from krypsis.plan.plan import promises_of
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.release import Release


def begin(folder: Path, settings: HistorySettings) -> Path:
    """Make the folder of a history and return it.

    Raises
    ------
    OutputError
        if there is something in the folder already.
    """
    places = storage.HistoryFiles(folder)
    if places.folder.exists() and (not places.folder.is_dir() or any(places.folder.iterdir())):
        raise OutputError(
            f"{places.folder} is there already; a history begins in a new folder. Name another one, or go on with the "
            "history that is there: 'krypsis history publish'"
        )
    places.private.mkdir(mode=0o700, parents=True)
    places.releases.mkdir()
    unfinished = places.state.with_suffix(".new")
    create_state(unfinished, settings)
    unfinished.rename(places.state)
    return places.folder


def export_state(state: State, folder: Path) -> Path:
    """Write one Parquet file per table of the state to a new folder; only the owner can read it.

    Raises
    ------
    OutputError
        if the folder is there already or cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(
            f"the state cannot be exported to {folder}: {error.strerror or error}; name a new folder"
        ) from error
    try:
        _write(state, folder)
    except BaseException as error:
        shutil.rmtree(folder)  # half of a state is of no use, and it reveals who is who
        if isinstance(error, OSError):
            raise OutputError(f"the state cannot be exported to {folder}: {error.strerror or error}") from error
        raise
    return folder


def _write(state: State, folder: Path) -> None:
    for name in TABLES:
        path = folder / f"{name}.parquet"
        path.touch(mode=0o600)
        state.frame(f"SELECT * FROM {name}").write_parquet(path)  # noqa: S608  our names


class History:
    """The releases of a table that changes, and the private state that the next one needs.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> roles = {"age": "quasi-identifier", "disease": "sensitive"}
    >>> first = pl.DataFrame({"name": ["Ann", "Bob"], "age": [31, 34], "disease": ["flu", "cough"]})
    >>> second = pl.DataFrame({"name": ["Ann", "Cid"], "age": [31, 60], "disease": ["flu", "cough"]})
    >>> with TemporaryDirectory() as folder:
    ...     history = History.init(Path(folder, "history"), id="name", roles=roles, models="m-invariance:m=2")
    ...     changes = [history.publish(table).change for table in (first, second)]
    ...     held = all(history.check())
    >>> changes[1].inserted, changes[1].deleted, changes[1].counterfeits, held
    (1, 1, 0, True)
    """

    def __init__(self, folder: Path, settings: HistorySettings) -> None:
        self.folder = folder
        self.settings = settings

    @classmethod
    def init(
        cls,
        folder: str | Path,
        *,
        id: str,  # noqa: A002  what users call it
        roles: Mapping[str, str],
        models: Any,
        hierarchies: Mapping[str, HierarchySpec] | None = None,
        algorithm: object = "auto",
        weights: Mapping[str, float] | None = None,
        formats: Sequence[str] = ("csv",),
    ) -> "History":
        """Start a history without versions in a new folder.

        Parameters
        ----------
        folder
            where the releases and the private state will lie.
        id
            the column that says whose record it is, in every version; it is never published.
        roles
            column → role; one column is sensitive.
        models
            the promises, such as ``"m-invariance:m=3"``.
        hierarchies
            column → hierarchy, as in :func:`krypsis.anonymize`; also of the sensitive attribute.
        algorithm
            the method, such as ``"m-invariant:on_ineligible=defer"``; one that keeps the promises unless given.
        weights
            quasi-identifier → how much it counts when records that lie close together are looked for.
        formats
            of the published files.

        Raises
        ------
        UsageError
            if that does not fit together.
        OutputError
            if there is something in the folder already.
        """
        plan = TablePlan.of_roles(
            roles, weights=weights, hierarchies=hierarchies, promises=promises_of(models), algorithm=algorithm
        )
        return cls.of_plan(folder, plan, id=id, formats=formats)

    @classmethod
    def of_plan(
        cls,
        folder: str | Path,
        plan: TablePlan,
        *,
        id: str,  # noqa: A002
        formats: Sequence[str] = ("csv",),
    ) -> "History":
        """Start a history of what a plan says; see :meth:`init`. The plan also says how to read the files."""
        settings = HistorySettings.of(plan, id, formats)
        return cls(begin(usable_path(folder), settings), settings)

    @classmethod
    def open(cls, folder: str | Path) -> "History":
        """Open a history, after finishing or taking back what a crash has interrupted.

        Raises
        ------
        DataError
            if the folder does not hold a history, or its state is damaged.
        HistoryBusy
            if somebody else is working on it.
        """
        with storage.working(storage.HistoryFiles(usable_path(folder))) as state:
            return cls(usable_path(folder), state.settings)

    def publish(
        self,
        data: Any,
        *,
        version: int | None = None,
        on_ineligible: Ineligible | None = None,
        on_changed: Changed | None = None,
        again: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> VersionRelease:
        """Compare a table with the versions before, and publish it as the next one.

        The release is checked against all earlier ones before it is written; a crash leaves the state and the releases
        as they were before, or as they are afterwards. A table that is the same as the last version is not published
        again: that version is returned, and nothing is written.

        Parameters
        ----------
        data
            the table, in any form that :func:`krypsis.anonymize` takes.
        version
            the number it must have, so that no version is published twice or out of order; who gives it also confirms
            a table that looks like a mistake: an old one, or one in which nobody is known.
        on_ineligible, on_changed
            what to do this time with records that are in the way, instead of what the history was begun with; see
            :class:`krypsis.algorithms.histories.base.HistoryMethod`.
        again
            publish a table as one more version although it is the same as the last one.
        progress
            follows the run.

        Raises
        ------
        DataError
            if records cannot be distinguished, columns are missing, or a value is excluded by earlier releases.
        Infeasible
            if a value is too frequent among the new records.
        PromiseBroken
            if the checker refuses the release; nothing is written then.
        """
        places = storage.HistoryFiles(self.folder)
        with storage.working(places) as state:
            options = {"on_ineligible": on_ineligible, "on_changed": on_changed}
            made = self._made(state, data, version, progress, options, again=again)
            if isinstance(made, VersionRelease):
                return made
            proof = verification.staged(places, made, self.settings, progress)
            # From here on the staged release stays: after a crash, the state says whether it is published.
            with state.transaction():
                record(state, made, proof.seal)
            places.put_in_place(made.change.version)
        storage.warn_of_left_out(made.change)
        folder = places.release(made.change.version)
        release = made.release.with_id(proof.seal.release_id)
        return VersionRelease(made.change, release, proof.verdicts, made.left_out, folder, proof.identification)

    def simulate(
        self,
        data: Any,
        *,
        version: int | None = None,
        on_ineligible: Ineligible | None = None,
        on_changed: Changed | None = None,
        again: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> VersionRelease:
        """Return what publishing a table would do, checked as it would be, without changing anything."""
        places = storage.HistoryFiles(self.folder)
        with storage.working(places) as state:
            options = {"on_ineligible": on_ineligible, "on_changed": on_changed}
            made = self._made(state, data, version, progress, options, again=again)
            if isinstance(made, VersionRelease):
                return made
            proof = verification.staged(places, made, self.settings, progress)
            places.clear()
        return VersionRelease(made.change, made.release, proof.verdicts, made.left_out, None, proof.identification)

    def log(self) -> list[Change]:
        """Return what was published, the oldest version first."""
        with storage.working(storage.HistoryFiles(self.folder)) as state:
            return _changes(state)

    def check(self) -> tuple[Verdict, ...]:
        """Check all releases together, from their files and from who is in which group.

        Raises
        ------
        DataError
            if the private state does not fit the releases, or if other files lie with them.
        """
        places = storage.HistoryFiles(self.folder)
        with storage.working(places) as state:
            versions = verification.verified_versions(places, state, self.settings)
        if not versions:
            raise DataError(f"{self.folder} has no versions yet; publish one first")
        taxonomy = taxonomy_so_far(self.folder, self.settings)
        return check_history(versions, self.settings.models, taxonomy=taxonomy)

    def penalties(self) -> dict[int, dict[str, dict[str, float | None]]]:
        """Return what each version loses, by version and reading of the penalties; it depends on what groups hide.

        Nothing of a version that was published before there were such figures.
        """
        places = storage.HistoryFiles(self.folder)
        with storage.working(places) as state:
            numbers = [change.version for change in _changes(state)]
            return {number: places.private_record(number).get("penalties", {}) for number in numbers}

    def versions(self) -> list[Version]:
        """Return what was published with who is in which group, the oldest version first; it reveals who is who."""
        places = storage.HistoryFiles(self.folder)
        with storage.working(places) as state:
            return verification.read_versions(places, state)

    def attack(self) -> HistoryAttackReport:
        """Compare all releases as an attacker would who knows everybody; it reveals who is who."""
        return attack_folder(self.folder, self.settings, self.versions())

    def release_sequence(self) -> ReleaseSequence:
        """Return all releases for attacks that are tried one by one; it reveals who is who."""
        return release_sequence(self.folder, self.settings, self.versions())

    def export(self, folder: str | Path) -> Path:
        """Write the private state to a new folder, one Parquet file per table, that only the owner can read."""
        with storage.working(storage.HistoryFiles(self.folder)) as state:
            return export_state(state, usable_path(folder))

    def _made(
        self,
        state: State,
        data: Any,
        version: int | None,
        progress: Progress,
        options: Mapping[str, str | None],
        *,
        again: bool,
    ) -> VersionDraft | VersionRelease:
        """Return the next version, or the last one if this is its table."""
        following, places = state.last + 1, storage.HistoryFiles(self.folder)
        if version is not None and version not in (state.last, following):
            raise _out_of_order(version, state.last, self.folder)
        settings = self.settings.with_options(options)
        progress.phase("read")
        table = with_one_spelling(read_version(data, settings, following), settings, state)
        progress.phase("compare")
        versions, comparison = verification.verified_versions(places, state, self.settings), compare(table, state)
        is_confirmed = version == following
        if versions and comparison.is_unchanged and not (again or is_confirmed):
            return self._published_before(state, versions)
        if version is not None and not is_confirmed:
            raise _out_of_order(version, state.last, self.folder)
        made = make_version(state, settings, table, comparison, progress)
        if not is_confirmed:
            storage.refuse_old_table(state, made.table.fingerprint)
            storage.refuse_strangers(made.change, self.settings.id)
        return made

    def _published_before(self, state: State, versions: Sequence[Version]) -> VersionRelease:
        """Return the last version as it was published."""
        folder = storage.HistoryFiles(self.folder).release(state.last)
        return VersionRelease(
            _changes(state)[-1],
            Release.load(folder),
            check_history(versions, self.settings.models, taxonomy=taxonomy_in(state, self.settings)),
            storage.left_out_of(state, state.last),
            folder,
            verification.identification_of(versions[-1]),
            is_new=False,
        )


def _changes(state: State) -> list[Change]:
    names = ", ".join(Change.__dataclass_fields__)
    return [Change(*row) for row in state.rows(f"SELECT {names} FROM versions ORDER BY version")]  # noqa: S608


def _out_of_order(version: int, last: int, folder: Path) -> UsageError:
    return UsageError(f"version {version!r} cannot follow version {last} of {folder}; the next one is {last + 1}")
