"""A report lies next to the release that it is about, also after a crash."""

import json
import re
from pathlib import Path

import pytest

from crashing import Victim
from krypsis.errors import DataError
from krypsis.release.workshop import release_id_of
from krypsis.report import is_report_on, pdf_path, read_report, report_paths, write_page
from report.publisher import published
from report.releases import medical


@pytest.fixture(scope="module")
def victim():
    victim = Victim(Path(__file__).with_name("publisher.py"))
    yield victim
    victim.end()


def ids_of_reports(folder):
    page, data = report_paths(folder)
    found = set()
    if page.exists():
        found |= set(re.findall(r'name="krypsis-release" content="([^"]+)"', page.read_text()))
    if data.exists():
        found.add(json.loads(data.read_bytes())["release_id"])
    return found


def test_no_crash_leaves_a_report_on_another_release(tmp_path, victim):
    seen = set()
    for step in range(1, 40):
        folder = tmp_path / str(step) / "release"
        old = published(folder).release.release_id
        victim.order("crash", folder, step)
        answer = victim.answer()
        now = release_id_of(folder)
        assert ids_of_reports(folder) <= {now}
        seen.add((now == old, bool(ids_of_reports(folder))))
        if answer == "done":
            assert victim.answer() == "ended"
            break
    assert answer == "done"
    assert {(False, False), (False, True)} <= seen  # the crash came between the swap and the report, too


def test_a_release_that_is_saved_over_another_removes_its_report(tmp_path):
    folder = tmp_path / "release"
    published(folder)
    pdf_path(folder).touch()
    medical().save(folder, force=True)
    assert not [path for path in (*report_paths(folder), pdf_path(folder)) if path.exists()]


def test_a_report_on_another_release_is_not_shown(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    published(one)
    published(other)
    assert read_report(one).release_id == release_id_of(one)
    for mine, foreign in zip(report_paths(one), report_paths(other), strict=True):
        mine.write_bytes(foreign.read_bytes())
        assert not is_report_on(mine, release_id_of(one))
        assert is_report_on(foreign, release_id_of(other))
    for read in (read_report, write_page):
        with pytest.raises(DataError, match=f"is about the release {release_id_of(other)}"):
            read(one)
