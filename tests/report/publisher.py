"""A process that publishes again and dies while it does: the victim of ``test_report_crashes.py``.

Its order is ``crash FOLDER STEP``: publish over what is there and die before the given rename or removal of a file; the
answer is "done" if it comes that far.
"""

from pathlib import Path

from crashing import answer, die_at, serve
from krypsis.kinds.publishing import WantedFiles, publish_made
from krypsis.progress import NO_PROGRESS
from report.releases import medical


def published(folder):
    return publish_made(lambda _: medical(), Path(folder), NO_PROGRESS, WantedFiles(("csv",), report=True), force=True)


def crash(folder, step):
    die_at(step, steps=("os.rename", "os.remove"))
    published(folder)
    answer("done")


def rehearse(folder):
    published(folder / "release")
    published(folder / "release")


if __name__ == "__main__":
    serve(rehearse, crash=crash)
