"""The report on one version of a table that changes: that of its release, and what the history adds."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from krypsis import registry
from krypsis.attacks.exposure import AttackerView
from krypsis.kinds.table.report import table_sections
from krypsis.kinds.table.report_figures import TableFigures, table_figures
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report.blocks import Number, Panel, PromiseResult, Report, Section, TableBlock, Text, heads, row
from krypsis.report.sections import assemble
from krypsis.report.text import plural, readable

if TYPE_CHECKING:
    from krypsis.kinds.history.version_release import Change, VersionRelease

ATTACKS = (
    "The attacks in this report look at this release alone. 'krypsis history attack' compares all releases as somebody "
    "would who knows everybody."
)
CHECKED_ON = "this release, all before it, and who is in which group"


def version_report(published: "VersionRelease", name: str = "", dossier: Dossier | None = None) -> Report:
    """Return everything the report of a version says; verdicts are those over this release and all before it.

    The name is that of its history, with the number of the version, where the version has a folder.

    Raises
    ------
    UsageError
        if the release does not carry the table before.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from krypsis.kinds.history.history import History
    >>> roles = {"age": "quasi-identifier", "disease": "sensitive"}
    >>> table = pl.DataFrame({"name": ["Ann", "Bob"], "age": [31, 34], "disease": ["flu", "cough"]})
    >>> with TemporaryDirectory() as folder:
    ...     history = History.init(Path(folder, "history"), id="name", roles=roles, models="m-invariance:m=2")
    ...     report = version_report(history.publish(table))
    >>> report.name, report.holds, report.section("version").title
    ('history, version 1', True, ('Version 1 of a table that changes',))
    """
    if published.folder is not None:
        name = f"{published.folder.absolute().parents[1].name}, version {published.change.version}"
    sections = table_sections(version_figures(published))
    return assemble(_judged(published), sections, name, dossier)


def version_figures(published: "VersionRelease") -> TableFigures:
    """Return the figures of the release of a version, with what the history adds to them."""
    figures = table_figures(_judged(published))
    return replace(
        figures,
        summary=(*published.risks(), *figures.summary, published.change.sentence()),
        promises=tuple(_over_all_releases(figures.promises, published)),
        version=_section(published),
    )


def _judged(published: "VersionRelease") -> Release:
    return replace(published.release, verdicts=published.verdicts)


def _over_all_releases(promises: Iterable[PromiseResult], published: "VersionRelease") -> Iterator[PromiseResult]:
    """Yield the promises; those about histories were checked on more than this release."""
    specs = {*published.release.promises, *(verdict.promise for verdict in published.verdicts)}
    over_all = {readable(spec) for spec in specs if registry.create("model", spec).kind == "history"}
    for promise in promises:
        yield replace(promise, checked_on=CHECKED_ON) if promise.promise in over_all else promise


def _section(published: "VersionRelease") -> Section:
    rows = tuple(
        row(title, Number(value), f"Number of {sentence}.") for title, value, sentence in _figures(published.change)
    )
    table = TableBlock(heads("Figure", "#Number", "What it says"), rows)
    notes = [Text((line,)) for line in _notes(published)]
    title = f"Version {published.change.version} of a table that changes"
    return Section("version", (title,), (Panel((), (table, *notes)), *_penalties(published.release)))


def _penalties(release: Release) -> Iterator[Panel]:
    """Yield the penalties of the version, in both readings of what a group in two tables costs."""
    readings = release.private.get("penalties", {})
    if not readings:
        return
    rows = (row(name, *(Number(figures[key]) for figures in readings.values()), says) for key, name, says in PENALTIES)
    about = (
        "From 0 to 1, lower is better, with the weights of the plan. The perimeter charges each record what its group "
        "spans; the other reading charges nothing for attributes, as two tables publish them exactly."
    )
    table = TableBlock(
        heads("Penalty", "#By the perimeter", "#Attributes published exactly", "What it says"), tuple(rows)
    )
    yield Panel(("What the version loses",), (Text((about,), "quiet"), table))


PENALTIES = (
    ("ncp_s", "NCP_S", "How closely the sensitive values of a group are related, on average."),
    ("ncp_tau", "NCP_τ", "The weighted penalty of a record of a person, on average."),
    ("ncp_c", "NCP_c", "What a counterfeit costs, on average; nothing where there is none."),
    ("total", "Total", "The sum over all published records."),
)


def _figures(change: "Change") -> Iterator[tuple[str, int, str]]:
    yield "Records", change.records, "records of the table of this version"
    yield "New", change.inserted, "records of people who were in no version before"
    yield "Gone", change.deleted, "records of the version before that are not in this one"
    yield "Changed", change.updated, "records of people known before whose values are others now"
    yield "Back again", change.returned, "records of people who were in an earlier version, but not in the last"
    yield "Published", change.published, "records of people that are in the release"
    yield "Deferred", change.deferred, "new records that wait, as their value is too frequent among the new"
    yield "Withheld", change.withheld, "records with a value that earlier releases exclude for the person"
    yield "Counterfeits", change.counterfeits, "published records that nobody has"
    yield "Groups", change.groups, "groups of records that hide which sensitive value is whose"


def _notes(published: "VersionRelease") -> Iterator[str]:
    release, change = published.release, published.change
    yield "The promises were checked on this release together with all before it."
    if change.counterfeits:
        yield _on_counterfeits(release, change.counterfeits)
    if left := change.deferred + change.withheld:
        yield (
            f"{plural(left, 'record')} of this version left out; figures before and after are about the "
            f"{change.published:,} that are published."
        )
    yield ATTACKS


def _on_counterfeits(release: Release, counterfeits: int) -> str:
    return (
        f"{plural(counterfeits, 'counterfeit')} among {plural(release.table.height, 'published record')}. Nobody can "
        "see which they are, so they make the groups of others larger; no figure of risk counts them as somebody at "
        f"risk. {_recognized(release)} Attacks count every published record, counterfeits included."
    )


def _recognized(release: Release) -> str:
    """Say what counterfeits are worth: how many people would be alone without them."""
    before = release.before
    if before is None or before.nobody is None:
        return ""
    look = AttackerView.of(release, release.schema.quasi_identifiers).look[~before.nobody]
    sizes = np.bincount(look)
    people = int((sizes == 1).sum())
    return (
        f"Somebody who recognizes them, such as by knowing who has left, could distinguish {people:,} of {len(look):,} "
        "records from all others."
    )
