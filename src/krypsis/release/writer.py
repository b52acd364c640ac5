"""Write a release so that a crash leaves the old one or the new one, and never one that breaks its promise."""

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from krypsis.checker.check import check_data
from krypsis.checker.evidence import PRIVATE_COLUMNS, attributed
from krypsis.errors import DataError, InternalError, OutputError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import MANIFEST, Claims
from krypsis.format.files import fingerprint, verify_files
from krypsis.io.paths import usable_path
from krypsis.io.texts import text_of
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.edge_confidence import EdgeConfidence
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.vertex_l_diversity import VertexLDiversity
from krypsis.release.manifest import Manifest, describe
from krypsis.release.order import in_published_order
from krypsis.release.parts import ReleaseParts
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import PARQUET, UNTOUCHED, Publication, known_formats, publication_in
from krypsis.release.row_numbers import written_rows
from krypsis.release.workshop import (
    Workshop,
    open_workshop,
    private_path,
    release_id_of,
    settle_abandoned,
    sync,
)

if TYPE_CHECKING:
    from krypsis.release.release import Release


DECIDED_BY_FILES = (KmAnonymity.name, KNeighborhoodAnonymity.name, VertexLDiversity.name, EdgeConfidence.name)
"""Promises that the checker decides by a search, which may end before it is sure."""


def private_record(release: ReleaseParts) -> dict[str, Any]:
    """Return what the publisher needs and nobody else may see.

    The exact figures are here because the manifest rounds some of them.
    """
    figures = {"score": release.made_by.score, "metrics": dict(release.made_by.metrics)}
    schema = release.schema.model_dump(mode="json")
    record = {"release_id": release.release_id, "schema": schema, "figures": figures, **release.private}
    if "suppressed_rows" in record:
        record["suppressed_rows"] = written_rows(record["suppressed_rows"])
    columns = None if release.before is None else release.before.private_columns
    if columns is not None:  # in the order of the published records, so that they can be checked again
        record[PRIVATE_COLUMNS] = {column.name: text_of(column).to_list() for column in columns}
    return record


def write_private(path: Path, record: Mapping[str, Any]) -> None:
    """Write the record so that only its owner can read it, from the first byte on."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(record, stream, indent=2, ensure_ascii=False, default=_plain)
            stream.write("\n")
        sync(path)
    except BaseException:
        path.unlink()
        raise


def _plain(value: object) -> object:
    """Return a value that JSON does not know as one that it does."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


@dataclass(frozen=True)
class Saved:
    """Where a release was written: ``folder`` may be published, ``private`` must not leave the publisher.

    ``release`` is the release with its id and the verdicts of the checker about the written files.
    """

    folder: Path
    private: Path
    release: "Release"


def save(
    release: "Release",
    path: Path | str,
    formats: Sequence[str] = ("csv",),
    *,
    force: bool = False,
) -> Saved:
    """Check a release and write it to a folder in one step; see :meth:`krypsis.release.release.Release.save`."""
    formats = known_formats(formats)
    destination = place(path)
    given = release
    release = in_published_order(release).with_id(str(uuid.uuid4()))
    try:
        _make_parent(destination)
        settle_abandoned(destination)
        check_destination(destination, force=force)
        # Decided now: what comes into being there during the work was not checked and must not be replaced.
        replaces = destination.exists()
        with open_workshop(destination, release.release_id) as workshop:
            verdicts = _build(release, workshop.new, formats)
            _publish(release, workshop, replaces=replaces)
    except OutputError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"the release cannot be written to {destination}: {reason}; {UNTOUCHED}") from error
    record = private_path(destination, release.release_id)
    return Saved(destination, record, replace(release, verdicts=verdicts).disclosing_like(given))


def load(path: Path | str) -> tuple[Publication, MadeBy, tuple[Verdict, ...]]:
    """Read the parts of a release from its folder; see :meth:`krypsis.release.release.Release.load`."""
    folder = folder_path(path)
    if not folder.is_dir():
        settle_abandoned(place(folder))
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; give the folder of a release")
    manifest = Manifest.read(folder)
    verify_files(folder, manifest.files)
    publication = publication_in(folder, manifest, manifest.schema_of_columns)
    return publication, manifest.made_by, manifest.verdicts


