"""How long tests wait for what must happen.

Jobs run at a low priority, and other tests or other programs may keep the machine busy: what takes a second on an idle
machine may take a minute. So tests wait for a condition, and give up only where it would surely never come.
"""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 600
"""Seconds."""


def wait_until(condition: Callable[[], T], look: float = 0.05) -> T:
    """Return what a condition gives as soon as that is true."""
    latest = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < latest, f"waited in vain for {PATIENCE} s"
        time.sleep(look)
    return found


def allowance(seconds: float) -> float:
    """Return how long something may take that takes so many seconds: on a busy machine everything takes longer."""
    wall, spent = time.monotonic(), time.process_time()
    while time.process_time() - spent < 0.1:
        pass
    slowness = (time.monotonic() - wall) / 0.1
    return seconds if slowness < 1.2 else 4 * slowness * seconds
