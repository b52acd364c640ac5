"""Damaged files of every kind end in a documented exit code and a sentence, and leave nothing half-written."""

import os
import random
import shutil

import pytest

from effort import either
from fuzz.journeys import READ, damage, invoke
from krypsis.release.audit_log import AUDIT_LOG

SEEDS = either(5000, 4)
FIRST = int(os.environ.get("KRYPSIS_FUZZ_FROM", "0"))
CODES = {0, 1, 2, 3, 130}
"""Files alone can neither take the memory nor the disk, and must not make the toolkit contradict itself."""


def everything_below(folder):
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return [path for path in found if path != f"out/{AUDIT_LOG}"]  # which says that a run failed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READ)
def test_a_damaged_file_ends_a_command_in_order(pristine, tmp_path, monkeypatch, name):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("KRYPSIS_MOST_UNPACKED", "64")
    for seed in range(FIRST, FIRST + SEEDS):
        chance = random.Random(f"{name} {seed}")
        folder = tmp_path / "case"
        shutil.copytree(pristine, folder)
        damage(folder, name, chance)
        before = everything_below(folder)
        words = chance.choice(READ[name])
        result = invoke(folder, words)
        told = f"seed {seed}: {' '.join(words)}\n{result.output[-2000:]}"
        assert result.exit_code in CODES, told
        assert "Traceback" not in result.output, told
        assert result.output.strip(), told
        if result.exit_code:
            assert [path for path in everything_below(folder) if path not in before] == [], told
        shutil.rmtree(folder)
