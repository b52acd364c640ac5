"""A report that was written before, read from its JSON, to be written in another form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from krypsis.errors import DataError, UsageError
from krypsis.io.private import write_private_files
from krypsis.release.workshop import release_id_of
from krypsis.report.page import render_html, report_paths
from krypsis.report.set_values import SetReportContent
from krypsis.report.whole import ReportContent

HEAD = 4096
"""The bytes at the beginning of a report in which it names its release."""
_CONTENT: TypeAdapter[ReportContent | SetReportContent] = TypeAdapter(
    Annotated[ReportContent | SetReportContent, Field(discriminator="kind")]
)


def read_report(folder: str | os.PathLike[str]) -> ReportContent | SetReportContent:
    """Return what the report of a release folder says, from the JSON beside it.

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
        content = _CONTENT.validate_json(data.read_bytes())
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise DataError(f"{data} is not a report of this version of Krypsis ({reason}); run the plan again") from error
    except OSError as error:
        raise DataError(f"{data} cannot be read: {error.strerror or error}") from error
    if (found := release_id_of(Path(folder))) not in (None, content.release_id):
        raise DataError(
            f"{data} is about the release {content.release_id or 'of an unknown id'}, and the folder holds the release "
            f"{found}; run the plan again for a report about this one"
        )
    return content


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
