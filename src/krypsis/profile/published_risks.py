"""What is risky about a published table besides its promises: disclosed sensitive values, and unique columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from krypsis.checker.disclosure import disclosures
from krypsis.checker.published import Published
from krypsis.datasets.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.profile.published_columns import suspects
from krypsis.release.manifest import Manifest
from krypsis.release.release import Release
from krypsis.release.summary import MADE_BY_CHANCE
from krypsis.schema import Role, Schema


def risks_of_release(release: Release) -> tuple[str, ...]:
    """Return what is risky about a release of one table, one sentence or two each; its promises may hold all the same.

    Examples
    --------
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "flu", "hiv", "flu"]})
    >>> schema = Schema.of({"sex": "quasi-identifier", "disease": "sensitive"})
    >>> risks_of_release(Release(table, schema, promises=("k-anonymity:k=2",)))
    ('2 of 4 published records lie in 1 group with a known value of disease: it is certain for 2 records. Worst ...',)
    """
    if release.kind != "table" or release.subject_column is not None or release.scheme in MADE_BY_CHANCE:
        return ()
    disclosed = [f"{found.sentence} {found.named}" for found in release.disclosures]
    return (*disclosed, *(one.said() for one in suspects(Dataset.of(release.table), release.schema)))


def risks_of_table(
    table: pl.DataFrame, quasi_identifiers: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[str, ...]:
    """Return what is risky about a table of any tool; what is neither known nor sensitive counts as insensitive."""
    known = {name for names in quasi_identifiers for name in names}
    roles = {name: _role(name, known, sensitive).value for name in table.columns}
    disclosed = disclosures(Published(table), quasi_identifiers, sensitive)
    columns = suspects(Dataset.of(table), Schema.of(roles))
    return (*(f"{found.sentence} {found.named}" for found in disclosed), *(one.said() for one in columns))


def risks_of_path(
    path: Path,
    quasi_identifiers: Sequence[Sequence[str]] | None,
    sensitive: Sequence[str] | None,
    **reading: str | None,
) -> tuple[str, ...]:
    """Return what is risky about the folder of a release, or about a table file made by any tool."""
    if path.is_dir():
        return risks_of_release(Release.load(path)) if _shows_values_as_they_are(path) else ()
    return risks_of_table(read_table(path, **reading), quasi_identifiers or (), sensitive or ())


def _shows_values_as_they_are(folder: Path) -> bool:
    """Say whether a release has a column that may be risky; one of quasi-identifiers alone need not be read."""
    roles = Manifest.read(folder).schema_of_columns.roles.values()
    return any(role not in (Role.QUASI_IDENTIFIER, Role.IDENTIFIER) for role in roles)


def _role(name: str, known: set[str], sensitive: Sequence[str]) -> Role:
    if name in sensitive:
        return Role.SENSITIVE
    return Role.QUASI_IDENTIFIER if name in known else Role.INSENSITIVE
