"""The report on a version of a table that changes, against counting by hand."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.people import FIRST, GENERAL, SECOND, start
from krypsis.errors import UsageError
from krypsis.kinds.history import version_tables
from krypsis.kinds.history.history import History
from krypsis.kinds.history.report import version_figures
from krypsis.kinds.table.group_risk import assess_sizes
from krypsis.report import build_report, read_report, render_html, render_json, write_pdf, write_report
from krypsis.report.blocks import plain
from report.test_page import outline

FORMS = {
    "anatomy": {},
    "generalization": {"algorithm": "m-invariant:publish=generalization"},
    "general values": GENERAL,
}
every_form = pytest.mark.parametrize("form", FORMS)


def published(folder, form, *tables):
    history = start(folder, **FORMS[form])
    return [history.publish(table) for table in tables][-1]


def distribution(content, attribute):
    found = next(one for one in content.distributions if one.attribute == attribute)
    return [{bar.label: bar.records for bar in side if bar.records} for side in (found.before, found.after)]


def changes_in(section):
    return {plain(line.cells[0].words): line.cells[1].words[0].value for line in section.blocks[0].blocks[0].rows}


def notes_of(section):
    return [plain(note.words) for note in section.blocks[0].blocks[1:]]


def chances(version):
    """For each person how likely the record is picked by somebody who knows the quasi-identifiers, from the files."""
    data = pl.read_csv(version.folder / "data.csv", infer_schema=False)
    shown = Counter(data.select("age", "zipcode").rows())
    if "disease" not in data.columns:  # exact: everybody of the second table is published
        return [1 / shown[row] for row in SECOND.select(pl.col("age", "zipcode").cast(pl.String)).rows()]
    false = dict(pl.read_csv(version.folder / "counterfeits.csv", infer_schema=False).rows())
    sizes = Counter(data.get_column("group"))
    look = dict(zip(data.get_column("group"), data.select("age", "zipcode").rows(), strict=True))
    return [1 / shown[look[group]] for group in sizes for _ in range(sizes[group] - int(false.get(group, 0)))]


@every_form
def test_counterfeits_hide_people_and_are_not_at_risk_themselves(form, tmp_path):
    # Chance decides how the groups of the first version are formed, and with them whether a counterfeit is needed.
    tries = (published(tmp_path / str(number), form, FIRST, SECOND) for number in range(50))
    version = next(one for one in tries if one.change.counterfeits)
    expected, risk = chances(version), version_figures(version).main_risk
    assert (risk.records_before, risk.records_after) == (SECOND.height, len(expected))
    assert len(expected) == SECOND.height
    assert risk.figure("average-prosecutor-risk").after == pytest.approx(sum(expected) / len(expected))
    assert risk.figure("highest-prosecutor-risk").after == max(expected)
    assert risk.figure("records-alone").after == expected.count(1)
    assert risk.figure("records-above-1-in-5").after == sum(chance > 0.2 for chance in expected) / len(expected)
    assert sum(bucket.records_after for bucket in risk.sizes) == len(expected)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), min_size=1, max_size=8))
def test_risk_is_the_mean_over_people_however_many_counterfeits_there_are(groups):
    people, false = (np.array(side, dtype=np.int64) for side in zip(*groups, strict=True))
    risk = assess_sizes(people[people > 0], people + false, ("age",), people=people)
    each = [1 / (own + others) for own, others in groups for _ in range(own)]
    assert risk.figure("average-prosecutor-risk").after == pytest.approx(sum(each) / len(each) if each else 0)
    assert risk.figure("highest-prosecutor-risk").after == max(each, default=0)
    assert risk.figure("records-alone").after == each.count(1)
    assert risk.records_after == len(each)


@every_form
def test_before_is_the_table_that_is_published_and_after_what_stands_in_the_files(form, tmp_path):
    version = published(tmp_path, form, FIRST, SECOND)
    content = version_figures(version)
    before, after = distribution(content, "disease")
    assert before == Counter(SECOND.get_column("disease"))
    if form == "generalization":
        assert after == Counter(pl.read_csv(version.folder / "data.csv").get_column("disease"))
    else:
        _, values, counts = pl.read_csv(next(version.folder.glob("sensitive*.csv"))).get_columns()
        told = Counter()
        for value, many in zip(values, counts, strict=True):
            told[value] += many
        assert after == told
    assert distribution(content, "age")[0] == Counter(SECOND.get_column("age").cast(pl.String))


def test_the_loss_of_ranges_is_that_of_the_values_inside_them(tmp_path):
    version = published(tmp_path, "generalization", FIRST)
    content = version_figures(version)
    ages = [int(age) for age in FIRST.get_column("age").unique()]
    shares = []
    for label in pl.read_csv(version.folder / "data.csv", infer_schema=False).get_column("age"):
        ends = [int(end) for end in re.findall(r"\d+", label)]
        shares.append((sum(ends[0] <= age <= ends[-1] for age in ages) - 1) / (len(ages) - 1))
    loss = next(one.loss for one in content.attributes if one.attribute == "age")
    assert loss == pytest.approx(sum(shares) / len(shares))
    assert any("looks like at least" in sentence for sentence in content.summary)


@every_form
def test_it_tells_who_came_and_left_and_what_all_releases_together_promise(form, tmp_path):
    version = published(tmp_path, form, FIRST, SECOND)
    content = version_figures(version)
    figures = changes_in(content.version)
    came = set(SECOND.get_column("name")) - set(FIRST.get_column("name"))
    left = set(FIRST.get_column("name")) - set(SECOND.get_column("name"))
    assert plain(content.version.title) == "Version 2 of a table that changes"
    assert (figures["New"], figures["Gone"]) == (len(came), len(left))
    assert (figures["Records"], figures["Published"]) == (SECOND.height, SECOND.height)
    assert figures["Counterfeits"] == content.records_published - SECOND.height
    assert [promise.verdict for promise in content.promises] == [verdict.sentence for verdict in version.verdicts]
    assert build_report(version).holds
    assert "all before it" in content.promises[0].checked_on
    assert any("krypsis history attack" in note for note in notes_of(content.version))
    assert not any(name in render_json(build_report(version)) for name in SECOND.get_column("name"))


@every_form
def test_page_json_and_pdf_say_the_same_and_ask_for_nothing(form, tmp_path):
    version = published(tmp_path, form, FIRST, SECOND)
    page, data = write_report(version, version.folder)
    assert (page.name, data.name, page.parent) == (
        "2.report.html",
        "2.report.json",
        tmp_path / "history" / "private",
    )
    html, content = page.read_text("utf-8"), read_report(version.folder)
    parsed = outline(html)
    assert not {"script", "link", "img", "iframe", "object"} & set(parsed.tags)
    assert not {"src", "href"} & {name for name, _ in parsed.attributes}
    assert not re.search(r"https?://|@import|url\(", html)
    assert content == build_report(version)
    assert html == render_html(content)
    words = " ".join(parsed.words)
    (told,) = [one for one in json.loads(data.read_text("utf-8"))["sections"] if one["key"] == "version"]
    table, *notes = told["blocks"][0]["blocks"]
    assert len(table["rows"]) == 10
    for line in (*(one["words"][0] for one in notes), *(one["cells"][2]["words"][0] for one in table["rows"])):
        assert line in words
    assert "Version 2 of a table that changes" in words
    assert write_pdf(version.folder).read_bytes().startswith(b"%PDF")


def test_records_that_are_left_out_are_told(tmp_path):
    table = pl.concat([FIRST, FIRST.with_columns(pl.col("name") + " II", disease=pl.lit("gastritis"))])
    version = start(tmp_path, algorithm="m-invariant:on_ineligible=defer")
    with pytest.warns(match="wait for a later version"):
        version = version.publish(table)
    content = version_figures(version)
    assert version.change.deferred
    assert content.records_before == version.change.published == table.height - version.change.deferred
    assert any(
        f"{version.change.deferred} records" in note and "left out" in note for note in notes_of(content.version)
    )


def test_of_very_many_records_the_table_before_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(version_tables, "MOST_COMPARED", FIRST.height - 1)
    version = published(tmp_path, "anatomy", FIRST)
    assert not version.release.has_evidence
    with pytest.raises(UsageError, match="does not carry the table before"):
        version_figures(version)


def test_a_simulation_has_no_release_to_lie_beside(tmp_path):
    with pytest.raises(UsageError, match="publish the version first"):
        write_report(start(tmp_path).simulate(FIRST), None)


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
@pytest.mark.parametrize("known", [["group", "<b>&"], ["group"], []], ids=["two", "one", "none"])
def test_odd_names_missing_values_and_few_attributes_are_reported_like_others(form, known, tmp_path):
    rows = {
        "id": [f"p{number}" for number in range(8)],
        "group": [1, None, 3, 4, 5, 6, None, 8],
        "<b>&": ["", None, "<script>", "x", "y", "{{ 1 }}", "x", "z"],
        "counterfeits": ["flu", None, "</td>", "cough"] * 2,
    }
    table = pl.DataFrame(rows)
    history = History.init(
        tmp_path / "history",
        id="id",
        roles=dict.fromkeys(known, "quasi-identifier") | {"counterfeits": "sensitive"},
        models="m-invariance:m=2",
        algorithm={"name": "m-invariant", "publish": form, "on_ineligible": "counterfeits"},
    )
    history.publish(table)
    version = history.publish(table.tail(5))
    content = version_figures(version)
    page, _ = write_report(version, version.folder)
    assert version.change.counterfeits
    assert content.records_before == 5
    assert sum(distribution(content, "counterfeits")[0].values()) == 5
    assert "script" not in outline(page.read_text("utf-8")).tags
    assert read_report(version.folder).section("version") == content.version
