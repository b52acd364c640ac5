"""The catalogue: which promises can be made, what keeps them, and how loss is measured."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel

from krypsis import registry
from krypsis.errors import UnknownNameError
from krypsis.texts.description import describe, summary
from krypsis.version import __version__
from krypsis.web.api.problems import LOOKED_UP

router = APIRouter(tags=["catalogue"])
KINDS = {"models": "model", "algorithms": "algorithm", "metrics": "metric", "attacks": "attack"}
Kind = Annotated[Literal["models", "algorithms", "metrics"], Path(description="what to list")]


class ServerVersion(BaseModel):
    """Which server this is."""

    version: str


class CatalogueEntry(BaseModel):
    """One line of the catalogue."""

    name: str
    data: str
    summary: str


@router.get("/version", summary="Which version of Krypsis answers")
def version() -> ServerVersion:
    """Return the version."""
    return ServerVersion(version=__version__)


@router.get("/catalogue/{kind}", responses=LOOKED_UP, summary="List models, algorithms or metrics")
def list_entries(kind: Kind) -> list[CatalogueEntry]:
    """Return all of a kind."""
    found = registry.classes(KINDS[kind])
    return [CatalogueEntry(name=name, data=cls.kind, summary=summary(cls)) for name, cls in found.items()]


@router.get("/catalogue/{kind}/{entry}", responses=LOOKED_UP, summary="Explain a model, an algorithm or a metric")
def explain(kind: Kind, entry: Annotated[str, Path(max_length=100)]) -> dict[str, Any]:
    """Return what one of them says about itself."""
    try:
        return describe(KINDS[kind], registry.find(KINDS[kind], entry))
    except UnknownNameError as error:
        raise HTTPException(404, str(error)) from error
