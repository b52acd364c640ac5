"""The workspace: the folder of all projects."""

import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path

from krypsis.errors import OutputError, UsageError, did_you_mean
from krypsis.io.private import remove_parts, write_private_files
from krypsis.projects.project import ABOUT, About, Project
from krypsis.projects.safe_paths import PROJECT, check_no_links, check_project_name, slug
from krypsis.release.workshop import settle_abandoned

LONGEST_TITLE = 80
ASIDE = ".deleted-"
"""What the folder of a project is called while its files are removed."""


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
        there = [project for project in map(Project, self.root.iterdir()) if _is_project(project)]
        return sorted(there, key=lambda project: project.about.created, reverse=True)

    def project(self, name: str) -> Project:
        """Return a project by its name.

        Raises
        ------
        UsageError
            if there is none of this name.
        LinkFound
            if something in it leads elsewhere.
        """
        project = self.find(name)
        check_no_links(project.folder)
        return project

    def find(self, name: str) -> Project:
        """Return a project by its name, whatever it holds."""
        project = Project(self.root / check_project_name(name))
        if not _is_project(project):
            names = [project.name for project in self.projects()]
            raise UsageError(f"there is no project {name!r}.{did_you_mean(name, names)}")
        return project

    def create(self, title: str) -> Project:
        """Create an empty project."""
        title = " ".join(title.split())
        if not 0 < len(title) <= LONGEST_TITLE:
            raise UsageError(f"the title of a project has 1 to {LONGEST_TITLE} characters, got {len(title)}")
        folder = self._free_folder(slug(title))
        try:
            for name in ("data", "hierarchies", "releases", "jobs"):
                (folder / name).mkdir(mode=0o700)
            about = About(title=title, created=datetime.now(UTC))
            write_private_files({folder / ABOUT: about.model_dump_json().encode()})
        except OSError as error:  # also an OutputError
            shutil.rmtree(folder, ignore_errors=True)
            raise OutputError(f"no project can be created: {error.strerror or error}") from error
        return Project(folder)

    def delete(self, name: str) -> None:
        """Remove a project with all its data, its releases and its private records."""
        self.remove(self.set_aside(name))

    def set_aside(self, name: str) -> Path:
        """Take a project out of the workspace in one step, and return the folder that is left to be removed.

        From then on nothing can be read from the project or written into it; its name is free.
        """
        folder = self.find(name).folder  # whatever it holds: nothing in it is followed
        aside = self.root / f"{ASIDE}{name}-{secrets.token_hex(4)}"
        try:
            folder.rename(aside)
        except OSError as error:
            raise OutputError(f"project {name} cannot be deleted: {error.strerror or error}") from error
        return aside

    def remove(self, aside: Path) -> None:
        """Remove the files of a project that was set aside."""
        try:
            shutil.rmtree(aside)
        except FileNotFoundError:
            return  # another server on the same folder was faster
        except OSError as error:
            raise OutputError(
                f"the project is deleted, but its files in {aside.name} cannot be removed: {error.strerror or error}; "
                "remove them, or start the server again, which tries once more"
            ) from error

    def sweep(self) -> None:
        """Remove what processes that are gone have left: deleted projects, and files that were never finished."""
        for project in self.projects():
            for folder in (project.folder, *(entry for entry in project.folder.iterdir() if not entry.is_symlink())):
                remove_parts(folder)
            for number in project.releases:
                settle_abandoned(project.folder / "releases" / str(number))
        for aside in self.root.glob(f"{ASIDE}*"):
            shutil.rmtree(aside, ignore_errors=True)

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


def _is_project(project: Project) -> bool:
    is_linked = project.folder.is_symlink() or (project.folder / ABOUT).is_symlink()
    return PROJECT.fullmatch(project.name) is not None and not is_linked and project.is_there
