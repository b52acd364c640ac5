"""The report as a PDF, set by typst from the JSON of the report; nothing is fetched from anywhere."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path

from krypsis.errors import UsageError
from krypsis.io.private import write_private_files
from krypsis.report.blocks import Block
from krypsis.report.page import report_paths
from krypsis.report.set_blocks import set_blocks
from krypsis.report.set_values import SetReportContent
from krypsis.report.stored import read_report
from krypsis.report.table_blocks import table_blocks
from krypsis.report.whole import ReportContent

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


def write_pdf(folder: str | os.PathLike[str]) -> Path:
    """Write the report of a release folder as a PDF beside it, from the JSON that lies there, and return its path.

    Raises
    ------
    UsageError
        if typst is not installed, or there is no report.
    DataError
        if the JSON is not that of a report of this version.
    OutputError
        if the file cannot be written.
    """
    place = pdf_path(folder)
    write_private_files({place: render_pdf(read_report(folder))})
    return place


def pdf_path(folder: str | os.PathLike[str]) -> Path:
    """Return where the PDF of the report of a release folder lies."""
    return report_paths(folder)[0].with_suffix(".pdf")


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


def render_pdf(content: ReportContent | SetReportContent) -> bytes:
    """Return the report as a PDF.

    Raises
    ------
    UsageError
        if typst is not installed.
    """
    check_pdf_ready()
    import typst  # noqa: PLC0415

    blocks = set_blocks(content) if isinstance(content, SetReportContent) else table_blocks(content)
    document = {
        "title": content.title,
        "name": content.name,
        "version": content.tool_version,
        "records": f"{content.records_published:,}",
        "blocks": [_on_paper(block) for block in blocks],
    }
    template = files("krypsis.report").joinpath(TEMPLATE).read_bytes()
    # The texts come as data and never as markup, so nothing that stands in them can do anything.
    return bytes(typst.compile(template, sys_inputs={"report": json.dumps(document)}))


def _on_paper(block: Block) -> Block:
    """Return a block whose drawing stands by itself."""
    if block["kind"] == "drawing":
        return {**block, "svg": _colored(block["svg"])}
    return {**block, "svgs": [*map(_colored, block["svgs"])]} if block["kind"] == "pair" else block


def _colored(svg: str) -> str:
    head, mark, rest = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).partition(">")
    return f"{head}{mark}<style>{COLORS}</style>{rest}"
