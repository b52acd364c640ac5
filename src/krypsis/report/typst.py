"""The report as a PDF, set by typst; nothing is fetched from anywhere."""

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from krypsis.errors import UsageError
from krypsis.report import blocks
from krypsis.report.charts import dial, draw
from krypsis.report.text import sentence

TEMPLATE = "report.typ"

COLORS = """
text { font-family: "Libertinus Serif", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1d2530; }
.value, .axis { fill: #566172; }
.before, .node { fill: #8795a8; } .after, .cell { fill: #0f7c82; } .track { fill: #dde1e7; }
.ground { fill: #eef1f4; } .onlight, .onfull { font-size: 11px; } .onfull { fill: #ffffff; }
.ring, .arc { fill: none; stroke: #dde1e7; stroke-width: 18; stroke-linecap: round; } .arc { stroke: #0f7c82; }
.big { font-size: 44px; font-weight: bold; } .grid { stroke: #dde1e7; stroke-width: 1; }
.stairs { fill: none; stroke: #0f7c82; stroke-width: 2; }
.refused { fill: none; stroke: #566172; stroke-opacity: 0.45; }
.frontier { fill: #0f7c82; } .best { fill: #1d2530; }
"""
"""The colors of paper: a drawing in a PDF has no style sheet but its own."""

Element = dict[str, Any]
"""A piece of a page as the template knows it: its type, and what it shows."""


def check_pdf_ready() -> None:
    """Raise now what would keep a PDF from being written after a long search.

    Raises
    ------
    UsageError
        if typst is not installed.
    """
    try:
        import typst  # noqa: F401, PLC0415  an extra that may be missing
    except ImportError as error:
        raise UsageError(
            "a report as PDF needs typst, which is not installed; install it with: pip install 'krypsis[pdf]'"
        ) from error


def render_pdf(report: blocks.Report) -> bytes:
    """Return the report as a PDF.

    Raises
    ------
    UsageError
        if typst is not installed.
    """
    check_pdf_ready()
    import typst  # noqa: PLC0415

    document = {
        "title": report.title,
        "name": report.name,
        "version": report.tool_version,
        "records": f"{report.records_published:,}",
        "blocks": [*_elements(report)],
    }
    template = files("krypsis.report").joinpath(TEMPLATE).read_bytes()
    # The texts come as data and never as markup, so nothing that stands in them can do anything.
    return bytes(typst.compile(template, sys_inputs={"report": json.dumps(document)}))


def _elements(report: blocks.Report) -> Iterator[Element]:
    for section in report.sections:
        yield _heading(blocks.plain(section.title), 2)
        yield from _all(section.blocks)


def _all(content: Iterable[Any]) -> Iterator[Element]:
    for block in content:
        yield from _of(block)


def _of(block: Any) -> Iterator[Element]:  # noqa: C901, PLR0912  one case per block
    match block:
        case blocks.Text():
            yield _paragraph(blocks.plain(block.words), quiet=block.style == "quiet")
        case blocks.Bullets():
            yield from (_paragraph(f"• {blocks.plain(line)}") for line in block.lines)
        case blocks.FactList():
            yield _facts(block)
        case blocks.Tiles():
            pairs = [[tile.title, blocks.plain(tile.value), blocks.plain(tile.note)] for tile in block.tiles]
            yield {"type": "tiles", "pairs": pairs}
        case blocks.TableBlock():
            yield _table(block)
        case blocks.PromiseResult():
            yield _heading(f"{block.promise}: {block.state}", 3)
            yield _paragraph(sentence(block.sentence))
            yield _facts(block.facts())
        case blocks.RiskFigures():
            yield _table(block.as_table())
        case blocks.GaugeFigure():
            yield _drawing(dial(block.value, "Utility gauge"), 0.3)
            yield _paragraph(blocks.plain(block.words), quiet=True)
            yield _table(block.as_table())
        case blocks.Panel():
            yield from [_heading(blocks.plain(block.title), 3)] if block.title else []
            yield from _all(block.blocks)
        case blocks.Folded():
            pass  # on paper nothing can be unfolded
        case blocks.Pair():
            drawn = [chart for chart in block.charts if not (isinstance(chart, blocks.BarChart) and not chart.bars)]
            names, svgs = [chart.caption for chart in drawn], [_colored(draw(chart)) for chart in drawn]
            yield {"type": "pair", "names": names, "svgs": svgs}
        case _:
            if caption := getattr(block, "caption", ""):
                yield _paragraph(caption, quiet=True)
            yield _drawing(draw(block))


def _heading(text: str, level: int) -> Element:
    return {"type": "heading", "text": text, "level": level}


def _paragraph(text: str, *, quiet: bool = False) -> Element:
    return {"type": "paragraph", "text": text, "quiet": quiet}


def _facts(block: blocks.FactList) -> Element:
    pairs = [
        [blocks.plain(one.title), "\n".join(map(blocks.plain, one.lines)), blocks.plain(one.note)]
        for one in block.facts
    ]
    return {"type": "facts", "pairs": [[title, f"{text} {note}".strip()] for title, text, note in pairs]}


def _table(block: blocks.TableBlock) -> Element:
    """Return a table without the columns that hold nothing but small bars."""
    shown = [place for place, head in enumerate(block.head) if blocks.plain(head.words)]
    return {
        "type": "table",
        "head": [blocks.plain(block.head[place].words) for place in shown],
        "rows": [[_cell_text(row.cells[place]) for place in shown] for row in block.rows],
        "align": ["right" if block.head[place].is_number else "left" for place in shown],
    }


def _cell_text(cell: blocks.Cell) -> str:
    return "\n".join(map(blocks.plain, (cell.words, *cell.lines))).strip()


def _drawing(svg: str, width: float = 1.0) -> Element:
    return {"type": "drawing", "svg": _colored(svg), "width": width}


def _colored(svg: str) -> str:
    """Return a drawing that stands by itself."""
    head, mark, rest = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).partition(">")
    return f"{head}{mark}<style>{COLORS}</style>{rest}"
