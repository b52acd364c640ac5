"""Blocks that a report on paper is made of: headings, paragraphs, facts, tables and drawings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from krypsis.report.charts import bar_chart
from krypsis.report.text import count, percent, sentence
from krypsis.report.values import Bar, DossierSection, PromiseResult, RiskFigure

Block = dict[str, Any]
NUMBER, TEXT = "right", "left"


def heading(text: str, level: int = 2) -> Block:
    """Return a heading."""
    return {"kind": "heading", "text": text, "level": level}


def paragraph(text: str, *, quiet: bool = False) -> Block:
    """Return a paragraph."""
    return {"kind": "paragraph", "text": text, "quiet": quiet}


def facts(pairs: Iterable[tuple[str, str]]) -> Block:
    """Return facts by name."""
    return {"kind": "facts", "pairs": [list(pair) for pair in pairs]}


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str]) -> Block:
    """Return a table."""
    return {"kind": "table", "head": list(head), "rows": [list(row) for row in rows], "align": list(align)}


def drawing(svg: str, width: float = 1.0) -> Block:
    """Return a drawing that takes a share of the width of the page."""
    return {"kind": "drawing", "svg": svg, "width": width}


def pair(drawings: Mapping[str, str]) -> Block:
    """Return drawings side by side, each under its name."""
    return {"kind": "pair", "names": list(drawings), "svgs": list(drawings.values())}


def summary_blocks(summary: Sequence[str], tiles: Sequence[tuple[str, str]]) -> Iterator[Block]:
    """Yield what a report says in short."""
    yield heading("In short")
    yield from map(paragraph, summary)
    yield {"kind": "tiles", "pairs": [list(tile) for tile in tiles]}


def promise_blocks(promises: Sequence[PromiseResult]) -> Iterator[Block]:
    """Yield what is promised, and what the checker found."""
    yield heading("What is promised")
    if not promises:
        yield paragraph("No promise was made.")
    for one in promises:
        yield heading(f"{one.promise}: {one.state}", 3)
        level = [] if one.achieved is None or one.required is None else [("Level", _level(one.required, one.achieved))]
        yield facts(
            [
                ("Promise", sentence(one.sentence)),
                *([("Finding", sentence(one.verdict))] if one.state != "holds" else []),
                *level,
                ("Checked on", one.checked_on),
                ("Protects from", sentence(one.protects_from)),
                ("Does not protect from", sentence(one.does_not_protect_from)),
                ("Source", one.reference),
            ]
        )


def dossier_blocks(dossier: DossierSection | None) -> Iterator[Block]:
    """Yield what the publisher documents, if there is a dossier."""
    if dossier is None:
        return
    yield heading("Dossier")
    yield paragraph(f"Under {dossier.profile}, as of {dossier.as_of}. {dossier.notice}", quiet=True)
    yield facts((fact.title, "; ".join(fact.entries)) for fact in dossier.facts)
    for hint in dossier.hints:
        yield paragraph(f"To think of: {hint}")


def bars(shown: Sequence[Bar], title: str, kind: str, total: int | None = None) -> Block:
    """Return a chart of bars."""
    return drawing(bar_chart(shown, title, kind, 780, total))


def _level(required: float, achieved: float) -> str:
    return f"required {count(required)}, achieved {count(achieved)}"


def figure_text(value: float | None, figure: RiskFigure) -> str:
    """Return a figure of risk as people read it."""
    if value is None:
        return "–"
    return percent(value) if figure.unit == "share" else count(value)
