"""A history whose sensitive attribute is a number, from the plan to the last attack."""

import json
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from krypsis.attacks.histories import attack_history
from krypsis.cli.main import app
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.io.history import Version
from krypsis.kinds.history.history import History
from oracles.numbers import may_meet

pytestmark = pytest.mark.exposed

ROLES = {"age": "quasi-identifier", "salary": "sensitive"}
PROMISE = "em-correlation:e=10,m=2,low=0,high=100000"
APART = 10_000
FIRST = {"Ann": 20000, "Bob": 21500.5, "Cid": 60000, "Dan": 99000, "Eva": 45000, "Fay": 30000}
SECOND = {"Ann": 20000, "Cid": 60000, "Dan": 99000, "Gus": 21500.5, "Hal": 12000, "Ida": 70000}


def table(people):
    ages = [20 + len(name) + place for place, name in enumerate(people)]
    return pl.DataFrame({"name": list(people), "age": ages, "salary": list(map(str, people.values()))})


def start(folder, **options):
    return History.init(folder / "history", id="name", roles=ROLES, **{"models": PROMISE, **options})


def groups_of(version):
    return [[Fraction(number) for number in group["value"]] for group in version.records.partition_by("group")]


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_versions_of_numbers_are_published_checked_and_attacked(tmp_path, form):
    history = start(tmp_path, algorithm=f"correlation:publish={form},on_ineligible=counterfeits")
    for people in (FIRST, SECOND):
        assert all(history.publish(table(people)).verdicts)
    assert all(history.check())
    versions = history.versions()
    for version in versions:
        assert all(len(group) >= 2 and may_meet(group, APART) for group in groups_of(version))
    both = [version.signatures() for version in versions]
    assert all(both[0][person] == both[1][person] for person in both[0].keys() & both[1].keys())
    report = history.attack()
    assert report.holds, report.sentences()
    assert report.families.strongest <= 10
    assert "range: " in report.sentences()[-1]


@given(
    st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=8), min_size=1, max_size=3),
    st.sampled_from([2, 5, 10]),
    st.integers(2, 3),
)
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_no_attack_on_random_versions_learns_more_than_is_promised(tmp_path_factory, versions, e, m):
    """Everybody of a version is new but for those who have the same place and number as before."""
    history = start(
        tmp_path_factory.mktemp("numbers"),
        models=f"em-correlation:e={e},m={m},low=0,high=20",
        algorithm="correlation:on_ineligible=defer",
    )
    for numbers in versions:
        people = {f"{place}-{number}": number for place, number in enumerate(numbers)}
        try:
            history.publish(table(people), version=len(history.log()) + 1)
        except Infeasible:
            continue
        assert all(history.check())
        assert all(len(one) >= m and may_meet(one, 20 / e) for one in groups_of(history.versions()[-1]))
        assert history.attack().holds


def test_numbers_that_lie_too_close_are_refused_by_the_check_and_named_by_the_attack():
    near = Version.of_signatures({"Ann": ["20000", "29999"], "Bob": ["20000", "30000"]})
    report = attack_history([near], m=2, limits=(Fraction(0), Fraction(100_000)), e=Fraction(10))
    assert not report.holds
    assert report.families.breached(Fraction(10))["person"].to_list() == ["Ann"]
    assert report.families.about("Bob") == ("20000 to 30000", Fraction(10))
    assert "at most 10 was promised, and 1 people have more" in report.sentences()[-1]


def test_one_number_that_is_left_is_a_breach():
    alone = Version.of_signatures({"Ann": ["20000"]})
    limits = (Fraction(0), Fraction(100_000))
    assert not attack_history([alone], m=1, limits=limits, e=Fraction(10)).holds


def test_a_release_of_numbers_says_that_one_of_several_decides_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(FIRST).write_csv("pay.csv")
    columns = "columns: {name: identifier, age: quasi-identifier, salary: sensitive}"
    (tmp_path / "plan.yaml").write_text(f"data: pay.csv\n{columns}\npromises: ['{PROMISE}']\n", "utf-8")
    runner = CliRunner()
    begun = runner.invoke(app, ["history", "init", "pay.csv", "--id", "name", "--plan", "plan.yaml", "--quiet"])
    assert begun.exit_code == 0, begun.stderr
    assert "highest correlation" in begun.stdout
    attack = json.loads(runner.invoke(app, ["history", "attack", "--json"]).stdout)
    assert attack["holds"]
    assert attack["families"]["e"] == "10"
    alone = runner.invoke(app, ["check", "history/releases/1"])
    assert alone.exit_code == 3
    assert "nothing in this release contradicts it" in alone.stdout
    assert "without their hierarchy" not in alone.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hierarchies": {"salary": {"any": ["1", "2"]}}}, "measures how far numbers lie apart, and 'salary' has a"),
        ({"models": "em-correlation:e=10,m=2,low=0"}, "low and high belong together"),
        ({"models": "em-correlation:e=10,m=2,low=5,high=5"}, "low must be less than high"),
        ({"models": "em-correlation:e=10,m=2,low=a,high=5"}, "low of em-correlation"),
        ({"algorithm": "correlation:assignment=whole"}, "assignment=whole is about values in a hierarchy"),
        ({"models": [PROMISE, "em-correlation:e=10,m=2"]}, "different limits"),
    ],
)
def test_what_does_not_fit_numbers_is_told_before_anything_is_written(tmp_path, options, message):
    with pytest.raises(UsageError, match=message):
        start(tmp_path, **options)
    assert not (tmp_path / "history").exists()


@pytest.mark.parametrize(("salary", "message"), [("much", "are no numbers: 'much'"), (100_001, "not between 0 and")])
def test_values_that_cannot_be_compared_are_told_and_nothing_is_published(tmp_path, salary, message):
    history = start(tmp_path)
    with pytest.raises(DataError, match=message):
        history.publish(table({**FIRST, "Zoe": salary}))
    assert history.log() == []
