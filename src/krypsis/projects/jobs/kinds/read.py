"""Reading the data file of a project: its table, its profile and a first plan."""

from typing import Any

from krypsis.kinds.table.profile.table import Profile
from krypsis.progress import Progress
from krypsis.projects import Project, Reading, take_in


def run(
    project: Project,
    progress: Progress,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    data_kind: str | None = None,
    key: str | None = None,
    item: str | None = None,
    vertices: str | None = None,
    source: str | None = None,
    target: str | None = None,
    type: str | None = None,  # noqa: A002  as plans name it
    public: str | None = None,
) -> dict[str, Any]:
    """Take the data in and return how large it is."""
    reading = Reading(delimiter, encoding, sheet, data_kind, key, item, vertices, source, target, type, public)
    found = take_in(project, reading, progress)
    if isinstance(found, Profile):
        return {"rows": found.rows, "columns": len(found.columns)}
    return {"rows": found.records}
