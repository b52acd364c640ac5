"""Scratch folders disappear with their owners: at once, or with the next run where the owner was killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from krypsis.io import scratch
from krypsis.io.scratch import ScratchFolder, remove_abandoned

OWNER = """
import time
from krypsis.io.scratch import ScratchFolder
folder = ScratchFolder()
(folder.path / "rows.parquet").write_bytes(b"rows")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _not_yet_cleared():
    remove_abandoned.cache_clear()
    yield
    remove_abandoned.cache_clear()


def owner_in(folder):
    command = [sys.executable, "-c", OWNER]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(folder)})
    return process, process.stdout.readline().strip()


def test_what_a_killed_process_left_goes_with_the_next_and_what_a_living_one_has_stays(tmp_path):
    killed, left = owner_in(tmp_path)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert (Path(left) / "rows.parquet").exists()
    living, kept = owner_in(tmp_path)
    try:
        assert not Path(left).exists()
        ScratchFolder(tmp_path)
        assert (Path(kept) / "rows.parquet").exists()
    finally:
        living.kill()
        living.communicate()


def test_folders_of_others_are_not_touched(tmp_path):
    (tmp_path / "krypsis-notes").mkdir()
    (tmp_path / "krypsis-notes" / "mine.txt").write_text("mine", encoding="utf-8")
    ScratchFolder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["krypsis-notes"]


def test_a_folder_that_is_cleared_away_while_it_is_made_is_made_again(tmp_path, monkeypatch):
    lost = []

    def lock_late(stream):
        if not lost:
            lost.append(stream.name)
            raise BlockingIOError
        take(stream)

    take = scratch.lock
    monkeypatch.setattr(scratch, "lock", lock_late)
    folder = ScratchFolder(tmp_path)
    assert folder.path.is_dir()
    assert str(folder.path) not in lost[0]


def test_a_run_that_ends_as_it_should_leaves_nothing(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pl.DataFrame({"age": [1, 1, 2, 2], "note": ["a", "b", "c", "d"]}).write_parquet(tmp_path / "p.parquet")
    plan = "data: p.parquet\ncolumns: {age: QI, note: insensitive}\npromises: ['k-anonymity:k=2']\n"
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "krypsis.cli.main", "run", "plan.yaml", "--engine", "duckdb", "--no-report"],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []
