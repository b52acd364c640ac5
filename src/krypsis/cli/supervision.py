"""A command works in a process of its own, so that every end of it has an exit code and a sentence.

Compiled libraries that get no memory do not raise: they abort, exit with a code of their own, or are killed by the
system. Whoever works in the same process cannot say what happened; the process that started it can.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from krypsis.cli.failures import EXIT_INTERNAL, EXIT_MEMORY, Terminated
from krypsis.cli.memory import no_memory, take_little_memory
from krypsis.cli.streams import say, use_robust_streams
from krypsis.io.memory import SAYS_SO, memory_limit

PATIENCE = 20.0
"""Seconds that the work may take to end in order after a signal."""
DELAY = 0.01
"""Seconds after which a signal that came at the wrong moment comes again: by then its place has been left."""
LONGEST_LOADING = 5.0
"""Seconds that a signal waits for the end of an import: a module of others may do anything."""
LARGEST_NOISE = 16 * 1024**2
TAIL = 64 * 1024
PR_SET_PDEATHSIG = 1


def can_supervise() -> bool:
    """Say whether this system can: processes fork, and signals tell where they come from."""
    return hasattr(os, "fork") and hasattr(signal, "sigtimedwait")


def supervise(work: Callable[[], int]) -> int:
    """Do work in a process of its own; return its exit code, or the one for how the process came to its end."""
    words, last_words = os.pipe()
    noise = _open_noise()
    watched = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    supervisor = os.getpid()
    if (child := os.fork()) == 0:
        _begin(supervisor, noise, mask)
        _end(work(), last_words)
    os.close(last_words)
    try:
        status, asked = _follow(child, noise, watched)
        said = os.read(words, 16)
        return int(said) if said else _explain(status, asked, noise)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(words)
        os.close(noise)


def terminate_in_order() -> None:
    """Let signals that end a process do so as an error does: what was begun is cleaned up."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end_by)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _end_by_what_waits)
        sys.unraisablehook = _ignore_signals


@dataclass
class _Ending:
    """How far the process is on its way to its end."""

    waits: int = 0
    """The signal that waits for its turn."""
    latest: float = float("inf")
    """When it stops waiting."""
    has_begun: bool = False
    """Once is enough, and cleaning up must not be interrupted."""


_ending = _Ending()


def _end_by(number: int, frame: FrameType | None) -> None:
    """Raise what ends the process, but not while a module is being loaded: there others catch it or hide it.

    Libraries catch everything around an import that may fail, and a class that is being made says that its fields are
    wrong.
    """
    if _is_loading(frame) and hasattr(signal, "setitimer") and time.monotonic() < _ending.latest:
        _ending.latest = min(_ending.latest, time.monotonic() + LONGEST_LOADING)
        _wait(number)
        return
    _ending.latest = float("inf")
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    if not _ending.has_begun:
        _ending.has_begun = True
        raise Terminated(number)


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _wait(number: int) -> None:
    # A timer of the system: a thread cannot be started here, the signal may have come while one was.
    _ending.waits = number
    signal.setitimer(signal.ITIMER_REAL, DELAY)


def _end_by_what_waits(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  what a handler is given
    _end_by(_ending.waits, frame)


def _ignore_signals(ignored: "sys.UnraisableHookArgs") -> None:
    """Say nothing of a signal that came in a finalizer or the callback of a reference, but let it come again."""
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        _wait(signal.SIGINT)
    elif isinstance(ignored.exc_value, Terminated):
        _ending.has_begun = False
        _wait(ignored.exc_value.number)
    else:
        sys.__unraisablehook__(ignored)


def _begin(supervisor: int, noise: int, mask: Iterable[int]) -> None:
    """Set up the process that works."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))
    if os.getppid() != supervisor:
        os._exit(128 + signal.SIGTERM)
    use_robust_streams(noise)
    if memory_limit() is not None:
        take_little_memory()
    terminate_in_order()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _end(code: int, last_words: int) -> NoReturn:
    """Say the exit code before leaving: whoever leaves without it did not mean to."""
    os.write(last_words, str(code).encode())
    os._exit(code)


def _follow(child: int, noise: int, signals: Iterable[int]) -> tuple[int, int | None]:
    """Pass signals on until the process has ended; return how it ended, and the signal that asked it to."""
    asked: int | None = None
    latest = float("inf")
    while True:
        found = signal.sigtimedwait(signals, 1.0)
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status, asked
        if os.fstat(noise).st_size > LARGEST_NOISE:
            os.ftruncate(noise, 0)
        if time.monotonic() > latest:
            os.kill(child, signal.SIGKILL)
        if found is None or found.si_signo == signal.SIGCHLD:
            continue
        if found.si_code <= 0:  # sent by a process; what the terminal sends goes to both of us
            os.kill(child, found.si_signo)
        # The first Ctrl-C asks for the best so far, which may take its time.
        if found.si_signo != signal.SIGINT or asked == signal.SIGINT:
            latest = min(latest, time.monotonic() + PATIENCE)
        asked = found.si_signo


def _explain(status: int, asked: int | None, noise: int) -> int:
    """Say how a process ended that left no exit code, and return one for it."""
    if asked is not None and os.WIFEXITED(status) and os.WEXITSTATUS(status) == 128 + asked:
        return 128 + asked  # a server that was asked twice ends at once, without a word
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if ended_by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) or (ended_by == signal.SIGKILL and asked):
        number = int(asked or ended_by)
        say("interrupted" if number == signal.SIGINT else "ended by a signal of the system")
        return 128 + number
    if ended_by == signal.SIGKILL:
        say(f"the system has killed the process, most likely for want of memory: {no_memory()}")
        return EXIT_MEMORY
    if memory_limit() is not None or SAYS_SO.search(_tail(noise)):
        say(no_memory())
        return EXIT_MEMORY
    how = f"ended by {signal.Signals(ended_by).name}" if ended_by else f"ended with code {os.WEXITSTATUS(status)}"
    say(f"something went wrong that should not: a compiled library {how}; please report it, with what you were doing")
    return EXIT_INTERNAL


def _open_noise() -> int:
    """Return a file in memory for what libraries print; nobody but this process can read it."""
    if not hasattr(os, "memfd_create"):
        return os.open(os.devnull, os.O_RDWR)
    import fcntl  # noqa: PLC0415  there is none on Windows

    noise = os.memfd_create("krypsis-noise")
    fcntl.fcntl(noise, fcntl.F_SETFL, os.O_APPEND)
    return noise


def _tail(noise: int) -> str:
    size = os.fstat(noise).st_size
    return os.pread(noise, TAIL, max(0, size - TAIL)).decode("utf-8", "replace")
