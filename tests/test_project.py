"""The habits of the project, as far as a test can keep them."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import krypsis
from krypsis import registry
from krypsis.cli.main import app

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[A-Za-z0-9.!+]+)")


def test_the_version_is_said_once():
    literal = re.compile(r"^__version__ = ", re.MULTILINE)
    assert [path.name for path in SOURCES if literal.search(path.read_text("utf-8"))] == ["version.py"]
    assert "version" in PROJECT["dynamic"]
    assert krypsis.version.__version__ == version("krypsis")


def test_importing_the_package_loads_no_heavy_library():
    heavy = ("duckdb", "narwhals", "numba", "numpy", "pandas", "polars", "pyarrow", "pydantic", "scipy")
    program = f"import krypsis, sys; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def tracked_texts():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    for path in paths:
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            yield path.relative_to(ROOT), content.decode("utf-8", errors="replace")


def test_no_file_names_a_machine_or_a_package_index():
    # Put together from parts, or this file would name them.
    hosts = [name + ".org" for name in ("pypi", "pythonhosted", "npmjs", "anaconda", "conda-forge")]
    folders = ["/" + name + "/" for name in ("work", "root")]
    pattern = re.compile("|".join([*map(re.escape, hosts), *(rf"(?<![\w.*]){folder}" for folder in folders)]))
    found = [f"{path}: {match.group()}" for path, text in tracked_texts() for match in pattern.finditer(text)]
    assert not found


def test_the_readme_begins_with_the_two_commands():
    first_block = re.search(r"```shell\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL).group(1)
    assert re.findall(r"^\./dev (\w+)", first_block, re.MULTILINE) == ["demo", "test"]


def test_continuous_integration_runs_what_everybody_runs():
    assert "./dev test" in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_every_module_says_what_it_is(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert not tree.body or ast.get_docstring(tree), "a module that holds something begins with a docstring"


def test_every_public_name_is_documented():
    listed = {name for names in make_pages().API.values() for name in names}
    for name in dir(krypsis):
        if name != "__version__":
            assert getattr(krypsis, name).__doc__, f"{name} has no docstring"
            assert f"krypsis.{name}" in listed, f"{name} is missing from the list in docs/make_pages.py"


@pytest.mark.parametrize("name", ["KAnonymit", "nothing", "_repr_html_"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(AttributeError, match=name):
        getattr(krypsis, name)


def test_the_catalogue_lists_everything_in_the_registry():
    page = "\n".join(make_pages().catalogue())
    for kind in registry.KINDS:
        for name, cls in registry.built_in(kind).items():
            assert f"### {name}\n" in page
            assert cls.reference in page


def test_the_page_of_public_names_shows_what_can_be_done_with_them():
    page = "\n".join(make_pages().api())
    for member in ("save(", "load(", "summary(", "to_pandas("):
        assert f"- `{member}" in page


def make_pages():
    spec = importlib.util.spec_from_file_location("make_pages", ROOT / "docs" / "make_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_of_the_documentation_can_be_reached():
    generated = {"catalogue.md", "api.md"}
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} | generated
    in_menu = set(_leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    assert in_menu <= pages
    decisions = (ROOT / "docs" / "decisions" / "index.md").read_text("utf-8")
    assert {f"decisions/{name}" for name in re.findall(r"\]\(([^)]+\.md)\)", decisions)} == pages - in_menu


def _leaves(node):
    if isinstance(node, str):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _leaves(child)


def test_the_license_is_there():
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")


def test_constraints_are_names_and_versions_only():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert all(PINNED.fullmatch(line) for line in lines)
    names = [normal(line.partition("==")[0]) for line in lines]
    assert len(names) == len(set(names))


def test_every_dependency_has_an_exact_version_within_its_range():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    exact = {normal(name): found for name, _, found in (line.partition("==") for line in lines)}
    needed = PROJECT["dependencies"] + [name for names in PROJECT["optional-dependencies"].values() for name in names]
    for requirement in needed:
        name, lowest = re.fullmatch(r"([\w.-]+)(?:\[[^]]*])?(?:>=([\w.]+))?.*", requirement).groups()
        if name != "krypsis":
            assert number(exact[normal(name)]) >= number(lowest or "0")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def number(text):
    return [int(part) for part in text.split(".") if part.isdigit()]


def test_changelog_fragments_are_sentences_of_a_known_kind():
    for path in (ROOT / "changelog.d").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(r"[\w-]+\.(added|changed|fixed)\.md", path.name)
            assert path.read_text("utf-8").strip().endswith(".")


def test_every_command_is_on_the_page_of_commands():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for command in app.registered_commands:
        name = command.callback.__name__.replace("_", "-")
        assert re.search(rf"`(krypsis )?{name}\b", page)
