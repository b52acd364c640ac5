"""Where the command ``krypsis`` starts: before anything large is loaded, and whatever happens afterwards."""

import gc
import os
import sys
from collections.abc import Callable

from krypsis.cli.failures import Terminated, failure_of
from krypsis.cli.memory import load_what_hangs_without_memory
from krypsis.cli.streams import open_missing_streams, say, use_robust_streams
from krypsis.cli.supervision import can_supervise, supervise, terminate_in_order

FEW_COLLECTIONS = (300_000, 3, 3)
"""When Python looks for cyclic garbage in a command: looking as often as usual takes a tenth of a short run."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*FEW_COLLECTIONS)
    try:
        open_missing_streams()
        code = supervise(run_command) if can_supervise() else _run_here()
    except BaseException as error:  # noqa: BLE001  a process that cannot be started has its reason, too
        code = _report(error)
    os._exit(code)  # loaded libraries have nothing left to do, and some of them hang when they are unloaded


def _run_here() -> int:
    use_robust_streams()
    terminate_in_order()
    return run_command()


def run_command() -> int:
    """Carry out the command in ``sys.argv`` and return its exit code."""
    try:
        load_what_hangs_without_memory()
        from krypsis.cli.main import app  # noqa: PLC0415  loading it is part of what can go wrong

        code = _exit_code(lambda: app(prog_name="krypsis"))
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  the last place where it can be said
        return _report(error)
    return code


def _exit_code(command: Callable[[], object]) -> int:
    try:
        command()
    except SystemExit as ending:
        if isinstance(ending, Terminated):
            raise
        if isinstance(getattr(ending.__context__, "__cause__", None), KeyboardInterrupt):
            raise KeyboardInterrupt from None  # it came while typer read the command, which ends without a word
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return 0


def _report(error: BaseException) -> int:
    failure = failure_of(error)
    say(failure.sentence)
    return failure.code


if __name__ == "__main__":
    main()
