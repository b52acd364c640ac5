"""The report of a release: one self-contained page for the publisher, and the same as JSON."""

from krypsis.report.content import build_content
from krypsis.report.page import check_ready, render_html, render_json, report_paths, write_report
from krypsis.report.values import ReportContent

__all__ = [
    "ReportContent",
    "build_content",
    "check_ready",
    "render_html",
    "render_json",
    "report_paths",
    "write_report",
]
