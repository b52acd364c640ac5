"""Public ontologies, with the counts that the OWL API gives for them."""

from pathlib import Path

import pytest

from krypsis.data.ontologies import Ontology

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore:.*which nothing fetches")]


@pytest.mark.parametrize(
    ("name", "classes", "roles", "individuals", "axioms"),
    [
        ("galen-small.owl.xz", 2748, 413, 0, 4529),
        ("go-extract-asserted.owx.xz", 467, 112, 0, 1153),
        ("zfa.owl.gz", 3200, 8, 0, 11_954),
        ("univ-bench.owl", 43, 25, 0, 93),
        ("pizza.owl", 99, 8, 5, 712),  # the OWL API counts ⊤ as a class
        ("UNIV-BENCH-OWL2EL.ofn.gz", 130, 81, 81, 353),  # two of 355 say that roles are included in the one of all
    ],
)
def test_counts(name: str, classes: int, roles: int, individuals: int, axioms: int, data_folder: Path) -> None:
    ontology = Ontology.read(data_folder / "ontologies" / name, ignore_unsupported=True)
    assert [len(names) for names in (ontology.classes, ontology.roles, ontology.individuals)] == [
        classes,
        roles,
        individuals,
    ]
    halves = {"go-extract-asserted.owx.xz": 14, "pizza.owl": 5}  # of equivalences, which are counted as left out, too
    assert len(ontology) - halves.get(name, 0) + sum(ontology.left_out.values()) == axioms


def test_galen_has_all_axioms_of_each_type(data_folder: Path) -> None:
    ontology = Ontology.read(data_folder / "ontologies" / "galen-el.nt.gz")
    assert (len(ontology.classes), len(ontology.roles)) == (23_136, 950)
    assert ontology.counts == {"subclass": 25_563, "equivalent": 9_968, "subrole": 958, "transitive": 58}


def test_small_galen_leaves_out_functional_roles_alone(data_folder: Path) -> None:
    ontology = Ontology.read(data_folder / "ontologies" / "galen-small.owl.xz", ignore_unsupported=True)
    assert ontology.left_out == {"a functional role": 150}


def test_conclusions_of_small_galen(data_folder: Path) -> None:
    ontology = Ontology.read(data_folder / "ontologies" / "galen-small-conclusions.owl.xz")
    assert ontology.counts == {"subclass": 3240, "equivalent": 21}


def test_the_university_without_its_schema(data_folder: Path) -> None:
    ontology = Ontology.read(data_folder / "ontologies" / "lubm-university0-0.owl", ignore_unsupported=True)
    assert (len(ontology.individuals), ontology.counts["member"]) == (1555, 1623)
    assert set(ontology.left_out) == {"a data property"}
