"""What is risky about a published table besides its promises: disclosed sensitive values, and unique columns.

Insensitive and sensitive columns are published unchanged. One that names a person, or that has a value of its own for
nearly every record, undoes whatever the groups of quasi-identifiers promise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from krypsis.checker import shows_records
from krypsis.checker.disclosure import Inference, disclosures, disclosures_of_rows, inferences, inferences_of_links
from krypsis.checker.evidence import Original
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.published_tables import PublishedTables
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Role, Schema
from krypsis.errors import shorten
from krypsis.io.dataset import Dataset
from krypsis.io.frames import frame_of
from krypsis.io.parquet_parts import is_parts
from krypsis.io.published_columns import published_names
from krypsis.io.read import read_table
from krypsis.kinds.table.check import rows_of_files
from krypsis.kinds.table.profile.column import profile_column
from krypsis.kinds.table.profile.roles import Guess, Language, guess_role, sentence_of
from krypsis.kinds.table.profile.table import Encoded, most_identifying
from krypsis.release.manifest import Manifest
from krypsis.release.release import Release

FEWEST_TO_JUDGE = 20
"""With fewer records, that all values differ says nothing."""
MOST_ROWS = 50_000
"""Of a longer table so many records are looked at first; all of them only if these raise a suspicion."""
MOST_HASHED = 1_000_000
"""Of a longer table in parts about so many records are counted to find out whether a column is unique."""
NEARLY_UNIQUE = 0.9
"""The share of records alone with their values from which on a combination of columns singles people out."""
JUDGED_BY_NAME_OR_LOOK = ("speaks-of", "look-like", "a-name", "number-of-a-person", "named-free-text")
"""Reasons that hold however few records there are."""


@dataclass(frozen=True)
class Suspect:
    """One column, or several together, that should not be published as they are."""

    columns: tuple[str, ...]
    key: str
    role: Role = Role.INSENSITIVE
    share: float = 0.0
    guess: Guess | None = field(default=None, repr=False)

    def said(self, language: Language = "en") -> str:
        """Return the warning in one or two sentences.

        Examples
        --------
        >>> table = pl.DataFrame({"ssn": ["078-05-1120", "219-09-9999"]})
        >>> found, = suspects(Dataset.of(table), Schema.of({"ssn": "insensitive"}))
        >>> found.said()
        "'ssn' (insensitive) is published as it is, and the name suggests an official number of a person. ..."
        """
        values = {"columns": ", ".join(map(repr, self.columns)), "role": self.role.value}
        values["share"] = f"{self.share:.0%}".replace("%", " %")
        values["reason"] = "" if self.guess is None else self.guess.said(language)
        return sentence_of(self.key, language, values)


def suspects(dataset: Dataset, schema: Schema) -> tuple[Suspect, ...]:
    """Return what single people out among the columns that are published as they are.

    Examples
    --------
    >>> table = pl.DataFrame({"mail": ["ann@example.org", "bob@example.org"], "visits": [1, 2]})
    >>> [one.columns for one in suspects(Dataset.of(table), Schema.of({"mail": "sensitive", "visits": "insensitive"}))]
    [('mail',)]
    """
    roles = {name: role for name, role in schema.roles.items() if role in (Role.SENSITIVE, Role.INSENSITIVE)}
    unchanged = {name: role for name, role in roles.items() if name in dataset.columns}
    if not unchanged:
        return ()
    dataset = dataset.sampled(MOST_ROWS, published_names(dataset.columns, schema))
    judged = [_judged(name, role, dataset) for name, role in unchanged.items()]
    alone = [one for one in judged if one is not None]
    named = {name for one in alone for name in one.columns}
    rest = [name for name in schema.with_role(Role.INSENSITIVE) if name not in named and name in dataset.columns]
    return (*alone, *_together(rest, dataset))


def suspects_of_rows(table: pl.DataFrame | PartedRows, schema: Schema) -> tuple[Suspect, ...]:
    """Return the same of a table in memory or in parts; of parts a sample is looked at, and of suspects all records.

    Examples
    --------
    >>> parts = [pl.DataFrame({"code": [str(number)] * 30}) for number in range(2)]
    >>> suspects_of_rows(PartedRows.of(parts), Schema.of({"code": "insensitive"}))
    ()
    """
    if isinstance(table, pl.DataFrame):
        return suspects(Dataset.of(table), schema)
    if table.is_empty():
        return ()
    found = suspects(Dataset.of(table.sample(MOST_ROWS)), schema)
    # What is unique among some records need not be unique among all of them; names and looks are the same in all.
    confirmed = [replace(one, share=_unique_share(table, one.columns)) for one in found]
    return tuple(one for one in confirmed if _is_by_look(one) or one.share >= NEARLY_UNIQUE)


def _is_by_look(suspect: Suspect) -> bool:
    return suspect.guess is not None and suspect.guess.key in JUDGED_BY_NAME_OR_LOOK


def _unique_share(table: PartedRows, columns: Sequence[str]) -> float:
    """Return the share of records that are alone with their values of some columns, of many values for some of them.

    Values are chosen by their hashes, so that all records of a chosen value are counted.
    """
    every, chosen = max(table.height // MOST_HASHED, 1), list[np.ndarray[tuple[int], np.dtype[np.uint64]]]()
    for frame in table.frames():
        hashes = pl.DataFrame([frame.get_column(name).rename(f"c{place}") for place, name in enumerate(columns)])
        numbers = hashes.hash_rows().to_numpy()
        chosen.append(numbers[numbers % every == 0])
    counts = np.unique(np.concatenate(chosen), return_counts=True)[1]
    return float((counts == 1).sum() / max(counts.sum(), 1))


def _judged(name: str, role: Role, dataset: Dataset) -> Suspect | None:
    """Return the column if it looks like an identifier, or if nearly all of its values are unique."""
    texts = dataset.collect_texts(name)
    if len(texts) > MOST_ROWS and _suspicion(name, role, _part(texts)) is None:
        return None  # what is unique among all records is unique among some of them
    return _suspicion(name, role, texts)


def _suspicion(name: str, role: Role, texts: pl.Series) -> Suspect | None:
    profile = profile_column(name, texts)
    guess = guess_role(profile)
    is_many = len(texts) >= FEWEST_TO_JUDGE
    if guess.role is Role.IDENTIFIER and (is_many or guess.key in JUDGED_BY_NAME_OR_LOOK):
        return Suspect((name,), "published-identifier", role, profile.unique_share, guess)
    if is_many and profile.is_near_unique:
        return Suspect((name,), "published-unique", role, profile.unique_share)
    return None


def _together(names: Sequence[str], dataset: Dataset) -> tuple[Suspect, ...]:
    """Return the smallest combination of insensitive columns that is nearly unique, if there is one."""
    if len(names) < 2 or dataset.rows < FEWEST_TO_JUDGE:
        return ()
    columns = {name: dataset.collect_texts(name) for name in names}
    if dataset.rows > MOST_ROWS and not _combination({name: _part(one) for name, one in columns.items()}):
        return ()
    return _combination(columns)


def _combination(columns: Mapping[str, pl.Series]) -> tuple[Suspect, ...]:
    names, rows = list(columns), len(next(iter(columns.values())))
    encoded = {name: _encoded(texts) for name, texts in columns.items()}
    for size in dict.fromkeys((2, 3, len(names))):
        if size <= len(names):
            worst = most_identifying(encoded, size, rows)[0][0]
            if worst.unique_share >= NEARLY_UNIQUE:
                return (Suspect(worst.columns, "published-together", share=worst.unique_share),)
    return ()


def _part(texts: pl.Series) -> pl.Series:
    return texts.gather_every(len(texts) // MOST_ROWS)


def _encoded(texts: pl.Series) -> Encoded:
    """Return a column as codes; a missing value is a value of its own."""
    codes = texts.rank("dense").fill_null(0).cast(pl.Int32).to_numpy()
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return Encoded(codes, len(counts), float(-(shares * np.log2(shares)).sum()))


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
    return (*disclosed, *(one.said() for one in suspects_of_rows(release.publication.rows(), release.schema)))


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
    if not in_doubt or not published.holds_records or published.group_column is not None or not published.records:
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
        return inferences(release.publication.rows(), sets, as_it_was)
    rows, evidence = release.publication.rows(), release.evidence
    published = rows if isinstance(rows, pl.DataFrame) else rows.sample(MOST_ROWS)
    if original is not None:
        return inferences_of_links(original, published, sets, in_doubt)
    if evidence is None or release.before is None:
        return ()
    frequency = evidence.frequency
    hierarchies = dict(zip(frequency.attributes, frequency.hierarchies, strict=True))
    if isinstance(rows, pl.DataFrame):
        return inferences_of_links(Original(release.before.table, hierarchies), published, sets, in_doubt)
    tuples = _tuples(frequency)
    return inferences_of_links(Original(tuples, hierarchies), published, sets, in_doubt, _drawn(frequency, tuples))


def _tuples(frequency: FrequencySet) -> pl.DataFrame:
    """Return the distinct tuples of quasi-identifiers as a table."""
    columns = (
        pl.Series(hierarchy.values, dtype=pl.String).gather(frequency.codes[:, place]).rename(name)
        for place, (name, hierarchy) in enumerate(zip(frequency.attributes, frequency.hierarchies, strict=True))
    )
    return pl.DataFrame(columns)


def _drawn(frequency: FrequencySet, tuples: pl.DataFrame) -> pl.DataFrame:
    """Return records drawn from a counted table, all of a small one."""
    places = np.random.default_rng(0).choice(frequency.rows, min(frequency.rows, MOST_ROWS), replace=False)
    return tuples[np.searchsorted(np.cumsum(frequency.counts), places, side="right")]


def risks_of_table(
    table: pl.DataFrame | PartedRows, quasi_identifiers: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[str, ...]:
    """Return what is risky about a table of any tool; what is neither known nor sensitive counts as insensitive."""
    known = {name for names in quasi_identifiers for name in names}
    roles = {name: _role(name, known, sensitive).value for name in table.columns}
    disclosed = disclosures_of_rows(table, quasi_identifiers, sensitive)
    columns = suspects_of_rows(table, Schema.of(roles))
    return (*(f"{found.sentence} {found.named}" for found in disclosed), *(one.said() for one in columns))


def disclosed_by(
    published: object, quasi_identifiers: Sequence[Sequence[str]] | None, sensitive: Sequence[str] | None
) -> tuple[str, ...]:
    """Return what the groups of a release folder or of a table disclose about sensitive columns."""
    if is_parts(published) and isinstance(published, str | Path):
        rows = rows_of_files(published)
        found = disclosures_of_rows(rows, quasi_identifiers or (), sensitive or ())
    elif isinstance(published, str | Path) and Path(published).is_dir():
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
    if is_parts(path):
        return risks_of_table(rows_of_files(path), quasi_identifiers or (), sensitive or ())
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
