"""The script for every task."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """The script as a module, working on a copy of the two files it reads."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # or a file dev.pyc would lie next to it
    loader = SourceFileLoader("dev_script", str(ROOT / "dev"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("dev_script", loader))
    loader.exec_module(module)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # the script changes it
    return module


@pytest.fixture
def installed(dev, monkeypatch):
    """The extras that were installed, in order, without installing anything."""
    extras = []
    monkeypatch.setattr(dev, "is_usable", Path.is_dir)
    monkeypatch.setattr(dev, "create", Path.mkdir)
    monkeypatch.setattr(dev, "install", lambda _environment, extra, _limits: extras.append(extra))
    return extras


def test_an_old_python_is_told_which_one_is_needed(dev, monkeypatch):
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer"):
        dev.main(["test"])


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(dev, monkeypatch, tmp_path, missing):
    found = importlib.util.find_spec
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(SystemExit, match=rf"no module {missing}.*python3-venv"):
        dev.create(tmp_path / "environment")


def test_a_wrong_command_shows_the_commands_and_exits_with_2():
    result = subprocess.run(
        [sys.executable, ROOT / "dev", "tset"], capture_output=True, text=True, cwd="/", check=False
    )
    assert result.returncode == 2
    assert "./dev test" in result.stderr


def test_every_command_is_explained(dev):
    for command in dev.COMMANDS:
        assert f"./dev {command} " in dev.__doc__


def test_nothing_is_installed_twice_unless_the_requirements_change(dev, installed):
    dev.prepare("dev")
    dev.prepare("dev")
    assert installed == ["dev"]
    (dev.ROOT / "constraints.txt").write_text("numpy==2.4.6\n")
    dev.prepare("dev")
    assert installed == ["dev", "dev"]


def test_the_small_set_is_not_enough_for_tests_but_the_large_one_is_for_the_demo(dev, installed):
    dev.prepare("report")
    dev.prepare("dev")
    assert installed == ["report", "dev"]
    dev.prepare("report")
    assert installed == ["report", "dev"]


def test_a_failed_install_is_tried_again(dev, installed, monkeypatch):
    def fail(*_):
        raise SystemExit(1)

    with monkeypatch.context() as broken:
        broken.setattr(dev, "install", fail)
        with pytest.raises(SystemExit):
            dev.prepare("dev")
    dev.prepare("dev")
    assert installed == ["dev"]


def test_the_exit_code_of_a_failing_step_is_passed_on(dev):
    with pytest.raises(SystemExit) as stop:
        dev.call([sys.executable, "-c", "raise SystemExit(3)"])
    assert stop.value.code == 3


@pytest.fixture
def commands(dev, monkeypatch):
    """The commands that were called or started, in order, without doing so."""
    called = []

    def start(command, _output):
        called.append(command)
        return subprocess.Popen([sys.executable, "-c", ""])

    monkeypatch.setattr(dev, "call", called.append)
    monkeypatch.setattr(dev, "start", start)
    return called


def test_tests_stop_at_the_first_failing_step(dev, monkeypatch, commands):
    def fail(_words):
        raise SystemExit(1)

    monkeypatch.setattr(dev, "docs", fail)
    with pytest.raises(SystemExit):
        dev.test([])
    assert [Path(command[0]).name for command in commands] == ["ruff", "ruff", "lint-imports", "mypy"]


@pytest.fixture
def fault_finder(dev):
    """A program in the environment that finds a fault."""
    folder = dev.VENV / dev.SCRIPTS
    folder.mkdir(parents=True)
    file = folder / "finder"
    file.write_text(f"#!{sys.executable}\nprint('a fault')\nraise SystemExit(3)\n")
    file.chmod(0o755)
    return file.name


def test_a_fault_that_is_found_meanwhile_is_shown_at_the_end_and_fails_the_run(dev, fault_finder, capsys):
    with pytest.raises(SystemExit) as stop, dev.meanwhile(dev.VENV, fault_finder):
        sys.stdout.write("the tests pass\n")
    assert stop.value.code == 3
    first, _, heading, fault = capsys.readouterr().out.splitlines()
    assert (first, fault) == ("the tests pass", "a fault")
    assert heading.startswith("── finder ")


def test_a_fault_that_is_found_meanwhile_is_shown_when_the_tests_fail_as_well(dev, fault_finder, capsys):
    with pytest.raises(SystemExit) as stop, dev.meanwhile(dev.VENV, fault_finder):
        raise SystemExit(1)
    assert stop.value.code == 1
    assert "a fault" in capsys.readouterr().out


def test_more_words_go_to_pytest(dev, commands):
    dev.test(["-k", "mondrian"])
    assert commands[-1][1:] == ["-n", "4", "--dist", "worksteal", "-k", "mondrian"]


def test_a_thorough_run_tries_all_random_cases(dev, commands, monkeypatch):
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "fast")
    dev.test(["--thorough", "-k", "mondrian"])
    assert commands[-1][1:] == ["-n", "4", "--dist", "worksteal", "-k", "mondrian"]
    assert os.environ["HYPOTHESIS_PROFILE"] == "thorough"


