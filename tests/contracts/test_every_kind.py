"""What every kind of data must have; a kind of a test folder is found and works like the others."""

import ast
import importlib
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
import krypsis.kinds
from checker.forging import forge, rewrite
from krypsis import report
from krypsis.cli.main import app
from krypsis.data.schema import Schema
from krypsis.errors import PromiseBroken, UnknownNameError, UsageError
from krypsis.kinds.base import Kind, kind_named, kind_of_file, kinds
from krypsis.plan.plan import plans
from krypsis.release.provenance import MadeBy
from krypsis.release.publication import Publication
from krypsis.report import build_report, parse_json, render_html, render_json, render_pdf
from krypsis.web.kind_pages import KindPages, pages_of

FOLDERS = sorted(path.parent for path in Path(krypsis.kinds.__path__[0]).glob("*/__init__.py"))
FILES = ("check.py", "kind.py", "publication.py", "report.py")
"""What stands in the folder of every kind."""

TOYS = Path(__file__).parent / "toy_kinds"
CHECKED_WITH = {"format", "checker"}
"""What the check of a kind is made of."""
GROUND = {"arrays", "data", "errors", "io", "models"}
"""What both are made of, and know no release."""


@pytest.fixture
def toy_kind(monkeypatch):
    """A kind that lives in a folder of the tests."""
    folder = str(TOYS)
    with monkeypatch.context() as patch:
        patch.setattr(krypsis.kinds, "__path__", [*krypsis.kinds.__path__, folder])
        for found in (kinds, plans, pages_of):
            found.cache_clear()
        yield kind_named("toy-numbers")
    for found in (kinds, plans, pages_of):
        found.cache_clear()


@pytest.mark.parametrize("folder", [*FOLDERS, TOYS / "toy_numbers"], ids=lambda folder: folder.name)
def test_the_folder_of_a_kind_has_the_same_files_as_all_others(folder):
    assert [name for name in FILES if not (folder / name).is_file()] == []


@pytest.mark.parametrize("name", sorted(kinds()))
def test_a_kind_says_what_it_is(name):
    assert kind_named(name).name == name
    assert kind_named(name).title[0].islower()


def test_every_form_of_publication_belongs_to_a_kind():
    modules = [importlib.import_module(f"krypsis.kinds.{folder.name}.publication") for folder in FOLDERS]
    known = [cls for module in modules for cls in vars(module).values() if isinstance(cls, type)]
    forms = [cls for cls in known if issubclass(cls, Publication) and cls is not Publication]
    assert forms
    assert {cls.kind for cls in forms} <= set(kinds())


