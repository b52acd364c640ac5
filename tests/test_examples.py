"""Every program that the documentation shows is run here."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.io.write import set_lines
from krypsis.kinds.sets.demo import drugstore
from krypsis.kinds.table.demo import hospital, hospital_plan

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {"catalogue.md", "api.md"}
BLOCK = re.compile(r"^```(?P<language>[a-z]+)[^\n]*\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = {"python": "*.py", "shell": "*.sh"}


@pytest.fixture
def run_python(tmp_path, monkeypatch, capsys):
    """Run an example in a folder of its own and return what it prints; here, warnings are errors."""

    def run(name: str) -> str:
        monkeypatch.chdir(tmp_path)
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def run_shell(name, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = ["bash", "-e", EXAMPLES / name]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )


EXPOSED = {"check_table.py"}
"""Examples of tables that disclose values, which is warned of."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.exposed if name in EXPOSED else ())
        for name in sorted(path.name for path in EXAMPLES.glob("*.py"))
    ],
)
def test_example_runs_without_a_warning(name, run_python):
    assert run_python(name).strip()


def test_an_example_runs_as_a_program(tmp_path):
    command = [sys.executable, "-W", "error", EXAMPLES / "first_release.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_first_release_is_published_and_holds(tmp_path, run_python):
    output = run_python("first_release.py")
    assert "5" in output.splitlines()[-1]
    release = krypsis.Release.load(tmp_path / "hospital-release")
    columns = release.table.columns
    assert "patient_name" not in columns
    assert "patient_id" not in columns
    assert release.table.group_by("age", "sex", "zip").len()["len"].min() >= 5


@pytest.mark.exposed
def test_the_checker_refuses_the_table_of_the_guide(run_python):
    lines = run_python("check_table.py").splitlines()
    assert [line.partition(" - ")[0] for line in lines if " - " in line] == ["does not hold", "does not hold"]


def test_mistakes_are_answered_with_what_to_do(run_python):
    output = run_python("mistakes.py")
    assert "Did you mean 'zipcode'?" in output
    assert "k of k-anonymity must be at least 1, got 0" in output


@pytest.fixture
def clone(tmp_path):
    """A folder as ``./dev demo`` leaves it in a fresh clone."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    programs = Path(sys.executable).parent
    (tmp_path / ".venv" / "bin" / "activate").write_text(f'PATH="{programs}:$PATH"\n', encoding="utf-8")
    (tmp_path / "demo").mkdir()
    hospital(1000).write_csv(tmp_path / "demo" / "patients.csv")
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


def test_the_readme_can_be_followed_from_top_to_bottom(clone):
    blocks = [
        block for block in BLOCK.finditer((ROOT / "README.md").read_text("utf-8")) if block["language"] == "shell"
    ]
    journey, check, sets, graphs, program = (block["text"] for block in blocks if not block["text"].startswith("./dev"))
    assert subprocess.run(["bash", "-e", "-c", journey], cwd=clone, check=False).returncode == 0
    assert (clone / "release" / "manifest.json").is_file()
    activated = ". .venv/bin/activate\n"
    answer = subprocess.run(["bash", "-c", activated + check], cwd=clone, check=False, capture_output=True, text=True)
    verdicts = [
        line for line in answer.stdout.splitlines() if line.startswith(("k-anonymity:", "distinct-l-diversity:"))
    ]
    assert [line.split()[1] for line in verdicts] == ["Kept:", "Not"]
    assert answer.returncode == 1
    assert subprocess.run(["bash", "-e", "-c", activated + sets], cwd=clone, check=False).returncode == 0
    assert (clone / "demo-sets" / "release" / "data.csv").is_file()
    assert (clone / "baskets-release" / "data.json").is_file()
    assert subprocess.run(["bash", "-e", "-c", activated + graphs], cwd=clone, check=False).returncode == 0
    assert (clone / "contacts-release" / "edges.csv").is_file()
    assert subprocess.run(["bash", "-e", "-c", activated + program], cwd=clone, check=False).returncode == 0
    assert (clone / "hospital-release" / "manifest.json").is_file()


def test_the_journey_leads_to_a_release(clone):
    result = run_shell("journey.sh", clone)
    assert result.returncode == 0, result.stderr
    assert any((clone / "release").iterdir())


def test_the_hospital_of_the_guide_is_published_without_its_secrets(tmp_path):
    result = run_shell("ontology.sh", tmp_path)
    assert result.returncode == 0, result.stderr
    assert "derivation: succeeds for 0 %" in result.stdout
    assert "# - ClassAssertion(:HivPatient ?)" in (tmp_path / "hospital.yaml").read_text("utf-8")


def test_the_commands_of_the_guide_accept_one_promise_and_refuse_the_other(clone):
    first, second = (EXAMPLES / "check_table.sh").read_text("utf-8").splitlines()
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    codes = [
        subprocess.run(["bash", "-c", line], cwd=clone, env=environment, check=False).returncode
        for line in (first, second)
    ]
    assert codes == [0, 1]


def test_the_tables_in_groups_of_the_guide_keep_their_promise(clone):
    result = run_shell("check_groups.sh", clone)
    assert result.returncode == 0, result.stderr
    assert "frequency-l-diversity:l=2: Kept: " in result.stdout


@pytest.fixture
def demo(tmp_path):
    """A folder with what ``krypsis demo`` writes before it runs."""
    folder = tmp_path / "demo"
    folder.mkdir()
    hospital().write_csv(folder / "patients.csv")
    (folder / "plan.yaml").write_text(hospital_plan(), encoding="utf-8")
    return folder


def test_a_node_of_the_solution_space_is_published(demo):
    result = run_shell("explore.sh", demo.parent)
    assert result.returncode == 0, result.stderr
    assert (demo / "explore.html").is_file()
    assert (demo.parent / "nodes.csv").is_file()
    levels = krypsis.Release.load(demo.parent / "chosen").levels
    assert list(levels.values()) == [3, 0, 5, 1, 3, 3]


def test_new_rows_are_published_as_the_first_were(demo):
    krypsis.Plan.load(demo / "plan.yaml").run().save(demo / "release")
    hospital().write_csv(demo.parent / "more.csv")
    result = run_shell("apply.sh", demo.parent)
    assert result.returncode == 0, result.stderr
    places = (demo / "release", demo.parent / "more", demo.parent / "all")
    first, more, both = map(krypsis.Release.load, places)
    assert first.levels == more.levels == both.levels
    assert both.table.height == first.table.height + more.table.height


def test_a_history_is_published_and_checked_by_the_commands_of_its_guide(tmp_path):
    everybody = hospital(rows=400, seed=3).select("patient_id", "age", "zip", "diagnosis")
    everybody.head(300).write_csv(tmp_path / "patients.csv")
    everybody.tail(350).write_csv(tmp_path / "patients-2.csv")
    guide = (ROOT / "docs" / "guides" / "history.md").read_text("utf-8")
    (plan,) = (block["text"] for block in BLOCK.finditer(guide) if block["language"] == "yaml")
    (tmp_path / "plan.yaml").write_text(plan, "utf-8")
    result = run_shell("history.sh", tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Kept over 2 release(s)" in result.stdout
    # Nothing else lies there: the whole folder may be given away.
    assert sorted(path.name for path in (tmp_path / "history" / "releases").iterdir()) == ["1", "2"]


def test_baskets_are_published_in_three_ways_that_keep_their_promises(tmp_path, run_python):
    output = run_python("baskets.py")
    assert output.count(": Kept: ") == 3
    for name in ("apriori", "disassociation", "cahd"):
        assert all(krypsis.check(tmp_path / f"baskets-{name}"))


def test_counts_and_the_log_of_runs_are_shown_by_the_commands_of_their_pages(demo):
    shutil.copytree(EXAMPLES, demo.parent / "examples")
    made = CliRunner().invoke(app, ["run", str(demo / "plan.yaml"), "--no-report", "--quiet"])
    assert made.exit_code == 0, made.output
    counted = run_shell("query.sh", demo.parent)
    assert counted.returncode == 0, counted.stderr
    assert "truly" in counted.stdout
    logged = run_shell("audit.sh", demo.parent)
    assert logged.returncode == 0, logged.stderr
    assert "published" in logged.stdout
    assert (demo.parent / "audit.csv").is_file()


def test_sensitive_items_are_published_apart_by_the_commands_of_the_guide(clone):
    (clone / "demo-sets").mkdir()
    (clone / "demo-sets" / "baskets.csv").write_text(set_lines(drugstore()), "utf-8")
    result = run_shell("baskets_sensitive.sh", clone)
    assert result.returncode == 0, result.stderr
    assert "privacy-degree:p=4: Kept: " in result.stdout
    assert "privacy-degree:p=2: Kept: " in result.stdout
    assert not {"pregnancy test", "nicotine patches"} & set(
        krypsis.Release.load(clone / "sensitive-release").table["item"]
    )


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
        assert included["path"].startswith(("examples/", "src/krypsis/kinds/"))
    elif language in SHOWN and not text.startswith("./dev "):
        assert text in [path.read_text("utf-8") for path in EXAMPLES.glob(SHOWN[language])]
