"""Names say what they hold: no public class shares its name with another, and no name is of a private dialect."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import krypsis

SOURCE = Path(krypsis.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
TREES = {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_bytes()) for file in FILES}

DIALECT = frozenset({"told", "untold", "tells", "beside", "apart"})
"""Words that say nothing to somebody who did not choose them; CONTRIBUTING.md has the words to write instead."""


def words_of(name: str) -> set[str]:
    """Return the words of a name, in lower case: of snake_case and of CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def public_names(tree: ast.Module) -> list[str]:
    """Return the public classes and functions of a module, and the public methods of these classes."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    bodies = [tree.body, *(one.body for one in classes)]
    defined = [node for body in bodies for node in body]
    return [
        node.name
        for node in defined
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]


def test_no_two_public_classes_have_the_same_name():
    homes = defaultdict(list)
    for file, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_names_are_words_of_the_field():
    refused = {file: names for file, tree in TREES.items() if (names := dialect_in(file, tree))}
    assert refused == {}


def dialect_in(file: str, tree: ast.Module) -> list[str]:
    """Return the names that nobody can read: of the folders and the module, and of what is public in it."""
    return [name for name in (*file.removesuffix(".py").split("/"), *public_names(tree)) if words_of(name) & DIALECT]


def test_the_dialect_is_recognized():
    tree = ast.parse(
        "class Apart:\n    def is_told(self): ...\ndef _told(): ...\ndef party(): ...\nclass Aparthotel: ..."
    )
    assert dialect_in("kinds/told_values.py", tree) == ["told_values", "Apart", "is_told"]
