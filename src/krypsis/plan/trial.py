"""Ask the search whether a plan has a feasible solution, within a time limit."""

import time
import warnings
from dataclasses import dataclass
from typing import Any

from krypsis.errors import Infeasible, KrypsisError, KrypsisWarning, Unfinished
from krypsis.plan.plan import Plan
from krypsis.progress import Interrupted, Progress

SECONDS = 20.0
"""How long a trial takes at most, unless another limit is given."""


@dataclass(frozen=True)
class Trial:
    """What the search answered."""

    feasible: bool | None
    """Whether a release keeps all promises; ``None`` where the time was not enough to find out."""
    reason: str = ""
    """Why there is none."""


NOT_TRIED = Trial(None)


class Deadline(Progress):
    """Stops a search after some seconds, or as soon as another progress wants it to stop."""

    def __init__(self, seconds: float, followed: Progress | None = None) -> None:
        self._end = time.monotonic() + seconds
        self._followed = followed or Progress()

    def phase(self, name: str) -> None:
        self._followed.phase(name)

    def wants_stop(self) -> bool:
        return time.monotonic() >= self._end or self._followed.wants_stop()


def try_plan(plan: Plan, data: Any = None, *, seconds: float = SECONDS, progress: Progress | None = None) -> Trial:
    """Return whether a release keeps the promises of a plan; nothing is written.

    Parameters
    ----------
    plan
        to try.
    data
        of the plan, if it was read already.
    seconds
        after which the search stops.
    progress
        follows the search and may stop it earlier.

    Examples
    --------
    >>> import polars as pl
    >>> plan = Plan.of({"data": "p.csv", "columns": {"age": "QI"}, "promises": ["k-anonymity:k=3"]})
    >>> try_plan(plan, pl.DataFrame({"age": [30, 40]})).feasible
    False
    """
    deadline = Deadline(seconds, progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KrypsisWarning)
        try:
            plan.check()
            deadline.phase("read")
            plan.bind(plan.read_data() if data is None else data).release(deadline)
        except (Unfinished, Interrupted):
            return NOT_TRIED
        except Infeasible as error:
            return NOT_TRIED if deadline.wants_stop() else Trial(False, str(error))
        except KrypsisError as error:
            return Trial(False, str(error))
    return Trial(True)
