"""A process that runs commands and dies while they write: the victim of ``test_crashes.py``.

Its order is ``crash FOLDER STEP COMMAND…``: run a command in a folder and die before the given change of a file there;
the answer is the exit code if it comes that far.
"""

import os
from pathlib import Path

from typer.testing import CliRunner

from crashing import answer, die_at_change, serve
from krypsis.cli.main import app

PEOPLE = "id,age,sex,illness\n" + "".join(
    f"p{n},{20 + n % 7},{'fm'[n % 2]},{('flu', 'cold', 'rash', 'gout')[n // 2 % 4]}\n" for n in range(48)
)
LATER = PEOPLE + "".join(
    f"q{n},{20 + n % 7},{'fm'[n % 2]},{('flu', 'cold', 'rash', 'gout')[n % 4]}\n" for n in range(8)
)
PLAN = """data: people.csv
columns:
  id: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  sex: quasi-identifier
  illness: sensitive
"""
ANSWERS = "n,,,,,n,,n,y,n,,,,n,n,n,n"
"""What is answered to the questions about these people."""


def prepared(folder: Path, promise: str) -> Path:
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "later.csv").write_text(LATER)
    (folder / "plan.yaml").write_text(f'{PLAN}promises: ["{promise}"]\n')
    (folder / "plan.yaml").chmod(0o600)
    return folder


def crash(folder, step, *command):
    os.chdir(folder)
    die_at_change(step, folder)
    answer(f"exit {CliRunner().invoke(app, list(command)).exit_code}")


def rehearse(folder: Path) -> None:
    """Run every command that is attacked, so that what they import is loaded once and not in each fork."""
    os.chdir(prepared(folder / "table", "k-anonymity:k=3"))
    for words in ("advise plan.yaml --answers " + ANSWERS + " --write", "run plan.yaml --quiet", "report release"):
        assert CliRunner().invoke(app, words.split()).exit_code == 0
    os.chdir(prepared(folder / "history", "m-invariance:m=2"))
    for words in ("history init people.csv --quiet", "history publish later.csv --quiet"):
        assert CliRunner().invoke(app, words.split()).exit_code == 0


if __name__ == "__main__":
    serve(rehearse, crash=crash)
