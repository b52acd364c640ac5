"""The dossier in the report: whatever stands in it stays text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.release.dossier import read_dossier
from krypsis.report import build_report, complete_dossier, parse_json, render_html, render_json, write_dossier
from krypsis.report.blocks import plain
from release.dossier.examples import EUROPEAN, GREEK, changed
from report.releases import medical
from report.test_page import outline

HOSTILE = [
    "<script>alert(1)</script>",
    "</dd></dl><h1>forged</h1>",
    "\" onmouseover='x' {{ 7*7 }} {% raw %}",
    "a\x00b\u202ec",
    "&lt;b&gt; & </bdi>",
    "x" * 100_000,
]


def page(content):
    return render_html(build_report(medical(), "release", read_dossier(content)))


PLAIN = outline(page(EUROPEAN)).tags


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_stays_text(text):
    everywhere = {
        "controller.name": text,
        "purpose": text,
        "recipients": [text],
        "security_measures": [text],
        "legal_basis": text,
        "sensitive_categories": [text],
        "recipient_countries": [text],
        "transfer_safeguards": {text: text},
    }
    html = page(changed(EUROPEAN, everywhere))
    found = outline(html)
    assert "script" not in found.tags
    assert found.tags.count("h1") == 1
    assert not {name for name, _ in found.attributes} & {"onmouseover"}
    assert len(html) < len(page(EUROPEAN)) + 40_000
    html.encode("utf-8")


@given(st.text(min_size=1))
def test_no_text_becomes_markup(text):
    found = outline(page(changed(EUROPEAN, {"purpose": "p" + text, "controller.contact": "c" + text})))
    assert found.tags == PLAIN


def test_page_and_json_are_two_views_of_one_value():
    content = build_report(medical(), "release", read_dossier(GREEK))
    again = parse_json(render_json(content))
    assert again == content
    assert render_html(again) == render_html(content)


def test_what_is_not_said_is_not_shown():
    section = build_report(medical(), "", read_dossier(GREEK)).section("dossier")
    titles = [plain(fact.title) for fact in section.blocks[1].blocks[0].facts]
    assert "Permit of the authority" not in titles
    assert "Notification of the authority" in titles


def test_a_dossier_waits_for_the_release_to_be_saved(tmp_path):
    dossier = complete_dossier(read_dossier(GREEK), medical())
    with pytest.raises(UsageError, match="save it first"):
        write_dossier(dossier, medical(), tmp_path / "release")
