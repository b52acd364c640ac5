"""A job that waits for memory for ever is ended; one that computes, or has memory left, is not."""

import ctypes
import sys
import threading
import time

import pytest

from krypsis.projects.jobs import worker
from krypsis.projects.jobs.worker import ALLOCATORS, LONGEST_WAIT, MemoryStall


class Process:
    """A process with a size, a CPU time and a clock that the test sets."""

    def __init__(self):
        self.size, self.spent, self.now = 0, 0.0, 0.0
        self.stall = MemoryStall(1000, size=lambda: self.size, spent=lambda: self.spent, clock=lambda: self.now)

    def after(self, seconds, *, size, spent=0.0):
        self.now, self.size, self.spent = self.now + seconds, size, self.spent + spent
        return self.stall.is_certain()


def test_a_process_that_has_used_up_its_memory_and_stands_still_is_ended():
    process = Process()
    assert not process.after(1, size=950, spent=0.5)
    assert not process.after(LONGEST_WAIT - 0.1, size=950)
    assert process.after(0.2, size=950)


@pytest.mark.parametrize(("size", "spent"), [(950, 1.0), (500, 0.0)], ids=["computes", "has memory left"])
def test_a_process_that_can_go_on_is_not(size, spent):
    process = Process()
    assert not any(process.after(1, size=size, spent=spent) for _ in range(60))


def test_the_time_begins_anew_when_it_computes_again():
    process = Process()
    assert not process.after(1, size=950, spent=0.5)
    assert not process.after(LONGEST_WAIT - 1, size=950)
    assert not process.after(2, size=950, spent=0.5)
    assert not process.after(LONGEST_WAIT - 1, size=950)


def test_a_process_without_the_memory_to_look_at_itself_is_ended():
    def fail():
        raise MemoryError

    now = [0.0]
    stall = MemoryStall(1000, size=fail, spent=lambda: 0.0, clock=lambda: now[0])
    assert not stall.is_certain()
    now[0] = LONGEST_WAIT + 1
    assert stall.is_certain()


def _compute(name, until):
    """Compute in a thread of that name, as the system knows it."""
    ctypes.CDLL(None).prctl(15, name.encode())  # PR_SET_NAME
    while not until.is_set():
        sum(range(1000))


def _seconds_counted(name):
    """Return how much of a second of computing in such a thread counts as work on a job."""
    over = threading.Event()
    thread = threading.Thread(target=_compute, args=(name, over))
    before = worker._spent()
    thread.start()
    started = time.process_time()
    while time.process_time() - started < 1:
        time.sleep(0.02)
    counted = worker._spent() - before
    over.set()
    thread.join()
    return counted


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what each thread has computed")
def test_an_allocator_that_tries_for_ever_does_not_compute():
    (allocator,) = ALLOCATORS
    assert _seconds_counted(allocator) < 0.3
    assert _seconds_counted("polars-0") > 0.7


def test_looking_at_the_job_is_no_work():
    process = Process()
    process.after(1, size=950, spent=0.5)
    assert any(process.after(0.2, size=950, spent=0.001) for _ in range(60))
