"""A process that publishes versions until it is killed: the victim of ``test_crashes.py``.

Its orders are::

    loop FOLDER          publish "one" and "two" in turn, for ever
    crash FOLDER STEP    publish the next of them and die at the given step; answer "done" if it comes that far
"""

from crashing import answer, die_at, serve
from krypsis.kinds.history.history import History
from krypsis.progress import Progress


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


class Writing(Progress):
    """Knows when something begins to be written; before that, a crash has nothing to spoil."""

    begun = False

    def phase(self, name):
        self.begun = self.begun or name == "check"


def crash(folder, step):
    history, progress = History.open(folder), Writing()
    table, version = following(history)
    die_at(step, lambda: progress.begun)
    history.publish(table, version=version, progress=progress)
    answer("done")


def rehearse(folder):
    from history.people import FIRST, GENERAL, SECOND, start  # noqa: PLC0415  see above

    for name, options in {"groups": {}, "generalized": GENERAL}.items():
        (folder / name).mkdir()
        history = start(folder / name, **options)
        history.publish(FIRST)
        history.publish(SECOND)


if __name__ == "__main__":
    serve(rehearse, loop=loop, crash=crash)
