"""A publisher that dies leaves the old state with the old releases, or the new state with the new ones."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from crashing import Victim
from effort import either
from history.people import FIRST, GENERAL, SECOND, start
from krypsis.kinds.history.history import History
from krypsis.kinds.history.storage import HistoryFiles

pytestmark = pytest.mark.exposed

KILLS = either(100, 8)
LONGEST = 4
VICTIM = Path(__file__).with_name("publisher.py")


@pytest.fixture(scope="module")
def victim():
    victim = Victim(VICTIM)
    yield victim
    victim.end()


def check_whole(folder: Path) -> int:
    """Return the number of versions, after making sure that state and releases belong together."""
    history = History.open(folder)  # recovers
    versions = [change.version for change in history.log()]
    assert versions == list(range(1, len(versions) + 1))
    assert sorted(int(path.name) for path in (folder / "releases").iterdir()) == versions
    records = [path.name.split(".")[0] for path in (folder / "private").glob("*.private.json")]
    assert sorted(map(int, records)) == versions
    assert not [*(folder / "private" / "staging").iterdir()]
    assert not versions or all(history.check())
    return len(versions)


def test_a_history_survives_kills_at_random_moments(tmp_path, victim):
    chance, longest, published = random.Random(7), 1.0, 0
    folder, reached = begun(tmp_path / "0", chance), 1
    for kills in range(1, 5 * KILLS):
        process = victim.order("loop", folder)
        time.sleep(chance.uniform(0, longest))
        os.kill(process, signal.SIGKILL)
        assert victim.answer() == "ended"
        now = check_whole(folder)
        assert now >= reached, "what was published stays"
        published, reached = published + now - reached, now
        if reached > LONGEST:  # the longer a history, the longer it takes to check all of it
            folder, reached = begun(tmp_path / str(kills), chance), 1
        if kills >= KILLS and published:
            break
        if kills % 10 == 0 and not published:
            longest *= 2  # a busy machine: the child never came to the end of a publication
    assert published


def begun(folder, chance):
    folder.mkdir()
    history = start(folder, **chance.choice([{}, GENERAL]))
    history.publish(FIRST)
    return history.folder


@pytest.mark.parametrize("options", [{}, GENERAL], ids=["m-invariant", "frequency-aware"])
def test_a_history_survives_a_crash_at_any_step(tmp_path, victim, options):
    folder = start(tmp_path, **options).folder
    History.open(folder).publish(FIRST)
    chance, seen, step = random.Random(11), {"old": 0, "new": 0}, 1
    while True:
        before = check_whole(folder)
        victim.order("crash", folder, step)
        done = victim.answer() == "done"
        if done:
            assert victim.answer() == "ended"
        seen["new" if check_whole(folder) > before else "old"] += 1
        if done:
            break
        step += 1 if KILLS >= 100 else chance.randint(1, 8)
    assert seen["old"] > 5
    assert step > 20


def test_a_crash_between_the_state_and_the_move_is_made_up_for(tmp_path, monkeypatch):
    history = start(tmp_path)
    history.publish(FIRST)

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(HistoryFiles, "put_in_place", die)
    with pytest.raises(KeyboardInterrupt):
        history.publish(SECOND)
    monkeypatch.undo()
    assert not (history.folder / "releases" / "2").exists()
    assert check_whole(history.folder) == 2


def test_a_crash_before_the_state_is_written_takes_the_release_back(tmp_path, monkeypatch):
    history = start(tmp_path)
    history.publish(FIRST)

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("krypsis.kinds.history.history.record", die)
    with pytest.raises(KeyboardInterrupt):
        history.publish(SECOND)
    monkeypatch.undo()
    assert check_whole(history.folder) == 1
    assert history.publish(SECOND).change.version == 2
