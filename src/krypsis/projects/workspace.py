"""The workspace: the folder of all projects."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from krypsis.errors import OutputError, UsageError, did_you_mean
from krypsis.io.private import write_private_files
from krypsis.projects.names import check_project_name, slug
from krypsis.projects.project import ABOUT, About, Project

LONGEST_TITLE = 80


class Workspace:
    """The folder of all projects, which only its owner can read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     workspace = Workspace(Path(folder))
    ...     names = [workspace.create("Patients of 2024").name, workspace.create("Patients of 2024").name]
    ...     workspace.delete(names[0])
    ...     names, [project.about.title for project in workspace.projects()]
    (['patients-of-2024', 'patients-of-2024-2'], ['Patients of 2024'])
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{root} cannot be the folder of the projects: {error.strerror or error}") from error

    def projects(self) -> list[Project]:
        """Return all projects, the youngest first."""
        found = [Project(path.parent) for path in self.root.glob(f"*/{ABOUT}")]
        return sorted(found, key=lambda project: project.about.created, reverse=True)

    def project(self, name: str) -> Project:
        """Return a project by its name.

        Raises
        ------
        UsageError
            if there is none of this name.
        """
        folder = self.root / check_project_name(name)
        if folder.is_symlink() or not (folder / ABOUT).is_file():
            names = [project.name for project in self.projects()]
            raise UsageError(f"there is no project {name!r}.{did_you_mean(name, names)}")
        return Project(folder)

    def create(self, title: str) -> Project:
        """Create an empty project."""
        title = " ".join(title.split())
        if not 0 < len(title) <= LONGEST_TITLE:
            raise UsageError(f"the title of a project has 1 to {LONGEST_TITLE} characters, got {len(title)}")
        folder = self._free_folder(slug(title))
        for name in ("data", "hierarchies", "releases", "jobs"):
            (folder / name).mkdir(mode=0o700)
        about = About(title=title, created=datetime.now(UTC))
        write_private_files({folder / ABOUT: about.model_dump_json().encode()})
        return Project(folder)

    def delete(self, name: str) -> None:
        """Remove a project with all its data, its releases and its private records."""
        try:
            shutil.rmtree(self.project(name).folder)
        except OSError as error:
            raise OutputError(f"project {name} cannot be removed as a whole: {error.strerror or error}") from error

    def _free_folder(self, name: str) -> Path:
        folder, number = self.root / name, 1
        while True:
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                number += 1
                folder = self.root / f"{name}-{number}"
            else:
                return folder
