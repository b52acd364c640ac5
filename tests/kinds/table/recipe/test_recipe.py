"""Recipes: from a release, from its private record, from a file."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis import Recipe
from krypsis.data.recoding import CellRecoding, Codebook
from krypsis.errors import DataError, OutputError, UsageError
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.recipe.recipe import write_down
from krypsis.release.provenance import RecodingEvidence

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cat", "Dan", "Eve"],
        "age": ["31", "34", "47", "48", "90"],
        "sex": ["F", "F", "M", "M", None],
        "disease": ["flu", "cold", "flu", "cold", "flu"],
    }
)
ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}


def release(**more):
    options = {
        "models": ["k-anonymity:k=2"],
        "hierarchies": {"age": {"kind": "intervals", "width": 10}},
        "suppression": "20%",
        **more,
    }
    return krypsis.anonymize(PEOPLE, ROLES, **options)


@pytest.fixture
def saved(tmp_path):
    return release().save(tmp_path / "release")


def test_the_folder_the_private_record_and_a_file_of_its_own_hold_the_same_recipe(saved, tmp_path):
    one = Recipe.load(saved.folder)
    assert one == Recipe.load(saved.private) == Recipe.load(one.save(tmp_path / "my.recipe.json"))
    assert one == Recipe.of(saved.release)
    assert one.levels == dict(saved.release.levels)
    assert one.suppression == "20%"
    assert (tmp_path / "my.recipe.json").stat().st_mode & 0o777 == 0o600


def test_nothing_of_the_recipe_is_in_the_published_folder(saved):
    for path in saved.folder.iterdir():
        assert "recipe" not in path.read_text("utf-8")


def test_names_of_persons_are_not_in_a_recipe(saved):
    assert "Ann" not in Recipe.load(saved.folder).model_dump_json()


def test_without_a_limit_as_many_may_be_suppressed_as_were():
    made = release(suppression=None, algorithm="datafly", models=["k-anonymity:k=2"])
    assert Recipe.of(made).suppression == made.suppressed


def test_a_release_from_its_published_files_has_no_recipe(saved):
    with pytest.raises(UsageError, match=r"has no recipe.*Recipe\.load"):
        Recipe.of(krypsis.Release.load(saved.folder))


def recoded(released, books):
    """The recipe of a recoding cell by cell of a table with the values a, b and c."""
    made = krypsis.anonymize(
        pl.DataFrame({"q": ["a", "b", "c"], "r": ["x", "x", "y"]}),
        {"q": "quasi-identifier", "r": "quasi-identifier"},
        models="k-anonymity:k=1",
    )
    frequency = made.evidence.frequency
    recoding = CellRecoding(np.array(released, dtype=np.int32), books, np.zeros(3, dtype=np.bool_))
    plan = TablePlan.of_roles({"q": "QI", "r": "QI"}, promises=[krypsis.KAnonymity(k=1)])
    task = plan.bind(made.before.table)
    evidence = RecodingEvidence(frequency, recoding, replace(made.evidence.outcome))
    return write_down(task, evidence, ["q", "r"])


BOOKS = (Codebook.of({"{a, b}": [0, 1], "c": [2]}, [0.5, 0]), Codebook.of({"x": [0], "y": [1], "*": [0, 1]}, [0, 0, 1]))


def test_a_recoding_of_values_to_labels_is_kept_as_labels():
    recipe = Recipe.model_validate(recoded([[0, 0], [0, 0], [1, 1]], BOOKS))
    assert recipe.scheme == "labels"
    assert recipe.hierarchies["q"].rows == (("a", "{a, b}", "*"), ("b", "{a, b}", "*"), ("c", "c", "*"))
    assert recipe.hierarchies["r"].rows == (("x", "x", "*"), ("y", "y", "*"))


def test_a_recoding_in_which_a_value_becomes_different_labels_has_no_recipe(tmp_path):
    assert recoded([[0, 0], [0, 2], [1, 1]], BOOKS) is None
    made = replace(release(), private={"recipe": None})
    record = made.save(tmp_path / "release").private
    with pytest.raises(DataError, match=r"holds no recipe.*differently from record to record"):
        Recipe.load(record)


def change(content, **more):
    return {**content, **more}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda _: "not json {", "is not JSON"),
        (lambda _: "[1, 2]", "must hold a JSON object, got list"),
        (lambda _: "[" * 100_000, "is not JSON"),
        (lambda _: "{}", "no recipe of format 1.*its format is None"),
        (lambda found: change(found, format=2), "its format is 2"),
        (lambda found: change(found, format="1"), "its format is '1'"),
        (lambda found: change(found, unheard="of"), "unheard"),
        (lambda found: {key: value for key, value in found.items() if key != "levels"}, "levels: Field required"),
        (lambda found: change(found, levels={"age": 1}), "every quasi-identifier needs a level"),
        (lambda found: change(found, levels={**found["levels"], "x": 1}), "every quasi-identifier needs a level"),
        (lambda found: change(found, levels={**found["levels"], "age": "high"}), "levels.age"),
        (lambda found: change(found, columns=["age", "sex", "shoe"]), "'shoe' has no role"),
        (lambda found: change(found, columns=["age", "sex", "name"]), "identifier is among the published"),
        (lambda found: change(found, promises=[]), "promises"),
        (lambda found: change(found, roles={"age": "king"}), "roles.age"),
        (lambda found: change(found, hierarchies={}), "every quasi-identifier needs a level and a hierarchy"),
        (
            lambda found: change(
                found, hierarchies={**found["hierarchies"], "age": {"name": "x", "rule": {"kind": "csv", "file": "/x"}}}
            ),
            "does not read files",
        ),
    ],
)
def test_a_file_that_is_no_recipe_is_told_why(tmp_path, spoil, message):
    spoiled = spoil(json.loads(Recipe.of(release()).model_dump_json()))
    path = tmp_path / "spoiled.json"
    path.write_text(spoiled if isinstance(spoiled, str) else json.dumps(spoiled))
    with pytest.raises(DataError, match=message):
        Recipe.load(path)


def test_a_place_without_a_recipe_is_told(saved, tmp_path):
    with pytest.raises(DataError, match=r"no file or folder .*relase.*Did you mean 'release'"):
        Recipe.load(tmp_path / "relase")
    with pytest.raises(DataError, match="is not a release"):
        Recipe.load(tmp_path)
    saved.private.rename(tmp_path / "elsewhere.json")
    with pytest.raises(DataError, match=rf"{saved.private.name} is missing.*never published"):
        Recipe.load(saved.folder)
    assert Recipe.load(tmp_path / "elsewhere.json").levels


def test_a_recipe_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(OutputError, match="nowhere"):
        Recipe.of(release()).save(tmp_path / "nowhere" / "recipe.json")
