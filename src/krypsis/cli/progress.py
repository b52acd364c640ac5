"""Progress on stderr: one line that changes on a terminal, one line per phase elsewhere."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from krypsis.progress import JudgedNode, Progress

PHASES = {
    "send": "sending the data to the server",
    "read": "reading the data",
    "compare": "comparing with the versions before",
    "encode": "counting the combinations of values",
    "search": "searching",
    "split": "making groups of records that lie close together",
    "recode": "rewriting the data",
    "measure": "measuring what was lost",
    "check": "writing and checking the release",
    "report": "writing the report",
}


class Reporter(Progress):
    """Shows the phase and, in a search, the nodes judged and the best score so far.

    While it is listening, the first Ctrl-C asks the search for the best it has; the second ends everything at once.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._phase = ""
        self._judged = 0
        self._best: float | None = None
        self.interrupted = False
        self._said_compiling = False

    def wants_stop(self) -> bool:
        return self.interrupted

    @contextmanager
    def listening(self) -> Iterator[Reporter]:
        """Listen for Ctrl-C, and clear the line at the end."""
        from krypsis.kernels._jit import hearing_of_compilation  # noqa: PLC0415  help needs no arrays

        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            with hearing_of_compilation(self._compiling):
                yield self
        finally:
            signal.signal(signal.SIGINT, before)
            self._clear()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  what a handler is given
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print("\n… stopping; press Ctrl-C again to end at once", file=sys.stderr)

    def _compiling(self) -> None:
        """Say once what takes long when Krypsis runs for the first time."""
        if not self._said_compiling:
            self._said_compiling = True
            self._show(": compiling, once", end="\n")

    def phase(self, name: str) -> None:
        self._phase = PHASES.get(name, name)
        self._show(end="\n")

    def judged(self, node: JudgedNode) -> None:
        self._judged += 1
        if node.score is not None:
            self._best = node.score if self._best is None else min(node.score, self._best)
        if self._judged % 64 == 0 and sys.stderr.isatty():
            self._show(f": {self._judged:,} nodes judged", "" if self._best is None else f", best {self._best:.6g}")

    def _show(self, *words: str, end: str = "") -> None:
        if self._quiet:
            return
        if sys.stderr.isatty():
            print("\r\033[K… ", self._phase, *words, sep="", end="", file=sys.stderr, flush=True)
        else:
            print("… ", self._phase, *words, sep="", end=end, file=sys.stderr)

    def _clear(self) -> None:
        if not self._quiet and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
