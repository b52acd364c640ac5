"""The exploration of a project: the solution space of its plan, kept until the plan or the data changes."""

import json
from dataclasses import dataclass
from hashlib import sha256

from krypsis.io.private import write_private_files
from krypsis.kinds.table.exploration import Exploration, load_exploration
from krypsis.projects.project import PLAN, Project

NODES = "exploration.parquet"
MADE_OF = "exploration.json"


@dataclass(frozen=True, eq=False)
class Explored:
    """An exploration, and whether the plan and the data are still those that were explored."""

    space: Exploration
    is_current: bool


def keep_exploration(project: Project, space: Exploration, made_of: str) -> None:
    """Keep an exploration of a project in the place of an older one.

    Parameters
    ----------
    project
        in whose folder to keep it.
    space
        the nodes.
    made_of
        the state of the project when the exploration began, from :func:`state_of`.
    """
    space.save(project.folder / NODES)
    write_private_files({project.folder / MADE_OF: json.dumps({"made_of": made_of}).encode()})


def explored(project: Project) -> Explored | None:
    """Return the exploration that a project keeps, if there is one.

    Raises
    ------
    DataError
        if its file was damaged.
    """
    if not (project.folder / MADE_OF).is_file():
        return None
    made_of = json.loads((project.folder / MADE_OF).read_bytes())["made_of"]
    return Explored(load_exploration(project.folder / NODES), is_current=made_of == state_of(project))


def state_of(project: Project) -> str:
    """Return a text that changes with the plan and the data of a project."""
    return sha256((project.folder / PLAN).read_bytes() + str(project.read_at).encode()).hexdigest()
