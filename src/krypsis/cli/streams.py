"""Standard output and error that survive a closed pipe, a strange encoding and the noise of libraries."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import suppress
from typing import TextIO

from krypsis.texts.printable import harmless


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


def tell(text: object = "", *, err: bool = False) -> None:
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
