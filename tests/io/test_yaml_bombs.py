"""Small YAML and JSON texts that would grow when they are read, or that are nested without end."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.errors import PlanError, UsageError
from krypsis.io.yaml_file import MOST_COPIES, MOST_DEPTH, parse_yaml
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects.project import check_places
from web.calling import calling, project_with_plan

NAMES = "abcdefghijklmnop"
LAUGHS = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9) if before else 'lol'}]\n"
    for before, name in zip(["", *NAMES], NAMES, strict=False)
)
LONG = f"a: &a [{', '.join(['x'] * 1000)}]\nb: [{', '.join(['*a'] * 1000)}]\n"
ITSELF = "a: &a\n  b: *a\n"
CHAIN = "".join(f"c{number}: &c{number} [{f'*c{number - 1}' if number else 'x'}]\n" for number in range(MOST_DEPTH + 5))
BOMBS = {
    "laughs": LAUGHS,
    "long": LONG,
    "itself": ITSELF,
    "chain": CHAIN,
    "lists": "a: " + "[" * 5000,
    "closed lists": "a: " + "[" * 300 + "]" * 300,
    "mappings": "{a: " * 5000,
    "lines": "a:\n " + "- " * 5000 + "x",
    "keys": "? " * 5000,
}
bombs = pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())


@pytest.fixture(autouse=True)
def soon():
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 20


@bombs
def test_a_bomb_is_refused_before_it_is_made(bomb):
    with pytest.raises(UsageError, match=r"nested more than \d+ deep|aliases|contains itself"):
        parse_yaml(bomb, "the plan", "keys", UsageError)


@bombs
def test_a_plan_that_is_a_bomb_is_refused_wherever_it_is_read(bomb, tmp_path):
    for read in (
        lambda: check_places(bomb),
        lambda: Plan.parse(bomb, tmp_path),
        lambda: PlanText(bomb).set(["data"], "x.csv"),
        lambda: PlanText(bomb).set_promises(["k-anonymity:k=5"]),
        lambda: PlanText(bomb).set_choice(["k-anonymity:k=5"], "auto"),
    ):
        with pytest.raises((PlanError, UsageError)):
            read()


@pytest.mark.parametrize("words", [("run",), ("explore",), ("dossier", "check")])
def test_the_command_line_refuses_bombs_as_wrong_input(tmp_path, words):
    file = tmp_path / "plan.yaml"
    for bomb in (LAUGHS, BOMBS["lists"]):
        file.write_text(bomb)
        result = CliRunner().invoke(app, [*words, str(file)])
        assert result.exit_code == 2, result.output
        assert "Traceback" not in result.output


def test_a_server_refuses_bombs_and_goes_on(tmp_path):
    with calling(tmp_path) as client:
        name = project_with_plan(client)
        place = f"/api/projects/{name}/plan"
        for bomb in BOMBS.values():
            assert client.put(place, json={"text": bomb}).status_code == 422
            opinion = client.post(f"{place}/validate", json={"text": bomb})
            assert (opinion.status_code, opinion.json()["valid"]) == (200, False)
        for body in (b"[" * 1_000_000, b'{"text":' * 100_000, b'{"text": ' + b"9" * 10_000 + b"}"):
            for method, where in (("PUT", place), ("POST", "/api/projects"), ("POST", f"/api/projects/{name}/jobs")):
                answer = client.request(method, where, content=body, headers={"Content-Type": "application/json"})
                assert answer.status_code in (400, 422)
                assert "error" in answer.json()
        assert client.get(place).status_code == 200


texts = st.text("abc", min_size=1, max_size=3)
trees = st.recursive(texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))


@given(st.dictionaries(texts, trees, max_size=4), st.booleans())
def test_what_people_write_is_read_as_before_also_with_aliases(content, repeats):
    if repeats:
        content = {"first": content, "again": content}  # the same object: written as an anchor and an alias
    text = yaml.safe_dump(content)
    assert parse_yaml(text, "it", "keys", UsageError) == yaml.load(text, Loader=yaml.BaseLoader)


@pytest.mark.parametrize("more", [0, 1])
def test_the_limits_are_as_they_are_written(more):
    nested = "a: " + "[" * (MOST_DEPTH - 2 + more) + "x" + "]" * (MOST_DEPTH - 2 + more)
    copied = "a: &a [x]\nb: [" + ", ".join(["*a"] * (MOST_COPIES // 2 + more)) + "]"
    for text in (nested, copied):
        if more:
            with pytest.raises(UsageError):
                parse_yaml(text, "it", "keys", UsageError)
        else:
            assert parse_yaml(text, "it", "keys", UsageError)
