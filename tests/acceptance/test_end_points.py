"""From the answers to a release: each of the 18 end points of the original tree has an example."""

import runpy
import sys
from contextlib import chdir
from functools import cache
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

import krypsis
from advisor.test_trees import NAMES, PATHS, rows, words
from krypsis import registry
from krypsis.advisor import Advice
from krypsis.advisor.results import results
from krypsis.cli.main import app

# Some models promise less than that no value is certain; what they leave open is warned of.
pytestmark = pytest.mark.exposed

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "advisor"
PAGE = ROOT / "docs" / "guides" / "advise.md"
END_POINTS = [pytest.param(row, id=NAMES[row["model"]]) for row in rows(PATHS)]
NOT_SEEN = {"differential-privacy", "d-gamma-privacy", "ct-isolation"}
"""Chances, and guesses that nobody has tried: what is published cannot decide these, and the verdict says so."""
WITHOUT_PLAN = {"km-anonymity", "m-invariance"}
"""About sets of items and about several releases, which no plan makes yet."""


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Run an example once; return its folder, its verdicts and what it printed."""

    @cache
    def walked(name):
        place = tmp_path_factory.mktemp("walk")
        with pytest.MonkeyPatch.context() as patch, chdir(place):
            patch.syspath_prepend(FOLDER)
            patch.setattr(sys, "stdout", output := StringIO())
            program = runpy.run_path(str(FOLDER / f"{name.replace('-', '_')}.py"))
        return place / name, program["verdicts"], output.getvalue()

    yield walked
    sys.modules.pop("journey", None)


@pytest.mark.parametrize("row", END_POINTS)
def test_the_answers_lead_to_a_release_that_is_verified(row, walk):
    name = NAMES[row["model"]]
    folder, verdicts, output = walk(name)
    advice = Advice.load(folder / "advice.json")
    assert (advice.page, [step.answer for step in advice.path]) == (row["result"], words(row["answers"]))
    (promise,) = (one.promise for one in verdicts)
    advised = registry.create("model", advice.spec).spec
    assert promise in (advised, advised.replace("by-type", "equal"))  # a release names the distance that was chosen
    assert [one.holds for one in verdicts] == [None if name in NOT_SEEN else True]
    assert f"checked: {verdicts[0].promise}: {verdicts[0].sentence}\n" in output


@pytest.mark.parametrize("row", END_POINTS)
def test_the_answers_of_an_example_fit_its_data(row, walk):
    said = Advice.load(walk(NAMES[row["model"]])[0] / "advice.json").warnings
    assert not [warning for warning in said if "differs from what the data suggests" in warning]


@pytest.mark.parametrize("row", [one for one in END_POINTS if one.id not in WITHOUT_PLAN])
def test_the_command_line_writes_the_same_into_the_plan(row, walk, tmp_path):
    folder, _, _ = walk(NAMES[row["model"]])
    advice, wanted = Advice.load(folder / "advice.json"), krypsis.Plan.load(folder / "plan.yaml")
    assert wanted.promises == (advice.spec,)
    for file in folder.glob("*.csv"):
        (tmp_path / file.name).symlink_to(file)
    content = yaml.safe_load((folder / "plan.yaml").read_text("utf-8")) | {"promises": ["k-map:k=2"]}
    plan = tmp_path / "plan.yaml"
    plan.write_text(yaml.safe_dump({key: content[key] for key in content if key != "algorithm"}), encoding="utf-8")
    given = [f"--set={one.name}={one.value}" for one in advice.parameters if one.value is not None]
    answers = f"--answers={','.join(row['answers'].lower())}"
    result = CliRunner().invoke(app, ["advise", str(plan), "--tree=seed", answers, "--write", *given])
    assert result.exit_code == 0, result.output
    written = krypsis.Plan.load(plan)
    assert written.promises[0] == wanted.promises[0]
    assert all("attribute=" in one for one in written.promises[1:])  # for sensitive columns that the model leaves open
    assert written.algorithm.partition(":columns")[0] == wanted.algorithm


OTHER_WAYS = [
    pytest.param(name, algorithm, id=f"{name}-{algorithm}")
    for name, result in results().items()
    if name in NAMES.values() and name not in WITHOUT_PLAN
    for algorithm in result.algorithms[1:]
]


@pytest.mark.parametrize(("name", "algorithm"), OTHER_WAYS)
def test_every_other_algorithm_that_is_named_keeps_the_promise_as_well(name, algorithm, walk, tmp_path):
    plan = krypsis.Plan.load(walk(name)[0] / "plan.yaml").model_copy(update={"algorithm": algorithm})
    verdicts = plan.run().save(tmp_path / "release").release.verdicts
    assert [one.holds for one in verdicts] == [None if name in NOT_SEEN else True]


def test_an_example_ends_with_the_exit_code_1_where_the_check_fails(walk):
    folder, _, _ = walk("k-anonymity")
    published = pl.read_csv(folder / "release" / "data.csv").with_row_index("row")
    verdicts = krypsis.check(published, "k-anonymity:k=5", quasi_identifiers=["row", "sex"])
    with pytest.raises(SystemExit, match="1"):
        sys.modules["journey"].told(verdicts)


def test_the_guide_lists_the_example_of_every_end_point():
    page = PAGE.read_text("utf-8")
    wanted = {f"{NAMES[row['model']].replace('-', '_')}.py" for row in rows(PATHS)}
    assert wanted == {path.name for path in FOLDER.glob("*.py")} - {"journey.py"}
    for name in wanted:
        assert f"examples/advisor/{name}" in page
