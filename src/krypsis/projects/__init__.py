"""Projects: the data of one person on the way from a file to a release, each in its own folder."""

from krypsis.projects.intake import Reading, take_in
from krypsis.projects.project import Project
from krypsis.projects.workspace import Workspace

__all__ = ["Project", "Reading", "Workspace", "take_in"]
