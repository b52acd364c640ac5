"""The files of a report: where they lie, how they are written, and how one is read again in another form."""

import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from krypsis.errors import DataError, UsageError
from krypsis.io.private import write_private_files
from krypsis.kinds.base import kind_named
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.release.workshop import REPORTS, release_id_of
from krypsis.report.blocks import Report
from krypsis.report.html import environment, render_html
from krypsis.report.json import parse_json, render_json
from krypsis.report.typst import render_pdf

HEAD = 4096
"""The bytes at the beginning of a report in which it names its release."""


def build_report(made: Any, name: str = "", dossier: Dossier | None = None) -> Report:
    """Return everything the report of a release says; ``name`` is what the release is called.

    Nothing in it is about a single record: only counts of values, of groups and of records. Where the release was made
    with a trace, the steps of the algorithm may show records.

    Parameters
    ----------
    made
        what was made: a release, or a published version of a table that changes. Its kind makes the blocks.
    name
        what it is called.
    dossier
        what the publisher documents about it.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: what was before is not there to compare with.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> patients = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "asthma", "flu", "gout"]})
    >>> roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    >>> report = build_report(krypsis.anonymize(patients, roles, models=["k-anonymity:k=2"]))
    >>> report.holds, [section.key for section in report.sections][:3]
    (True, ['summary', 'promises', 'risk'])
    """
    return kind_named(made.kind).report(made, name, dossier)


def write_report(made: Any, folder: str | os.PathLike[str] | None, dossier: Dossier | None = None) -> tuple[Path, Path]:
    """Write the report of a release next to its folder and return the paths of the page and of the JSON.

    ``release/`` gets ``release.report.html`` and ``release.report.json`` as neighbors. They show the data before, so
    they are never inside the folder that is published, and only their owner can read them (mode 0600). A dossier
    becomes a section of both. The report of a version of a table that changes lies in the private folder of its
    history: all releases together may be given away.

    Parameters
    ----------
    made
        a release, or what :meth:`krypsis.kinds.history.History.publish` returns.
    folder
        of the release.
    dossier
        what the publisher documents about it.

    Raises
    ------
    UsageError
        if there is no folder, or nothing of before to compare with.
    OutputError
        if the files cannot be written; an older report then stays as it was.
    """
    if folder is None:
        raise UsageError("a simulation has no release to write a report next to; publish the version first")
    page, data = report_paths(folder)
    if isinstance(made, Release) and not made.release_id:  # saved by somebody who kept the release as it was before
        made = made.with_id(release_id_of(Path(folder)) or "")
    report = build_report(made, page.name.removesuffix(REPORTS[0]), dossier)
    write_private_files({page: render_html(report).encode(), data: render_json(report).encode()})
    return page, data


def report_paths(folder: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Return where the page and the JSON of the report of a release folder lie: next to it.

    All that lies next to the releases of a history may be given away, so their reports lie in its private folder.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link away from the release
    if not place.name:
        raise UsageError(f"a report lies next to the folder of a release, and {os.fspath(folder)!r} has no neighbors")
    home = _private_folder(place) or place.parent
    page, data, _ = (home / f"{place.name}{ending}" for ending in REPORTS)
    return page, data


def _private_folder(release: Path) -> Path | None:
    """Return the private folder of the history that a release belongs to, if it belongs to one."""
    private = release.parent.parent / "private"
    return private if release.parent.name == "releases" and (private / "state.duckdb").is_file() else None


def pdf_path(folder: str | os.PathLike[str]) -> Path:
    """Return where the PDF of the report of a release folder lies."""
    return report_paths(folder)[0].with_suffix(".pdf")


def check_ready() -> None:
    """Raise now what would keep a report from being written after a long search.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    environment()


def read_report(folder: str | os.PathLike[str]) -> Report:
    """Return what the report of a release folder says, from the JSON next to it.

    Raises
    ------
    UsageError
        if there is no report.
    DataError
        if the JSON is not that of a report of this version, or is about another release than the one in the folder.
    """
    _, data = report_paths(folder)
    if not data.is_file():
        raise UsageError(
            f"there is no report at {data}; 'krypsis run' and 'krypsis history publish' write one unless they are "
            "told not to"
        )
    try:
        report = parse_json(data.read_bytes())
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise DataError(f"{data} is not a report of this version of Krypsis ({reason}); run the plan again") from error
    except OSError as error:
        raise DataError(f"{data} cannot be read: {error.strerror or error}") from error
    if (found := release_id_of(Path(folder))) not in (None, report.release_id):
        raise DataError(
            f"{data} is about the release {report.release_id or 'of an unknown id'}, and the folder holds the release "
            f"{found}; run the plan again for a report about this one"
        )
    return report


def is_report_on(file: Path, release_id: str) -> bool:
    """Say whether a page or JSON of a report is there and about a release, without reading all of it."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return release_id.encode() in stream.read(HEAD)


def write_page(folder: str | os.PathLike[str]) -> Path:
    """Write the page of a report anew from its JSON, and return its path; it raises what :func:`read_report` does."""
    place, _ = report_paths(folder)
    write_private_files({place: render_html(read_report(folder)).encode()})
    return place


def write_pdf(folder: str | os.PathLike[str]) -> Path:
    """Write the report of a release folder as a PDF next to it, from the JSON that lies there, and return its path.

    Raises
    ------
    UsageError
        if typst is not installed, or there is no report.
    DataError
        if the JSON is not that of a report of this version.
    OutputError
        if the file cannot be written.
    """
    place = pdf_path(folder)
    write_private_files({place: render_pdf(read_report(folder))})
    return place
