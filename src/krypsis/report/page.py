"""The report as files: one HTML page that needs nothing else, and the same as JSON."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from krypsis.dossier import Dossier
from krypsis.errors import UsageError
from krypsis.io.private import write_private_files
from krypsis.release.release import Release
from krypsis.release.workshop import REPORTS, release_id_of
from krypsis.report import charts, heatmap, scatter, text
from krypsis.report.content import build_content
from krypsis.report.loss import LOSS_FORMULA, LOSS_SENTENCE
from krypsis.report.set_content import build_set_content
from krypsis.report.set_values import SetReportContent
from krypsis.report.space_chart import space_chart
from krypsis.report.values import Bar, RiskFigure, SetRisk
from krypsis.report.whole import ReportContent

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = (
    "frame.html.j2",
    "macros.html.j2",
    "parts.html.j2",
    "promises.html.j2",
    "template.html.j2",
    "sets.html.j2",
    "dossier.html.j2",
    "explorer.html.j2",
    "style.css",
)


def write_report(release: Release, folder: str | os.PathLike[str], dossier: Dossier | None = None) -> tuple[Path, Path]:
    """Write the report of a release beside its folder and return the paths of the page and of the JSON.

    ``release/`` gets ``release.report.html`` and ``release.report.json`` as neighbors. They show the table before, so
    they are never inside the folder that is published, and only their owner can read them (mode 0600). A dossier
    becomes a section of both.

    Raises
    ------
    OutputError
        if the files cannot be written; an older report then stays as it was.
    """
    page, data = report_paths(folder)
    build = build_set_content if not release.publication.is_tabular else build_content
    if not release.release_id:  # it was saved by somebody who kept the release as it was before
        release = release.with_id(release_id_of(Path(folder)) or "")
    content = build(release, page.name.removesuffix(REPORTS[0]), dossier)
    write_private_files({page: render_html(content).encode(), data: render_json(content).encode()})
    return page, data


def report_paths(folder: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Return where the page and the JSON of the report of a release folder lie: beside it.

    All that lies beside the releases of a history may be given away, so their reports lie in its private folder.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link away from the release
    if not place.name:
        raise UsageError(f"a report lies beside the folder of a release, and {os.fspath(folder)!r} has no neighbors")
    home = _private_folder(place) or place.parent
    page, data, _ = (home / f"{place.name}{ending}" for ending in REPORTS)
    return page, data


def _private_folder(release: Path) -> Path | None:
    """Return the private folder of the history that a release belongs to, if it belongs to one."""
    private = release.parent.parent / "private"
    return private if release.parent.name == "releases" and (private / "state.duckdb").is_file() else None


def check_ready() -> None:
    """Raise now what would keep a report from being written after a long search.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    environment()


def render_html(content: ReportContent | SetReportContent) -> str:
    """Return the report as one HTML page without scripts and without any address.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    name = "sets.html.j2" if isinstance(content, SetReportContent) else "template.html.j2"
    return environment().get_template(name).render(content=content)


def render_json(content: ReportContent | SetReportContent) -> str:
    """Return the report as JSON: the same content, number by number."""
    return content.model_dump_json(indent=2) + "\n"


@cache
def environment() -> Environment:
    """Return what fills the templates of this package in; every text is escaped.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined  # noqa: PLC0415  an extra that may be missing
        from markupsafe import Markup  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            "a report page needs jinja2, which is not installed; install it with: pip install 'krypsis[report]'"
        ) from error
    folder = files("krypsis.report")
    templates = Environment(
        loader=DictLoader({name: folder.joinpath(name).read_text("utf-8") for name in TEMPLATES}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        count=text.count, percent=text.percent, sentence=text.sentence, risk=_risk_value, plural=text.plural
    )
    templates.globals.update(
        bar_chart=lambda *given: Markup(charts.bar_chart(*given)),  # noqa: S704  charts escape every label
        paired_bars=lambda *given: Markup(charts.paired_bars(*given)),  # noqa: S704
        meter=lambda *given: Markup(charts.meter(*given)),  # noqa: S704
        heatmap=lambda *given: Markup(heatmap.heatmap(*given)),  # noqa: S704
        dial=lambda *given: Markup(heatmap.dial(*given)),  # noqa: S704
        space_chart=lambda space: Markup(space_chart(space)),  # noqa: S704
        scatter=lambda *given: Markup(scatter.scatter(*given)),  # noqa: S704
        picture=Markup,  # drawings of this package, which escape every label
        size_bars=_size_bars,
        loss_formula=LOSS_FORMULA,
        loss_sentence=LOSS_SENTENCE,
    )
    return templates


def _risk_value(value: float | None, figure: RiskFigure) -> str:
    if value is None:
        return "–"
    return text.percent(value) if figure.unit == "share" else text.count(value)


def _size_bars(risk: SetRisk, when: str) -> list[Bar]:
    return [Bar(label=bucket.label, records=getattr(bucket, f"records_{when}")) for bucket in risk.sizes]
