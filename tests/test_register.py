"""Models and metrics of one's own: from a notebook, and from another package."""

import subprocess
import sys
import textwrap

import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.errors import DataError, ExtensionWarning, UnknownNameError, UsageError

TABLE = pl.DataFrame({"age": [str(30 + row // 5) for row in range(20)], "sex": ["F", "M"] * 10})
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}

MODEL = """
from pydantic import Field
from krypsis import GroupModel

class EvenGroups(GroupModel):
    '''Every group has an even number of records, and at least k.'''

    name = "even-groups"
    better = "higher"
    k: int = Field(ge=1, description="smallest number of records")

    @property
    def required(self):
        return self.k

    def promise(self):
        return f"groups have an even number of records, {self.k} or more"

    def accepts(self, groups):
        return (groups.sizes >= self.k) & (groups.sizes % 2 == 0)

    def measure(self, groups):
        return float(groups.sizes.min()) if len(groups) else 0.0
"""
METRIC = """
from krypsis import Metric

class LargestGroup(Metric):
    '''The share of the largest group.'''

    name = "largest-group"

    def best(self, outcome):
        return 0.0

    def worst(self, outcome):
        return 1.0

    def compute(self, outcome):
        return float(outcome.suppressed / outcome.rows + 1 / max(outcome.group_count, 1))
"""

ALGORITHM = """
from krypsis import Algorithm, Optimal

class Careful(Algorithm):
    '''Finds what Optimal finds.'''

    name = "careful"
    scheme = "AG_TS"
    reference = "none"

    def search(self, frequency, models, metric, limits, progress):
        return Optimal().search(frequency, models, metric, limits, progress)
"""


def cell(code: str, name: str, module: str = "__main__") -> type:
    """Return a class as a cell of a notebook defines it."""
    space = {"__name__": module}
    exec(code, space)
    return space[name]


def test_a_model_of_a_notebook_is_accepted_as_an_object(tmp_path):
    model = cell(MODEL, "EvenGroups")
    release = krypsis.anonymize(TABLE, ROLES, models=[model(k=4)])
    assert release.promises == ("even-groups:k=4",)
    assert all(size % 2 == 0 for size in release.table.group_by("age", "sex").len()["len"])
    assert all(krypsis.check(release))
    saved = release.save(tmp_path / "release")
    assert all(krypsis.check(saved.folder))


def test_the_verdict_says_whose_rule_it_is():
    model = cell(MODEL, "EvenGroups")
    own, ours = krypsis.anonymize(TABLE, ROLES, models=[model(k=4), "k-anonymity:k=2"]).verdicts
    assert "does not vouch for it" in own.sentence
    assert "vouch" not in ours.sentence


def test_a_rule_that_accepts_nothing_publishes_nothing():
    model = cell(MODEL.replace("(groups.sizes >= self.k) & ", "(groups.sizes < 0) & "), "EvenGroups")
    with pytest.raises(krypsis.errors.Infeasible):
        krypsis.anonymize(TABLE, ROLES, models=[model(k=4)])


def test_whoever_does_not_have_the_model_gets_no_verdict_about_it(tmp_path):
    model = cell(MODEL, "EvenGroups")
    release = krypsis.anonymize(TABLE, ROLES, models=[model(k=4), "k-anonymity:k=2"])
    saved = release.save(tmp_path / "release")
    registry.forget(model)
    own, ours = krypsis.check(saved.folder)
    assert own.holds is None
    assert ours.holds is True
    loaded = krypsis.Release.load(saved.folder)
    assert [verdict.holds for verdict in loaded.verdicts] == [None, True]
    with pytest.raises(DataError, match="must be registered"):
        _ = loaded.models


def test_a_registered_model_is_found_by_its_spec_and_listed():
    model = cell(MODEL, "EvenGroups")
    with pytest.raises(UnknownNameError, match="even-groups"):
        registry.create("model", "even-groups:k=4")
    assert krypsis.register(model) is model
    assert registry.create("model", "even-groups:k=4") == model(k=4)
    assert "even-groups" in registry.classes("model")
    release = krypsis.anonymize(TABLE, ROLES, models="even-groups:k=4")
    assert all(release.verdicts)


def test_a_plan_may_name_a_registered_model(tmp_path):
    krypsis.register(cell(MODEL, "EvenGroups"))
    TABLE.write_csv(tmp_path / "people.csv")
    content = {"data": "people.csv", "columns": ROLES, "promises": ["even-groups:k=2"]}
    assert krypsis.Plan.of(content, tmp_path).run().checked().promises == ("even-groups:k=2",)


def test_running_a_cell_again_replaces_its_own_definition():
    first, second = cell(MODEL, "EvenGroups"), cell(MODEL, "EvenGroups")
    krypsis.register(first)
    krypsis.register(second)
    assert registry.find("model", "even-groups") is second


def test_another_class_does_not_take_a_registered_name():
    krypsis.register(cell(MODEL, "EvenGroups"))
    with pytest.raises(UsageError, match=r"belongs to __main__\.EvenGroups"):
        krypsis.register(cell(MODEL, "EvenGroups", "elsewhere"))


@pytest.mark.parametrize("name", ["k-anonymity", "closeness-of-nothing"])
def test_a_built_in_name_is_never_shadowed(name):
    code = MODEL.replace('name = "even-groups"', f'name = "{name}"; aliases = ("k-anonymity",)')
    model = cell(code, "EvenGroups")
    with pytest.raises(UsageError, match="belongs to KAnonymity"):
        krypsis.register(model)
    with pytest.raises(UsageError, match="belongs to KAnonymity"):
        krypsis.anonymize(TABLE, ROLES, models=[model(k=4)])
    assert registry.find("model", "k-anonymity") is krypsis.KAnonymity


def test_a_built_in_promise_cannot_be_softened_by_a_subclass():
    class Soft(krypsis.KAnonymity):
        def accepts(self, groups):
            return groups.sizes > 0

    with pytest.raises(UsageError, match="give Soft a name of its own"):
        krypsis.anonymize(TABLE, ROLES, models=[Soft(k=4)])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (MODEL.replace("def accepts", "def accept"), "define accepts"),
        (MODEL.replace('better = "higher"', ""), "a model needs a value for better"),
        (MODEL.replace('name = "even-groups"', ""), "needs a value for name"),
        (MODEL.replace("even-groups", "even groups:k"), "small letters, digits and hyphens"),
    ],
)
def test_what_is_not_complete_is_refused_with_what_is_missing(code, message):
    with pytest.raises(UsageError, match=message):
        krypsis.register(cell(code, "EvenGroups"))


@pytest.mark.parametrize("thing", [int, krypsis.Verdict, "k-anonymity", krypsis.KAnonymity(k=2)])
def test_what_is_no_class_of_a_kind_cannot_be_registered(thing):
    with pytest.raises(UsageError, match="registered"):
        krypsis.register(thing)


def test_a_built_in_class_is_registered_already():
    assert krypsis.register(krypsis.KAnonymity) is krypsis.KAnonymity
    assert registry._added["model"] == {}


def test_a_metric_of_a_notebook_can_be_minimized(tmp_path):
    metric = cell(METRIC, "LargestGroup")
    release = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", metric=metric())
    assert release.metric == "largest-group"
    assert krypsis.Release.load(release.save(tmp_path / "release").folder).metric == "largest-group"
    again = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", metric="largest-group")
    assert again.score == release.score


def test_figures_of_a_metric_of_ones_own_are_rounded_in_what_is_published():
    code = METRIC.replace("return float(", "return 0.123456789 + 0 * float(")
    release = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", metric=cell(code, "LargestGroup")())
    assert release.made_by.as_published().score == 0.1235


def test_a_manifest_holds_the_figure_of_ones_own_metric_that_was_minimized_and_no_other(tmp_path):
    krypsis.register(cell(METRIC, "LargestGroup"))
    other = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4")
    own = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", metric="largest-group")
    for release, is_published in ((other, False), (own, True)):
        assert "largest-group" in release.metrics
        folder = release.save(tmp_path / release.metric).folder
        assert ("largest-group" in krypsis.Release.load(folder).metrics) is is_published
        assert krypsis.check(folder)[0].holds


def test_a_metric_that_needs_parameters_does_not_disturb_other_releases():
    code = METRIC.replace('name = "largest-group"', 'name = "largest-group"; weight: float')
    krypsis.register(cell(code, "LargestGroup"))
    release = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4")
    assert "largest-group" not in release.metrics


def test_an_algorithm_of_a_notebook_makes_a_release_that_is_checked():
    algorithm = cell(ALGORITHM, "Careful")
    ours = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4")
    for given in (algorithm(), "careful"):
        release = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", algorithm=given)
        assert release.algorithm == "careful"
        assert release.levels == ours.levels
        assert all(release.verdicts)


def test_an_algorithm_that_breaks_its_promise_publishes_nothing():
    code = ALGORITHM.replace("Optimal().search(frequency, models,", "Optimal().search(frequency, [],")
    with pytest.raises(krypsis.errors.PromiseBroken):
        krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=4", algorithm=cell(code, "Careful")())


# Another package: a folder on the path, with the metadata that an installation leaves there.


def install(folder, module: str, code: str, entries: str) -> None:
    (folder / f"{module}.py").write_text(code, "utf-8")
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(textwrap.dedent(entries), "utf-8")


@pytest.fixture
def packages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_loaded", set())
    registry._entry_points.cache_clear()
    failed = {kind: list(found) for kind, found in registry._failed.items()}
    yield tmp_path
    registry._entry_points.cache_clear()
    registry._failed.clear()
    registry._failed.update(failed)
    for name in ("even_package", "broken_package"):
        sys.modules.pop(name, None)


def test_a_package_offers_a_model_and_a_metric_as_entry_points(packages):
    entries = """
    [krypsis.models]
    even-groups = even_package:EvenGroups
    [krypsis.metrics]
    largest-group = even_package:LargestGroup
    """
    install(packages, "even_package", MODEL + METRIC, entries)
    release = krypsis.anonymize(TABLE, ROLES, models="even-groups:k=4", metric="largest-group")
    assert all(release.verdicts)
    assert registry.classes("model")["even-groups"].__module__ == "even_package"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("EvenGroups = 7", "it is not a model"),
        (MODEL.replace("even-groups", "k-anonymity"), "belongs to KAnonymity"),
    ],
)
def test_a_package_that_cannot_be_used_is_named_and_left_out(packages, code, message):
    install(packages, "broken_package", code, "[krypsis.models]\neven-groups = broken_package:EvenGroups\n")
    with pytest.warns(ExtensionWarning, match="the package 'broken_package'") as heard:
        known = registry.classes("model")
    assert message in str(heard[0].message)
    assert known["k-anonymity"] is krypsis.KAnonymity
    with pytest.raises(UnknownNameError, match="broken_package"):
        registry.create("model", "even-groups:k=4")


@pytest.mark.parametrize("words", [["--help"], ["models"], ["explain", "k-anonymity"]])
def test_a_broken_package_does_not_break_the_command_line(packages, words):
    install(packages, "broken_package", "1 / 0", "[krypsis.models]\nx = broken_package:X\n")
    program = f"import sys; sys.path.insert(0, {str(packages)!r}); from krypsis.cli.main import app; app()"
    result = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert "k-anonymity" in result.stdout or "--help" in words
    assert ("broken_package" in result.stderr) == (words != ["--help"])
