"""Checking what was published: a release of the project, or files that were uploaded."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from krypsis import checker, registry
from krypsis.errors import PromiseBroken, UsageError, shorten
from krypsis.format.claims import MANIFEST, Claims
from krypsis.io.archive import unpack
from krypsis.kinds.table.profile.published_risks import risks_of_path
from krypsis.models.base import all_hold
from krypsis.progress import Progress
from krypsis.projects import Project
from krypsis.projects.published_release import PublishedRelease

MOST_BYTES = 8 * 1024**3
"""How large an unpacked release may be."""
UNPACKED = ".unpacked-"
FILES = "files"
"""The folder of files that were uploaded for a plan, or to be known to a check."""


def run(
    project: Project,
    progress: Progress,
    *,
    release: int | None = None,
    upload: str | None = None,
    promises: Sequence[str] = (),
    quasi_identifiers: Sequence[Sequence[str]] = (),
    sensitive: Sequence[str] = (),
    public: Sequence[str] = (),
    dependencies: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the verdicts of the checker.

    Parameters
    ----------
    project, progress
        whose files are checked, and who follows it.
    release
        the number of a release of the project.
    upload
        the name of a file in the folder ``checks``: a zip file of a release folder, or a table of any tool. It is
        removed when it was checked.
    promises, quasi_identifiers, sensitive
        to check; a release brings its own.
    public
        of axioms: uploaded ontologies that everybody knows, such as ``files/medicine.owl``, besides those of a release.
    dependencies
        of a table: rules that everybody knows, such as ``zip -> city``; a release brings its own.
    """
    if (release is None) == (upload is None):
        raise UsageError("name either the number of a release or an uploaded file to check")
    progress.phase("check")
    models = [registry.create("model", promise) for promise in promises]
    with _published(project, release, upload) as path:
        given = checker.Given(
            [list(names) for names in quasi_identifiers] or None,
            list(sensitive) or None,
            public=[_uploaded(project, place) for place in public] or None,
            dependencies=list(dependencies) or None,
        )
        verdicts = checker.check(path, models or None, given)
        about_records = checker.shows_records(path, models)
        risks = risks_of_path(path, quasi_identifiers, sensitive) if about_records else ()
        guarantee = Claims.read(path).guarantee if path.is_dir() else ""
    return {
        "holds": all_hold(verdicts),
        "guarantee": guarantee,
        "warnings": list(risks),
        # the offending groups are described in values that are published
        "verdicts": [verdict.model_dump(mode="json") for verdict in verdicts],
    }


def _uploaded(project: Project, place: str) -> Path:
    """Return a file of the project, which anything else is not."""
    path = project.inside(place)
    if not path.is_file() or path.parent != project.inside(FILES):
        raise UsageError(f"there is no uploaded file {place[:100]!r}; upload it first, as files/<name>")
    return path


@contextmanager
def _published(project: Project, release: int | None, upload: str | None) -> Iterator[Path]:
    if release is not None:
        yield PublishedRelease.of(project, release).folder
        return
    file = project.inside("checks", str(upload))
    if not file.is_file() or file.parent != project.inside("checks"):
        raise UsageError(f"there is no uploaded file {str(upload)[:100]!r} to check")
    for left in file.parent.glob(f"{UNPACKED}*"):  # by a check that was ended; no other runs in this project
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=file.parent, prefix=UNPACKED))
    try:
        if file.suffix.lower() == ".zip":
            unpack(file, folder, MOST_BYTES)
            yield _release_folder(folder)
        else:
            yield file
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        file.unlink(missing_ok=True)


def _release_folder(folder: Path) -> Path:
    """Return where the manifest lies: in the folder itself, or in the only folder in it, as many programs pack.

    Raises
    ------
    PromiseBroken
        if there is something else next to that folder: it would be handed on and never looked at.
    """
    if (folder / MANIFEST).exists():
        return folder
    inner, *others = sorted(folder.iterdir(), key=lambda entry: (not (entry / MANIFEST).exists(), entry.name))
    if (inner / MANIFEST).exists() and others:
        raise PromiseBroken(
            f"the zip file holds more than the release: {shorten(entry.name for entry in others)}; nothing is known "
            "about it: pack the folder of the release alone"
        )
    return inner if inner.is_dir() and not others else folder
