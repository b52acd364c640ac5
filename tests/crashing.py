"""Processes that are killed again and again: the one who orders, and the victim, which is a program of its own."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

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
        self.process.wait(10)
        self.process.stdout.close()


def serve(**orders):
    """Read one order per line and answer each in a fork of this process, so that a victim costs no import."""
    for line in sys.stdin:
        order, *arguments = line.split()
        if (process := os.fork()) == 0:
            answer(os.getpid())
            orders[order](*arguments)
            os._exit(0)
        os.waitpid(process, 0)
        answer("ended")


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
