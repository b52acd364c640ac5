"""The private state is compared with all releases before anything is built on it."""

from dataclasses import dataclass

import polars as pl

from krypsis.attacks.identification import Identification
from krypsis.checker.histories import check_history, version_of_folder
from krypsis.checker.invariance import Bound
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, InternalError, shorten
from krypsis.io.history import Version
from krypsis.kinds.history.attack import taxonomy_in
from krypsis.kinds.history.check import refuse_misplaced
from krypsis.kinds.history.next_version import VersionDraft, bound_by, members_of
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State
from krypsis.kinds.history.storage import HistoryFiles, Seal
from krypsis.models.base import Verdict, all_hold
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress
from krypsis.release.writer import refuse_broken


def read_versions(places: HistoryFiles, state: State) -> list[Version]:
    """Return all releases with who is in which group, the oldest first."""
    return [
        version_of_folder(places.release(number), people=members_in(state, number))
        for number in range(1, state.last + 1)
    ]


def members_in(state: State, version: int) -> pl.DataFrame:
    """Return who was in which published group of a version, the groups as text."""
    query = f'SELECT person, "group" FROM members WHERE version = {version} AND "group" IS NOT NULL'  # noqa: S608
    return state.frame(query).with_columns(pl.col("group").cast(pl.String))


def verified_versions(places: HistoryFiles, state: State, settings: HistorySettings) -> list[Version]:
    """Return all releases after making sure that the state says the same as their files.

    Raises
    ------
    DataError
        if the state binds somebody to other values than the releases show, or if other files lie with the releases.
    """
    refuse_strays(places, state.last)
    versions = read_versions(places, state)
    if versions:
        _compare(places, state, settings, versions)
    return versions


def refuse_strays(places: HistoryFiles, last: int) -> None:
    """Raise for anything that lies with the releases and is none of them: the whole folder may be published."""
    known = {str(number) for number in range(1, last + 1)}
    if strays := sorted(path.name for path in places.releases.iterdir() if path.name not in known):
        raise DataError(
            f"{places.releases} holds {shorten(map(repr, strays), 5)}, which no version of this history has written. "
            "The folder is meant to be published as a whole: move these elsewhere"
        )


def _compare(places: HistoryFiles, state: State, settings: HistorySettings, versions: list[Version]) -> None:
    """Compare what the state binds everybody to with the values of the groups in all releases."""
    bound = Bound(
        state.frame("SELECT person, signature FROM people WHERE signature IS NOT NULL"),
        state.frame("SELECT signature, label AS value FROM signatures"),
        is_lowest=True,
    )
    known = bound.people.join(bound.values.select("signature").unique(), on="signature", how="anti")
    models = [model for model in settings.models if not isinstance(model, KAnonymity)]
    needs_taxonomy = any(isinstance(model, EMCorrelation) for model in models)
    taxonomy = taxonomy_in(state, settings) if needs_taxonomy else None
    together = check_history(versions, models, bound, taxonomy)
    # What the releases break by themselves is no fault of the state; where nothing is broken, nothing is compared.
    alone = together if all_hold(together) else check_history(versions, models, taxonomy=taxonomy)
    wrong = [verdict for before, verdict in zip(alone, together, strict=True) if before.holds and not verdict.holds]
    if wrong or known.height:
        named = [str(one["values"]) for verdict in wrong for one in verdict.offending[:3]]
        raise DataError(
            f"{places.state} does not fit the releases: it binds people to other values than their groups show"
            f"{f' ({shorten(named, 3)})' if named else ''}. The state was changed or damaged; bring it back from a "
            "backup of the same moment as the last release"
        )


@dataclass(frozen=True)
class Proof:
    """What the checker found in the files of a release, and what identifies these files."""

    verdicts: tuple[Verdict, ...]
    identification: Identification
    seal: Seal


def staged(places: HistoryFiles, made: VersionDraft, settings: HistorySettings, progress: Progress) -> Proof:
    """Write a release to the staging place and check it there, against all earlier ones.

    Raises
    ------
    PromiseBroken
        if the checker refuses it; nothing stays in the staging place then.
    """
    progress.phase("check")
    try:
        saved = made.release.save(places.staged(made.change.version), settings.formats)
        people = members_of(made).drop_nulls("group").with_columns(pl.col("group").cast(pl.String))
        version = version_of_folder(saved.folder, people=people)
        refuse_misplaced(saved.folder, _shown_people(made), settings.quasi_identifiers, _given_hierarchies(made))
        verdicts = refuse_broken(check_history([version], settings.models, bound_by(made), made.snapshot.taxonomy))
    except BaseException:
        places.clear()
        raise
    return Proof(verdicts, identification_of(version), Seal.of(saved.folder, saved.release.release_id))


def _given_hierarchies(made: VersionDraft) -> dict[str, Hierarchy]:
    """Return the hierarchies whose nodes may be published."""
    snapshot = made.snapshot
    known = zip(snapshot.attributes, snapshot.hierarchies, strict=True)
    return {name: hierarchy for name, hierarchy in known if name in snapshot.with_hierarchy}


def _shown_people(made: VersionDraft) -> pl.DataFrame:
    """Return the published group of everybody, with the quasi-identifiers as they were read from the table."""
    group = pl.Series("group", made.group)
    return made.table.texts.drop("id", "value").with_columns(group.cast(pl.String)).filter(group > 0)


def identification_of(version: Version) -> Identification:
    """Return who can be found by the quasi-identifiers of a release that was read from its files."""
    found = Identification.of([version])
    if found is None:
        raise InternalError("a release was read without its quasi-identifiers; please report this")
    return found
