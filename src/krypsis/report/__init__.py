"""The report of a release: one self-contained page for the publisher, and the same as JSON."""

from krypsis.report.content import build_content, risk_of
from krypsis.report.dossier import complete_dossier, write_dossier
from krypsis.report.page import check_ready, render_html, render_json, report_paths, write_report
from krypsis.report.pdf import check_pdf_ready, pdf_path, render_pdf, write_pdf
from krypsis.report.stored import is_report_on, read_report, write_page
from krypsis.report.versions import build_version_content, write_version_report
from krypsis.report.whole import ReportContent

__all__ = [
    "ReportContent",
    "build_content",
    "build_version_content",
    "check_pdf_ready",
    "check_ready",
    "complete_dossier",
    "is_report_on",
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
    "write_version_report",
]
