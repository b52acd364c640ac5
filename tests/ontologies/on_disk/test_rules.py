"""Each rule alone with the fewest premises, and the worked examples of the source."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from krypsis.algorithms.ontologies.on_disk import BatchByType, BatchCompletion, RuleAtATime, SemiNaiveCompletion
from krypsis.algorithms.ontologies.on_disk.conclusions import Conclusions
from krypsis.algorithms.ontologies.on_disk.edges import FIRST_ROLE, SELF, SUB, EdgeLayout
from krypsis.algorithms.ontologies.on_disk.firing_log import FiringLog, LoggedFirings
from krypsis.algorithms.ontologies.on_disk.join import ElJoin, JoinFigures
from krypsis.algorithms.ontologies.on_disk.pages import MemoryBudget, PageFile, PageFolder
from krypsis.algorithms.ontologies.on_disk.relations import Relation, left_edges, relation_of, stated_edges
from krypsis.algorithms.ontologies.on_disk.rules import EDGE_RULES, PAIR_RULES, PATH_RULES
from krypsis.algorithms.ontologies.on_disk.static_tables import StaticTables
from krypsis.data.ontologies.normal_forms import BOTTOM, FORMS, NormalForms
from ontologies.random_ontologies import forms_of
from ontologies.test_naive_closure import ILL, JOHN, NOT_VACCINATED, TYPE_X, VA, VACCINATED_1994, VIRUS, vaccination

ENGINES = [BatchCompletion, SemiNaiveCompletion, BatchByType, RuleAtATime]
A, B, C, D, X, Y, Z = range(2, 9)
"""Four classes and three individuals."""

RULES: dict[int, tuple[dict[str, Any], tuple[Any, ...]]] = {
    1: ({"sub": [[A, B], [B, C]]}, ("sub", A, C)),
    2: ({"sub": [[A, B], [A, C]], "conjunction": [[B, C, D]]}, ("sub", A, D)),
    3: ({"sub": [[A, B]], "some_right": [[B, 0, C]]}, ("some_right", A, 0, C)),
    4: ({"some_right": [[A, 0, B]], "sub": [[B, C]], "some_left": [[0, C, D]]}, ("sub", A, D)),
    5: ({"some_right": [[A, 0, B]], "role_sub": [[0, 1]]}, ("some_right", A, 1, B)),
    6: ({"some_right": [[A, 0, B], [B, 1, C]], "role_chain": [[0, 1, 2]]}, ("some_right", A, 2, C)),
    7: ({"some_right": [[A, 0, B]], "sub": [[B, BOTTOM]]}, ("sub", A, BOTTOM)),
    8: ({"self_right": [[A, 0]], "some_right": [[A, 1, B]], "role_chain": [[0, 1, 2]]}, ("some_right", A, 2, B)),
    9: ({"some_right": [[A, 0, B]], "self_right": [[B, 1]], "role_chain": [[0, 1, 2]]}, ("some_right", A, 2, B)),
    10: ({"self_right": [[A, 0], [A, 1]], "role_chain": [[1, 0, 2]]}, ("some_right", A, 2, A)),
    11: ({"sub": [[A, B]], "self_right": [[B, 0]]}, ("self_right", A, 0)),
    12: ({"self_right": [[A, 0]], "role_sub": [[0, 1]]}, ("self_right", A, 1)),
    13: ({"self_right": [[A, 0]], "self_left": [[0, B]]}, ("sub", A, B)),
    14: ({"self_right": [[A, 0]], "sub": [[A, B]], "some_left": [[0, B, C]]}, ("sub", A, C)),
    15: ({"some_right": [[X, 0, X]]}, ("self_right", X, 0)),
    16: ({"sub": [[X, Y], [X, Z]]}, ("sub", Y, Z)),
}
"""Rule → premises, and what follows from them."""
TYPE_OF = {1: 1, 2: 1, 3: 3, 4: 1, 5: 3, 6: 3, 7: 10, 8: 3, 9: 3, 10: 3, 11: 7, 12: 7, 13: 1, 14: 1, 15: 7, 16: 5}
"""The type of these conclusions."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rule", RULES)
def test_each_rule_alone_gives_its_conclusion(rule: int, engine: type, tmp_path: Path):
    premises, conclusion = RULES[rule]
    forms = forms_of(premises, classes=4, individuals=3, roles=3)
    with engine(memory=2**17, page_bytes=64, log=tmp_path / "firings").derive(forms) as found:
        fired = [firing for firing in found.firings if firing[2] == conclusion]
        explicit = {(name, *row) for name in FORMS for row in premises.get(name, [])}
        explicit = {tuple(fact) for fact in explicit}
        edges = found.closure()
    assert any(number == rule and set(given) == explicit for number, given, _ in fired)
    rows = {"sub": edges.sub, "some_right": edges.some, "self_right": edges.selves}[conclusion[0]]
    assert list(conclusion[1:]) in rows.tolist()
    layout = EdgeLayout.of(forms)
    label = {"sub": SUB, "self_right": SELF}.get(conclusion[0], FIRST_ROLE + conclusion[2])
    key = layout.by_left(np.array([conclusion[1]]), label, conclusion[-1])
    assert layout.types(key).tolist() == [TYPE_OF[rule]]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_existential_on_both_sides_needs_no_stored_tautology(engine: type):
    forms = forms_of({"some_right": [[A, 0, B]], "some_left": [[0, B, C]]}, classes=4)
    assert engine(memory=2**17, page_bytes=64).complete(forms).sub.tolist() == [[A, C]]