def check_promises(release: ReleaseParts) -> tuple[Verdict, ...]:
    """Ask the independent checker about a release, as it would be published."""
    models = _models(release)
    return attributed(models, release.publication.check(models, (release.before or Before()).evidence_for(models)))


def _models(release: ReleaseParts) -> list[PrivacyModel]:
    if not release.promises and not release.guarantee:
        raise UsageError("no promise is given; a release without one must say what its method guarantees")
    return release.models


def refuse_broken(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Return the verdicts if none of them is broken.

    What no published file shows, such as how noise was drawn, stays undecided: the publisher vouches for it. What the
    files do show must be shown: a search of the checker that ended too early is no proof.
    """
    if broken := [verdict.sentence for verdict in verdicts if verdict.holds is False or _is_unfinished(verdict)]:
        raise PromiseBroken("the checker refuses the release. " + " ".join(broken))
    return verdicts


def _is_unfinished(verdict: Verdict) -> bool:
    """Whether the published files decide a promise, given enough time."""
    return verdict.holds is None and verdict.promise.partition(":")[0] in DECIDED_BY_FILES


def folder_path(path: Path | str) -> Path:
    """Return the path that a program gave, unless it is none."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise UsageError(f"the folder of a release is a path such as 'release', got {path!r}")
    try:
        return Path(path).expanduser()
    except RuntimeError:  # ~name of somebody who is not a user here
        return Path(path)


def place(path: Path | str) -> Path:
    """Return the full path of a release folder; a link in the last place is not followed, ``~`` is the home folder."""
    path = usable_path(folder_path(path))
    return path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name


def _make_parent(destination: Path) -> None:
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise OutputError(f"{destination.parent} is not a folder, so no release can lie in it") from None


def check_destination(path: Path | str, *, force: bool = False) -> None:
    """Raise unless a release may be written to this place; nothing but a release or an empty folder is replaced."""
    destination = place(path)
    if not destination.name:
        raise OutputError(f"{destination} cannot be a release folder; give it a name")
    if destination.is_symlink():
        raise OutputError(f"{destination} is a link; name the folder it points to")
    if not destination.exists():
        return
    if not destination.is_dir():
        raise OutputError(f"{destination} is a file; a release is a folder: choose another name")
    if not force:
        raise OutputError(f"{destination} exists; choose another name, or replace it: --force, force=True in Python")
    if strangers := _strangers(destination):
        raise OutputError(
            f"{destination} holds what is not part of a release: {shorten(strangers, 5)}; "
            "only a release or an empty folder is replaced: choose another name, or remove these first"
        )


def _strangers(folder: Path) -> list[str]:
    """Return the names in a folder that would be lost with it although no release put them there."""
    names = sorted(entry.name for entry in folder.iterdir())
    if release_id_of(folder) is None:
        return names
    try:
        listed = {file.name for file in Claims.read(folder).files}
    except DataError:
        return names
    return [name for name in names if name not in {*listed, MANIFEST}]


def _build(release: ReleaseParts, folder: Path, formats: Sequence[str]) -> tuple[Verdict, ...]:
    """Write the files and return what the checker says about them; what the run itself found does not count."""
    if PARQUET in formats:
        release = replace(release, publication=release.publication.with_plain_types())
    paths = release.publication.files(folder, formats)
    manifest = describe(release, [fingerprint(path) for path in paths])
    models = _models(release)
    given = (release.before or Before()).evidence_for(models)
    if given.private_columns is not None:  # they may name nodes of which the manifest has only what is in use
        given = replace(given, hierarchies=release.publication.sensitive_hierarchies)
    verdicts = refuse_broken(check_data(folder, manifest, models, given))
    _write_manifest(folder, manifest.promising(verdicts))
    for path in (*paths, folder / MANIFEST, folder, folder.parent):
        sync(path)
    return verdicts


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    if Manifest.read(folder) != manifest:
        raise InternalError("the manifest does not say what it was meant to say; please report this")


def _publish(release: ReleaseParts, workshop: Workshop, *, replaces: bool) -> None:
    """Write the private record first: a release that can be loaded always has one."""
    record = private_path(workshop.destination, release.release_id)
    write_private(record, private_record(release))
    sync(record.parent)
    workshop.put_in_place(replace=replaces)
