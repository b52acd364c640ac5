"""A process that runs commands and dies while they write: the victim of ``test_crashes.py``.

Its order is ``crash FOLDER STEP COMMAND…``: run a command in a folder and die before the given change of a file there;
the answer is the exit code if it comes that far.
"""

import os

from typer.testing import CliRunner

# loaded before the forks, which would each load them again
import krypsis.advisor
import krypsis.kinds.history
import krypsis.kinds.publishing  # noqa: F401
from crashing import answer, die_at_change, serve
from krypsis.cli.main import app


def crash(folder, step, *command):
    os.chdir(folder)
    die_at_change(step, folder)
    answer(f"exit {CliRunner().invoke(app, list(command)).exit_code}")


if __name__ == "__main__":
    serve(crash=crash)
