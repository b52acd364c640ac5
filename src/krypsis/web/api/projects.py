"""Projects: list, create, delete."""

from datetime import datetime

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from krypsis.errors import UsageError
from krypsis.projects import Project
from krypsis.projects.workspace import LONGEST_TITLE
from krypsis.web.api.places import Asked, Name
from krypsis.web.api.problems import FULL, LOOKED_UP, WRONG
from krypsis.web.served import served

router = APIRouter(tags=["projects"])


class NewProject(BaseModel):
    """What a new project needs."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=LONGEST_TITLE, pattern=r"\S")


class ProjectFacts(BaseModel):
    """What is known about a project."""

    name: str = Field(description="in addresses")
    title: str
    created: datetime
    data: str | None = Field(description="the name of its data file")
    is_read: bool = Field(description="whether there are a profile and a plan")
    releases: list[int] = Field(description="the numbers of its releases, the last one first")

    @classmethod
    def of(cls, project: Project) -> "ProjectFacts":
        """Return the facts of a project."""
        file = project.data_file
        return cls(
            name=project.name,
            title=project.about.title,
            created=project.about.created,
            data=None if file is None else file.name,
            is_read=project.is_read,
            releases=list(project.releases),
        )


@router.get("/projects", summary="List all projects, the youngest first")
def list_projects() -> list[ProjectFacts]:
    """Return all projects."""
    return [ProjectFacts.of(project) for project in served().workspace.projects()]


@router.post("/projects", status_code=201, responses=WRONG | FULL, summary="Create an empty project")
def create_project(new: NewProject) -> ProjectFacts:
    """Create a project; its name is made from its title."""
    return ProjectFacts.of(served().workspace.create(new.title))


@router.get("/projects/{name}", responses=LOOKED_UP, summary="Look at one project")
def show_project(project: Asked) -> ProjectFacts:
    """Return one project."""
    return ProjectFacts.of(project)


@router.delete("/projects/{name}", status_code=204, responses=LOOKED_UP, summary="Delete a project with all its data")
def delete_project(name: Name) -> None:
    """End the jobs of a project and remove its folder, whatever is in it."""
    try:
        served().delete(name)
    except UsageError as error:
        raise HTTPException(404, str(error)) from error
