"""The results: for each model what it protects from, its parameters, algorithms and references."""

from functools import cache
from typing import Literal

from pydantic import Field

from krypsis.advisor.files import AdvisorPart, parsed, read_data
from krypsis.errors import UsageError

Threat = Literal["record", "attribute", "table"]
THREATS: tuple[Threat, ...] = ("record", "attribute", "table")


class Parameter(AdvisorPart):
    """Where the value of a parameter comes from; without a default and without data, the user has to say it."""

    default: str | None = None
    fit: Literal["person", "number", "spread", "nearness", "distance", "known", "hidden", "guarded"] | None = Field(
        default=None, description="what the data can tell"
    )
    optional: bool = False


class Result(AdvisorPart):
    """What is known about a model, apart from its texts.

    Examples
    --------
    >>> results()["l-diversity"].model, results()["l-diversity"].threats
    ('entropy-l-diversity', ('record', 'attribute'))
    """

    model: str = Field(description="its name in the registry")
    threats: tuple[Threat, ...] = Field(min_length=1)
    parameters: dict[str, Parameter]
    algorithms: tuple[str, ...] = Field(min_length=1, description="names in the registry, the suggested one first")
    includes: tuple[str, ...] = Field(default=(), description="results whose promise is kept along with this one")
    instead: tuple[str, ...] = Field(default=(), description="results that come next where this one cannot be had")
    references: tuple[int, ...] = Field(min_length=1)


class _Results(AdvisorPart):
    results: dict[str, Result]


class Work(AdvisorPart):
    """A work behind a model, and where it can be read."""

    work: str = Field(min_length=1)
    link: str = Field(pattern=r"^https://\S+$", description="an address that stays: of its DOI, or of its conference")


class _References(AdvisorPart):
    references: dict[int, Work]


@cache
def results() -> dict[str, Result]:
    """Return every result by its name."""
    found = parsed(_Results, {"results": read_data("results.yaml")}, "results.yaml").results
    for name, result in found.items():
        if unknown := [other for other in (*result.includes, *result.instead) if other not in found]:
            raise UsageError(f"results.yaml: {name} names {', '.join(unknown)}, which is no result")
        if lost := [number for number in result.references if number not in references()]:
            raise UsageError(f"results.yaml: {name} names the works {lost}, which references.yaml does not list")
    return found


@cache
def references() -> dict[int, Work]:
    """Return the works behind the models by their numbers.

    Examples
    --------
    >>> references()[52].link
    'https://doi.org/10.1145/1247480.1247556'
    """
    return parsed(_References, {"references": read_data("references.yaml")}, "references.yaml").references
