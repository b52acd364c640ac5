"""Checks of what others have published."""

import secrets
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query, Request

from krypsis import registry
from krypsis.errors import KrypsisError
from krypsis.projects.jobs import Job
from krypsis.projects.safe_paths import file_name
from krypsis.specs import split_list, unquoted
from krypsis.web.api.data import BYTES, store
from krypsis.web.api.places import Asked, FileName
from krypsis.web.api.problems import FULL, LOOKED_UP
from krypsis.web.served import served

router = APIRouter(tags=["checks"])
Texts = Annotated[Sequence[str], Query(max_length=100)]


@router.post(
    "/projects/{name}/checks/{file}",
    status_code=202,
    responses=LOOKED_UP | FULL,
    openapi_extra=BYTES,
    summary="Check a release in a zip file, or a table of any tool",
)
async def check_upload(
    project: Asked,
    file: FileName,
    request: Request,
    promise: Texts = (),
    qi: Texts = (),
    sensitive: str = "",
    public: Texts = (),
    dependency: Texts = (),
) -> Job:
    """Take a file in, start its check and return that job; the file is removed after the check.

    ``public`` names uploaded ontologies that everybody knows, as ``files/<name>``; ``dependency`` is a rule between the
    cells of a record, such as ``zip -> city``.
    """
    for spec in promise:
        registry.create("model", spec)  # better reported now than after a long upload
    # a name of its own, so that two uploads at a time do not meet
    name = secrets.token_hex(8) + PurePosixPath(file_name(file)).suffix
    await store(project, name, request, "checks")
    wanted = {"quasi_identifiers": [_names(one) for one in qi], "sensitive": _names(sensitive)}
    wanted |= {"public": list(public), "dependencies": list(dependency)}
    try:
        return served().queue.submit(project, "check", upload=name, promises=list(promise), **wanted)
    except KrypsisError:
        project.inside("checks", name).unlink(missing_ok=True)  # nobody would ever ask for it again
        raise


def _names(text: str) -> list[str]:
    return [unquoted(name) for name in split_list(text) if name]
