"""A command that is killed at any moment leaves what was there or what is new, and can be repeated."""

import itertools
import shutil
from pathlib import Path

import pytest

from cli.commander import ANSWERS, prepared
from crashing import Victim
from effort import either
from krypsis.kinds.history.history import History

NEVER = 10**6


@pytest.fixture(scope="module")
def victim():
    victim = Victim(Path(__file__).with_name("commander.py"))
    yield victim
    victim.end()


def run(victim: Victim, folder: Path, step: int, command: list[str]) -> int | None:
    """Return the exit code of a command that is killed at a step, nothing if it did not come that far."""
    victim.order("crash", folder, step, *command)
    if (said := victim.answer()) == "ended":
        return None
    assert victim.answer() == "ended"
    return int(said.removeprefix("exit "))


def crashed(victim, sample, tmp_path, command, every=1):
    """Yield copies of a folder in which a command was killed, a change later each time, and repeated after that."""
    for step in itertools.count(1, every):
        folder = tmp_path / f"step-{step}"
        shutil.copytree(sample, folder)
        code = run(victim, folder, step, command)
        yield folder, code is not None
        if code is not None:
            assert code == 0
            break
        assert run(victim, folder, NEVER, command) == 0, f"cannot be repeated after a crash at step {step}"
        yield folder, True
    assert step > 3, "hardly anything was attacked"


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.name != ".gitignore"]


def test_advise_leaves_the_old_plan_or_the_new_one(victim, tmp_path):
    sample = prepared(tmp_path / "sample", "k-anonymity:k=3")
    command = ["advise", "plan.yaml", "--answers", ANSWERS, "--write"]
    (new,) = plans_after(victim, sample, tmp_path / "new", command)
    known = {(sample / "plan.yaml").read_text(), new}
    assert len(known) == 2
    for folder, is_done in crashed(victim, sample, tmp_path, command):
        plan = folder / "plan.yaml"
        assert plan.read_text() in ({new} if is_done else known)
        assert all(path.stat().st_mode & 0o077 == 0 for path in (plan, *leftovers(folder)))
        assert not (is_done and leftovers(folder))


def plans_after(victim, sample, folder, command):
    shutil.copytree(sample, folder)
    assert run(victim, folder, NEVER, command) == 0
    return [(folder / "plan.yaml").read_text()]


def test_report_leaves_the_old_page_or_the_new_one(victim, tmp_path):
    sample = prepared(tmp_path / "sample", "k-anonymity:k=3")
    assert run(victim, sample, NEVER, ["run", "plan.yaml", "--quiet"]) == 0
    page = sample / "release.report.html"
    new = page.read_text()
    page.write_text("old")
    for folder, is_done in crashed(victim, sample, tmp_path, ["report", "release"]):
        assert (folder / page.name).read_text() in ({new} if is_done else {"old", new})
        assert not (is_done and leftovers(folder))


def test_publishing_a_version_leaves_the_old_history_or_the_new_one(victim, tmp_path):
    sample = prepared(tmp_path / "sample", "m-invariance:m=2")
    assert run(victim, sample, NEVER, ["history", "init", "people.csv", "--quiet"]) == 0
    command = ["history", "publish", "later.csv", "--quiet"]
    for folder, is_done in crashed(victim, sample, tmp_path, command, either(1, 8)):
        history = History.open(folder / "history")
        assert len(history.log()) in ({2} if is_done else {1, 2})
        assert all(history.check())
        releases = sorted(path.name for path in (folder / "history" / "releases").iterdir())
        assert releases == [str(change.version) for change in history.log()]
        assert not (is_done and leftovers(folder))
