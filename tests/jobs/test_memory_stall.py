"""A job that waits for memory for ever is ended; one that computes, or has memory left, is not."""

import pytest

from krypsis.projects.jobs.memory import LONGEST_WAIT, MemoryStall


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


def test_looking_at_the_job_is_no_work():
    process = Process()
    process.after(1, size=950, spent=0.5)
    assert any(process.after(0.2, size=950, spent=0.001) for _ in range(60))
