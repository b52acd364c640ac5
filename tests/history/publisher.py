"""A process that publishes versions until it is killed: the victim of ``test_crashes.py``.

It reads one order per line and answers each in a fork of itself, so that a victim costs no import::

    loop FOLDER          publish "one" and "two" in turn, for ever
    crash FOLDER STEP    publish the next of them and die at the given step; answer "done" if it comes that far

A step is something that is done to a file.
"""

import os
import sys
from itertools import count

from krypsis.algorithms.watch import Watch
from krypsis.history import History

STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")


def following(history):
    """The table that comes next: the two take turns."""
    from history.people import FIRST, SECOND  # noqa: PLC0415  reading them starts threads, which no fork may have

    last = len(history.log())
    return (FIRST, SECOND)[last % 2], last + 1


def loop(folder):
    history = History.open(folder)
    while True:
        table, version = following(history)
        history.publish(table, version=version)


class Writing(Watch):
    """Knows when something begins to be written; before that, a crash has nothing to spoil."""

    begun = False

    def phase(self, name):
        self.begun = self.begun or name == "check"


def crash(folder, step):
    history, watch = History.open(folder), Writing()
    table, version = following(history)
    counter = count(1)

    def die(event, _):
        if watch.begun and event in STEPS and next(counter) == int(step):
            os._exit(9)

    sys.addaudithook(die)
    history.publish(table, version=version, watch=watch)
    answer("done")


def answer(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main():
    for line in sys.stdin:
        order, *arguments = line.split()
        if (process := os.fork()) == 0:
            answer(os.getpid())
            {"loop": loop, "crash": crash}[order](*arguments)
            os._exit(0)
        os.waitpid(process, 0)
        answer("ended")


if __name__ == "__main__":
    main()
