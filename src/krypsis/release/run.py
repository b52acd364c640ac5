"""The making of a release: one template for seed, clock and phases, whatever method makes it."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import seed_of
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import Publication
from krypsis.release.release import Release


class Run:
    """One run of a method: it follows the phases, takes their time, draws the seed, and builds the release.

    Parameters
    ----------
    progress
        hears of every phase.
    seed
        what all random choices follow from, together with the data; one that nobody can guess unless given.

    Examples
    --------
    >>> run = Run(seed=42)
    >>> with run.phase("search"):
    ...     number = run.random([b"flu", b"hiv"]).integers(1000)
    >>> list(run.seconds), number == Run(seed=42).random([b"flu", b"hiv"]).integers(1000)
    (['search'], np.True_)
    """

    def __init__(self, progress: Progress = NO_PROGRESS, seed: int | None = None) -> None:
        self.progress = progress
        self.seed = secrets.randbits(64) if seed is None else seed
        self.seconds: dict[str, float] = {}
        self._drawn = False
        self._earlier_steps = len(progress.steps)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Announce a phase, and take the time of what is done inside."""
        self.progress.phase(name)
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 4)

    def random(self, hidden: Iterable[bytes]) -> np.random.Generator:
        """Return the random numbers of this run, which the private record lets the publisher repeat."""
        self._drawn = True
        return generator(self.seed, hidden)

    def release(
        self,
        publication: Publication,
        made_by: MadeBy,
        before: Before | None = None,
        order_from: np.random.Generator | None = None,
        **private: Any,
    ) -> Release:
        """Return the release that was made; nothing about it has been checked.

        Parameters
        ----------
        publication, made_by, before
            of the release.
        order_from
            what the order of the records follows from, where a seed is to repeat it.
        **private
            what else stays with the publisher.
        """
        known = {
            **({"seed": self.seed} if self._drawn else {}),
            **({"seconds": self.seconds} if self.seconds else {}),
            **({} if order_from is None else seed_of(order_from)),
        }
        return Release(publication, made_by, private={**known, **private}, before=self._with_steps(before, made_by))

    def _with_steps(self, before: Before | None, made_by: MadeBy) -> Before | None:
        """Return what was before with the steps of the algorithm that made the release, where a trace was wanted."""
        name = made_by.algorithm.partition(":")[0]
        steps = tuple(step for step in self.progress.steps[self._earlier_steps :] if step.algorithm == name)
        return replace(before, steps=steps) if before is not None and steps else before


def generator(seed: int, hidden: Iterable[bytes]) -> np.random.Generator:
    """Return random numbers that follow from a seed and from what is not published.

    People write ``seed: 42``. If the numbers followed from the seed alone, who tries small ones could take the noise
    away again, or put the values of a group back where they belong.

    Examples
    --------
    >>> generator(42, [b"flu", b"hiv"]).integers(1000) == generator(42, [b"flu", b"hiv"]).integers(1000)
    np.True_
    >>> generator(42, [b"flu", b"hiv"]).integers(1000) == generator(42, [b"hiv", b"flu"]).integers(1000)
    np.False_
    """
    digest = hashlib.sha256()
    for part in hidden:
        digest.update(len(part).to_bytes(8, "little") + part)
    return np.random.default_rng([seed, *np.frombuffer(digest.digest(), dtype="<u4").tolist()])


def coded_bytes(labels: Iterable[object], codes: np.ndarray[Any, Any]) -> Iterator[bytes]:
    """Yield a coded column as bytes that a generator may follow from."""
    yield repr(tuple(labels)).encode()
    yield codes.astype("<i8").tobytes()