# The source numbers its classes and labels otherwise: 1 to 7 for what is 2 to 8 here, and 0, 1 for labels 0, 2.


def of_source(rows: np.ndarray) -> list[list[int]]:
    return [[kind, left - 1, {0: 0, FIRST_ROLE: 1}[label], right - 1] for kind, left, label, right in rows.tolist()]


def vaccination_relations(forms: NormalForms, workspace: PageFolder) -> tuple[Relation, Relation, EdgeLayout]:
    layout = EdgeLayout.of(forms)
    right = relation_of(Relation(workspace, layout, is_by_left=True), stated_edges(forms, layout))
    left = relation_of(Relation(workspace, layout, is_by_left=False), left_edges(forms, layout, lemma_52=True))
    return right, left, layout


def keys_of(relation: Relation) -> np.ndarray:
    buffer = np.empty(1024, dtype=np.int64)
    stream = relation.read(4096)
    count = stream.read_into(buffer, 0)
    stream.close()
    return buffer[:count]


def test_the_vaccination_ontology_is_stored_as_in_the_source():
    forms = vaccination()
    with PageFolder(MemoryBudget(2**16)) as workspace:
        right, left, layout = vaccination_relations(forms, workspace)
        rows = of_source(layout.rows(keys_of(right)))
        by_right = of_source(layout.rows(layout.from_right(keys_of(left))))
        static = StaticTables.of(forms, workspace.memory)
    assert sorted(rows) == [[3, 5, 1, 7], [6, 6, 0, 1], [6, 6, 0, 5], [6, 7, 0, 4]]
    assert [row[1] for row in rows] == [5, 6, 6, 7]
    assert by_right == [[6, 6, 0, 1], [6, 7, 0, 4], [6, 6, 0, 5], [3, 5, 1, 7]]
    assert static.rows["conjunction"].tolist() == [[VIRUS, NOT_VACCINATED, ILL]]
    assert static.rows["some_left"].tolist() == [[0, TYPE_X, NOT_VACCINATED]]
    assert not len(static.rows["role_sub"])
    assert not len(static.rows["role_chain"])


@pytest.mark.parametrize("engine", ENGINES)
def test_five_rules_fire_on_the_vaccination_ontology(engine: type, tmp_path: Path):
    with engine(memory=2**17, page_bytes=64, log=tmp_path / "firings").derive(vaccination()) as found:
        fired = {(rule, premises, conclusion) for rule, premises, conclusion in found.firings}
        count = len(list(found.firings))
        layout = found.run.layout
        final = of_source(layout.rows(keys_of(found.relation)))
        figures = found.figures
    is_vaccinated, of_john = ("some_right", VACCINATED_1994, 0, VA), ("some_right", JOHN, 0, VA)
    restriction, of_type = ("some_left", 0, TYPE_X, NOT_VACCINATED), ("sub", VA, TYPE_X)
    expected = {
        (3, (("sub", JOHN, VACCINATED_1994), is_vaccinated), of_john),
        (4, (is_vaccinated, of_type, restriction), ("sub", VACCINATED_1994, NOT_VACCINATED)),
        (1, (("sub", JOHN, VACCINATED_1994), ("sub", VACCINATED_1994, NOT_VACCINATED)), ("sub", JOHN, NOT_VACCINATED)),
        (4, (of_john, of_type, restriction), ("sub", JOHN, NOT_VACCINATED)),
        (
            2,
            (("sub", JOHN, VIRUS), ("sub", JOHN, NOT_VACCINATED), ("conjunction", VIRUS, NOT_VACCINATED, ILL)),
            ("sub", JOHN, ILL),
        ),
    }
    assert fired == expected
    assert count == figures["firings"] == 5
    expected_rows = [
        [1, 5, 0, 2], [3, 5, 1, 7], [6, 6, 0, 1], [6, 6, 0, 2], [6, 6, 0, 3], [6, 6, 0, 5], [3, 6, 1, 7], [6, 7, 0, 4],
    ]  # fmt: skip
    assert final == expected_rows


