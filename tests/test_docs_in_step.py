"""What the pages about the code say is there: files, names of tests, and the order of the layers."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "how-it-works.md", ROOT / "docs" / "sources.md"]
NAMED = re.compile(r"(?<![\w/.<>-])((?:[a-z_0-9]+/)+(?:[a-z_0-9.]+\.(?:py|md|yaml|j2))?)(?![\w<])")
"""Folders and files, such as ``kinds/table/plan.py``; those with a place to fill in are left out."""
ABOVE = (
    "",
    "docs",
    "src/krypsis",
    "src/krypsis/algorithms/tables",
    "src/krypsis/algorithms/sets",
    "src/krypsis/kinds/table",
)
"""Where the paths of the pages may begin."""
PLANNED = {"algorithms/graphs/", "src/krypsis/algorithms/graphs/", "kinds/graph/"}
"""Where graphs will stand."""


def paths(page: Path) -> list[str]:
    return sorted(set(NAMED.findall(page.read_text("utf-8"))) - PLANNED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page):
    assert paths(page)
    assert [path for path in paths(page) if not any((ROOT / above / path).exists() for above in ABOVE)] == []


def test_every_contract_that_a_page_names_exists():
    named = set(re.findall(r"-k (every_\w+)", PAGES[0].read_text("utf-8")))
    there = {path.stem.removeprefix("test_") for path in (ROOT / "tests").rglob("test_every_*.py")}
    assert named
    assert named <= there


def test_the_layers_are_drawn_as_they_are_checked():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    (drawn,) = re.findall(r"```text\n(cli\n.*?)```", PAGES[1].read_text("utf-8"), re.DOTALL)
    assert drawn.split("\n")[:-1] == layers


def test_every_file_that_is_shown_on_a_page_exists():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    shown = {path for page in pages for path in re.findall(r'--8<-- "([^"]+)"', page.read_text("utf-8"))}
    assert shown
    assert [path for path in sorted(shown) if not (ROOT / path).is_file()] == []
