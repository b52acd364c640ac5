"""What every test can rely on: hypothesis profiles, and the folder of public data sets."""

import atexit
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from krypsis import registry
from krypsis.kernels import _jit

_jit.MOST_PLAIN_WORK = 0  # tables of tests are small, and machine code is what is tested

REPOSITORY = Path(__file__).resolve().parents[1]
PARTS = {
    *("algorithms", "attacks", "checker", "contracts", "dossier", "engines", "graphs", "history", "io", "metrics"),
    *("models", "oracles", "papers", "transactions", "utility"),
}
"""Folders of tests that publish sensitive values without a promise about them; all others must not, or say so."""
collect_ignore_glob = ["contracts/toy_*"]  # kinds and engines that tests put where the library finds them
LEFT_OUT = pytest.StashKey[int]()
UMASK = os.umask(0o022)
os.umask(UMASK)

# The usual run draws the same cases each time, so that it fails for a change and for nothing else; new ones are drawn
# in thorough runs.
settings.register_profile(
    "fast", max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def public_data() -> Path:
    """The folder where the public data sets are expected."""
    return Path(os.environ.get("KRYPSIS_DATA") or REPOSITORY.parent / "shared" / "data")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets; a test that asks for it is left out where the folder does not exist."""
    return public_data()


@pytest.fixture(autouse=True)
def _no_class_stays_registered() -> Iterator[None]:
    """Let no test find a model that another one has made."""
    yield
    for kind in registry.KINDS:
        registry._added[kind].clear()


def is_about_a_part(item: pytest.Item) -> bool:
    """Whether a test is about one part of the toolkit, with tables made for it: what they disclose is no news."""
    folders = item.path.relative_to(REPOSITORY).parts
    return folders[0] == "tests" and folders[1] in PARTS


def needs_data(item: pytest.Item) -> bool:
    return item.get_closest_marker("data") is not None or "data_folder" in getattr(item, "fixturenames", ())


def place_in_order(item: pytest.Item) -> tuple[bool, str]:
    """Put the tests of a group first, next to each other.

    A process that has run out of tests takes over the last ones of another. So the first ones all run in one process,
    and what they share, such as a session of Spark, starts once.
    """
    group = item.get_closest_marker("xdist_group")
    return (group is None, "" if group is None else group.args[0])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("exposed") or is_about_a_part(item):
            item.add_marker(pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning"))
    items.sort(key=place_in_order)
    if public_data().is_dir():
        return
    left_out = [item for item in items if needs_data(item)]
    items[:] = [item for item in items if not needs_data(item)]
    config.hook.pytest_deselected(items=left_out)
    config.stash[LEFT_OUT] = len(left_out)


def pytest_collection_finish() -> None:
    # The tests and all that they import stay to the end: what collects garbage need not look at them again and again.
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # not before: at its end pytest collects garbage several times
    gc.set_threshold(20_000, 20, 20)  # with the usual 700 it takes a tenth of the time of a test


def pytest_runtest_teardown() -> None:
    os.umask(UMASK)  # a server that was started in this process has taken all rights from others


def pytest_sessionfinish(session: pytest.Session) -> None:
    # In a worker of pytest-xdist: hand the number over to the process that prints the summary.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["data_tests_left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    # Every worker collects all tests, so each reports the same number.
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("data_tests_left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} data tests left out: no public data at {public_data()}", yellow=True)
