"""Which files are taken for ontologies."""

from pathlib import Path

import pytest

from krypsis.io.graphs import looks_like_graph
from krypsis.io.ontologies import looks_like_ontology, read_ontology
from krypsis.io.ontologies.recognition import format_of
from krypsis.io.source import TextSource

OWL = "http://www.w3.org/2002/07/owl#"
ONTOLOGIES = {
    "functional": "# comment\nPrefix( a: = <http://e.org/>)\nOntology()",
    "rdf-xml": f'<?xml version="1.0"?><!-- > --><!DOCTYPE rdf:RDF [<!ENTITY a "b">\n]>\n<rdf:RDF xmlns:owl="{OWL}"/>',
    "owl-xml": f'<?xml version="1.0"?>\n<Ontology xmlns="{OWL}"/>',
    "turtle": "# comment\n@prefix a: <http://e.org/> .",
    "n-triples": "# comment\n<a:b> <a:c> _:d .\n",
    "obo": "format-version: 1.2\n\n[Term]\nid: A:1\n",
}
OTHERS = {
    "graph.graphml": '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph/></graphml>',
    "graph.gml": "graph [ node [ id 1 ] ]",
    "edges.txt": "1 2\n2 3\n",
    "snap.txt": "# Nodes: 2 Edges: 1\n1 2\n",
    "table.csv": "individual,class\nann,Patient\n",
    "names.csv": "name;note\n<ann>;<b>\n",
    "sets.txt": "bread milk\nmilk\n",
    "page.html": "<!DOCTYPE html><html><body/></html>",
    "data.json": '{"nodes": [], "links": []}',
    "sheet.xml": "<Ontology/>",
    "empty.owl": "",
}


@pytest.mark.parametrize("name", ONTOLOGIES)
def test_ontologies_are_recognized_whatever_they_are_called(name: str, tmp_path: Path) -> None:
    for file in (tmp_path / "data.owl", tmp_path / "data.txt"):
        file.write_text(ONTOLOGIES[name])
        assert looks_like_ontology(file)
        assert not looks_like_graph(file)
        assert format_of(TextSource.open(file)) == name


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_no_ontologies(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(OTHERS[name])
    assert not looks_like_ontology(tmp_path / name)


def test_what_is_not_there_or_no_text_is_none(tmp_path: Path) -> None:
    (tmp_path / "noise.owl").write_bytes(bytes(range(256)))
    assert not looks_like_ontology(tmp_path / "none.owl")
    assert not looks_like_ontology(tmp_path)
    assert not looks_like_ontology(tmp_path / "noise.owl")


def test_axioms_without_a_frame_can_be_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "axioms.txt").write_text("SubClassOf(:A :B)")
    assert read_ontology(tmp_path / "axioms.txt").classes.to_list() == [":A", ":B"]
