"""The report as one HTML page that needs nothing else: no script, no address, every text escaped."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from krypsis.errors import UsageError
from krypsis.report.blocks import Number, Report, Section, StyledText, Words
from krypsis.report.charts import dial, draw, meter
from krypsis.report.text import plural, sentence

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATE, STYLE = "report.html.j2", "style.css"
TAGS: Mapping[str, str] = {
    "strong": "<strong>{}</strong>",
    "quiet": '<span class="quiet">{}</span>',
    "formula": '<span class="formula">{}</span>',
    "code": "<code>{}</code>",
    "name": "<bdi>{}</bdi>",
    "aside": '<span class="aside">{}</span>',
    "good": '<span class="pill good">{}</span>',
    "bad": '<span class="pill bad">{}</span>',
    "unknown": '<span class="pill unknown">{}</span>',
}
"""What each style of a text is on the page."""


@dataclass(frozen=True)
class HtmlPage:
    """A page: what stands above and below the sections."""

    title: str
    tab: str
    """The title as the browser shows it."""
    subtitle: Words
    notice: str
    """Why the page is for the publisher only."""
    sections: tuple[Section, ...]
    footer: tuple[Words, ...]
    release_id: str = ""


def render_html(report: Report) -> str:
    """Return the report as one HTML page without scripts and without any address.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    named: Words = ("Release “", StyledText(report.name, "name"), "” · ") if report.name else ()
    records = plural(report.records_published, "record")
    about = f"About the release with the id {report.release_id}, as its manifest names it."
    return render_page(
        HtmlPage(
            title=report.title,
            tab=f"{report.title} · {report.name}" if report.name else report.title,
            subtitle=(*named, f"{records} published · Krypsis {report.tool_version}"),
            notice="This page shows how values were distributed before anonymization. Keep it; do not pass it on with "
            "the release.",
            sections=report.sections,
            footer=(
                *([(about,)] if report.release_id else []),
                ("Every number on this page is also in the JSON file of the same name.",),
            ),
            release_id=report.release_id,
        )
    )


def render_page(page: HtmlPage) -> str:
    """Return a page of sections as HTML.

    Raises
    ------
    UsageError
        if jinja2 is not installed.
    """
    return environment().get_template(TEMPLATE).render(page=page)


@cache
def environment() -> "Environment":
    """Return what fills the template in; every text is escaped.

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
    environment = Environment(
        loader=DictLoader({name: folder.joinpath(name).read_text("utf-8") for name in (TEMPLATE, STYLE)}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(words=_marked_up, sentence=sentence)
    environment.globals.update(
        draw=lambda chart: Markup(draw(chart)),  # noqa: S704  charts escape every label
        dial=lambda *given: Markup(dial(*given)),  # noqa: S704
        meter=lambda *given: Markup(meter(*given)),  # noqa: S704
        pills={"holds": "good", "broken": "bad"},
    )
    return environment


def _marked_up(words: Words) -> "Markup":
    """Return words with their styles; every text is escaped."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    parts = []
    for one in words:
        if isinstance(one, StyledText):
            parts.append(Markup(TAGS[one.style]).format(one.text))  # noqa: S704  format escapes the text
        elif isinstance(one, Number) and one.strong:
            parts.append(Markup(TAGS["strong"]).format(str(one)))  # noqa: S704
        else:
            parts.append(escape(str(one)))
    return Markup("").join(parts)
