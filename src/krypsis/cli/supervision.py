"""A command works in a process of its own, so that every end of it has an exit code and a sentence.

Compiled libraries that get no memory do not raise: they abort, exit with a code of their own, or are killed by the
system. Whoever works in the same process cannot say what happened; the process that started it can.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import NoReturn

from krypsis.cli.failures import EXIT_INTERNAL, EXIT_MEMORY, WANTS_MEMORY, Terminated
from krypsis.cli.memory import memory_limit, no_memory, take_little_memory
from krypsis.cli.streams import say, use_robust_streams

PATIENCE = 20.0
"""Seconds that the work may take to end in order after a signal."""
DELAY = 0.01
"""Seconds after which a signal that was ignored is sent again: by then its place has been left."""
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
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _terminate)
    if hasattr(signal, "pthread_kill"):
        sys.unraisablehook = _ignore_signals
        Terminated.send_again = _send_again


_ending = threading.Event()
"""Whether the process is on its way to its end: once is enough, and cleaning up must not be interrupted."""


def _terminate(number: int, frame: object) -> None:  # noqa: ARG001  what a handler is given
    if not _ending.is_set():
        _ending.set()
        raise Terminated(number)


def _ignore_signals(ignored: sys.UnraisableHookArgs) -> None:
    """Say nothing of a signal that came in a finalizer or the callback of a reference, but send it again."""
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        _send_again(signal.SIGINT)
    elif not isinstance(ignored.exc_value, Terminated):  # which sees to it itself
        sys.__unraisablehook__(ignored)


def _send_again(number: int) -> None:
    """Send a signal that was lost once more, a moment later: by then the place that has lost it is left."""
    _ending.clear()
    again = threading.Timer(DELAY, signal.pthread_kill, [threading.main_thread().ident, number])
    again.daemon = True
    again.start()


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
    if memory_limit() is not None or WANTS_MEMORY.search(_tail(noise)):
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
