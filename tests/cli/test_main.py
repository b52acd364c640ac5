"""The command itself: its options, its exit codes."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app


@pytest.mark.parametrize("words", [["--version"], ["--version", "run"]])
def test_the_version_is_shown(words):
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, result.stdout) == (0, f"krypsis {krypsis.version.__version__}\n")


def test_the_installed_command_shows_its_version():
    command = [sys.executable, "-m", "krypsis.cli.main", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, f"krypsis {krypsis.version.__version__}\n")


def test_a_missing_command_is_still_told():
    result = CliRunner().invoke(app, [])
    assert "Usage" in result.output
