"""How long the phases of a run take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """Takes the time of each phase for the private record."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, phase: str) -> Iterator[None]:
        """Take the time of what is done inside."""
        start = perf_counter()
        yield
        self.seconds[phase] = round(perf_counter() - start, 4)
