"""A release: what is published, and the recipe that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from krypsis.checker.disclosure import Disclosure, disclosures
from krypsis.checker.link_disclosure import disclosures_of_links
from krypsis.checker.original import Original
from krypsis.checker.published import Published
from krypsis.checker.sets import load_chunks
from krypsis.checker.subject_disclosure import disclosures_of_subjects
from krypsis.datasets.set_tables import table_of
from krypsis.errors import DataError, UsageError, shorten
from krypsis.format.files import PARQUET, read_data, read_sensitive_table, verify_files
from krypsis.format.mechanism_record import MechanismRecord
from krypsis.format.types import publishable, restore_types
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.models.coverage import rules_out_certainty
from krypsis.models.links import LinkModel
from krypsis.models.promises import read_promise
from krypsis.models.verdict import Verdict
from krypsis.release import summary, writer
from krypsis.release.before import Before
from krypsis.release.evidence import Evidence, original_for
from krypsis.release.manifest import Manifest, as_published
from krypsis.release.related import PublishedTable, load_tables, sensitive_of_tables, subject_tables
from krypsis.release.sets import sets_of_release
from krypsis.release.workshop import settle_abandoned
from krypsis.schema import Schema
from krypsis.transactions import Disassociated, Transactions

if TYPE_CHECKING:
    import pandas as pd

PRIVATE_SIDE = ("evidence", "before", "original", "sets_before", "beside", "lower_bound")
"""Fields of a release that only its publisher may see, besides ``private``."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """An anonymized table with everything that may be told about it.

    ``table`` is what is published, in the order in which it is published: random, since the order of the input may say
    who is who. Columns whose type does not survive a CSV file are text in it, among them categories, whose list would
    name values of suppressed records. ``private`` is what must stay with the publisher (see ``release/private.py``),
    among it what the order follows from; ``evidence`` and ``before`` are what a report needs and are never written.
    All are empty for a release loaded from its published files, and for one that was pickled.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["[30-35)"] * 2, "disease": ["Flu", "Fever"]})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> release = Release(table, schema, promises=("k-anonymity:k=2",))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     saved = release.save(Path(folder, "release"))
    ...     sorted(path.name for path in saved.folder.iterdir()), Release.load(saved.folder).verdicts[0].achieved
    (['data.csv', 'manifest.json'], 2.0)
    >>> release
    Release(2 records; age, disease; k-anonymity:k=2; 0 suppressed)
    """

    table: pl.DataFrame
    schema: Schema
    promises: tuple[str, ...]
    algorithm: str = ""
    scheme: str = ""
    """What the algorithm generalizes and suppresses, such as ``AG_TS``: attributes, and tuples."""
    metric: str = ""
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """Attribute → name of its hierarchy, such as ``csv age.csv`` or ``intervals``."""
    levels: Mapping[str, int] = field(default_factory=dict)
    heights: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    lower_bound: float | None = None
    """A score that no recoding of the kind searched can beat, where the algorithm has proven one."""
    suppressed: int = 0
    suppression: str = "remove"
    rows_before: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    rounded: frozenset[str] = frozenset()
    """Metrics that depend on original values: exact ones would confirm guesses. See :attr:`hides_figures`."""
    verdicts: tuple[Verdict, ...] = ()
    private: Mapping[str, Any] = field(default_factory=dict)
    evidence: Evidence | None = None
    before: Before | None = None
    sensitive_hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Sensitive attribute → its hierarchy, where a promise measures distance in it."""
    group_column: str | None = None
    """The column of the table that says which records form a group, where the quasi-identifiers do not."""
    sensitive_table: pl.DataFrame | None = None
    """The sensitive values of a release that publishes them apart: group, value, how often it occurs in the group."""
    subject_column: str | None = None
    """The column of every table that says whose row it is, in a release of several: a random number."""
    tables: Mapping[str, PublishedTable] = field(default_factory=dict)
    """The further tables of a release of several, by name."""
    guarantee: str = ""
    """What the method guarantees beyond the promises, or that it guarantees nothing, in plain words."""
    mechanism_record: MechanismRecord | None = None
    """How the table was made by chance, where a promise is about that."""
    original: Original | None = None
    """The table before, where a promise compares with it and there is no other evidence; never written."""
    kind: Literal["table", "transactions"] = "table"
    """Whether the records have one value per column, or are sets of items."""
    chunks: Disassociated | None = None
    """The clusters of disassociated sets, which are published instead of ``table``, a view of them for people."""
    sensitive_items: frozenset[str] = frozenset()
    """Items that nobody should be able to attach to a person."""
    sets_before: Transactions | None = None
    """The sets before, which a report compares with; never written."""
    item_hierarchy: Hierarchy | None = None
    """Of the items, where some sets tell an item and others something more general above it."""
    beside: pl.DataFrame | None = None
    """Columns that a promise counts and that are not published, such as the number of a person, record by record."""
    release_id: str = ""
    """The id under which it was saved; empty before."""
    from_text: frozenset[str] = frozenset()
    """Columns that are published as they were in a text file; in Parquet they have the type of their values."""
    is_shuffled: bool = False
    """Whether the records are in published order; saving puts them in it where they are not."""
    keeps_figures: bool = False
    """Whether figures depend on values that nothing else shows, although no record of the table was suppressed: those
    of the records that a recipe was made of, those of subjects who were in further tables only, or sensitive values
    that are published more generally."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", publishable(self.table))
        if self.sensitive_table is not None:
            object.__setattr__(self, "sensitive_table", publishable(self.sensitive_table))

    def __repr__(self) -> str:
        """Name what anybody may know: the rest would end up in notebooks and logs."""
        columns, promises = shorten(self.table.columns), shorten(self.promises)
        return f"Release({self.records} records; {columns}; {promises}; {self.suppressed} suppressed)"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the private side: a pickled release goes to others as easily as its table."""
        kept = {name: value for name, value in vars(self).items() if name != "disclosures"}
        return {**kept, "private": {}, **dict.fromkeys(PRIVATE_SIDE), **as_published(self)}

    def __copy__(self) -> Release:
        return self

    def __deepcopy__(self, memo: object) -> Release:
        return self

    @property
    def records(self) -> int:
        """How many records are published."""
        return self.table.height if self.kind == "table" else len(sets_of_release(self))

    @property
    def hides_figures(self) -> bool:
        """Whether figures that depend on original values are not published; otherwise they are rounded.

        They would tell about values that nothing else in the release shows: those of suppressed records, those that
        :attr:`keeps_figures` is about, and who holds which item.
        """
        return self.suppressed > 0 or self.keeps_figures or self.kind == "transactions"

    @property
    def has_evidence(self) -> bool:
        """Whether what was there before is at hand, so that a report can compare with it."""
        return self.before is not None or self.sets_before is not None

    @property
    def statistics(self) -> Mapping[str, Any]:
        """What a perturbation kept: statistics before and after. They are not published."""
        kept: Mapping[str, Any] = self.private.get("statistics", {})
        return kept

    @cached_property
    def models(self) -> list[PrivacyModel]:
        """What is promised."""
        return [read_promise(promise) for promise in self.promises]

    @cached_property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """What groups disclose about sensitive columns, whatever is promised; nothing where a promise excludes it.

        For the publisher only: it names groups with what is certain about them, and it is never written to a file that
        is published.
        """
        if self.kind != "table" or self.scheme in summary.MADE_BY_CHANCE:
            return ()
        if self.subject_column is not None:
            return disclosures_of_subjects(subject_tables(self), sensitive_of_tables(self))
        models = self.models
        if any(isinstance(model, LinkModel) for model in models):  # a person's possible records need not look alike
            original = original_for(models, self)
            if original is None or self.table.is_empty():
                return ()
            return disclosures_of_links(original, self.table, self.schema.sets, self.schema.sensitive)
        if any(model.kind != "table" for model in models):
            return ()
        hidden = [name for name in self.schema.sensitive if not rules_out_certainty(models, name)]
        published = Published(self.table, self.group_column, self.sensitive_table)
        return disclosures(published, self.schema.sets, hidden)

    def disclosing_like(self, same: Release) -> Release:
        """Take over what the groups of the same records disclose, if that was found already: counting them is slow."""
        if "disclosures" in vars(same):
            vars(self)["disclosures"] = same.disclosures
        return self

    def summary(self) -> str:
        """Return in plain words what is promised, what was achieved, what was lost and what was suppressed."""
        return summary.summarize(self)

    def checked(self) -> Release:
        """Return the release with the verdicts of the independent checker about its table.

        Raises
        ------
        PromiseBroken
            if a promise does not hold.
        """
        return replace(self, verdicts=writer.refuse_broken(writer.check_promises(self)))

    def with_private(self, more: Mapping[str, Any]) -> Release:
        """Return the release with more in its private record."""
        return replace(self, private={**self.private, **more})

    def to_pandas(self) -> pd.DataFrame:
        """Return the published table as a pandas frame, with a fresh index.

        Raises
        ------
        UsageError
            if pandas or pyarrow is missing.
        """
        try:
            return self.table.to_pandas()
        except ModuleNotFoundError as error:
            raise UsageError(
                f"to_pandas needs pandas and pyarrow, and {error.name} is not installed; install both: "
                "pip install pandas pyarrow, or use the polars frame in release.table"
            ) from error

    def save(
        self,
        path: Path | str,
        formats: Sequence[str] = ("csv",),
        *,
        force: bool = False,
    ) -> writer.Saved:
        """Write the release to a folder, and the private record to a file beside it.

        The release is built beside the destination, checked there from its files by the independent checker, and
        renamed into place: a crash leaves the old release or the new one. The records are written in the order of
        ``table``.

        Parameters
        ----------
        path
            The folder to write; folders above it are created.
        formats
            ``csv``, ``parquet`` or both.
        force
            Replace an existing release, or an empty folder. Anything else is never replaced.

        Raises
        ------
        PromiseBroken
            if the checker refuses what would be published; nothing is written then.
        OutputError
            if the folder exists or cannot be written; what was there has not changed then.
        """
        return writer.save(self, path, formats, force=force)

    @classmethod
    def load(cls, path: Path | str) -> Release:
        """Read a release from its folder, after verifying that its files were not changed.

        Raises
        ------
        PromiseBroken
            if the files are not the ones the manifest speaks of.
        DataError
            if the folder is not a release that this version can read.
        """
        folder = writer.folder_path(path)
        if not folder.is_dir():
            settle_abandoned(writer.place(folder))
        if not folder.is_dir():
            raise DataError(f"{folder} is not a folder; give the folder of a release")
        manifest = Manifest.read(folder)
        verify_files(folder, manifest.files)
        chunks = load_chunks(folder, manifest)
        published = read_data(folder, manifest, prefer=PARQUET) if chunks is None else table_of(chunks)
        apart = read_sensitive_table(folder, manifest, prefer=PARQUET)
        return cls(
            table=restore_types(published, manifest.columns, published.columns),
            kind=manifest.kind,
            chunks=chunks,
            sensitive_items=frozenset(manifest.sensitive_items),
            item_hierarchy=manifest.hierarchy_of_items,
            sensitive_table=None
            if apart is None or manifest.sensitive_table is None
            else restore_types(apart, manifest.sensitive_table.columns, apart.columns),
            group_column=manifest.group_column,
            subject_column=manifest.subject_column,
            tables=load_tables(folder, manifest),
            guarantee=manifest.guarantee,
            mechanism_record=manifest.mechanism_record,
            schema=manifest.schema_of_columns,
            promises=tuple(claim.promise for claim in manifest.promises),
            algorithm=manifest.algorithm,
            scheme=manifest.scheme,
            metric=manifest.metric,
            hierarchies=manifest.hierarchies,
            levels=manifest.levels,
            heights=manifest.heights,
            score=manifest.score,
            suppressed=manifest.suppressed.records,
            suppression=manifest.suppressed.mode,
            rows_before=manifest.rows_before,
            metrics=manifest.metrics,
            verdicts=manifest.verdicts,
            sensitive_hierarchies=manifest.hierarchies_of_sensitive,
            release_id=manifest.release_id,
            is_shuffled=True,
        )
