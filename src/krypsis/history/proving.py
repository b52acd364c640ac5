"""A release is proved where it is staged, before anybody can see it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from krypsis.attacks.identification import Identification
from krypsis.checker.histories import check_history, version_of_folder
from krypsis.checker.membership import refuse_misplaced
from krypsis.datasets.history import Version
from krypsis.errors import InternalError
from krypsis.hierarchies.base import Hierarchy
from krypsis.history.making import Made
from krypsis.history.recording import bound_by, members_of
from krypsis.history.seal import Seal
from krypsis.history.settings import Settings
from krypsis.history.staging import Places
from krypsis.models.verdict import Verdict
from krypsis.progress import Progress
from krypsis.release.writer import refuse_broken


@dataclass(frozen=True)
class Proof:
    """What the checker found in the files of a release, and what identifies these files."""

    verdicts: tuple[Verdict, ...]
    identification: Identification
    seal: Seal


def staged(places: Places, made: Made, settings: Settings, progress: Progress) -> Proof:
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


def _given_hierarchies(made: Made) -> dict[str, Hierarchy]:
    """Return the hierarchies whose nodes may be published."""
    snapshot = made.snapshot
    known = zip(snapshot.attributes, snapshot.hierarchies, strict=True)
    return {name: hierarchy for name, hierarchy in known if name in snapshot.with_hierarchy}


def _shown_people(made: Made) -> pl.DataFrame:
    """Return the published group of everybody, with the quasi-identifiers as they were read from the table."""
    group = pl.Series("group", made.group)
    return made.table.texts.drop("id", "value").with_columns(group.cast(pl.String)).filter(group > 0)


def identification_of(version: Version) -> Identification:
    """Return who can be found by the quasi-identifiers of a release that was read from its files."""
    found = Identification.of([version])
    if found is None:
        raise InternalError("a release was read without its quasi-identifiers; please report this")
    return found
