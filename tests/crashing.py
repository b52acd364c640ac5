"""Processes that are killed again and again: the one who orders, and the victim, which is a program of its own."""

import importlib
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from patience import PATIENCE

STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")
"""A step is something that is done to a file."""
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "shutil.rmtree")


class Victim:
    """The process that is killed again and again."""

    def __init__(self, program: Path):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            # A fork takes no threads along, so there must be none before it.
            "OPENBLAS_NUM_THREADS": "1",
            "POLARS_MAX_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def order(self, *words) -> int:
        """Give an order and return the number of the process that carries it out."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return int(self.answer())

    def answer(self) -> str:
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


def serve(rehearsal: Callable[[Path], object] | None = None, **orders):
    """Read one order per line and answer each in a fork of this process, so that a victim costs no import.

    A rehearsal does once, in an empty folder, what the victims do: what it imports is there for all of them, and the
    steps at which they die are those of their work alone.
    """
    if rehearsal is not None:
        import_what_is_used_by(rehearsal)
    for line in sys.stdin:
        order, *arguments = line.split()
        if (process := os.fork()) == 0:
            answer(os.getpid())
            orders[order](*arguments)
            os._exit(0)
        os.waitpid(process, 0)
        answer("ended")


def import_what_is_used_by(rehearsal: Callable[[Path], object]) -> None:
    """Import the modules that a rehearsal imports; it runs in a fork, for it starts threads."""
    reading, writing = os.pipe()
    if (process := os.fork()) == 0:
        with tempfile.TemporaryDirectory() as folder:
            rehearsal(Path(folder))
        with os.fdopen(writing, "w") as pipe:
            pipe.write("\n".join(name for name, module in sys.modules.items() if is_installed(name, module)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read().split()
    assert os.waitpid(process, 0)[1] == 0, "the rehearsal failed"
    for name in names:
        importlib.import_module(name)


def is_installed(name: str, module: object) -> bool:
    """Whether a module comes from a file, and not from one of the tests: those may start threads when imported."""
    spec = getattr(module, "__spec__", None)
    return (
        spec is not None
        and spec.name == name
        and spec.has_location
        and Path(__file__).parent not in Path(spec.origin).parents
    )


def answer(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def die_at(step, has_begun=lambda: True, steps=STEPS):
    """Die at a step, counted from when it has begun."""
    counter = itertools.count(1)

    def die(event, _):
        if has_begun() and event in steps and next(counter) == int(step):
            os._exit(9)

    sys.addaudithook(die)


def die_at_change(step, folder):
    """Die before a change of the files below a folder: a file is opened to be written, moved or removed."""
    counter = itertools.count(1)

    def die(event, arguments):
        if event == "open":
            path, _, flags = arguments
            changes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        else:
            path, changes = (arguments or ("",))[0], event in CHANGES
        is_below = isinstance(path, str | os.PathLike) and os.fspath(path).startswith(str(folder))
        if changes and is_below and next(counter) == int(step):
            os._exit(9)

    sys.addaudithook(die)
