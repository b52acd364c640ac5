"""A process that dies while it replaces a release leaves the old one or the new one, whole."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from crashing import Victim
from effort import either
from krypsis.checker import check_folder
from krypsis.release.release import Release
from release.sample import make_release, same_records
from release.saver import FORMATS, release_of, tables

KILLS = either(60, 12)
VICTIM = Path(__file__).with_name("saver.py")


@pytest.fixture(scope="module")
def victim():
    victim = Victim(VICTIM)
    yield victim
    victim.end()


def check_whole(folder: Path, kind: str = "one") -> str:
    """Return which of the two releases lies there, after making sure that it is whole."""
    loaded = Release.load(folder)
    assert all(check_folder(folder))
    assert (folder.parent / f"{folder.name}.{loaded.release_id[:8]}.private.json").is_file()
    (name,) = [name for name in tables() if same_records(release_of(name, kind).table, loaded.table)]
    if kind == "two":
        assert same_records(release_of(name, kind).sensitive_table, loaded.sensitive_table)
    return name


def test_a_release_survives_kills_at_random_moments(tmp_path, victim):
    folder = tmp_path / "release"
    start = time.perf_counter()
    make_release(table=tables()["old"]).save(folder)
    longest = 4 * (time.perf_counter() - start)
    chance = random.Random(7)
    seen = set()
    for kills in range(1, 5 * KILLS):
        process = victim.order("loop", folder)
        time.sleep(chance.uniform(0, longest))
        os.kill(process, signal.SIGKILL)
        assert victim.answer() == "ended"
        seen.add(check_whole(folder))
        if kills >= KILLS and len(seen) == 2:
            break
        if kills % 10 == 0 and len(seen) == 1:
            longest *= 2  # a busy machine: the child never came to the end of a save
    assert seen == {"old", "new"}
    last = make_release().save(folder, force=True)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")], "the next save cleans up"
    assert Release.load(folder).release_id == last.release.release_id


@pytest.mark.parametrize(("way", "kind"), [("swap", "one"), ("steps", "one"), ("swap", "two"), ("swap", "parts")])
def test_a_release_survives_a_crash_at_every_step(tmp_path, victim, way, kind):
    seen = []
    # The first case takes every step in every run, the others one of three.
    for step in range(1, 200, 1 if (way, kind) == ("swap", "one") else either(1, 3)):
        folder = tmp_path / str(step) / "release"
        first = release_of("old", kind).save(folder, FORMATS[kind])
        victim.order("crash", folder, step, way, kind)
        answer = victim.answer()
        seen.append(check_whole(folder, kind))
        if answer == "done":
            assert victim.answer() == "ended"
            break
        # The next save finds what the crash left; of the records it keeps those of releases that were in place.
        records = set(folder.parent.glob("*.private.json"))
        make_release().save(folder, force=True)
        assert not [path for path in folder.parent.iterdir() if path.name.startswith(".")]
        kept = {path for path in records if path.exists()}
        assert kept == ({first.private} if seen[-1] == "old" else records)
    assert answer == "done"
    assert seen == sorted(seen, reverse=True), "once the new release is there it stays"
    assert {"old", "new"} == set(seen)
    assert len(seen) > 10
