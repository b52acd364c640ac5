"""The report on one version of a table that changes: that of its release, and what the history adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from krypsis.attacks.knowledge import Seen
from krypsis.errors import UsageError
from krypsis.io.private import write_private_files
from krypsis.release.release import Release
from krypsis.report.content import build_content
from krypsis.report.page import render_html, render_json, report_paths
from krypsis.report.parts import HistoryFigure, HistorySection
from krypsis.report.text import plural
from krypsis.report.whole import ReportContent

if TYPE_CHECKING:
    from krypsis.history import Published
    from krypsis.history.published import Change

ATTACKS = (
    "The attacks in this report look at this release alone. 'krypsis history attack' compares all releases as somebody "
    "would who knows everybody."
)


def write_version_report(published: Published) -> tuple[Path, Path]:
    """Write the report of a version into the private folder of its history; return the paths of page and JSON.

    ``releases/2/`` gets ``private/2.report.html`` and ``private/2.report.json``, which only their owner can read: the
    whole folder of the releases may be given away.

    Raises
    ------
    UsageError
        if it is a simulation, or does not carry the table before.
    OutputError
        if the files cannot be written; the release stays published.
    """
    if published.folder is None:
        raise UsageError("a simulation has no release to write a report beside; publish the version first")
    page, data = report_paths(published.folder)
    content = build_version_content(published, f"{page.parents[1].name}, version {published.change.version}")
    write_private_files({page: render_html(content).encode(), data: render_json(content).encode()})
    return page, data


def build_version_content(published: Published, name: str = "") -> ReportContent:
    """Return everything the report of a version says; verdicts are those over this release and all before it.

    Raises
    ------
    UsageError
        if the release does not carry the table before.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from krypsis.history import History
    >>> roles = {"age": "quasi-identifier", "disease": "sensitive"}
    >>> table = pl.DataFrame({"name": ["Ann", "Bob"], "age": [31, 34], "disease": ["flu", "cough"]})
    >>> with TemporaryDirectory() as folder:
    ...     history = History.init(Path(folder, "history"), id="name", roles=roles, models="m-invariance:m=2")
    ...     content = build_version_content(history.publish(table))
    >>> content.history.version, content.holds, [one.value for one in content.history.figures if one.name == "new"]
    (1, True, [2])
    """
    content = build_content(replace(published.release, verdicts=published.verdicts), name)
    section = HistorySection(
        version=published.change.version,
        figures=tuple(_figures(published.change)),
        notes=tuple(_notes(published)),
    )
    summary = (*published.risks(), *content.summary, published.change.sentence())
    return content.model_copy(update={"history": section, "summary": summary})


def _figures(change: Change) -> Iterator[HistoryFigure]:
    told = (
        ("records", "Records", change.records, "records of the table of this version"),
        ("new", "New", change.inserted, "records of people who were in no version before"),
        ("gone", "Gone", change.deleted, "records of the version before that are not in this one"),
        ("changed", "Changed", change.updated, "records of people known before whose values are others now"),
        (
            "back",
            "Back again",
            change.returned,
            "records of people who were in an earlier version, but not in the last",
        ),
        ("published", "Published", change.published, "records of people that are in the release"),
        (
            "deferred",
            "Deferred",
            change.deferred,
            "new records that wait, as their value is too frequent among the new",
        ),
        ("withheld", "Withheld", change.withheld, "records with a value that earlier releases exclude for the person"),
        ("counterfeits", "Counterfeits", change.counterfeits, "published records that nobody has"),
        ("groups", "Groups", change.groups, "groups of records that hide which sensitive value is whose"),
    )
    for name, title, value, sentence in told:
        yield HistoryFigure(name=name, title=title, value=value, sentence=f"Number of {sentence}.")


def _notes(published: Published) -> Iterator[str]:
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
    look = Seen.of(release, release.schema.quasi_identifiers).look[~before.nobody]
    sizes = np.bincount(look)
    people = int((sizes == 1).sum())
    return (
        f"Somebody who recognizes them, such as by knowing who has left, could tell {people:,} of {len(look):,} "
        "records from all others."
    )
