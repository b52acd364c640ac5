"""A process that saves releases until it is killed: the victim of ``test_crashes.py``.

Its orders are::

    loop FOLDER                  save "old" and "new" in turn, for ever
    crash FOLDER STEP WAY KIND   save "new" over what is there and die at the given step; answer "done" if it comes
                                 that far

WAY is ``swap``, or ``steps`` for a system that cannot swap two folders. KIND is ``one`` for a release of one table in
one format, ``two`` for one of two tables in two formats, ``parts`` for one of a table in parts.
"""

import itertools

from crashing import answer, die_at, serve
from krypsis.release import workshop
from release.sample import TABLE, in_one_group, in_parts, make_release


def tables():
    """Two tables that a reader can distinguish, both 2-anonymous."""
    return {"old": TABLE.head(2), "new": TABLE}


FORMATS = {"one": ("csv",), "two": ("csv", "parquet"), "parts": ("parquet",)}


def release_of(name, kind="one"):
    release = make_release(table=tables()[name])
    if kind == "parts":
        return in_parts(release)
    return release if kind == "one" else in_one_group(release)


def loop(folder):
    for name in itertools.cycle(("old", "new")):
        release_of(name).save(folder, force=True)


def crash(folder, step, way, kind):
    release = release_of("new", kind)
    if way == "steps":
        workshop._rename = lambda *_: False
    die_at(step)
    release.save(folder, FORMATS[kind], force=True)
    answer("done")


def rehearse(folder):
    release_of("old", "two").save(folder / "release", FORMATS["two"])
    release_of("new", "two").save(folder / "release", FORMATS["two"], force=True)


if __name__ == "__main__":
    serve(rehearse, loop=loop, crash=crash)
