"""A server in a process of its own, as users start it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patience import PATIENCE


@contextmanager
def running(folder: Path, *options: str, **variables: str) -> Iterator[str]:
    """Run ``krypsis serve`` on a free port from a folder, and return its address; it asks for no random token."""
    wanted = options if "KRYPSIS_TOKEN" in variables else ("--no-token", *options)
    with run_default(folder, *wanted, **variables) as printed:
        yield printed.rstrip("/")


@contextmanager
def run_default(folder: Path, *options: str, **variables: str) -> Iterator[str]:
    """Run ``krypsis serve`` on a free port from a folder, and return the address as it is printed."""
    command = [sys.executable, "-m", "krypsis.cli.main", "serve", "--port", "0", *options]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ | variables
        )
        with process:
            try:
                first = process.stdout.readline()
                found = re.search(r"http://\S+", first)
                assert found, first + (folder / "server.log").read_text()
                yield found[0]
            finally:
                process.terminate()
                process.wait(PATIENCE)
