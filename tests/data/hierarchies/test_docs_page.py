"""The page on hierarchies shows what really comes out."""

import re
from pathlib import Path

import pytest
import yaml

from krypsis.data.hierarchies import parse_csv, resolve
from krypsis.data.hierarchies.resolve import builders

PAGE = (Path(__file__).parents[3] / "docs" / "concepts" / "hierarchies.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```\n```csv\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("written", "shown"), EXAMPLES)
def test_each_example_makes_the_hierarchy_shown_below_it(written, shown, tmp_path):
    (tmp_path / "job.csv").write_text(shown, encoding="utf-8")
    spec = yaml.load(written, Loader=yaml.BaseLoader)["hierarchy"]
    rows = [line.split(";") for line in shown.splitlines()]
    assert resolve(spec, [row[0] for row in rows], "column", tmp_path).rows() == rows
    assert parse_csv(shown).rows() == rows


def test_the_program_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(program, {})
    assert Path("age.csv").read_text(encoding="utf-8").splitlines()[0] == "31;[30-35);[30-40);[20-40);*"


def test_every_kind_and_every_option_is_on_the_page():
    for kind, cls in builders().items():
        assert f"`{kind}`" in PAGE
        for option in cls.model_fields:
            assert f"`{option}`" in PAGE or f"{option}:" in PAGE or kind == "taxonomy"
