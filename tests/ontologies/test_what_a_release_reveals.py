"""What is published of an ontology, on disk and in memory, says nothing about what was removed."""

import pickle
from itertools import permutations

import pytest

import krypsis
from krypsis.data.ontologies import Ontology

START = "Prefix(:=<http://e#>) Prefix(hidden:=<http://secret.example/>) "
FACTS = (
    "ClassAssertion(ObjectSomeValuesFrom(:takes :Antiretroviral) :zoe)",
    "ClassAssertion(hidden:Trial :zoe)",
    "ClassAssertion(:Patient :bob)",
    "ClassAssertion(:Patient :ann)",
)
RULES = "Prefix(:=<http://e#>) SubClassOf(ObjectSomeValuesFrom(:takes :Antiretroviral) :Hiv)"
SECRETS = ("ClassAssertion(:Hiv ?)", "ClassAssertion(hidden:Trial :zoe)")


def released(facts=FACTS):
    ontology = Ontology.of_text(START + " ".join(facts))
    return krypsis.anonymize(ontology, secrets=SECRETS, public=Ontology.of_text(RULES))


def test_neither_files_nor_objects_hold_names_or_prefixes_of_what_was_removed(tmp_path):
    release = released()
    release.save(tmp_path / "release")
    files = b"".join(path.read_bytes() for path in (tmp_path / "release").iterdir())
    for content in (
        files,
        pickle.dumps(release.publication),
        repr(release).encode(),
        repr(release.publication).encode(),
    ):
        assert b"zoe" not in content
        assert b"secret.example" not in content
        assert b"hidden" not in content


@pytest.mark.parametrize("order", list(permutations(FACTS))[::5])
def test_the_order_of_the_data_shows_nowhere(order, tmp_path):
    one, other = released().publication, released(order).publication
    assert one.axioms.individuals.to_list() == other.axioms.individuals.to_list()
    assert one.axioms.classes.to_list() == other.axioms.classes.to_list()
    assert one.table.equals(other.table)
    assert [other.axioms.functional(place) for place in range(len(other.axioms))] == one.table["axiom"].to_list()
    released(order).save(tmp_path / "release")
    again = krypsis.Release.load(tmp_path / "release").publication
    assert pickle.dumps(again.axioms.individuals.to_list()) == pickle.dumps(one.axioms.individuals.to_list())
    assert (again.secrets, len(again.secrets)) == (one.secrets, 1)


def test_how_many_axioms_were_removed_is_not_published(tmp_path):
    released().save(tmp_path / "release")
    manifest = (tmp_path / "release" / "manifest.json").read_text("utf-8")
    assert '"rows": 2' in manifest
    assert '"records": 0' in manifest
