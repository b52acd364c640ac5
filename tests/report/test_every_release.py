"""A report on every kind of release: what it says, against counting by hand, and the forms it comes in."""

from __future__ import annotations

import json
import re
import stat
from collections import Counter
from functools import cache

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.errors import DataError, UsageError
from krypsis.kinds.table.report_figures import table_figures
from krypsis.kinds.table.utility import utility_gauge
from krypsis.release.order import in_input_order
from krypsis.report import (
    build_report,
    check_pdf_ready,
    read_report,
    render_html,
    render_json,
    render_pdf,
    write_page,
    write_pdf,
    write_report,
)
from krypsis.report.text import percent
from report.kinds import KINDS, PATIENTS, ROWS, STAYS
from report.test_page import charts_in, outline


@cache
def released(kind):
    return KINDS[kind]()


@cache
def content_of(kind):
    return table_figures(released(kind))


@cache
def report_of(kind):
    return build_report(released(kind), kind)


@cache
def page_of(kind):
    return render_html(report_of(kind))


def sizes(rows):
    return sorted(Counter(rows).values())


every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_the_page_is_well_formed_and_asks_for_nothing(kind):
    parsed = outline(page_of(kind))
    assert not {"script", "link", "img", "iframe", "object"} & set(parsed.tags)
    assert not {"src", "href", "onload", "onclick"} & {name for name, _ in parsed.attributes}
    assert not re.search(r"https?://|@import|url\(", page_of(kind))
    identifiers = [value for name, value in parsed.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert {value for name, value in parsed.attributes if name == "aria-labelledby"} <= set(identifiers)
    assert charts_in(page_of(kind))


@every_kind
def test_every_figure_on_the_page_is_that_of_the_json(kind):
    again, figures = json.loads(render_json(report_of(kind))), content_of(kind)
    words = " ".join(outline(page_of(kind)).words)
    numbers = set(numbers_in(again))
    assert f"{figures.gauge.value:.0f}" in words
    assert figures.gauge.value in numbers
    shares = [part.share for part in figures.gauge.parts if part.share is not None]
    for attack in figures.attacks:
        shares += [attack.before.certain_share, attack.after.certain_share, attack.before.rate, attack.after.rate]
    shares += [lost.loss for lost in figures.attributes]
    assert set(shares) <= numbers
    for share in shares:
        assert percent(share) in words
    for line in figures.summary:
        assert line in words
    if figures.dependence:
        for row in figures.dependence.after[1:]:
            assert row[0] in numbers
            assert f"{row[0]:.2f}" in words


def numbers_in(value):
    """Yield every number that JSON holds, at whatever place."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(inner)
    elif isinstance(value, int | float):
        yield value


@every_kind
def test_every_number_tells_how_it_is_to_be_read_when_the_mouse_rests_on_it(kind):
    parsed = outline(page_of(kind))
    titles = [value for name, value in parsed.attributes if name == "title"]
    gauge = content_of(kind).gauge
    assert any(gauge.sentence in title and gauge.formula in title and "0 to 100" in title for title in titles)
    for part in gauge.parts:
        assert any(part.sentence in title and part.formula in title and "Higher is better" in title for title in titles)
    for risk in content_of(kind).risk:
        for figure in risk.figures:
            direction = figure.direction.capitalize()
            assert any(figure.sentence in title and figure.formula in title and direction in title for title in titles)
    for attack in content_of(kind).attacks:
        assert any(attack.certain.sentence in title and attack.certain.formula in title for title in titles)


@every_kind
def test_the_gauge_is_that_of_the_library(kind):
    assert content_of(kind).gauge.value == pytest.approx(utility_gauge(released(kind)).value)


@every_kind
def test_it_tells_what_attacks_find_before(kind):
    content, release = content_of(kind), released(kind)
    if kind == "made by chance":
        assert content.attacks == content.risk == ()
        return
    before = PATIENTS.select(release.schema.quasi_identifiers).rows()
    alike = Counter(before)
    linked = content.attacks[0]
    assert linked.before.certain == sum(alike[row] == 1 for row in before)
    assert linked.before.rate == pytest.approx(len(alike) / ROWS)
    if content.attacks[1:]:
        hidden = PATIENTS.get_column(release.schema.sensitive[0]).to_list()
        values = Counter(zip(before, hidden, strict=True))
        same = [values[row, value] / alike[row] for row, value in zip(before, hidden, strict=True)]
        assert content.attacks[1].before.rate == pytest.approx(sum(same) / ROWS)


def test_risk_of_groups_is_that_of_their_exact_attributes():
    for kind in ("two tables", "permuted"):
        risk = content_of(kind).main_risk
        assert risk.figure("records-alone").before == risk.figure("records-alone").after
        assert risk.groups_after == len(sizes(PATIENTS.select("age", "sex").rows()))
        assert any("hidden in groups" in line for line in content_of(kind).summary)


def test_only_records_that_still_show_what_was_known_are_found_after_a_change():
    release = released("noise")
    before, after = PATIENTS.select("age", "sex").rows(), in_input_order(release).select("age", "sex").rows()
    shown = Counter(after)
    chances = [1 / shown[new] if old == new else 0 for old, new in zip(before, after, strict=True)]
    linked = content_of("noise").attacks[0]
    assert linked.after.rate == pytest.approx(sum(chances) / ROWS)
    assert linked.after.certain == sum(chance == 1 for chance in chances)
    assert any("values changed" in line for line in content_of("noise").changes)


def test_a_saved_release_of_changed_values_is_compared_row_by_row_as_before(tmp_path):
    saved = released("noise").save(tmp_path / "release")
    for found, expected in zip(table_figures(saved.release).attacks, content_of("noise").attacks, strict=True):
        assert found.after.certain == expected.after.certain
        assert found.after.rate == pytest.approx(expected.after.rate)
    assert table_figures(saved.release).gauge.value == pytest.approx(content_of("noise").gauge.value)


def test_subjects_of_several_tables_are_counted_by_all_their_rows():
    stays = STAYS.rows()
    views = [
        (age, sex, tuple(sorted(ward for whose, ward in stays if whose == who)))
        for who, age, sex in PATIENTS.select("id", "age", "sex").iter_rows()
    ]
    content = content_of("several tables")
    assert content.risk_unit == "subject"
    assert content.main_risk.groups_before == len(set(views))
    assert content.main_risk.figure("records-alone").before == sum(size == 1 for size in sizes(views))
    assert content.main_risk.figure("smallest-group").after >= 3
    assert [table.name for table in content.tables] == ["stays"]
    assert sum(bar.records for bar in content.tables[0].distributions[0].before) == len(stays)


def test_ranges_of_a_table_made_by_chance_are_in_their_order():
    ages = next(one for one in content_of("made by chance").distributions if one.attribute == "age")
    ranges = [bar.label for bar in ages.after if bar.label.startswith("[")]
    assert ranges == sorted(ranges, key=lambda label: int(re.search(r"\d+", label)[0]))
    assert len(ranges) > 1


def test_suppressed_records_are_told_by_group_and_by_value():
    release, content = released("fixed levels"), content_of("fixed levels")
    by = content.suppressed_by
    assert sum(bar.records for bar in by.sizes) == release.suppressed > 0
    for one in by.attributes:
        assert sum(value.suppressed for value in one.values) + one.others == release.suppressed
        published = Counter(map(str, release.table.get_column(one.attribute).to_list()))
        for value in one.values:
            assert value.records - value.suppressed == published[value.label]
    assert content_of("local recoding").suppressed_by is None


def test_the_solution_space_holds_every_choice_of_levels_and_the_release_among_them():
    release, space = released("full domain"), content_of("full domain").space
    explored = krypsis.explore(
        PATIENTS,
        {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"},
        models="k-anonymity:k=3",
        hierarchies={"age": {"kind": "intervals", "width": 10, "origin": 0}},
        suppression=0.2,
    )
    published = explored.nodes.filter(pl.col("groups") > 0)
    assert {point.levels for point in space.points} == set(published.select("level:age", "level:sex").iter_rows())
    feasible = {point.levels for point in space.points if point.kind != "refused"}
    assert feasible == set(explored.nodes.filter("feasible").select("level:age", "level:sex").iter_rows())
    front = {point.levels for point in space.points if point.kind == "frontier"}
    assert front == set(explored.frontier().select("level:age", "level:sex").iter_rows())
    own = next(point for point in space.points if point.levels == tuple(release.levels.values()))
    assert (space.loss, space.risk) == pytest.approx((own.loss, own.risk))
    assert content_of("two tables").space is None


@every_kind
def test_the_report_can_be_written_anew_from_its_json_as_page_and_as_pdf(kind, tmp_path):
    page, _ = write_report(released(kind), tmp_path / "release")
    written = page.read_text("utf-8")
    page.unlink()
    assert write_page(tmp_path / "release").read_text("utf-8") == written
    place = write_pdf(tmp_path / "release")
    assert place.name == "release.report.pdf"
    assert place.read_bytes().startswith(b"%PDF")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


@pytest.mark.exposed
def test_hostile_texts_do_nothing_in_a_pdf():
    names = {"#panic()": ["$x$", '#read("/etc/passwd")', "]", "*", "@a", "<b>"] * 2, "]": list("abcdef") * 2}
    roles = {"#panic()": "quasi-identifier", "]": "sensitive"}
    release = krypsis.anonymize(pl.DataFrame(names), roles, models="k-anonymity:k=2")
    assert render_pdf(build_report(release, "#panic()")).startswith(b"%PDF")


def test_sets_of_items_have_a_pdf_too(tmp_path):
    baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["wine"]] * 3)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    write_report(release, tmp_path / "sets")
    assert write_pdf(tmp_path / "sets").read_bytes().startswith(b"%PDF")


def test_without_a_report_or_with_a_strange_one_the_reason_is_told(tmp_path):
    with pytest.raises(UsageError, match="there is no report at"):
        read_report(tmp_path / "release")
    (tmp_path / "release.report.json").write_text('{"kind": "table"}')
    with pytest.raises(DataError, match="is not a report of this version"):
        write_pdf(tmp_path / "release")


def test_without_typst_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(UsageError, match=r"krypsis\[pdf\]"):
        check_pdf_ready()


def test_a_run_writes_the_pdf_on_request_and_the_command_report_anew(tmp_path):
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "plan.yaml").write_text(
        "data: patients.csv\ncolumns: {age: quasi-identifier, sex: quasi-identifier}\npromises: ['k-anonymity:k=2']\n"
    )
    ran = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--pdf", "--quiet"])
    assert ran.exit_code == 0, ran.output
    pdf = tmp_path / "release.report.pdf"
    assert "release.report.pdf" in ran.stdout
    assert pdf.read_bytes().startswith(b"%PDF")
    again = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--force", "--quiet"])
    assert again.exit_code == 0
    assert not pdf.exists()  # it would reveal something of the release that is gone
    made = CliRunner().invoke(app, ["report", str(tmp_path / "release"), "--pdf"])
    assert made.stdout.strip() == str(pdf)
    assert pdf.exists()
