"""The report of a release: one self-contained page for the publisher, and the same as JSON."""

from krypsis.report.content import build_content, risk_of
from krypsis.report.dossier import complete_dossier, write_dossier
from krypsis.report.page import check_ready, render_html, render_json, report_paths, write_report
from krypsis.report.whole import ReportContent

__all__ = [
    "ReportContent",
    "build_content",
    "check_ready",
    "complete_dossier",
    "render_html",
    "render_json",
    "report_paths",
    "risk_of",
    "write_dossier",
    "write_report",
]
