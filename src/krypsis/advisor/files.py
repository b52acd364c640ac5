"""Reading the advisor's data files."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from krypsis.errors import UsageError
from krypsis.io.yaml_file import packaged_yaml


class AdvisorPart(BaseModel):
    """A frozen piece of a data file; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Kind = TypeVar("Kind", bound=AdvisorPart)


def read_data(*path: str) -> dict[str, Any]:
    """Return one of the advisor's data files; every scalar stays text, so ``no`` is a word and not a truth value.

    Examples
    --------
    >>> read_data("trees", "seed.yaml")["start"]
    'page01'
    """
    return packaged_yaml("krypsis.advisor", *path)


def parsed(kind: type[Kind], content: Mapping[str, Any], what: str) -> Kind:
    """Return the content of a data file as what it should be, with every problem named in one message."""
    try:
        return kind(**content)
    except (ValidationError, TypeError) as error:
        raise UsageError(f"{what}: {_problems(error)}") from None


def _problems(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return f"expected a mapping from names, {error}"
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
