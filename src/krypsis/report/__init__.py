"""The report of a release: blocks that its kind makes, as one self-contained page, on paper, and as JSON."""

from krypsis.report.blocks import Report
from krypsis.report.dossier import complete_dossier, risk_of, write_dossier
from krypsis.report.files import (
    build_report,
    check_ready,
    is_report_on,
    pdf_path,
    read_report,
    report_paths,
    write_page,
    write_pdf,
    write_report,
)
from krypsis.report.html import render_html
from krypsis.report.json import parse_json, render_json
from krypsis.report.typst import check_pdf_ready, render_pdf

__all__ = [
    "Report",
    "build_report",
    "check_pdf_ready",
    "check_ready",
    "complete_dossier",
    "is_report_on",
    "parse_json",
    "pdf_path",
    "read_report",
    "render_html",
    "render_json",
    "render_pdf",
    "report_paths",
    "risk_of",
    "write_dossier",
    "write_page",
    "write_pdf",
    "write_report",
]
