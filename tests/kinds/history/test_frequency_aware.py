"""A history whose values are published more generally when they leave often: the state, and what it binds."""

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from algorithms.histories.diseases import DISEASES
from krypsis.cli.main import app
from krypsis.errors import UsageError
from krypsis.kinds.history.history import History
from krypsis.plan import Plan

pytestmark = pytest.mark.exposed

ROLES = {"age": "quasi-identifier", "disease": "sensitive"}
LEAVING = {"flu": "1/2", "X": "1/20"}
STAYING = {"flu": "0"}


def table(**people):
    ages = [20 + ord(name[0]) % 10 for name in people]
    return pl.DataFrame({"name": list(people), "age": ages, "disease": list(people.values())})


def start(folder, **options):
    method = {"name": "frequency-aware", "on_ineligible": "counterfeits", **options}
    return History.init(
        folder / "history",
        id="name",
        roles=ROLES,
        models="em-correlation:e=8/5,m=2",
        hierarchies={"disease": DISEASES},
        algorithm=method,
    )


def values_of(history, version):
    return set(history.versions()[version - 1].records["value"].to_list())


def state_of(history, name, folder):
    return pl.read_parquet(history.export(folder) / f"{name}.parquet")


def test_records_are_counted_as_they_leave_and_the_rule_follows(tmp_path):
    """Ten people with flu, of whom three leave every time; people with pneumonia take their places."""
    history = start(tmp_path, evidence=3, smoothing=0)
    people = {f"f{number}": "flu" for number in range(10)} | {f"c{number}": "lung cancer" for number in range(10)}
    for version in range(4):
        if version:
            for number in range(3):
                people.pop(f"f{3 * version - 3 + number}")
                people[f"n{version}{number}"] = "pneumonia"
        published = history.publish(table(**people))
        assert all(verdict.holds for verdict in published.verdicts)
    assert "X" not in values_of(history, 1) | values_of(history, 2)
    assert "X" in values_of(history, 4)
    assert all(history.check())
    assert history.attack().holds
    turnover = state_of(history, "turnover", tmp_path / "state").filter(pl.col("value") == "flu").sort("version")
    assert turnover["deleted"].to_list() == [0, 3, 3, 3]
    assert turnover["population"].to_list() == [10, 7, 4, 1]


def test_the_state_keeps_what_is_general_version_by_version(tmp_path):
    history = start(tmp_path, probabilities=STAYING)
    people = {"Ann": "flu", "Bob": "lung cancer"}
    history.publish(table(**people))
    history = with_method(history, probabilities=LEAVING)
    history.publish(table(**people), again=True)
    history.publish(table(Bob="lung cancer", Cid="strain"))
    kept = state_of(history, "generalized", tmp_path / "state").sort("version")
    assert kept.select("version", "label", "shown", "lowest").rows() == [(2, "flu", 1, 0), (3, "flu", 1, 1)]


def with_method(history, **options):
    """The same history with other options: a user cannot, and the rule can change as if by itself."""
    method = {**history.settings.method, **options}
    settings = history.settings.model_copy(update={"method": method})
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute("UPDATE about SET settings = ?", [settings.model_dump_json()])
    return History.open(history.folder)


def test_somebody_who_joined_as_general_keeps_the_place_and_may_change_below_it(tmp_path):
    """Cid came as strain below X; pneumonia is below X as well, and nobody can see the difference."""
    history = start(tmp_path, probabilities=LEAVING)
    history.publish(table(Ann="flu", Bob="lung cancer"))
    history.publish(table(Bob="lung cancer", Cid="strain"))
    changed = history.publish(table(Bob="lung cancer", Cid="pneumonia"))
    assert changed.change.published == 2
    assert changed.change.counterfeits == 0
    assert values_of(history, 3) == {"X", "lung cancer"}
    assert all(history.check())


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_general_values_are_in_the_published_files_and_the_rule_is_not(tmp_path, form):
    history = start(tmp_path, probabilities=LEAVING, publish=form)
    folder = history.publish(table(Ann="flu", Bob="lung cancer")).folder
    texts = "".join(path.read_text("utf-8") for path in folder.iterdir() if path.is_file())
    assert "X" in texts
    assert "flu" not in texts
    assert "1/20" not in texts


def test_a_state_of_the_first_format_goes_on(tmp_path):
    """It had no table of general values, as nothing was general then."""
    history = start(tmp_path, probabilities=LEAVING)
    history.publish(table(Ann="aids", Bob="lung cancer"))
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute("DROP TABLE generalized")
        connection.execute("ALTER TABLE versions DROP COLUMN manifest")
        connection.execute("UPDATE about SET format = 1")
    History.open(history.folder).publish(table(Ann="aids", Bob="lung cancer", Cid="flu", Dan="bladder cancer"))
    assert all(history.check())
    assert state_of(history, "about", tmp_path / "state")["format"].to_list() == [3]


PLAN = """
data: patients.csv
columns:
  name: identifier
  age: quasi-identifier
  disease: {role: sensitive, hierarchy: disease.csv}
promises: ["em-correlation:e=8/5,m=2"]
algorithm:
  name: frequency-aware
  criterion: minimal-penalty
  c: 1/2
  probabilities: {flu: 3/4, X: 1/20}
"""


@pytest.fixture
def plan(tmp_path):
    hierarchy = "\n".join(";".join(row) for row in DISEASES.rows()) + "\n"
    (tmp_path / "disease.csv").write_text(hierarchy, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, encoding="utf-8")
    return tmp_path / "plan.yaml"


def test_a_plan_names_the_method_and_its_criterion(tmp_path, plan):
    history = History.of_plan(tmp_path / "history", Plan.load(plan), id="name")
    history.publish(table(Ann="flu", Bob="lung cancer"))
    assert values_of(history, 1) == {"X", "lung cancer"}
    assert History.open(history.folder).settings.create_method().spec == (
        "frequency-aware:c=1/2,criterion=minimal-penalty"
    )


def test_the_command_line_publishes_and_checks_what_the_plan_says(tmp_path, plan, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(Ann="flu", Bob="lung cancer").write_csv("patients.csv")
    table(Bob="lung cancer", Cid="strain").write_csv("patients-2.csv")
    for arguments in (
        ["init", "patients.csv", "--id", "name", "--plan", plan.name, "--quiet"],
        ["publish", "patients-2.csv"],
        ["check"],
        ["attack"],
    ):
        result = CliRunner().invoke(app, ["history", *arguments])
        assert result.exit_code == 0, result.stderr
    assert "timing of generalization: nothing is learned." in result.stdout
    assert [change.counterfeits for change in History.open("history").log()] == [0, 0]
    assert values_of(History.open("history"), 2) == {"X", "lung cancer"}


def test_numbers_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match="is about numbers; take the algorithm 'correlation'"):
        History.init(
            tmp_path / "history",
            id="name",
            roles={"age": "quasi-identifier", "salary": "sensitive"},
            models="em-correlation:e=20,m=2,low=0,high=100",
            algorithm="frequency-aware",
        )
    assert not (tmp_path / "history").exists()


def test_a_chance_of_something_that_is_not_in_the_hierarchy_is_told(tmp_path):
    history = start(tmp_path, probabilities={"flue": "1/2"})
    with pytest.raises(UsageError, match=r"probabilities name 'flue', .* Did you mean 'flu'\?"):
        history.publish(table(Ann="flu", Bob="lung cancer"))
    assert history.log() == []