@pytest.mark.parametrize("engine", [BatchCompletion, SemiNaiveCompletion, BatchByType])
def test_the_vaccination_ontology_has_deltas_of_two_one_and_one(engine: type):
    figures = engine(memory=2**17, page_bytes=64).complete(vaccination()).figures
    assert [new for new, _ in figures["deltas"]] == [2, 1, 1]
    assert figures["rounds"] == 3


def test_the_join_handles_the_snapshot_of_the_source_in_its_order(tmp_path: Path):
    """Example 5.7.1: U of three edges, Q of six, and one more edge of the last node on disk.

    The tables are such that every trigger gives a conclusion. Roles have the numbers that they have in the source; 12
    and 13 stand for classes that it does not name.
    """
    left_rows = [(2, FIRST_ROLE + 3, 4), (19, FIRST_ROLE + 7, 10), (3, SUB, 11)]
    right_rows = [
        (4, FIRST_ROLE + 9, 15), (10, SELF, 14), (11, SUB, 12), (11, SUB, 13), (16, SELF, 1), (16, SELF, 5),
        (16, SELF, 7),
    ]  # fmt: skip
    static = {
        "role_sub": [[9, 20], [14, 20]],
        "self_left": [[14, 17]],
        "role_chain": [[3, 9, 20], [7, 14, 20], [1, 5, 20], [5, 7, 20]],
        "conjunction": [[12, 13, 18]],
    }
    forms = forms_of(static, classes=20, roles=21)
    layout = EdgeLayout.of(forms)
    memory = MemoryBudget(2**16)
    with (
        PageFolder(memory, page_bytes=8) as workspace,
        FiringLog(tmp_path / "firings", memory, rows=100) as log,
    ):
        tables = StaticTables.of(forms, memory)
        conclusions = Conclusions.of(workspace, layout, tables, lemma_52=False, lemma_53=False, log=log)
        conclusions.open()
        left, right = PageFile(workspace), PageFile(workspace)
        columns = [np.array(column) for column in zip(*left_rows, strict=True)]
        left.append(layout.by_right(layout.by_left(*columns)))
        columns = [np.array(column) for column in zip(*right_rows, strict=True)]
        right.append(layout.by_left(*columns))
        figures = JoinFigures()
        join = ElJoin(workspace, conclusions, left_size=3, right_size=6, group_size=1, figures=figures)
        join.run(left.finish().read(), right.finish().read(), edges=EDGE_RULES, pairs=PAIR_RULES, paths=PATH_RULES)
        conclusions.close()
    fired = [
        (rule, premises[:2], conclusion) for rule, premises, conclusion in LoggedFirings(log.path, layout, tables.rows)
    ]
    some, itself = ("some_right", 4, 9, 15), ("self_right", 10, 14)
    selves = [("self_right", 16, role) for role in (1, 5, 7)]
    assert [(rule, *given) for rule, given, _ in fired if rule not in {5, 12, 13}] == [
        (6, ("some_right", 2, 3, 4), some),
        (9, ("some_right", 19, 7, 10), itself),
        (2, ("sub", 11, 12), ("sub", 11, 13)),
        (1, ("sub", 3, 11), ("sub", 11, 12)),
        (1, ("sub", 3, 11), ("sub", 11, 13)),
        (10, selves[0], selves[1]),
        (10, selves[1], selves[2]),  # after the first two were shifted to the front, and the third one was read
    ]
    assert [rule for rule, _, _ in fired[:5]] == [5, 6, 12, 13, 9]
    assert [conclusion for rule, _, conclusion in fired if rule == 1] == [("sub", 3, 12), ("sub", 3, 13)]
    assert (figures.shifted, figures.spilled) == (1, 0)
