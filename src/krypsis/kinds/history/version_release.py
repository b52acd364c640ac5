"""What came of publishing a version."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from krypsis.attacks.base import percent
from krypsis.attacks.identification import WITHOUT_K, Identification
from krypsis.models.base import Verdict
from krypsis.models.k_anonymity import KAnonymity
from krypsis.release.release import Release


@dataclass(frozen=True)
class Change:
    """How a version differs from the one before, and what is published of it."""

    version: int
    records: int
    inserted: int
    """Records of people who were in no version before."""
    deleted: int
    """Records of the version before that are not in this one."""
    updated: int
    """Records of people known before whose values have changed."""
    returned: int
    """Records of people who were in an earlier version, but not in the last."""
    published: int
    deferred: int
    """New records that wait for a later version, because their sensitive value is too frequent."""
    withheld: int
    """Records whose sensitive value is not among those that the person is bound to."""
    counterfeits: int
    groups: int

    def sentence(self) -> str:
        """Return the change as one plain sentence."""
        waiting = f", {self.deferred} deferred" * bool(self.deferred)
        waiting += f", {self.withheld} withheld" * bool(self.withheld)
        return (
            f"Version {self.version}: {self.records} records, {self.inserted} new, {self.deleted} gone, "
            f"{self.updated} changed, {self.returned} back again; {self.published} published in {self.groups} groups "
            f"with {self.counterfeits} counterfeits{waiting}."
        )

    def as_dict(self) -> dict[str, int]:
        """Return the numbers by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class VersionRelease:
    """A version that was published, or would be.

    ``folder`` is where the release lies; ``None`` for a simulation, which writes nothing. ``left_out`` are the ids of
    the records that are not published this time; they must not leave the publisher, so they are neither shown nor
    pickled.
    """

    change: Change
    release: Release
    verdicts: tuple[Verdict, ...]
    left_out: tuple[str, ...] = field(repr=False)
    folder: Path | None
    identification: Identification
    """Who can be found by the published quasi-identifiers alone."""
    kind: ClassVar[str] = "history"
    """The kind of data, as plans name it."""
    is_new: bool = True
    """``False`` where the table had been published before: this is that version, and nothing was written."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "left_out": ()}

    def summary(self) -> str:
        """Return what was published in plain words: the highest risk first, then the change and the promises."""
        again = () if self.is_new else (self._already(),)
        lines = (*again, *self.risks(), self.change.sentence(), *(verdict.sentence for verdict in self.verdicts))
        return "\n".join(lines)

    def risks(self) -> tuple[str, ...]:
        """Return the risks that stay, the highest first, and what no promise protects."""
        value = max(verdict.required for verdict in self.verdicts if not _is_about_looks(verdict))
        risks = [
            (self.identification.chance, self.identification.sentence()),
            (1 / value, f"sensitive value, {percent(1 / value)}: everybody is one of at least {value:g} values"),
        ]
        ranked = [text for _, text in sorted(risks, key=lambda risk: -risk[0])]
        unprotected = "" if any(map(_is_about_looks, self.verdicts)) else f" {WITHOUT_K[0].upper()}{WITHOUT_K[1:]}."
        return (f"Highest risk: {'. Then: '.join(ranked)}.{unprotected}",)

    def _already(self) -> str:
        return (
            f"This table was published as version {self.change.version} already; nothing was written. To publish it as "
            "one more version, say so: --again, or again=True in Python."
        )


def _is_about_looks(verdict: Verdict) -> bool:
    return verdict.promise.startswith(f"{KAnonymity.name}:")
