"""What is risky about a published table besides its promises: disclosed sensitive values, and unique columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from krypsis.checker import shows_records
from krypsis.checker.disclosure import Inference, disclosures, inferences, inferences_of_links
from krypsis.checker.original import Original
from krypsis.checker.published import PublishedTables
from krypsis.data.schema import Role, Schema
from krypsis.errors import shorten
from krypsis.io.dataset import Dataset
from krypsis.io.frames import frame_of
from krypsis.io.read import read_table
from krypsis.profile.published_columns import suspects
from krypsis.release.manifest import Manifest
from krypsis.release.release import Release

LONGEST_NAME = 40
"""How many characters of the name of a column are shown."""


def risks_of_release(release: Release) -> tuple[str, ...]:
    """Return what is risky about a release of one table, one sentence or two each; its promises may hold all the same.

    Examples
    --------
    >>> from krypsis.kinds.table.make import release_of
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", "M"], "disease": ["flu", "flu", "hiv", "flu"]})
    >>> schema = Schema.of({"sex": "quasi-identifier", "disease": "sensitive"})
    >>> risks_of_release(release_of(table, schema, ("k-anonymity:k=2",)))
    ('2 of 4 published records lie in 1 group with a known value of disease: it is certain for 2 records. Worst ...',)
    """
    if not release.publication.holds_records:
        return ()
    disclosed = [f"{found.sentence} {found.named}" for found in release.disclosures]
    return (*disclosed, *(one.said() for one in suspects(Dataset.of(release.table), release.schema)))


def said_of_inferences(release: Release, in_doubt: Sequence[str], original: Original | None = None) -> str:
    """Return which of the columns in doubt follow from the other quasi-identifiers of a person, and what to do.

    A column that is generalized gives nothing away. Where labels overlap, as those of local recoding do, the original
    records say whom a published record could be about: they are in the release that was just made.

    Examples
    --------
    >>> from krypsis.kinds.table.make import release_of
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", "M"], "method": ["a", "a", "b", "c"]})
    >>> schema = Schema.of({"sex": "quasi-identifier", "method": "quasi-identifier"})
    >>> release = release_of(table, schema, ("k-anonymity:k=2",), levels={"sex": 0, "method": 0})
    >>> said_of_inferences(release, ["method"]).partition(";")[0]
    'whoever knows the other quasi-identifiers of a person learns method for 2 of 4 records'
    """
    published = release.publication
    if not in_doubt or not published.holds_records or published.group_column is not None or published.table.is_empty():
        return ""
    found = sorted(_inferences(release, in_doubt, original), key=lambda one: -one.exposed)
    if not found:
        return ""
    learned = [f"{one.column[:LONGEST_NAME]} for {one.exposed:,}" for one in found]
    return (
        f"whoever knows the other quasi-identifiers of a person learns {shorten(learned, 3)} of {found[0].records:,} "
        "records; give such a column the role 'sensitive' in the plan, with a promise about it, or remove its "
        "'in_doubt: true' if others know it anyway"
    )


def _inferences(release: Release, in_doubt: Sequence[str], original: Original | None) -> tuple[Inference, ...]:
    sets = release.schema.sets
    if all(name in release.levels for names in sets for name in names):
        as_it_was = [name for name in in_doubt if release.levels.get(name) == 0]
        return inferences(release.table, sets, as_it_was)
    if original is None and release.evidence is not None and release.before is not None:
        frequency = release.evidence.frequency
        original = Original(release.before.table, dict(zip(frequency.attributes, frequency.hierarchies, strict=True)))
    return () if original is None else inferences_of_links(original, release.table, sets, in_doubt)


def risks_of_table(
    table: pl.DataFrame, quasi_identifiers: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[str, ...]:
    """Return what is risky about a table of any tool; what is neither known nor sensitive counts as insensitive."""
    known = {name for names in quasi_identifiers for name in names}
    roles = {name: _role(name, known, sensitive).value for name in table.columns}
    disclosed = disclosures(PublishedTables(table), quasi_identifiers, sensitive)
    columns = suspects(Dataset.of(table), Schema.of(roles))
    return (*(f"{found.sentence} {found.named}" for found in disclosed), *(one.said() for one in columns))


def disclosed_by(
    published: object, quasi_identifiers: Sequence[Sequence[str]] | None, sensitive: Sequence[str] | None
) -> tuple[str, ...]:
    """Return what the groups of a release folder or of a table disclose about sensitive columns."""
    if isinstance(published, str | Path) and Path(published).is_dir():
        folder = Path(published)
        found = Release.load(folder).disclosures if _has_sensitive(folder) else ()
    elif sensitive and quasi_identifiers:
        found = disclosures(PublishedTables(frame_of(published)), quasi_identifiers, sensitive)
    else:
        return ()
    return tuple(f"{one.sentence} {one.named}" for one in found)


def _has_sensitive(folder: Path) -> bool:
    manifest = Manifest.read(folder)
    return shows_records(folder, ()) and Role.SENSITIVE in manifest.schema_of_columns.roles.values()


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
