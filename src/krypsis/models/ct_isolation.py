"""(c,t)-isolation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.models.mechanisms import MethodModel

NEARBY = 4
"""How many points around each published position are tried as guesses."""

SPREAD = 0.1
"""How far around, in standard deviations of the original columns."""

PART = 100_000
"""How many guesses are judged at once."""


@dataclass(frozen=True)
class Audit:
    """How many records the guesses isolate, and how many as many guesses that know nothing of the release would."""

    guesses: int
    records: int
    isolated: int
    by_chance: int

    @property
    def share(self) -> float:
        """The share of the original records that are isolated."""
        return self.isolated / self.records if self.records else 0.0


class CTIsolation(MethodModel):
    """Hardly anybody can be pointed at: where a guess comes near to somebody's numbers, many others are about as near.

    Notes
    -----
    A guess ``q`` isolates a record at the distance ``δ`` if fewer than ``t`` records are within ``c·δ`` of ``q``.
    Numbers are standardized by the mean and standard deviation of the original table; distances are Euclidean.

    Guesses are endless, so a verdict speaks of those that are tried: the published points or the centers of the
    published boxes, and four points around each, the same in every audit. Some guesses hit by chance, the more the
    fewer columns there are: so the promise is about the ``share`` of the original records that are isolated, and the
    verdict states what as many guesses without the release would do.

    A column that is the same for all adds nothing to any distance, so it isolates nobody, and the promise says nothing
    of it. But its boxes are as narrow as numbers are written, and reveal the value that everybody has: leave such a
    column out if it must not be known, or give it wide ``bounds`` and know that each halving reveals some of it.

    Whether ``q`` isolates a record is decided by the ``t`` records nearest to it. With the ``t``-th at the distance
    ``r``, isolated are those nearer than ``r / c``, which are all among the others.

    References
    ----------
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", TCC 2005, Definition 2.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [1.1], [1.2]])
    >>> CTIsolation(c=2, t=3).isolated(points, np.array([[0.1]]))
    array([ True, False, False, False])
    """

    name: ClassVar[str] = "ct-isolation"
    protects_from: ClassVar[str] = "pointing at a person by a guess of their numbers that is nearer to nobody else"
    does_not_protect_from: ClassVar[str] = (
        "guesses that were not tried, attackers who know other people's numbers already, and learning what is true of "
        "many people with like numbers; it can be verified only with the original table"
    )
    reference: ClassVar[str] = "Chawla, Dwork, McSherry, Smith, Wee, Toward privacy in public databases, TCC 2005"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    needs_original: ClassVar[bool] = True
    kept_by: ClassVar[str] = "recursive-histogram"

    c: float = Field(gt=1, le=1e6, description="how many times farther away others may be and still hide somebody")
    t: int = Field(ge=2, le=10_000, description="how many records must be that near")
    share: float = Field(default=0.05, ge=0, le=1, description="the share of the original records that may be isolated")

    @property
    def required(self) -> float:
        return self.share

    def audit(self, originals: FloatArray, positions: FloatArray) -> Audit:
        """Try all guesses that follow from published positions on the original records, one per row of each."""
        points, scaled, spread = _standardized(originals, positions)
        centers = np.unique(scaled, axis=0)
        nearby = centers + np.random.default_rng(0).normal(0, SPREAD, (NEARBY, *centers.shape)) * (spread > 0)
        guesses = np.concatenate([centers, nearby.reshape(-1, points.shape[1])])
        blind = np.random.default_rng(1).uniform(points.min(axis=0), points.max(axis=0), guesses.shape)
        found = [int(self.isolated(points, tried).sum()) for tried in (guesses, blind)]
        return Audit(len(guesses), len(points), *found)

    def isolated(self, points: FloatArray, guesses: FloatArray) -> BoolArray:
        """Say of each point whether one of the guesses isolates it."""
        found = np.zeros(len(points), dtype=np.bool_)
        for nearest in self._isolated_by(points, guesses):
            found[nearest] = True
        return found

    def _isolated_by(self, points: FloatArray, guesses: FloatArray) -> Iterator[IntArray]:
        from scipy.spatial import KDTree  # noqa: PLC0415  loaded only where distances are measured

        tree = KDTree(points)
        for part in np.array_split(guesses, range(PART, len(guesses), PART)):
            found = tree.query(part, k=[*range(1, self.t + 1)])
            distances, nearest = np.asarray(found[0]), np.asarray(found[1])
            # The last is infinitely far where there are fewer points than that.
            yield nearest[(self.c * distances < distances[:, -1:]) & np.isfinite(distances)]

    def promise(self) -> str:
        return (
            f"guesses from the release isolate at most {self.share:.4g} of the original records; a record is isolated "
            f"where fewer than {self.t} are within {self.c:g} times its distance from the guess"
        )


def _standardized(originals: FloatArray, positions: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return both in standard deviations from the mean of the originals, and these deviations."""
    middle, spread = originals.mean(axis=0), originals.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    return (originals - middle) / scale, (positions - middle) / scale, spread
