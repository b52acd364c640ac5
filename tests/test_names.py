"""The names of the package, as editors and type checkers see them."""

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import krypsis
from krypsis import registry

ROOT = Path(__file__).parent.parent

RIGHT = """
import krypsis

release = krypsis.anonymize(
    "people.csv",
    {"age": "quasi-identifier"},
    models=[krypsis.KAnonymity(k=2), "distinct-l-diversity:l=2"],
    algorithm=krypsis.Mondrian(),
    metric=krypsis.Loss(),
)
print(krypsis.check(release)[0].sentence, krypsis.__version__)
"""
WRONG = {
    "krypsis.KAnonimity(k=3)": 'Module has no attribute "KAnonimity"',
    "krypsis.KAnonymity(kk=3)": 'Unexpected keyword argument "kk"',
    "krypsis.Mondrain()": 'Module has no attribute "Mondrain"',
    "krypsis.Mondrian(relax=True)": 'Unexpected keyword argument "relax"',
    'krypsis.anonymize("people.csv", {}, modles=[])': 'Unexpected keyword argument "modles"',
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> dict[str, list[str]]:
    """What the type checker says of either program; it knows the package already, unless it never ran."""
    folder = tmp_path_factory.mktemp("programs")
    programs = {"right": RIGHT, "wrong": "\n".join(["import krypsis", *WRONG])}
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    files = [str(folder / f"{name}.py") for name in programs]
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *files]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    lines = result.stdout.splitlines()
    said = {name: [line for line in lines if f"{name}.py:" in line] for name in programs}
    assert sum(map(len, said.values())) == len(lines), "something was said of another file"
    return said


def test_a_right_program_passes_the_type_checker(judged):
    assert judged["right"] == []


def test_a_mistyped_name_or_keyword_is_an_error_before_the_program_runs(judged):
    errors = [line for line in judged["wrong"] if ": error: " in line]
    assert [int(line.rpartition("wrong.py:")[2].split(":")[0]) for line in errors] == list(range(2, 2 + len(WRONG)))
    assert all(message in line for line, message in zip(errors, WRONG.values(), strict=True))


def make_stub():
    spec = importlib.util.spec_from_file_location("make_stub", ROOT / "docs" / "make_stub.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_complete_and_in_step():
    module = make_stub()
    assert module.STUB.read_text("utf-8") == module.stub(), "run: python docs/make_stub.py"


def test_every_built_in_class_is_a_name_of_the_package():
    for kind in registry.KINDS:
        for cls in registry.built_in(kind).values():
            assert getattr(krypsis, cls.__name__) is cls


def test_no_name_means_two_things():
    found = Counter(cls.__name__ for kind in registry.KINDS for cls in registry.built_in(kind).values())
    found.update(name for names in make_stub().NAMES.values() for name in names)
    assert [name for name, times in found.items() if times > 1] == []


def test_names_are_listed_without_importing_what_they_stand_for():
    program = "import krypsis, sys; print(len(dir(krypsis)) > 100, 'polars' in sys.modules, 'pydantic' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["True", "False", "False"]


def test_a_model_is_imported_without_the_algorithms():
    program = "import krypsis, sys; krypsis.KAnonymity(k=2); print('krypsis.algorithms' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