def krypsis_says(*arguments: object) -> str:
    """Return what a command prints, which must end well."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def journey(kind: Kind, folder: Path) -> Path:
    """Go from the demo of a kind to a release: the data is enough for a plan and an advice, and nearly for a run.

    What only the publisher can say is proposed in the plan, as comments.
    """
    assert "check the release" in krypsis_says("demo", "--kind", kind.name, "--folder", folder / "demo")
    data = folder / "demo" / next(iter(kind.demo().files))
    assert kind.facts_of_file(data).evidence.findings
    plan = folder / "own.yaml"
    said = krypsis_says("init", data, "--kind", kind.name, "-o", plan)
    if "it cannot be run yet" in said:
        plan.write_text(re.sub(r"^  # - ", "  - ", plan.read_text("utf-8"), flags=re.MULTILINE), encoding="utf-8")
        said = f"then: krypsis run {plan}\n"
    command = shlex.split(said[said.index("then: krypsis ") :].splitlines()[0].removeprefix("then: krypsis "))
    if command[0] == "history":
        krypsis_says(*command, "--folder", folder / "history", "--no-report")
        return folder / "history"
    loaded = krypsis.Plan.load(plan)
    assert loaded.kind == kind.name
    assert kind.facts(loaded).evidence.findings
    krypsis_says(*command)
    return folder / "release"


@pytest.mark.parametrize("name", sorted(kinds()))
def test_every_kind_goes_the_whole_journey(name, tmp_path):
    place = journey(kind_named(name), tmp_path)
    if name == "history":
        krypsis_says("history", "check", "--folder", place)
        krypsis_says("history", "attack", "--folder", place)
        return
    krypsis_says("check", place)
    assert (tmp_path / "release.report.html").is_file()
    attacked = CliRunner().invoke(app, ["attack", str(place)])
    assert attacked.exit_code == 0 or "no attack fits" in attacked.output, attacked.output
    assert isinstance(pages_of(name), KindPages)


def test_a_name_that_no_kind_has_is_refused_with_those_that_are():
    with pytest.raises(UnknownNameError, match=r"kind 'tabel' is not known; kinds: .*Did you mean 'table'"):
        kind_named("tabel")


def test_a_kind_of_another_folder_is_found_and_goes_the_same_way(toy_kind, tmp_path):
    assert toy_kind.title == "a list of numbers"
    place = journey(toy_kind, tmp_path)
    assert krypsis.Release.load(place).kind == "toy-numbers"
    krypsis_says("check", place)
    assert (tmp_path / "release.report.html").is_file()
    assert krypsis.Release.load(tmp_path / "demo" / "release").table["number"].n_unique() == 2
    assert kind_of_file(tmp_path / "demo" / "numbers.csv") is toy_kind
    assert pages_of("toy-numbers").run_facts(krypsis.Plan.load(tmp_path / "own.yaml")) == {}


KINDS_BY_NAME = {"table", "tables", "transactions", "history"}
ASKED_BY_CLASS = {"Transactions", "TablePlan", "SetsPlan", "TableKind", "SetsKind", "HistoryKind"}
ROOMS_OF_KINDS = ("kinds", "algorithms", "metrics", "models", "data", "io")
"""What lies with a kind, or below all of them, may know its own."""


def test_nothing_outside_the_rooms_of_kinds_asks_which_kind_it_has():
    source = Path(krypsis.__file__).parent
    found = []
    for file in source.rglob("*.py"):
        if file.relative_to(source).parts[0] in ROOMS_OF_KINDS:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Compare | ast.Call):
                continue
            values = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            compares = isinstance(node, ast.Compare) and "kind" in ast.unparse(node) and values & KINDS_BY_NAME
            is_isinstance = isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass")
            if compares or (is_isinstance and names & ASKED_BY_CLASS):
                found.append(f"{file.relative_to(source)}:{node.lineno}: {ast.unparse(node)}")
    assert not found


@dataclass(frozen=True)
class OfToyKind:
    """A release that says it is of the toy kind."""

    release: krypsis.Release
    kind: str = "toy-numbers"

    def __getattr__(self, name):
        return getattr(self.release, name)


@pytest.fixture
def toy_report(toy_kind):  # noqa: ARG001
    numbers = pl.DataFrame({"number": ["1", "1", "2", "2", "2"]})
    release = krypsis.anonymize(numbers, {"number": "quasi-identifier"}, models="k-anonymity:k=2")
    return build_report(OfToyKind(release), "numbers")


def test_the_report_of_a_kind_of_another_folder_is_rendered_by_the_shared_code(toy_report):
    page = render_html(toy_report)
    assert "The mean of <bdi>&lt;i&gt;number&lt;/i&gt;</bdi> is 1.6." in page
    assert '<p class="lead">Numbers &lt;b&gt;are&lt;/b&gt; published.</p>' in page
    assert "3 · 60.0 %" in page
    assert "k-anonymity:k=2" in page
    assert render_pdf(toy_report).startswith(b"%PDF")


def test_the_json_of_a_kind_of_another_folder_holds_its_blocks_and_can_be_read_again(toy_report):
    again = json.loads(render_json(toy_report))
    assert (again["kind"], again["holds"]) == ("toy-numbers", True)
    (numbers,) = [section for section in again["sections"] if section["key"] == "numbers"]
    assert numbers["blocks"][0]["words"][3] == {"value": 1.6}
    assert numbers["blocks"][1]["blocks"][0]["bars"] == [{"label": "2", "records": 3}, {"label": "1", "records": 2}]
    assert parse_json(render_json(toy_report)) == toy_report


def test_nothing_in_the_shared_code_of_reports_names_a_kind():
    """Blocks come from kinds; whoever renders them does not ask which kind made them."""
    names = {*kinds(), *(folder.name for folder in FOLDERS)}
    for file in Path(report.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
        values = {one.value for node in compared for one in ast.walk(node) if isinstance(one, ast.Constant)}
        imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not values & names, file.name
        assert not [name for name in imported if re.match(r"krypsis\.kinds\.(?!base)", name)], file.name


@pytest.mark.parametrize("folder", [*FOLDERS, TOYS / "toy_numbers"], ids=lambda folder: folder.name)
def test_the_check_of_a_kind_imports_the_format_and_the_checker_only(folder):
    tree = ast.parse((folder / "check.py").read_text("utf-8"))
    froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    ours = {name.split(".")[1] for name in [*froms, *names] if name.split(".")[0] == "krypsis"}
    assert ours >= CHECKED_WITH
    assert ours <= CHECKED_WITH | GROUND


@pytest.mark.parametrize("name", sorted(kinds().keys() - {"history"}))
def test_checking_a_release_of_a_kind_loads_nothing_that_makes_releases(name, tmp_path):
    result = CliRunner().invoke(app, ["demo", "--kind", name, "--folder", str(tmp_path)])
    assert result.exit_code == 0, result.output
    program = f"""if True:
        import sys
        from krypsis.checker import check
        print(len(check({str(tmp_path / "release")!r})))
        print(*sorted(name for name in sys.modules if name.startswith("krypsis.")))
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    number, loaded = found.splitlines()
    assert int(number) > 0
    makers = r"krypsis\.(algorithms|engines|frequency|kernels|metrics|outcome|pipeline|plan|recoding|release|schemes)\b"
    kinds_loaded = {name for name in loaded.split() if re.match(r"krypsis\.kinds\.\w+\.", name)}
    assert not [name for name in loaded.split() if re.match(makers, name)]
    assert kinds_loaded == {f"krypsis.kinds.{folder.name}.check" for folder in FOLDERS}


