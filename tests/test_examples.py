"""Every program that the documentation shows is run here."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import krypsis
from krypsis.datasets.hospital import hospital

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {"catalogue.md", "api.md"}
BLOCK = re.compile(r"^```(?P<language>[a-z]+)[^\n]*\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = {"python": "*.py", "shell": "*.sh"}


def run_python(name, folder):
    command = [sys.executable, "-W", "error", EXAMPLES / name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


def run_shell(name, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = ["bash", "-e", EXAMPLES / name]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_example_runs_without_a_warning(name, tmp_path):
    result = run_python(name, tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_first_release_is_published_and_holds(tmp_path):
    output = run_python("first_release.py", tmp_path).stdout
    assert "5" in output.splitlines()[-1]
    release = krypsis.Release.load(tmp_path / "release")
    columns = release.table.columns
    assert "patient_name" not in columns
    assert "patient_id" not in columns
    assert release.table.group_by("age", "sex", "zip").len()["len"].min() >= 5


def test_the_checker_refuses_the_table_of_the_guide(tmp_path):
    lines = run_python("check_table.py", tmp_path).stdout.splitlines()
    assert [line.partition(" - ")[0] for line in lines if " - " in line] == ["does not hold", "does not hold"]


def test_mistakes_are_answered_with_what_to_do(tmp_path):
    output = run_python("mistakes.py", tmp_path).stdout
    assert "Did you mean 'zipcode'?" in output
    assert "k of k-anonymity must be at least 1, got 0" in output


def test_the_journey_leads_to_a_release(tmp_path):
    hospital(1000).write_csv(tmp_path / "patients.csv")
    result = run_shell("journey.sh", tmp_path)
    assert result.returncode == 0, result.stderr
    assert any((tmp_path / "release").iterdir())


def test_the_command_of_the_guide_refuses_the_table_with_exit_code_1(tmp_path):
    run_python("check_table.py", tmp_path)
    result = run_shell("check_table.sh", tmp_path)
    assert result.returncode == 1, result.stderr


def blocks():
    for page in PAGES:
        if page.name not in GENERATED:
            for block in BLOCK.finditer(page.read_text("utf-8")):
                yield pytest.param(page, block["language"], block["text"], id=f"{page.stem}-{block.start()}")


@pytest.mark.parametrize(("page", "language", "text"), list(blocks()))
def test_a_program_in_the_documentation_is_one_that_is_run(page, language, text):
    if language == "python" and ">>>" in text:
        case = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        assert runner.run(case).failed == 0
    elif included := re.fullmatch(r'--8<-- "(?P<path>[^"]+)"\n', text):
        assert (ROOT / included["path"]).is_file()
        assert included["path"].startswith(("examples/", "src/krypsis/datasets/"))
    elif language in SHOWN and not text.startswith("./dev "):
        assert text in [path.read_text("utf-8") for path in EXAMPLES.glob(SHOWN[language])]
