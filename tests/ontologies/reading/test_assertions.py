"""Assertions in CSV files."""

from pathlib import Path

import pytest

from krypsis.data.ontologies import Ontology


def axioms(ontology: Ontology) -> list[str]:
    return [ontology.functional(place) for place in range(len(ontology))]


@pytest.mark.parametrize("header", ["", "individual,class\n", "Individual , Class\n"])
def test_members_of_classes(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(header + "ann,Patient\nbob,Doctor\nann,Patient\n\ncy,owl:Thing\n")
    ontology = Ontology.read(tmp_path / "a.csv")
    assert axioms(ontology) == [
        "ClassAssertion(<Patient> <ann>)",
        "ClassAssertion(<Doctor> <bob>)",
        "ClassAssertion(owl:Thing <cy>)",
    ]
    first = 2 if header else 1
    assert ontology.lines is not None
    assert ontology.lines.tolist() == [first, first + 1, first + 4]
    assert ontology.classes.to_list() == ["Patient", "Doctor"]


@pytest.mark.parametrize("header", ["", "individual;role;individual\n", "subject;predicate;object\n"])
def test_relations_between_individuals(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(header + "ann;knows;bob\nbob;knows;ann\n")
    assert axioms(Ontology.read(tmp_path / "a.csv")) == [
        "ObjectPropertyAssertion(<knows> <ann> <bob>)",
        "ObjectPropertyAssertion(<knows> <bob> <ann>)",
    ]


@pytest.mark.parametrize("first", ["ann,knows,bob\n", "bob,Doctor\n"])
def test_both_may_stand_in_one_file(first: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(first + 'cy,Patient,\n"dee, or d",knows,cy\n')
    assert axioms(Ontology.read(tmp_path / "a.csv"))[1:] == [
        "ClassAssertion(<Patient> <cy>)",
        "ObjectPropertyAssertion(<knows> <dee,%20or%20d> <cy>)",
    ]


def test_prefixes_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("ann\th:Patient\nhttp://e.org/bob\t:Doctor\nx:cy\tDoctor\n")
    ontology = Ontology.read(tmp_path / "a.tsv", prefixes={":": "http://e.org/", "h:": "http://h.org/"})
    assert axioms(ontology) == [
        "ClassAssertion(<http://h.org/Patient> <http://e.org/ann>)",
        "ClassAssertion(<http://e.org/Doctor> <http://e.org/bob>)",
        "ClassAssertion(<http://e.org/Doctor> <x:cy>)",
    ]


def test_equal_names_in_different_spelling_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ann, A\nh:ann,A \n")
    ontology = Ontology.read(tmp_path / "a.csv", prefixes={":": "http://e.org/", "h:": "http://e.org/"})
    assert ontology.individuals.to_list() == ["http://e.org/ann"]
    assert len(set(axioms(ontology))) == len(ontology)