@pytest.fixture
def toy_release(toy_kind, tmp_path):
    """The folder of a release that the toy kind has published."""
    from krypsis.kinds.toy_numbers.publication import NumbersPublication  # noqa: PLC0415  there with the fixture only

    numbers = pl.DataFrame({"number": ["1", "1", "2", "2", "2"]})
    publication = NumbersPublication(numbers, Schema.of({"number": "quasi-identifier"}))
    release = krypsis.Release(publication, MadeBy(promises=("k-anonymity:k=2",)), (), {}, None)
    folder = release.save(tmp_path / "release").folder
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["kind"] == toy_kind.name
    return folder


def test_a_release_of_a_kind_of_another_folder_is_checked_by_that_kind(toy_release):
    result = CliRunner().invoke(app, ["check", str(toy_release)])
    assert result.exit_code == 0, result.output
    assert "k-anonymity:k=2: The rarest number is there 2 time(s)." in result.output


def test_a_forged_release_of_a_kind_of_another_folder_is_refused(toy_release):
    forge(toy_release, "data.csv", b"number\n1\n2\n2\n2\n2\n")
    result = CliRunner().invoke(app, ["check", str(toy_release)])
    assert result.exit_code == 1
    assert "claims 2 for k-anonymity:k=2, but the published data has 1" in result.output


def test_what_a_kind_of_another_folder_does_not_read_is_refused(toy_release):
    rewrite(toy_release, sensitive_items=["hiv"], group_column="number")
    with pytest.raises(PromiseBroken, match="the field sensitive_items, the field group_column; nothing is known"):
        krypsis.check(toy_release)


def test_a_promise_that_no_judge_of_a_kind_knows_is_refused(toy_release):
    with pytest.raises(UsageError, match="distinct-l-diversity:l=2 is a promise about data of the kind 'table'"):
        krypsis.check(toy_release, "distinct-l-diversity:l=2")


@pytest.mark.parametrize("kind", ["tabel", "history"])
def test_a_manifest_of_a_kind_that_nobody_knows_is_an_error(toy_release, kind):
    rewrite(toy_release, kind=kind)
    result = CliRunner().invoke(app, ["check", str(toy_release)])
    assert result.exit_code == 2
    assert f"of the kind '{kind}', which this version of krypsis cannot check; kinds: " in result.output
