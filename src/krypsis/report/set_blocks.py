"""The report on sets of items as a list of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from krypsis.report.blocks import (
    NUMBER,
    TEXT,
    Block,
    bars,
    dossier_blocks,
    facts,
    heading,
    pair,
    paragraph,
    promise_blocks,
    summary_blocks,
    table,
)
from krypsis.report.set_values import SetReportContent
from krypsis.report.text import count, percent


def set_blocks(content: SetReportContent) -> Iterator[Block]:
    """Yield the report on sets of items."""
    tiles = [("Records", count(content.records_published)), ("Items", count(content.items_published))]
    yield from summary_blocks(content.summary, tiles)
    yield from promise_blocks(content.promises)
    if content.guarantee:
        yield heading("What the method guarantees")
        yield paragraph(content.guarantee)
    yield from _risk(content)
    yield from _lost(content)
    yield from dossier_blocks(content.dossier)
    yield heading("How it was made")
    yield facts([("Algorithm", content.algorithm or "–"), ("Tool", f"Krypsis {content.tool_version}")])
    yield heading("How to cite")
    yield from map(paragraph, (content.citation.text, *content.citation.methods))


def _risk(content: SetReportContent) -> Iterator[Block]:
    yield heading("Risk before and after")
    yield paragraph(
        "The share of the records that somebody who knows some of their items finds with certainty.", quiet=True
    )
    rows = (
        (
            str(one.known),
            ("" if one.is_exact else "at least ") + percent(one.before),
            "no record is published as one set"
            if one.after is None
            else ("" if one.is_exact else "at least ") + percent(one.after),
        )
        for one in content.identified
    )
    yield table(("Known items", "Before", "After"), rows, (TEXT, NUMBER, NUMBER))


def _lost(content: SetReportContent) -> Iterator[Block]:
    yield heading("What was lost")
    yield from map(paragraph, content.lost)
    if content.metrics:
        rows = ((one.name, count(one.value), f"{one.sentence} ({one.formula}; {one.range})") for one in content.metrics)
        yield table(("Metric", "Value", "What it says"), rows, (TEXT, NUMBER, TEXT))
    for one in content.counts:
        yield heading(one.title, 3)
        yield paragraph(one.sentence, quiet=True)
        if one.before:
            yield bars(one.before, "before", "before")
        if one.after:
            yield bars(one.after, "after", "after", one.total)
    if content.band is not None:
        yield pair(dict(zip(("As they came", "Neighbors alike"), content.band, strict=True)))
