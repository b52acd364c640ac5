"""What a notebook shows: enough to go on with, and nothing that is private or does something."""

import re
from html.parser import HTMLParser

import polars as pl
import pytest

import krypsis
from krypsis.texts.cards import MARKS, Bars, Card, CardRows
from release.forms import AGE, EVIL, FORMS, PEOPLE, PRIVATE, ROLES, SETS, release_of_form

ALLOWED = {"div", "span", "strong", "table", "tr", "th", "td", "svg", "text", "rect"}


class Page(HTMLParser):
    """What a browser makes of a card."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


def card_of(thing) -> Page:
    page = Page(thing._repr_html_())
    assert set(page.tags) <= ALLOWED
    assert {name for name, _ in page.attributes} <= {
        *("style", "title", "x", "y", "width", "height", "text-anchor", "fill", "role", "aria-label", "font-size")
    }
    assert not [value for _, value in page.attributes if re.search(r"url\(|http|expression", value)]
    return page


@pytest.mark.parametrize("form", FORMS)
def test_a_release_of_every_form_shows_promises_and_published_rows(form):
    release = release_of_form(form)
    page = card_of(release)
    assert PRIVATE not in page.text
    assert all(verdict.sentence in page.text for verdict in release.verdicts)
    assert f"{release.records}" in page.text
    for name, table in release.tables.items():
        assert f"{name}: {table.height:,} published rows" in page.text
        for value in table.head(5).row(0) if table.height else ():
            assert value is None or str(value) in page.texts


def test_the_private_forms_of_figures_are_not_shown():
    release = release_of_form("suppressed")
    assert release.suppressed == 4
    assert release.score is not None
    page = card_of(release)
    assert release.made_by.as_published().score is None
    assert f"{release.metric}: " not in page.text


def test_what_would_do_harm_in_a_page_is_shown_as_text():
    table = pl.DataFrame({AGE: ["31", "31"], "disease": [EVIL, EVIL]})
    page = card_of(
        krypsis.anonymize(table, {AGE: "quasi-identifier", "disease": "insensitive"}, models="k-anonymity:k=2")
    )
    assert "script" not in page.tags
    assert AGE in page.texts
    assert EVIL in page.texts


def test_characters_that_turn_the_text_around_are_shown_as_their_codes():
    html = Card("\u202egnp.exe", {"a\nb": "c"}).html()
    assert "\u202e" not in html
    assert "\\u202e" in html


def test_a_release_that_was_not_checked_says_so(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    content = {"data": "people.csv", "columns": ROLES, "promises": ["k-anonymity:k=3"]}
    release = krypsis.Plan.of(content, tmp_path).run()
    assert release.verdicts == ()
    assert "k-anonymity:k=3: not checked yet" in card_of(release).text


def test_a_release_from_elsewhere_says_that_its_verdicts_are_only_stated(tmp_path):
    made = release_of_form("generalized")
    loaded = krypsis.Release.load(made.save(tmp_path / "release").folder)
    assert "as they are stated" in card_of(loaded).text
    assert "as they are stated" not in card_of(made).text


def test_the_groups_of_a_release_are_drawn():
    page = card_of(release_of_form("generalized"))
    assert page.tags.count("svg") == 1
    assert ("aria-label", "Groups by number of records") in page.attributes


def test_a_column_may_be_called_like_what_is_counted():
    table = pl.DataFrame({"len": ["1", "1", "2", "2"], "count": ["a"] * 4})
    roles = dict.fromkeys(table.columns, "quasi-identifier")
    assert "2–3" in card_of(krypsis.anonymize(table, roles, models="k-anonymity:k=2")).text


@pytest.mark.parametrize("holds", [True, False, None])
def test_a_verdict_shows_what_was_found(holds):
    verdict = krypsis.Verdict(promise="k-anonymity:k=2", holds=holds, required=2, achieved=1, sentence=f"So {EVIL}.")
    page = card_of(verdict)
    assert MARKS[holds][0] in page.texts
    assert f"So {EVIL}." in page.text


def test_a_verdict_about_private_data_shows_none_of_its_values():
    verdict = krypsis.check(PEOPLE, "k-anonymity:k=2", quasi_identifiers=["name"])[0]
    assert PRIVATE in str(verdict.offending)
    assert PRIVATE not in card_of(verdict).text


def test_a_plan_shows_what_is_wanted_without_a_seed():
    promises = ["k-anonymity:k=3", {"name": "t-closeness", "t": 0.2, "attribute": EVIL}]
    algorithm = {"name": "mondrian", "seed": 987654}
    plan = krypsis.Plan.of({"data": f"{EVIL}.csv", "columns": ROLES, "promises": promises, "algorithm": algorithm})
    page = card_of(plan)
    assert "987654" not in page.text
    for shown in ("k-anonymity:k=3", f"t-closeness:t=0.2,attribute={EVIL}", "mondrian", "quasi-identifier", AGE):
        assert shown in page.text


def test_a_plan_for_sets_is_shown_too():
    content = {"kind": "transactions", "data": "baskets.csv", "promises": ["km-anonymity:k=3,m=2"]}
    assert "km-anonymity:k=3,m=2" in card_of(krypsis.Plan.of(content)).text


def test_an_exploration_shows_what_was_asked_and_not_what_was_found():
    table = PEOPLE.with_columns(pl.Series("sex", ["Xanthippe", *["M"] * 23]))
    space = krypsis.explore(table, ROLES, models="k-anonymity:k=3", suppression=3)
    for shown in (repr(space), card_of(space).text):
        assert "4 of 4" in shown
        assert "k-anonymity:k=3" in shown
        assert "age<script>" in shown
        assert "Xanthippe" not in shown
        assert "feasible" not in shown
        assert not re.search(r"\d\.\d", shown)


def test_sets_of_items_show_how_many_there_are_and_no_item():
    page = card_of(SETS)
    assert "24" in page.text
    assert not [item for item in SETS.items if item in page.text]


def test_long_and_wide_tables_are_cut():
    rows = CardRows([f"column {place}" for place in range(30)], [["x" * 500] * 30], "wide")
    page = Page(Card("A table", tables=[rows], bars=Bars("none", {})).html())
    assert "20 further columns" in page.text
    assert max(map(len, page.texts)) < 100
    assert "svg" not in page.tags
