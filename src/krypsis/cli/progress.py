"""Progress on stderr: one line that changes on a terminal, one line per phase elsewhere."""

from __future__ import annotations

import sys

PHASES = {
    "read": "reading the data",
    "encode": "counting the combinations of values",
    "search": "searching",
    "generalize": "generalizing",
    "recode": "rewriting the table",
    "check": "writing and checking the release",
    "report": "writing the report",
}


class Reporter:
    """Shows the phase and, in a search, the nodes judged and the best score so far."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._phase = ""

    def __call__(self, phase: str, judged: int, best: float | None) -> None:
        if self._quiet:
            return
        if sys.stderr.isatty():
            print(f"\r\033[K{_line(phase, judged, best)}", end="", file=sys.stderr, flush=True)
        elif phase != self._phase:
            print(_line(phase, 0, None), file=sys.stderr)
        self._phase = phase

    def done(self) -> None:
        """Clear the line."""
        if not self._quiet and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _line(phase: str, judged: int, best: float | None) -> str:
    line = f"… {PHASES.get(phase, phase)}"
    if judged:
        line += f": {judged:,} nodes judged"
    return line + (f", best score {best:.6g}" if best is not None else "")
