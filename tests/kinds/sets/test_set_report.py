"""The report on sets of items: figures, forms, and what must not be in it."""

import json
from pathlib import Path

import pytest

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.sets.report import set_figures
from krypsis.report import build_report, render_html, write_report

HOSTILE = "<script>alert(1)</script>"
SETS = [["bread", "milk"]] * 4 + [["wine", HOSTILE]] * 4 + [["bread", "wine", "viagra"]]
BASKETS = krypsis.Transactions.of_sets(SETS)


def release(algorithm: str, promise: str, *sensitive: str) -> krypsis.Release:
    return krypsis.anonymize(BASKETS, models=promise, algorithm=algorithm, sensitive_items=sensitive)


def test_who_is_told_apart_is_counted_before_and_after() -> None:
    content = set_figures(release("km-suppression", "km-anonymity:k=2,m=2"))
    # Only the last record is alone: by viagra, by any pair with it and by {bread, wine}.
    assert [one.before for one in content.identified] == pytest.approx([1 / 9, 1 / 9, 1 / 9])
    assert [one.after for one in content.identified] == [0, 0, 0]


def test_pieces_have_no_share_after_and_their_clusters_are_counted() -> None:
    content = set_figures(release("disassociation", "km-anonymity:k=2,m=2"))
    assert {one.after for one in content.identified} == {None}
    sizes = content.counts[-1]
    assert sizes.title == "How large are the clusters?"
    assert sum(bar.records for bar in sizes.after) >= 1


def test_groups_have_pictures_of_the_band() -> None:
    made = release("cahd", "privacy-degree:p=2", "viagra")
    content = set_figures(made)
    assert content.band is not None
    assert render_html(build_report(made)).count("<svg") > 2


@pytest.mark.parametrize(
    ("algorithm", "promise", "sensitive"),
    [
        ("disassociation", "km-anonymity:k=2,m=2", ()),
        ("km-suppression", "km-anonymity:k=2,m=2", ()),
        ("cahd", "privacy-degree:p=2", (HOSTILE,)),
    ],
)
def test_the_page_has_no_script_and_no_address(
    algorithm: str, promise: str, sensitive: tuple[str, ...], tmp_path: Path
) -> None:
    page, data = write_report(release(algorithm, promise, *sensitive), tmp_path / "release")
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert json.loads(data.read_text(encoding="utf-8"))["holds"] is True


def test_a_release_loaded_from_its_files_has_no_report(tmp_path: Path) -> None:
    folder = release("disassociation", "km-anonymity:k=2,m=2").save(tmp_path / "release").folder
    with pytest.raises(UsageError, match="does not carry them"):
        write_report(krypsis.Release.load(folder), tmp_path / "release")
