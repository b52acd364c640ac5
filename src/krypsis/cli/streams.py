"""Standard output and error that survive a closed pipe, a strange encoding and the noise of libraries.

Progress on stderr: one line that changes on a terminal, one line per phase elsewhere.
"""

import io
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from krypsis.progress import JudgedNode, Progress
from krypsis.texts.printable import harmless

PHASES = {
    "send": "sending the data to the server",
    "read": "reading the data",
    "compare": "comparing with the versions before",
    "encode": "counting the combinations of values",
    "complete": "deriving everything that follows",
    "search": "searching",
    "split": "making groups of records that lie close together",
    "recode": "rewriting the data",
    "measure": "measuring what was lost",
    "check": "writing and checking the release",
    "table": "writing the table of the database",
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
    def listening(self) -> "Iterator[Reporter]":
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
        _write_in_handler("\n… stopping; press Ctrl-C again to end at once\n")

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

    def remaining(self, vertices: int) -> None:
        if sys.stderr.isatty():
            self._show(f": {vertices:,} vertices are left")

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


def _write_in_handler(text: str) -> None:
    """Write to standard error from a signal handler, past its buffer, which may be in the middle of another write."""
    try:
        number = sys.stderr.fileno()
    except (OSError, ValueError):  # a stream in memory
        sys.stderr.write(text)
    else:
        with suppress(OSError):  # nobody reads it any more
            os.write(number, text.encode(sys.stderr.encoding, "backslashreplace"))


class _UntilClosed(io.FileIO):
    """Drops what nobody reads any more, as after ``| head``: the command itself goes on to its end."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            return len(memoryview(data))  # type: ignore[arg-type]


def open_missing_streams() -> None:
    """Open what a program was started without, so that no file takes the number of a standard stream."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open until the end


def use_robust_streams(noise: int | None = None) -> None:
    """Let output drop what nobody reads and write letters that its encoding lacks in another form.

    Parameters
    ----------
    noise
        a file for what compiled libraries print as errors, which may hold values of the data.
    """
    own = 2
    if noise is not None:
        own = os.dup(2)
        os.dup2(noise, 2)
    sys.stdout = _stream(1, sys.stdout)
    sys.stderr = _stream(own, sys.stderr)


def _stream(number: int, like: TextIO | None) -> TextIO:
    encoding = "utf-8" if like is None else like.encoding
    raw = _UntilClosed(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=True, write_through=False
    )


def print_text(text: object = "", *, err: bool = False) -> None:
    """Print a text of the command line: the one place where text is printed, so that nothing in it acts on a terminal.

    What came from data or files may hold escapes that clear the screen, or change the direction of what follows.
    """
    import typer  # noqa: PLC0415  the process that supervises a command does without

    typer.echo(harmless(str(text)), err=err)


def say(sentence: str) -> None:
    """Write a sentence to standard error, if that can be written at all."""
    with suppress(OSError):
        print(harmless(f"krypsis: {sentence}"), file=sys.stderr, flush=True)


class HarmlessFormatter(logging.Formatter):
    """Writes messages of logs so that nothing in them acts on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return harmless(super().format(record))


def use_harmless_logs() -> None:
    """Let what libraries log without a place of its own be harmless, too."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(HarmlessFormatter())
