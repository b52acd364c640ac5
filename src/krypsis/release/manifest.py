"""The manifest: everything a release states about itself. See ``docs/decisions/0003-what-a-release-reveals.md``."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from krypsis.checker.evidence import unknown_promise
from krypsis.data.schema import Schema
from krypsis.format.claims import (
    Claims,
    PromiseClaim,
    PublishedFile,
    Suppression,
)
from krypsis.format.files import PARQUET
from krypsis.format.part_files import format_of
from krypsis.io.write import PARQUET_WRITER
from krypsis.models.base import Verdict
from krypsis.models.promises import has_unknown_model
from krypsis.release.parts import ReleaseParts
from krypsis.release.provenance import MadeBy

SIGNIFICANT_DIGITS = 4


class Manifest(Claims):
    """The public description of a release; each field was asked what it reveals to an attacker."""

    @property
    def schema_of_columns(self) -> Schema:
        """The roles of the published columns."""
        sensitive_columns = () if self.sensitive_table is None else self.sensitive_table.columns[1:2]
        roles = {column.name: column.role for column in (*self.columns, *sensitive_columns)}
        whole = Schema(roles=roles, weights=self.weights)
        if self.quasi_identifier_sets == whole.sets:
            return whole
        return whole.model_copy(update={"quasi_identifier_sets": self.quasi_identifier_sets})

    def promising(self, verdicts: Sequence[Verdict]) -> "Manifest":
        """Return the manifest with the promises as the checker found them kept."""
        names = {"promise", "required", "achieved", "sentence"}
        claims = tuple(
            PromiseClaim(proven=verdict.decided, **verdict.model_dump(include=names)) for verdict in verdicts
        )
        return self.model_copy(update={"promises": claims})

    @property
    def made_by(self) -> MadeBy:
        """How the release was made, as far as it is published."""
        return MadeBy(
            promises=tuple(claim.promise for claim in self.promises),
            algorithm=self.algorithm,
            scheme=self.scheme,
            metric=self.metric,
            hierarchies=self.hierarchies,
            levels=self.levels,
            heights=self.heights,
            score=self.score,
            suppressed=self.suppressed.records,
            suppression=self.suppressed.mode,
            rows_before=self.rows_before,
            metrics=self.metrics,
            guarantee=self.guarantee,
            release_id=self.release_id,
        )

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The promises as verdicts; a release that breaks one is never written. What nobody can check is undecided."""
        return tuple(
            unknown_promise(claim.promise, claim.required)
            if has_unknown_model(claim.promise)
            else Verdict(holds=True if claim.proven else None, **claim.model_dump(exclude={"proven"}))
            for claim in self.promises
        )


def describe(release: ReleaseParts, files: Iterable[PublishedFile]) -> Manifest:
    """Return what may be known about a release, before its promises are checked."""
    made_by, listed = release.made_by.as_published(), tuple(files)
    return Manifest(
        format=format_of(listed),
        release_id=made_by.release_id,
        tool=f"krypsis {version('krypsis')}",
        # The day is enough for a reader; the minute would reveal which session of the publisher made the release.
        created=datetime.now(tz=UTC).date().isoformat(),
        promises=(),
        algorithm=made_by.algorithm,
        scheme=made_by.scheme,
        guarantee=made_by.guarantee,
        metric=made_by.metric,
        score=made_by.score,
        metrics=dict(made_by.metrics),
        hierarchies=dict(made_by.hierarchies),
        levels=dict(made_by.levels),
        heights=dict(made_by.heights),
        suppressed=Suppression(records=made_by.suppressed, mode=made_by.suppression),
        parquet_writer=PARQUET_WRITER if any(file.name.endswith(PARQUET) for file in listed) else "",
        files=listed,
        **release.publication.claims(),
    )
