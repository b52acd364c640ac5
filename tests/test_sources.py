"""``docs/sources.md`` says what there is: its tests, methods, promises and commands exist, and rows have states."""

import re
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from krypsis import registry
from krypsis.cli.main import app

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "sources.md").read_text("utf-8")
STATES = ("holds", "**confirmed**", "**refuted**", "not reproducible", "in part", "**not yet**", "some **confirmed**")
OTHERS = {
    "c",
    "constraints",
    "dependencies",
    "measures",
    "quasi_identifier_sets",
    "scheme",
    "sensitive_weight",
    "weight",
}
"""Fields of plans, parameters of methods and kinds of data."""
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and line.count("|") == 6 and not line.startswith("| where")
]


@cache
def text_of(path):
    return (ROOT / path).read_text("utf-8")


def test_every_test_that_is_named_exists():
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", PAGE)
    assert len(named) > 100
    assert [one for one in named if not re.search(rf"^(?:async )?def {one[1]}\(", text_of(one[0]), re.MULTILINE)] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}"[:60])
def test_every_row_has_a_state_and_what_is_there_is_shown(row):
    _, _, product, shown, state = row
    assert state.startswith(STATES)
    if state.startswith(("holds", "**confirmed**", "some")):
        assert shown != "–"
    assert {name for name in re.findall(r"`([^`]+)`", product) if not is_known(name)} == set()


def is_known(name):
    if name.startswith("krypsis "):
        return is_command(name.split()[1:])
    if "/" in name:
        return any((ROOT / above / name).exists() for above in ("", "src/krypsis"))
    if name.startswith(("--", "krypsis.")) or name in OTHERS or ("=" in name and ":" not in name):
        return True
    known = [cls for kind in registry.KINDS for cls in registry.classes(kind).values()]
    return name.partition(":")[0] in {each for cls in known for each in (cls.name, cls.__name__)}


def is_command(words):
    """Say whether words are a command, perhaps of a group, with options that it has."""
    command = get_command(app)
    for word in words:
        if word.startswith("-"):
            return any(word in option.opts for option in command.params)
        command = command.commands.get(word)
        if command is None:
            return False
    return True
