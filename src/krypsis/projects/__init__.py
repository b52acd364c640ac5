"""Projects: the data of one person on the way from a file to a release, each in its own folder."""

from krypsis.projects.new_data import Reading, copy_in, fetch, fill_with_demo, new_data, receive, take_in
from krypsis.projects.plan_changes import give_role
from krypsis.projects.project import Project
from krypsis.projects.workspace import Workspace

__all__ = [
    "Project",
    "Reading",
    "Workspace",
    "copy_in",
    "fetch",
    "fill_with_demo",
    "give_role",
    "new_data",
    "receive",
    "take_in",
]
