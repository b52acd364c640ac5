"""Names say what they hold: no public class shares its name with another, and no name is of a private dialect."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import krypsis

SOURCE = Path(krypsis.__file__).parent

DIALECT = frozenset({"tell", "tells", "telling", "told", "untold", "beside", "apart"})
"""Words that say nothing to somebody who did not choose them; CONTRIBUTING.md has the words to write instead."""

WEAK_MODULES = frozenset({"after", "before", "intake", "lab", "made_by", "making", "parcel", "working"})
"""Names of modules from which nobody guesses what is in them."""


def words_of(name: str) -> set[str]:
    """Return the words of a name, in lower case: of snake_case and of CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def defined_names(tree: ast.Module) -> list[str]:
    """Return the classes, functions and methods of a module, private ones and those inside of others as well."""
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return [node.name for node in ast.walk(tree) if isinstance(node, kinds)]


@cache
def trees() -> dict[str, ast.Module]:
    """Return what is in each module of the package; reading them takes seconds, so the first test does it."""
    return {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_bytes()) for file in SOURCE.rglob("*.py")}


def test_no_two_public_classes_have_the_same_name():
    homes = defaultdict(list)
    for file, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_names_are_words_of_the_field():
    refused = {file: names for file, tree in trees().items() if (names := dialect_in(file, tree))}
    assert refused == {}


def dialect_in(file: str, tree: ast.Module) -> list[str]:
    """Return the names that nobody can read: of the folders and the module, and of what is defined in it."""
    places = file.removesuffix(".py").split("/")
    weak = [name for name in places if name in WEAK_MODULES]
    return weak + [name for name in (*places, *defined_names(tree)) if words_of(name) & DIALECT]


def test_the_dialect_is_recognized():
    tree = ast.parse(
        "class Apart:\n    def is_told(self): ...\ndef _tell(): ...\ndef party(): ...\nclass Aparthotel: ..."
    )
    assert dialect_in("kinds/told_values.py", tree) == ["told_values", "Apart", "_tell", "is_told"]
    assert dialect_in("projects/lab.py", ast.parse("def laboratory(): ...")) == ["lab"]