@pytest.mark.usefixtures("commands")
def test_processes_that_tests_start_find_bytecode(dev):
    dev.test([])
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ


def test_the_lowest_versions_are_exact(dev):
    lowest = dev.lowest_versions()
    assert "pydantic==2.12" in lowest
    assert all(line.count("==") == 1 and "," not in line and ">" not in line for line in lowest)


def test_the_scripts_can_be_executed():
    assert os.access(ROOT / "dev", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


PROGRAMS = [("prepare_browser", "chromium", "chromium"), ("prepare_java", "java", "default-jre-headless")]


@pytest.mark.parametrize(("prepare", "program", "package"), PROGRAMS)
def test_a_program_that_is_there_is_used(dev, monkeypatch, prepare, program, package):
    asked = []
    monkeypatch.setattr(dev.shutil, "which", lambda name: asked.append(name) or f"/usr/bin/{name}")
    monkeypatch.setattr(dev, "call", lambda _: pytest.fail(f"{package} is installed again"))
    getattr(dev, prepare)()
    assert asked == [program]


@pytest.mark.parametrize(("prepare", "program", "package"), PROGRAMS)
def test_a_missing_program_is_installed_by_who_may_do_that(dev, monkeypatch, prepare, program, package):
    commands = []
    monkeypatch.setattr(dev.shutil, "which", lambda name: None if name == program else f"/usr/bin/{name}")
    monkeypatch.setattr(dev.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(dev, "call", commands.append)
    monkeypatch.setenv("DEBIAN_FRONTEND", "dialog")
    getattr(dev, prepare)()
    assert [command[:2] for command in commands] == [["apt-get", "update"], ["apt-get", "install"]]
    assert commands[-1][-1] == package


@pytest.mark.parametrize(("prepare", "program", "package"), PROGRAMS)
@pytest.mark.parametrize(("user", "apt"), [(1000, "/usr/bin/apt-get"), (0, None)])
def test_others_learn_how_to_install_a_program(dev, monkeypatch, user, apt, prepare, program, package):
    monkeypatch.setattr(dev.shutil, "which", lambda name: None if name == program else apt)
    monkeypatch.setattr(dev.os, "geteuid", lambda: user, raising=False)
    with pytest.raises(SystemExit, match=f"apt-get install {package}"):
        getattr(dev, prepare)()


def test_the_browser_needs_its_extra_and_nothing_of_the_developers(dev, installed, monkeypatch):
    calls = []
    monkeypatch.setattr(dev, "run", lambda _environment, *words: calls.append(words))
    dev.main(["serve", "--port", "0"])
    assert installed == ["web"]
    assert calls == [("krypsis", "serve", "--port", "0")]
