"""The catalogue of texts holds what the pages say, and nothing else."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import krypsis
from krypsis.web.texts import catalogue

PACKAGE = Path(krypsis.__file__).parent
ANYTHING = "([a-z0-9_-]+)"


KINDS = (ast.AnnAssign, ast.Call, ast.Constant, ast.JoinedStr)
"""The parts of programs that are asked for."""


@cache
def parts(file):
    """Return those parts of a program."""
    return [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, KINDS)]


def nodes(folder=""):
    """Return those parts of all programs in a folder of the package."""
    pages = PACKAGE.glob("kinds/*/pages.py") if folder == "web" else ()  # the part of the web app of a kind
    files = sorted([*(PACKAGE / folder).rglob("*.py"), *pages])
    return [node for file in files for node in parts(file)]


@pytest.fixture(scope="module", autouse=True)
def _programs_are_forgotten():
    """Let nobody carry all programs along who comes later."""
    yield
    parts.cache_clear()


def words(folder=""):
    """Return all texts that are written in a folder of the package."""
    return {node.value for node in nodes(folder) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def fields():
    """Return the names of all fields, after which options of forms are called."""
    targets = [node.target for node in nodes() if isinstance(node, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def patterns():
    """Return a pattern for each text of the web app that is put together from pieces."""
    for node in nodes("web"):
        if isinstance(node, ast.JoinedStr):
            pieces = [re.escape(part.value) if isinstance(part, ast.Constant) else ANYTHING for part in node.values]
            yield re.compile("".join(pieces))


def said():
    """Return the keys of all texts that are said by their whole name."""
    calls = [node for node in nodes("web") if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    keys = [call.args[0] for call in calls if call.func.id == "say" and call.args]
    return {key.value for key in keys if isinstance(key, ast.Constant)}


def test_every_text_is_said_somewhere():
    """A name that is put together must be made of words that are written somewhere."""
    known, put_together = words() | fields(), list(patterns())
    unsaid = [
        key
        for key in sorted(catalogue("en").keys() - words("web"))
        if not any((found := one.fullmatch(key)) and set(found.groups()) <= known for one in put_together)
    ]
    assert unsaid == []


def test_every_text_that_is_said_exists():
    assert said()
    assert said() - catalogue("en").keys() == set()


def test_every_phase_of_the_work_has_a_text():
    """A phase without one would be shown by its name in the code."""
    calls = [node for node in nodes() if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    told = [call.args[0] for call in calls if call.func.attr == "phase" and call.args]
    phases = {f"frame.phase-{phase.value}" for phase in told if isinstance(phase, ast.Constant)}
    elsewhere = {"frame.phase-compare", "frame.phase-send"}  # of histories and of the command line
    assert phases - catalogue("en").keys() == elsewhere
