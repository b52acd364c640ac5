"""The exit codes of the command line: what a script learns without reading a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from krypsis.models.verdict import Verdict

EXIT_PROMISE = 1
"""A promise does not hold, or nothing feasible was found."""
EXIT_USAGE = 2
"""Wrong usage, or input that cannot be used."""
EXIT_UNDECIDED = 3
"""Nothing is broken, and the files do not decide every promise."""
EXIT_INTERNAL = 70
"""A contradiction inside Krypsis: our bug, not the user's (EX_SOFTWARE)."""
EXIT_MEMORY = 71
"""Not enough memory, or too few open files allowed (EX_OSERR)."""
EXIT_DISK = 74
"""The disk cannot be read or written: full, read-only or broken (EX_IOERR)."""
EXIT_INTERRUPTED = 130


def exit_code_of(verdicts: Iterable[Verdict]) -> int:
    """Return 0 only if every promise was shown to hold; without a promise nothing was shown.

    Examples
    --------
    >>> exit_code_of([])
    3
    """
    from krypsis.models.verdict import all_hold  # noqa: PLC0415  not loaded for `krypsis --help`

    return {True: 0, False: EXIT_PROMISE, None: EXIT_UNDECIDED}[all_hold(verdicts)]
