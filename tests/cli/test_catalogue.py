import json

import pytest
import typer
from typer.testing import CliRunner

from krypsis import registry
from krypsis.cli import catalogue
from krypsis.errors import UnknownNameError

EVERYTHING = [(kind, name, cls) for kind in registry.KINDS for name, cls in registry.classes(kind).items()]
every_entry = pytest.mark.parametrize(("kind", "name", "cls"), EVERYTHING, ids=[name for _, name, _ in EVERYTHING])


@pytest.fixture
def krypsis():
    app = typer.Typer()
    for command in (catalogue.models, catalogue.algorithms, catalogue.metrics, catalogue.attacks, catalogue.explain):
        app.command()(command)

    def run(*arguments):
        return CliRunner().invoke(app, arguments, catch_exceptions=False)

    return run


@pytest.mark.parametrize("kind", registry.KINDS)
def test_a_list_has_one_line_per_name_with_its_explanation_in_one_column(krypsis, kind):
    lines = krypsis(kind + "s").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(registry.classes(kind))
    assert [line.split()[1] for line in lines] == [cls.kind for cls in registry.classes(kind).values()]
    starts = {line.rindex(line.split(maxsplit=2)[2]) for line in lines}
    assert len(starts) == 1
    assert all(line.endswith(".") for line in lines)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_a_list_as_json_has_names_and_summaries(krypsis, kind):
    entries = json.loads(krypsis(kind + "s", "--json").stdout)
    assert [entry["name"] for entry in entries] == list(registry.classes(kind))
    assert all(entry["summary"] for entry in entries)


def test_explaining_k_anonymity_tells_all_a_user_has_to_know(krypsis):
    shown = krypsis("explain", "k-anonymity").stdout
    for part in (
        "k-anonymity (model)",
        "Every record shares its quasi-identifier values with k - 1 others.",
        "k-anonymity:k=…",
        "k: integer, at least 1, required",
        "smallest number of records in a group",
        "protects from\n  linking a published record to a person",
        "does not protect from\n  learning a sensitive value that a whole group shares",
        "Sweeney",
    ):
        assert part in shown


def test_a_choice_is_shown_with_its_values_and_default(krypsis):
    shown = krypsis("explain", "t-closeness").stdout
    assert "distance: text, one of by-type, equal, ordered, hierarchical, default by-type" in " ".join(shown.split())
    assert "t: number, at least 0 and at most 1, required" in shown
    assert shown.index("\n  t: ") < shown.index("\n  attribute: text, optional")


def test_explaining_a_metric_tells_its_formula_direction_and_meaning(krypsis):
    shown = krypsis("explain", "discernibility").stdout
    cls = registry.find("metric", "discernibility")
    assert "discernibility (metric" in shown
    for part in (cls.formula, cls.sentence, cls.reference):
        assert part in " ".join(shown.split())
    assert "better\n  lower" in shown
    assert "range\n  the sum of squares of the original groups to records²" in shown


def test_what_kind_of_data_a_metric_is_for_is_listed_and_explained(krypsis):
    kinds = {entry["name"]: entry["data"] for entry in json.loads(krypsis("metrics", "--json").stdout)}
    assert (kinds["loss"], kinds["tlost"]) == ("table", "transactions")
    assert "for\n  records that are sets of items" in krypsis("explain", "tlost").stdout


def test_sets_of_items_are_explained_as_lists_of_names(krypsis):
    assert "sets: list of lists of names, optional" in krypsis("explain", "are").stdout


def test_a_parameter_with_several_parts_is_shown_as_a_mapping(krypsis):
    assert "\n  ranks: mapping, optional\n" in krypsis("explain", "mu-argus").stdout


@pytest.mark.parametrize("name", registry.classes("algorithm"))
def test_every_algorithm_names_a_class_of_generalization_and_suppression_that_is_explained(krypsis, name):
    """The classes that are of use: attributes or cells generalized, tuples, attributes, cells or nothing suppressed."""
    entry = json.loads(krypsis("explain", name, "--json").stdout)
    recoding = {"AG_TS", "AG_AS", "AG_CS", "AG_", "CG_CS", "CG_", "_TS", "_AS", "_CS", "IG_", "_IS"}
    others = {"bucketization", "perturbation", "mechanism", "history", "disassociation"}
    of_graphs = {"edges", "relabeling", "supervertices"}
    assert entry["scheme"] in recoding | others | of_graphs | {"axioms", "cells"}
    assert len(entry["does"].split(", ")) == len(list(filter(None, entry["scheme"].split("_"))))


def test_explaining_an_algorithm_tells_what_it_changes(krypsis):
    shown = krypsis("explain", "datafly").stdout
    assert "datafly (algorithm)" in shown
    assert "generalizes attributes, suppresses records" in shown


def test_an_alias_is_explained_under_its_name(krypsis):
    assert "distinct-l-diversity (model, also called l-diversity)" in krypsis("explain", "l-diversity").stdout


@every_entry
def test_everything_can_be_explained(krypsis, kind, name, cls):
    text = krypsis("explain", name).stdout
    assert text.startswith(f"{name} ({kind}")
    assert max(map(len, text.splitlines())) <= catalogue.WIDTH
    document = json.loads(krypsis("explain", name, "--json").stdout)
    assert document["kind"] == kind
    assert document["reference"] == cls.reference
    assert {parameter["name"] for parameter in document["parameters"]} == set(cls.model_fields)
    assert all(parameter["description"] for parameter in document["parameters"])


@pytest.mark.parametrize(
    ("wrong", "meant"), [("k-anonimity", "k-anonymity"), ("datafli", "datafly"), ("los", "loss"), ("aec", "aecs")]
)
def test_an_unknown_name_gets_the_lists_and_the_nearest_name_of_any_kind(krypsis, wrong, meant):
    with pytest.raises(UnknownNameError) as caught:
        krypsis("explain", wrong)
    message = str(caught.value)
    assert f"nothing is called {wrong!r}" in message
    assert "models: " in message
    assert "metrics: " in message
    assert message.endswith(f"Did you mean {meant!r}?")


def test_a_name_like_nothing_else_gets_no_guess(krypsis):
    with pytest.raises(UnknownNameError, match="nothing is called ''") as caught:
        krypsis("explain", "")
    assert "Did you mean" not in str(caught.value)


@every_entry
def test_what_a_parameter_takes_is_told_in_words_and_not_in_names_of_types(kind, name, cls):  # noqa: ARG001
    told = " ".join(parameter["type"] for parameter in catalogue.describe(kind, cls)["parameters"])
    assert not {"Annotated", "Literal", "Mapping", "dict", "tuple", "str", "int"} & set(told.split())


def test_choices_inside_a_parameter_are_told(krypsis):
    text = " ".join(krypsis("explain", "clustering").stdout.split())
    assert "kinds: mapping to one of numeric, ordered, taxonomy" in text
    assert "block: integer at least 16, default 8192" in text
