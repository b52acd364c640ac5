"""Every block of a report, on the page, on paper and as JSON: texts stay texts, and numbers stay numbers."""

from __future__ import annotations

import json
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.report import blocks as of
from krypsis.report import parse_json, render_html, render_json, render_pdf
from report.test_page import HOSTILE, charts_in, outline

ALL = {cls.__name__ for cls in typing.get_args(typing.get_args(of.Block)[0])}


def gallery(text: str) -> of.Report:
    """Return a report with every block there is, and the text at every place of a text."""
    words = (text, of.StyledText(text, "name"), of.StyledText(text, "code"), of.Number(0.25, "share"))
    bars = (of.Bar(text, 3), of.Bar("other", 1))
    chart = of.BarChart(text, bars, "before", text)
    axis = of.ChartAxis(text)
    points = (of.Point(0.1, 0.5, "best", text), of.Point(0.2, 0.4, "frontier", text))
    cell = of.Cell(words, (words,), text, of.Meter(0.5, text))
    table = of.TableBlock((of.Head(words),), (of.Row((cell,), words),))
    figure = of.RiskFigure(text, text, 0.5, None, formula=text, sentence=text)
    blocks = (
        of.Text(words),
        of.Bullets((words,)),
        of.FactList((of.Fact(words, (words, words), words),)),
        of.Tiles((of.Tile(text, words, words, text),)),
        table,
        of.PromiseResult(text, text, text, text, text, text, holds=False, required=2, achieved=1, verdict=text),
        of.RiskFigures((text,), (figure,)),
        of.GaugeFigure(40.0, text, text, (of.GaugePart(text, text, text, 0.4, ((text, 0.5),)),)),
        chart,
        of.PairedBarChart(text, bars, bars, text),
        of.DerivationDrawing(text, ((text, "stated"), ("rule", "public"), (text, "secret")), ((0, 2), (1, 2)), text),
        of.HeatMap(text, (text, "other"), ((1.0, 0.5), (0.5, 1.0)), text),
        of.BoxDrawing(text, text, text, ((0.5, 0.25),), ((0.0, 1.0, 0.0, 0.5), (0.0, 1.0, 0.5, 1.0)), text),
        of.NetworkDrawing(text, ((0.0, 0.5), (1.0, 0.5)), ((0, 1),), ((0, 1),), text),
        of.ShadedGrid(text, ("015", "500"), text),
        of.Scatter(text, points, axis, axis, text),
        of.Pair((chart, of.ShadedGrid(text, ("05",), text))),
        of.Folded(text, (table,)),
    )
    section = of.Section("all", words, (*blocks, of.Panel(words, blocks)))
    return of.Report("toy", text, text, text, "1.0", holds=False, records_published=4, sections=(section,))


def test_the_gallery_holds_every_block():
    assert {type(block).__name__ for block in gallery("a").blocks()} == ALL


PLAIN = outline(render_html(gallery("plain"))).tags


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_of_any_block_stay_texts(text):
    html = render_html(gallery(text))
    assert outline(html).tags == PLAIN
    assert not {"onload", "onerror", "src", "href"} & {name for name, _ in outline(html).attributes}
    assert charts_in(html)
    assert render_pdf(gallery(text)).startswith(b"%PDF")


@given(st.text(min_size=1, max_size=30).map("x{}".format))
def test_no_text_of_any_block_becomes_markup(text):
    report = gallery(text)
    assert outline(render_html(report)).tags == PLAIN
    assert parse_json(render_json(report)) == report


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), 1e300, 0.1 + 0.2, 0])
def test_every_number_comes_back_from_json_as_it_was(number):
    text = of.Text((of.Number(number),))
    report = of.Report("toy", "", "", "", "1.0", True, 0, (of.Section("one", ("One",), (text,)),))
    json.loads(render_json(report), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert parse_json(render_json(report)) == report


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "text", "words": [{"text": "a", "style": '"><script>'}]},
        {"type": "bars", "title": "a", "bars": [], "color": '"><script>'},
        {"type": "drawing", "svg": "<svg onload=alert(1)>"},
        {"type": "text", "words": ["a"], "html": "<b>"},
    ],
)
def test_json_with_anything_but_blocks_is_refused(changed):
    data = json.loads(render_json(gallery("a")))
    data["sections"][0]["blocks"] = [changed]
    with pytest.raises(ValidationError):
        parse_json(json.dumps(data))


def test_a_grid_with_other_signs_than_shades_draws_none_of_them():
    html = render_html(
        of.Report("toy", "", "", "", "1.0", True, 0, (of.Section("a", ("a",), (of.ShadedGrid("a", ("<b>", "050")),)),))
    )
    assert "<b>" not in html
    assert "M1 1h1v1h-1z" in html
