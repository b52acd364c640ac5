"""A disk that fails from any step on, or Ctrl-C at any step, leaves the old state or the new one."""

import errno
import random
import resource
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from effort import IS_THOROUGH, either
from fuzz.disks import INTERRUPTED
from fuzz.journeys import READ, invoke
from krypsis.checker import check_folder
from krypsis.kinds.history.history import History
from krypsis.release.audit_log import AUDIT_LOG

MOST = either(1000, 3)
"""How many steps of a command are tried."""
SIZES = [0, 7, 60, 500, 2000, 5000, 20_000] if IS_THOROUGH else [7, 500]
COMMANDS = {
    "run": ["run", "plan.yaml", "--output", "release", "--force", "--quiet"],
    "run with report": ["run", "plan.yaml", "--output", "out/release", "--report", "--quiet"],
    "run sets": ["run", "sets.yaml", "--output", "sets-release", "--force", "--quiet"],
    "apply": ["apply", "release.private.json", "data.csv", "--output", "out/applied", "--quiet"],
    "explore": ["explore", "plan.yaml", "--output", "out/nodes.csv"],
    "init": ["init", "data.csv", "-o", "plan.yaml", "--force"],
    "dossier": ["dossier", "init", "dossier.yaml", "--force"],
    "reconstruct": ["reconstruct", "sets-release", "-o", "out/sets.dat"],
    "history": ["history", "publish", "first.csv", "--folder", "history", "--no-report", "--quiet"],
}


def texts(folder: Path) -> dict[str, bytes]:
    """What lies in a folder and in its folder for output, by name; private records come and go with releases."""
    places = [*folder.iterdir(), *(folder / "out").iterdir()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in places
        if path.is_file() and ".private." not in path.name
    }


def check_whole(folder: Path, before: dict[str, bytes]) -> None:
    """Every release keeps what it promises, and every file is the old one or complete."""
    for manifest in folder.rglob("manifest.json"):
        if not any(part.startswith(".") for part in manifest.relative_to(folder).parts):
            assert all(verdict.holds is not False for verdict in check_folder(manifest.parent)), manifest
    for name, content in texts(folder).items():
        if name in ("plan.yaml", "dossier.yaml"):
            assert content == before[name] or content.endswith(b"\n")


def check_history(folder: Path) -> None:
    """State and releases belong together."""
    history = History.open(folder / "history")
    versions = [change.version for change in history.log()]
    assert sorted(int(path.name) for path in (folder / "history" / "releases").iterdir()) == versions
    assert all(history.check())


def steps_to_try(total: int) -> list[int]:
    return (
        list(range(1, total + 1)) if total <= MOST else sorted(random.Random(total).sample(range(1, total + 1), MOST))
    )


def attempt(pristine, place, disk, words, step, number):
    shutil.copytree(pristine, place)
    with disk.failing(place, step, number):
        return invoke(place, words)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, INTERRUPTED], ids=["full", "read-only", "interrupted"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_failing_disk_leaves_the_old_state_or_the_new_one(pristine, tmp_path, monkeypatch, disk, name, number):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = texts(pristine)
    whole = attempt(pristine, tmp_path / "whole", disk, COMMANDS[name], 10**6, number)
    assert whole.exit_code == 0, whole.output
    assert disk.seen, "nothing was written where the disk could fail"
    shutil.rmtree(tmp_path / "whole")
    for step in steps_to_try(disk.seen):
        place = tmp_path / str(step)
        result = attempt(pristine, place, disk, COMMANDS[name], step, number)
        told = f"step {step}: {result.output[-1500:]}"
        assert disk.has_failed
        assert result.exit_code == (130 if number == INTERRUPTED else 74), told
        assert "Traceback" not in result.output, told
        assert result.output.strip().count("krypsis: ") >= 1, told
        check_whole(place, before)
        if name == "history":
            check_history(place)
        if number != errno.EROFS:  # what was begun can be removed, also from a full disk
            left = [path.name for path in [*place.iterdir(), *(place / "out").iterdir()] if path.name.startswith(".")]
            assert not left, told
        shutil.rmtree(place)


@contextmanager
def largest_file(size):
    """Let no file grow beyond a size: what is written then breaks off in the middle, whoever writes it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "history"])  # its state needs a file at once
def test_a_write_that_breaks_off_leaves_no_part_of_a_file(pristine, tmp_path, monkeypatch, name):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = texts(pristine)
    for size in SIZES:
        place = tmp_path / str(size)
        shutil.copytree(pristine, place)
        with largest_file(size):
            result = invoke(place, COMMANDS[name])
        told = f"{size} bytes: {result.output[-1500:]}"
        assert result.exit_code in (0, 74), told
        assert "Traceback" not in result.output, told
        if result.exit_code == 74:
            check_whole(place, before)
            new = {path for path in texts(place) if path not in before} - {f"out/{AUDIT_LOG}"}  # a run that failed
            assert not [path for path in new if not path.startswith("out/release.")], told
            assert "release is written" in result.output or not new, told
        shutil.rmtree(place)


def test_every_command_that_is_tried_is_known():
    known = {words[0] for commands in READ.values() for words in commands}
    assert {words[0] for words in COMMANDS.values()} <= known
