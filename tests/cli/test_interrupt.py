"""Ctrl-C ends a run in order: exit code 130, and no half of a release."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.cli.streams import Reporter
from krypsis.kinds.table.plan import TablePlan

COLUMNS = 14


@pytest.fixture
def long_run(tmp_path: Path) -> list[str]:
    """A plan whose search takes minutes, and the command that runs it."""
    draw = np.random.default_rng(1)
    table = pl.DataFrame({f"q{number}": draw.integers(0, 40, 3000).astype(str) for number in range(COLUMNS)})
    table.write_csv(tmp_path / "data.csv")
    columns = "\n".join(
        f"  q{number}: {{role: QI, hierarchy: {{kind: intervals, width: 5, origin: 0}}}}" for number in range(COLUMNS)
    )
    rest = "promises: ['k-anonymity:k=5']\nalgorithm: optimal\nsuppression: 100%\n"
    plan = f"data: data.csv\ncolumns:\n{columns}\n{rest}"
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    return [sys.executable, "-m", "krypsis.cli.main", "run", str(tmp_path / "plan.yaml")]


def shown_by(terminal: int) -> Iterator[str]:
    """Yield what is written to a terminal, piece by piece, until nobody writes any more."""
    while True:
        try:
            yield os.read(terminal, 10_000).decode()
        except OSError:  # how Linux says that the other end is closed
            return


def test_the_best_so_far_is_told_and_nothing_is_written(long_run, tmp_path):
    """To a terminal, a search says what it has found."""
    terminal, writing = os.openpty()
    with subprocess.Popen(long_run, stderr=writing, stdout=subprocess.DEVNULL) as process:
        os.close(writing)
        shown = shown_by(terminal)
        messages = next(text for text in shown if ", best " in text)
        process.send_signal(signal.SIGINT)
        messages += "".join(shown)
    os.close(terminal)
    assert process.returncode == 130, messages
    assert "interrupted; nothing was written. Best so far:" in messages
    assert "proven that nothing below" in messages
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit.jsonl", "data.csv", "plan.yaml"]


class InterruptingFile(io.FileIO):
    """A file whose process gets Ctrl-C in the middle of the first write to it."""

    def write(self, data):
        if self.tell() == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return super().write(data)


def test_ctrl_c_in_the_middle_of_a_message_is_heard(tmp_path, monkeypatch):
    raw = InterruptingFile(tmp_path / "shown", "w")
    with io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", line_buffering=True) as stream:
        monkeypatch.setattr("sys.stderr", stream)
        with Reporter().listening() as reporter:
            reporter.phase("search")
    assert reporter.interrupted
    assert set((tmp_path / "shown").read_text("utf-8").splitlines()) == {
        "",
        "… searching",
        "… stopping; press Ctrl-C again to end at once",
    }


def test_an_interrupted_search_that_has_found_nothing_ends_the_same_way(tmp_path, monkeypatch):
    """Every record is unlike every other, and so is the table when the search of mu-argus stops at once."""
    pl.DataFrame({"a": ["1", "2", "3", "4"], "b": ["1", "2", "3", "4"]}).write_csv(tmp_path / "data.csv")
    columns = "columns: {a: QI, b: QI}\npromises: ['k-anonymity:k=2']\nalgorithm: mu-argus\n"
    (tmp_path / "plan.yaml").write_text(f"data: data.csv\n{columns}", encoding="utf-8")
    read = TablePlan.read_data

    def interrupted_while_reading(plan):
        os.kill(os.getpid(), signal.SIGINT)
        return read(plan)

    monkeypatch.setattr(TablePlan, "read_data", interrupted_while_reading)
    result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml")])
    assert result.exit_code == 130, result.stderr
    assert "nothing was written" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit.jsonl", "data.csv", "plan.yaml"]


def test_the_second_interrupt_ends_at_once():
    reporter = Reporter(quiet=True)
    with reporter.listening():
        os.kill(os.getpid(), signal.SIGINT)
        assert reporter.wants_stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
