"""The report as files."""

from __future__ import annotations

import builtins
import json
import os
import re
import stat
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import OutputError, UsageError
from krypsis.report import build_report, parse_json, render_html, write_report
from krypsis.report.blocks import Bar
from krypsis.report.charts import bar_chart, meter, paired_bars
from krypsis.report.html import environment
from release.sample import changed
from report.releases import flat, make_release, medical

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Outline(HTMLParser):
    """Collects tags and texts, and fails on a tag that is closed in the wrong place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser


def charts_in(html: str) -> list[ET.Element]:
    return [ET.fromstring(chart) for chart in re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)]


HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onload='x", "]]>", "{{ 7*7 }}", "&amp;")


def hostile_release():
    rows = [{HOSTILE[0]: value, HOSTILE[1]: value} for value in HOSTILE]
    return make_release(rows, {HOSTILE[0]: flat(*HOSTILE)}, {HOSTILE[0]: 0}, sensitive=[HOSTILE[1]], k=1)


RELEASES = {
    "specification": medical,
    "level zero": lambda: medical(levels={"job": 0, "sex": 0, "age": 0}, k=2),
    "kept": lambda: medical(levels={"job": 0, "sex": 0, "age": 0}, k=2, suppression="keep"),
    "two sets": lambda: medical(sets=(("job", "sex"), ("age",)), k=3),
    "all suppressed": lambda: make_release([{"sex": "m"}, {"sex": "f"}], {"sex": flat("m", "f")}, {"sex": 0}, k=2),
    "generalized and all suppressed": lambda: make_release(
        [{"sex": "m"}, {"sex": "f"}], {"sex": flat("m", "f")}, {"sex": 1}, k=3
    ),
    "one row": lambda: make_release([{"sex": None}], {"sex": flat(None)}, {"sex": 0}, k=1),
    "Greek": lambda: make_release(
        [{"νόσος": "γρίπη", "πόλη": "日本" * 90}] * 3,
        {"πόλη": flat("日本" * 90)},
        {"πόλη": 1},
        sensitive=["νόσος"],
        k=2,
    ),
    "hostile": hostile_release,
    "unchecked": lambda: replace(medical(), verdicts=()),
    "no promise": lambda: changed(medical(), verdicts=(), promises=()),
}


@pytest.fixture(params=RELEASES)
def html(request) -> str:
    return render_html(build_report(RELEASES[request.param](), "release"))


def test_a_page_is_well_formed(html):
    assert html.startswith("<!DOCTYPE html>")
    assert {"html", "head", "body", "main", "h1", "svg", "table"} <= set(outline(html).tags)


def test_a_page_has_no_script_and_asks_nothing_of_the_network(html):
    parsed = outline(html)
    assert not {"script", "link", "img", "iframe", "object"} & set(parsed.tags)
    names = {name for name, _ in parsed.attributes}
    assert not {"src", "href", "srcset", "action", "onerror", "onload"} & names
    assert not re.search(r"https?://|//cdn|@import|url\(", html)
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html


def test_every_chart_is_xml_with_a_name_for_those_who_cannot_see_it(html):
    drawn = charts_in(html)
    assert drawn
    for chart in drawn:
        assert chart.get("role") == "img"
        assert chart.get("aria-label")


def test_every_chart_of_values_has_a_table_beside_it(html):
    parsed = outline(html)
    figures, tables = parsed.tags.count("figure"), parsed.tags.count("details")
    assert figures == tables > 0


def test_identifiers_in_a_page_are_unique_and_labels_refer_to_them(html):
    parsed = outline(html)
    identifiers = [value for name, value in parsed.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert {value for name, value in parsed.attributes if name == "aria-labelledby"} <= set(identifiers)


def test_hostile_names_and_values_are_shown_as_text():
    html = render_html(build_report(hostile_release(), '<b>"x'))
    words = " ".join(outline(html).words)
    for text in HOSTILE[:2]:
        assert text in words
    assert "{{ 7*7 }}" in words
    assert "<b>" not in html


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4), st.text(max_size=40))
def test_any_text_makes_a_chart_that_is_xml(labels, title):
    before = [Bar(label=label, records=number) for number, label in enumerate(labels)]
    for chart in (bar_chart(before, title), paired_bars(before, before, title), meter(0.5, title)):
        root = ET.fromstring(chart)
        assert {part.tag for part in root.iter()} <= {"svg", "rect", "text", "title"}


def test_the_longest_bar_stays_inside_the_chart_and_the_shortest_can_be_seen():
    bars = [Bar(label="many", records=10**9), Bar(label="one", records=1), Bar(label="none", records=0)]
    root = ET.fromstring(bar_chart(bars, "title", "after", 440))
    widths = [float(rectangle.get("width")) for rectangle in root.iter("rect")]
    assert len(widths) == 2
    assert 100 < widths[0] < 440
    assert widths[1] >= 1


def test_paired_bars_are_drawn_as_shares_so_that_suppression_alone_changes_nothing():
    before, after = ([Bar(label="a", records=3 * n), Bar(label="b", records=n)] for n in (1000, 100))
    widths = [
        float(rectangle.get("width")) for rectangle in ET.fromstring(paired_bars(before, after, "title")).iter("rect")
    ]
    assert widths[0] == widths[1]
    assert widths[2] == widths[3]
    assert widths[0] == pytest.approx(3 * widths[2], rel=0.01)


def test_a_bar_is_as_long_as_its_number():
    root = ET.fromstring(bar_chart([Bar(label="a", records=100), Bar(label="b", records=25)], "title"))
    first, second = (float(rectangle.get("width")) for rectangle in root.iter("rect"))
    assert first == pytest.approx(4 * second, rel=0.01)


def test_a_page_tells_what_a_reader_needs():
    words = " ".join(outline(render_html(build_report(medical(), "patients"))).words)
    for text in ("patients", "For the publisher only", "k-anonymity:k=3", "33.3 %", "Professional", "[30-35)", "Fever"):
        assert text in words


def test_the_files_lie_beside_the_published_folder_and_only_their_owner_reads_them(tmp_path):
    folder = tmp_path / "release"
    folder.mkdir()
    page, data = write_report(medical(), folder)
    assert (page.name, data.name) == ("release.report.html", "release.report.json")
    assert page.parent == data.parent == tmp_path
    assert not list(folder.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in (page, data)} == {0o600}


def test_the_json_file_holds_the_content_of_the_page(tmp_path):
    page, data = write_report(medical(), tmp_path / "release")
    content = parse_json(data.read_text("utf-8"))
    assert content == build_report(medical(), "release")
    assert page.read_text("utf-8") == render_html(content)
    assert json.loads(data.read_text("utf-8"))["records_published"] == 7


def test_a_newer_report_replaces_the_older_and_leaves_nothing_else(tmp_path):
    write_report(hostile_release(), tmp_path / "release")
    page, _ = write_report(medical(), tmp_path / "release")
    assert "Professional" in page.read_text("utf-8")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("spelling", ["release", "release/", "./release", "release/../release"])
def test_the_folder_may_be_spelled_in_any_way(tmp_path, monkeypatch, spelling):
    monkeypatch.chdir(tmp_path)
    page, _ = write_report(medical(), spelling)
    assert page == tmp_path / "release.report.html"


def test_a_report_of_the_current_folder_lies_beside_it(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    assert write_report(medical(), ".")[0] == tmp_path / "out.report.html"


def test_the_root_folder_has_no_place_beside_it():
    with pytest.raises(UsageError, match="no neighbors"):
        write_report(medical(), "/")


def test_a_place_that_does_not_exist_is_named_in_the_error(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere.*cannot be written"):
        write_report(medical(), tmp_path / "nowhere" / "release")


def test_a_failure_while_writing_leaves_the_older_report_as_it_was(tmp_path, monkeypatch):
    page, data = write_report(medical(), tmp_path / "release")
    before = page.read_bytes(), data.read_bytes()
    calls = []

    def full_disk(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OutputError, match="No space left"):
        write_report(hostile_release(), tmp_path / "release")
    assert (page.read_bytes(), data.read_bytes()) == before
    assert len(list(tmp_path.iterdir())) == 2


def test_without_jinja2_the_error_names_what_to_install(monkeypatch):
    real = builtins.__import__

    def without_jinja2(name, *given, **named):
        if name.startswith("jinja2"):
            raise ImportError(name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without_jinja2)
    environment.cache_clear()
    with pytest.raises(UsageError, match=r"pip install 'krypsis\[report\]'"):
        render_html(build_report(medical()))


def test_text_and_background_have_enough_contrast_in_light_and_dark():
    """WCAG 2.2 level AA: text 4.5 to 1, graphical objects 3 to 1."""
    html = render_html(build_report(medical()))
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", html, re.DOTALL)[:2]
    )
    for colors in (light, dark):
        for text, back in (("ink", "card"), ("ink", "page"), ("quiet", "card"), ("quiet", "page"), ("accent", "card")):
            assert contrast(colors[text], colors[back]) >= 4.5
        for kind in ("good", "bad", "warn"):
            assert contrast(colors[kind], colors[f"{kind}-back"]) >= 4.5
        for kind in ("before", "after"):
            assert contrast(colors[kind], colors["card"]) >= 3


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
