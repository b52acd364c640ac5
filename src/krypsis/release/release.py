"""A release: what is published, how it was made, and what the checker says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.checker.disclosure import Disclosure
from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.format.files import DATA
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.mechanisms import MechanismRecord
from krypsis.progress import TraceStep
from krypsis.release import writer
from krypsis.release.parts import ReleaseParts
from krypsis.release.provenance import Before, RecodingEvidence
from krypsis.texts.cards import Bars, Card, CardRows, group_size_bars
from krypsis.texts.printable import one_line

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


STATED = "Verdicts as they are stated with the release; krypsis.check(release) checks them."
"""What a notebook says of a release that was not made in this program."""
SHOWN_ROWS = 5
"""How many rows of a table, and how many of its values, a notebook shows."""
MOST_ROWS_DRAWN = 500_000
"""A larger table is shown without a drawing: counting its groups would take too long for a glance."""


@dataclass(frozen=True, eq=False, repr=False)
class Release(ReleaseParts):
    """Anonymized data with everything that may be known about it.

    ``table`` is what is published, in the order in which it is published: random, since the order of the input may say
    who is who. ``private`` is what must stay with the publisher (see ``release/private.py``), among it what the order
    follows from; ``before`` is what a report needs and is never written. Both are empty for a release loaded from its
    published files, and for one that was pickled.

    Examples
    --------
    >>> from krypsis.kinds.table.publication import GeneralizedTable
    >>> from krypsis.release.provenance import MadeBy
    >>> from krypsis.data.schema import Schema
    >>> table = pl.DataFrame({"age": ["[30-35)"] * 2, "disease": ["Flu", "Fever"]})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> release = Release(GeneralizedTable(table, schema), MadeBy(promises=("k-anonymity:k=2",)))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     saved = release.save(Path(folder, "release"))
    ...     sorted(path.name for path in saved.folder.iterdir()), Release.load(saved.folder).verdicts[0].achieved
    (['data.csv', 'manifest.json'], 2.0)
    >>> release
    Release(2 records; age, disease; k-anonymity:k=2; 0 suppressed)
    """

    def __repr__(self) -> str:
        """Name what anybody may know: the rest would end up in notebooks and logs."""
        columns, promises = shorten(self.publication.columns), shorten(self.promises)
        return f"Release({self.records} records; {columns}; {promises}; {self.suppressed} suppressed)"

    def _repr_html_(self) -> str:
        """Show in a notebook what anybody may know: promises, loss, and a few published rows in their random order."""
        made_by = self.made_by.as_published()
        verdicts = [(one.holds, one.sentence) for one in self.verdicts]
        score = "" if made_by.score is None else f"{made_by.score:.4g}"
        facts = {
            "records": f"{self.records:,}",
            "suppressed": f"{made_by.suppressed:,}" if made_by.suppressed else "",
            "algorithm": made_by.algorithm,
            made_by.metric or "loss": score,
        }
        tables = [
            CardRows(table.columns, table.rows(), f"{name}: {height:,} published rows")
            for name, (table, height) in self.publication.first_rows(SHOWN_ROWS).items()
        ]
        unchecked = [(None, f"{promise}: not checked yet") for promise in self.promises]
        checked = "release.summary() says more." if self.has_evidence else STATED
        note = f"{self.guarantee} {checked}".strip()
        return Card("Release", facts, verdicts or unchecked, self._bars(), tables, note).html()

    def _bars(self) -> Bars | None:
        """Return how large the published groups are, or where rows form none, how often values are published."""
        if self.records > MOST_ROWS_DRAWN or not self.records or not self.publication.is_in_memory:
            return None
        table, schema = self.table, self.schema
        groups = [self.group_column] if self.group_column else list(schema.quasi_identifiers)
        if groups and self.publication.is_tabular and (self.group_column or self.publication.holds_records):
            known = table.select(groups).rename(dict(zip(groups, map(str, range(len(groups))), strict=True)))
            return group_size_bars(known.group_by(known.columns).len().get_column("len"))
        column = table.get_column((*schema.quasi_identifiers, *table.columns)[0]).drop_nulls()
        most = dict(text_of(column.rename(PLAIN)).value_counts(sort=True).head(SHOWN_ROWS).iter_rows())
        title = f"Most frequent values of {column.name}"
        return Bars(title, most) if max(most.values(), default=0) > 1 else None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the private side: a pickled release goes to others as easily as its table."""
        return {
            "publication": self.publication.without_private_parts(),
            "made_by": self.made_by.as_published(),
            "verdicts": self.verdicts,
            "private": {},
            "before": None,
        }

    def __copy__(self) -> Release:
        return self

    def __deepcopy__(self, memo: object) -> Release:
        return self

    @property
    def kind(self) -> str:
        """The kind of data, as plans name it."""
        return self.publication.kind

    @property
    def sensitive_table(self) -> pl.DataFrame | None:
        """The sensitive values, where they are published in a table of their own: group, value, count."""
        return self.publication.sensitive_table

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All published tables by the names of their files, the first as ``data``."""
        return self.publication.tables()

    @property
    def mechanism_record(self) -> MechanismRecord | None:
        """How the table was made by chance, where a promise is about that."""
        return self.publication.mechanism_record

    @property
    def group_column(self) -> str | None:
        """The column that says which records form a group, where the quasi-identifiers do not."""
        return self.publication.group_column

    @property
    def records(self) -> int:
        """How many records are published."""
        return self.publication.records

    @property
    def algorithm(self) -> str:
        """What made the release."""
        return self.made_by.algorithm

    @property
    def scheme(self) -> str:
        """What the algorithm generalizes and suppresses, such as ``AG_TS``: attributes, and tuples."""
        return self.made_by.scheme

    @property
    def metric(self) -> str:
        """What was kept low."""
        return self.made_by.metric

    @property
    def hierarchies(self) -> Mapping[str, str]:
        """Attribute → the name of its hierarchy."""
        return self.made_by.hierarchies

    @property
    def levels(self) -> Mapping[str, int]:
        """Attribute → the level at which it is published, where there is one."""
        return self.made_by.levels

    @property
    def heights(self) -> Mapping[str, int]:
        """Attribute → the highest level of its hierarchy."""
        return self.made_by.heights

    @property
    def score(self) -> float | None:
        """The value of the metric; lower is better."""
        return self.made_by.score

    @property
    def lower_bound(self) -> float | None:
        """A score that no recoding of the kind searched can beat, where the algorithm has proven one."""
        return self.made_by.lower_bound

    @property
    def suppressed(self) -> int:
        """How many records were suppressed."""
        return self.made_by.suppressed

    @property
    def suppression(self) -> str:
        """What was done with these: ``remove`` or ``keep``."""
        return self.made_by.suppression

    @property
    def rows_before(self) -> int:
        """How many records there were before."""
        return self.made_by.rows_before

    @property
    def metrics(self) -> Mapping[str, float]:
        """Further figures by name."""
        return self.made_by.metrics

    @property
    def evidence(self) -> RecodingEvidence | None:
        """The frequency set and the recoding, where the release generalizes and was not loaded from its files."""
        return None if self.before is None else self.before.evidence

    @property
    def has_evidence(self) -> bool:
        """Whether what was there before is at hand, as records or as counts, so that a report can compare with it."""
        return self.before is not None

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """The steps of the algorithm, where a trace was wanted; they are about the data before."""
        return () if self.before is None else self.before.steps

    @property
    def statistics(self) -> Mapping[str, Any]:
        """What a perturbation kept: statistics before and after. They are not published."""
        kept: Mapping[str, Any] = self.private.get("statistics", {})
        return kept

    @cached_property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """What groups disclose about sensitive columns, whatever is promised; nothing where a promise excludes it.

        For the publisher only: it names groups with what is certain about them, and it is never written to a file that
        is published.
        """
        return self.publication.disclosures(self.known_models, self.before or Before())

    def disclosing_like(self, same: Release) -> Release:
        """Take over what the groups of the same records disclose, if that was found already: counting them is slow."""
        if "disclosures" in vars(same):
            vars(self)["disclosures"] = same.disclosures
        return self

    def summary(self) -> str:
        """Return in plain words what is promised, what was achieved, what was lost and what was suppressed."""
        return "\n\n".join(
            "\n".join([one_line(title), *(f"  {one_line(line)}" for line in lines)])
            for title, lines in self.publication.summary(self).items()
        )

    def checked(self) -> Release:
        """Return the release with the verdicts of the independent checker about its data.

        Raises
        ------
        PromiseBroken
            if a promise does not hold.
        """
        return replace(self, verdicts=writer.refuse_broken(writer.check_promises(self)))

    def with_private(self, more: Mapping[str, Any]) -> Release:
        """Return the release with more in its private record."""
        return replace(self, private={**self.private, **more})

    def to_polars(self, table: str = DATA) -> pl.DataFrame:
        """Return a published table as a polars frame, its rows in published order.

        Parameters
        ----------
        table
            which one, by the name of its file: a release of linked tables, or with sensitive values in a table of
            their own, has several; see ``tables``. The first unless given. Of sets of items it is a view with one row
            per item of a record, of disassociated sets one with a row per item of a piece.

        Raises
        ------
        UsageError
            if there is no such table.
        """
        if table not in self.tables:
            names = ", ".join(self.tables)
            raise UsageError(f"the release has no table {table!r}; tables: {names}.{did_you_mean(table, self.tables)}")
        return self.tables[table]

    def to_pandas(self, table: str = DATA) -> pd.DataFrame:
        """Return a published table as a pandas frame with a fresh index; which one, :meth:`to_polars` explains.

        Raises
        ------
        UsageError
            if pandas or pyarrow is missing, or there is no such table.
        """
        found = self.to_polars(table)
        try:
            return found.to_pandas()
        except ModuleNotFoundError as error:
            raise UsageError(
                f"to_pandas needs pandas and pyarrow, and {error.name} is not installed; install both: "
                "pip install pandas pyarrow, or use the polars frame in release.table"
            ) from error

    def to_arrow(self, table: str = DATA) -> pa.Table:
        """Return a published table as a pyarrow table; which one, :meth:`to_polars` explains.

        Raises
        ------
        UsageError
            if pyarrow is missing, or there is no such table.
        """
        found = self.to_polars(table)
        try:
            return found.to_arrow()
        except ModuleNotFoundError as error:
            raise UsageError(
                f"to_arrow needs pyarrow, and {error.name} is not installed; install it: pip install pyarrow, or use "
                "the polars frame in release.table"
            ) from error

    def save(
        self,
        path: Path | str,
        formats: Sequence[str] = ("csv",),
        *,
        force: bool = False,
    ) -> writer.Saved:
        """Write the release to a folder, and the private record to a file next to it.

        The release is built next to the destination, checked there from its files by the independent checker, and
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
            if the files are not the ones that the manifest names.
        DataError
            if the folder is not a release that this version can read.
        """
        return cls(*writer.load(path))
