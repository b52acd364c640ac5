"""Which judge decides a promise, and that the checker asks no name of a kind."""

import ast
import importlib
import inspect
from pathlib import Path

import polars as pl
import pytest

import krypsis.checker
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.checker.base import _judges, find_judge, judge_of, judges, kind_checks
from krypsis.checker.published_tables import PublishedTables, PublishedVersion
from krypsis.checker.table import judge_groups
from krypsis.errors import UsageError
from krypsis.models.base import Verdict
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.m_invariance import MInvariance

TABLE = pl.DataFrame({"age": ["3*", "3*", "4*"]})
find_judge(None, object)  # loads all judges
FILES = sorted(Path(krypsis.checker.__file__).parent.glob("*.py"))


@pytest.fixture
def strict_k(monkeypatch):
    """A promise of another package."""
    monkeypatch.setattr("krypsis.checker.base._judges", {**_judges})

    class StrictK(KAnonymity):
        name = "strict-k"

    return StrictK


def test_a_promise_without_a_judge_of_its_own_is_decided_by_that_of_its_base(strict_k):
    assert find_judge(strict_k(k=2), pl.DataFrame) is judge_groups
    (verdict,) = check_table(TABLE, [strict_k(k=2)], Given(["age"]))
    assert (verdict.holds, verdict.achieved) == (False, 1)


def test_the_judge_of_the_nearest_class_decides(strict_k):
    def judge(model, table, case):
        return Verdict(promise=model.spec, holds=None, required=2, sentence=f"{table.height} {case.attributes}")

    importlib.import_module("krypsis.checker.base")._judges[strict_k, pl.DataFrame] = judge
    found = check_table(TABLE, [strict_k(k=2), KAnonymity(k=1)], Given(["age"]))
    assert [verdict.holds for verdict in found] == [None, True]
    assert found[0].sentence == "3 ('age',)"


def test_a_special_form_has_the_judges_of_its_base_unless_it_has_its_own():
    assert find_judge(KAnonymity(k=2), PublishedTables) is None
    assert find_judge(KAnonymity(k=2), PublishedVersion) is not None
    assert find_judge(MInvariance(m=2), PublishedVersion) is find_judge(MInvariance(m=2), PublishedTables)


@pytest.mark.parametrize("given", ["k-anonymity:k=2", None, KAnonymity])
def test_what_is_no_promise_has_no_judge(given):
    with pytest.raises(UsageError, match="a promise must be a model such as KAnonymity"):
        judge_of(given, pl.DataFrame)


def test_registering_returns_the_judge(monkeypatch):
    monkeypatch.setattr("krypsis.checker.base._judges", {})
    assert judges(KAnonymity, list)(judge_groups) is judge_groups


@pytest.mark.parametrize("model", registry.built_in("model").values(), ids=lambda model: model.name)
def test_every_promise_has_a_judge(model):
    assert [form for promise, form in _judges if issubclass(model, promise)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_in_the_checker_names_a_kind_of_data(file):
    """Only ``PrivacyModel.kind`` and the name in the manifest lead to a kind; nobody compares them with a word."""
    tree = ast.parse(file.read_text("utf-8"))
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.match_case)]
    words = {one.value for node in compared for one in ast.walk(node) if isinstance(one, ast.Constant)}
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not words & {*kind_checks(), *(name for check in kind_checks().values() for name in check.promise_kinds)}
    assert not [name for name in imported if name.startswith("krypsis.kinds")]


def test_no_judge_is_found_by_asking_for_a_concrete_promise():
    concrete = {cls.__name__ for cls in registry.built_in("model").values()}
    for file in FILES:
        calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
        asked = [node.args[1] for node in calls if isinstance(node.func, ast.Name) and node.func.id == "isinstance"]
        names = {one.id for node in asked for one in ast.walk(node) if isinstance(one, ast.Name)}
        assert not names & concrete, file.name


def test_the_checks_of_kinds_are_classes_of_their_own_module():
    for check in kind_checks().values():
        assert inspect.getmodule(type(check)).__name__.endswith(".check")
