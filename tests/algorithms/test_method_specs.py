"""A release names the method that made it, with its parameters."""

import polars as pl
import pytest

import krypsis
from krypsis import registry

WITH_PARAMETERS = [
    ("fixed", {"levels": {"age": 2, "pay, yearly": 0}}),
    ("fixed", {"levels": (0, 3)}),
    ("mondrian", {"kinds": {"age": "numeric", "pay, yearly": "ordered"}, "dimension_order": ("a, b", "c")}),
    ("mondrian-relaxed", {"publish": {"age": "sets"}, "means": True}),
    ("mu-argus", {"ranks": {"age": 3, "sex": 0}, "tolerance": 0.1}),
    ("k-optimize", {"cost": "classification", "target": "disease"}),
    ("dp-histogram", {"levels": {"age": 2, 'the "zip"': 0}, "person": "who", "records_per_person": 3}),
    ("dp-histogram", {"levels": (1, 2)}),
    ("recursive-histogram", {"bounds": {"age": (0, 120)}}),
    ("data-swapping", {"within": ("a, b", "c"), "rate": 0.5}),
]


@pytest.mark.parametrize(("name", "parameters"), WITH_PARAMETERS)
def test_a_method_with_parameters_is_read_back_from_its_spec(name, parameters):
    method = registry.create("algorithm", {"name": name, **parameters})
    assert registry.create("algorithm", method.spec) == method


def test_a_generalized_release_tells_the_parameters_of_its_algorithm(tmp_path):
    table = pl.DataFrame({"age": ["31", "34", "47", "48"]})
    release = krypsis.anonymize(
        table,
        {"age": "quasi-identifier"},
        hierarchies={"age": {"kind": "intervals", "width": 5}},
        models="k-anonymity:k=2",
        algorithm="fixed:levels=2",
    )
    saved = release.save(tmp_path / "release")
    assert krypsis.Release.load(saved.folder).algorithm == release.algorithm == "fixed:levels=2"


def test_nothing_of_the_machine_or_of_chance_is_told():
    assert registry.create("algorithm", "mondrian:threads=3,means=True").spec == "mondrian:means=True"
    assert registry.create("algorithm", "clustering:threads=3,seed=7").spec == "clustering"
