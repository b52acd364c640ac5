"""Population uniqueness."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.errors import UsageError
from krypsis.models.base import TableModel

STEPS = 60
"""Newton's method needs five to ten steps where it gets anywhere."""

DISTANT = 1000.0
"""For arguments from this on, differences of polygamma functions lose too many digits."""

SMALL_SAMPLE = 0.1
"""Up to this sampling fraction the decision rule of Dankar and others trusts Pitman's formula."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How many groups have which size: ``counts[i]`` groups have ``sizes[i]`` records, in ascending order.

    Examples
    --------
    >>> spectrum = Spectrum.of(np.array([1, 4, 1, 2]))
    >>> spectrum.sizes, spectrum.counts, spectrum.groups, spectrum.records
    (array([1, 2, 4]), array([2, 1, 1]), 4, 8)
    """

    sizes: IntArray
    counts: IntArray

    @classmethod
    def of(cls, sizes: IntArray) -> "Spectrum":
        """Count groups by their size."""
        counted = np.bincount(sizes)
        present = np.flatnonzero(counted)
        return cls(present, counted[present])

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.counts.sum())

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.sizes @ self.counts)

    def groups_of(self, size: int) -> int:
        """Return the number of groups of one size."""
        return int(self.counts[self.sizes == size].sum())


def zayatz(spectrum: Spectrum, people: int) -> float:
    """Return the estimate of Zayatz: a group of one record is one person with a probability by Bayes' rule.

    The sizes of groups in the population are taken to be distributed as those in the sample; from a group of ``s``
    people a sample of ``n`` out of ``N`` takes exactly one with the hypergeometric probability.
    """
    n = spectrum.records
    taken = _taken_once(spectrum.sizes, n, people)
    alone = spectrum.groups_of(1)
    share = alone * float(taken[0]) / float(spectrum.counts @ taken)
    return alone * share * people / n


def _taken_once(sizes: IntArray, n: int, people: int) -> FloatArray:
    """Return how likely a sample of ``n`` out of ``people`` takes exactly one of a group of each size.

    It is ``s · n · (N-n)! / (N-n-s+1)! · (N-s)! / N!``; large factorials would lose all digits, so their quotients are
    computed as such.
    """
    others = sizes - 1
    possible = others <= people - n
    fewer = np.where(possible, others, 0)
    logs = _log_falling(people - n, fewer) - _log_falling(people - 1, others)
    return np.where(possible, sizes * (n / people) * np.exp(logs), 0.0)


def _log_falling(top: int, factors: IntArray) -> FloatArray:
    """Return ``log(top · (top-1) · …)`` of so many factors, each at least 1."""
    from scipy.special import gammaln  # noqa: PLC0415  it takes long to load and few promises need it

    left = (top - factors).astype(np.float64)
    large = left >= 16  # where the series of Stirling is exact to the last digit
    b = np.where(large, left, 16.0)
    a: FloatArray = b + factors.astype(np.float64)
    series = -(b + 0.5) * np.log1p(-factors / a) + factors * np.log(a) - factors + _stirling(a) - _stirling(b)
    return np.where(large, series, gammaln(top + 1.0) - gammaln(left + 1.0))


def _stirling(x: FloatArray) -> FloatArray:
    """Return what the series of Stirling adds to the logarithm of a factorial."""
    return 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5) - 1 / (1680 * x**7)


def pitman(spectrum: Spectrum, people: int) -> float:
    """Return the estimate by Pitman's sampling formula: ``Γ(θ+1) / Γ(θ+α) · N^α`` at the most likely θ and α.

    With ``α = 0``, where that is most likely, it is the formula of Ewens and the estimate is ``θ``. Where every record
    stands alone nothing is most likely.
    """
    from scipy.special import gammaln  # noqa: PLC0415

    if spectrum.groups == spectrum.records:
        return math.nan
    ewens = _most_likely_of_ewens(spectrum)
    if _slope_at_zero(spectrum, ewens) <= 0:
        return min(ewens, float(people))
    theta, alpha = _most_likely_of_pitman(spectrum, ewens)
    unique = math.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * math.log(people))
    return min(unique, float(people))


def _most_likely_of_ewens(spectrum: Spectrum) -> float:
    """Return the most likely θ where ``α = 0``: the one for which as many groups are expected as there are."""
    from scipy.optimize import brentq  # noqa: PLC0415
    from scipy.special import psi  # noqa: PLC0415

    n, u = spectrum.records, spectrum.groups

    def too_many(log_theta: float) -> float:
        theta = math.exp(log_theta)
        return float(theta * (psi(theta + n) - psi(theta)) - u)

    # One group is expected for θ → 0, n for θ → ∞; n - u ≈ n² / 2θ there.
    return 0.0 if u == 1 else math.exp(brentq(too_many, -40.0, math.log(n) * 2 + 5))


def _slope_at_zero(spectrum: Spectrum, theta: float) -> float:
    """Return whether a little above ``α = 0`` is more likely: the slope of the logarithm of the likelihood there."""
    from scipy.special import psi  # noqa: PLC0415

    u = spectrum.groups
    if u == 1:
        return -1.0
    return u * (u - 1) / (2 * theta) - float(spectrum.counts @ (psi(spectrum.sizes) - psi(1)))


def _most_likely_of_pitman(spectrum: Spectrum, ewens: float) -> tuple[float, float]:
    """Return the most likely θ and α by Newton's method; NaN where it gets nowhere."""
    alone = spectrum.groups_of(1) / spectrum.groups  # α for large samples
    starts = (_start_of_pitman(spectrum), (0.0, alone), (ewens, 0.01), (ewens / 2, 0.2), (ewens / 10, 0.5))
    found = (_climbed(spectrum, theta, alpha) for theta, alpha in starts)
    return next((point for point in found if not math.isnan(point[0])), (math.nan, math.nan))


def _climbed(spectrum: Spectrum, theta: float, alpha: float) -> tuple[float, float]:
    for _ in range(STEPS):
        slope, curve = _likelihood(spectrum, theta, alpha)
        (a, b), (_, d) = curve
        below = a * d - b * b
        if not below > 0 or not a < 0:  # not near a maximum
            break
        up, right = -(d * slope[0] - b * slope[1]) / below, -(a * slope[1] - b * slope[0]) / below
        theta, alpha = _inside(theta, alpha, up, right)
        if abs(up) <= 1e-9 * (theta + alpha) and abs(right) <= 1e-9 * alpha:  # what is left is the square of that
            return theta, alpha
    return math.nan, math.nan


def _inside(theta: float, alpha: float, up: float, right: float) -> tuple[float, float]:
    """Return the next point of Newton's method: half of the way to ``0 < α < 1`` or ``θ > -α`` where it would cross."""
    scale = 1.0
    for value, step in ((theta + alpha, up + right), (alpha, right), (1 - alpha, -right)):
        if value + step <= 0:
            scale = min(scale, -0.5 * value / step)
    return theta + scale * up, alpha + scale * right


def _start_of_pitman(spectrum: Spectrum) -> tuple[float, float]:
    """Return the moment estimates of Hoshino, moved to where the parameters may be."""
    n, u, alone, pairs = spectrum.records, spectrum.groups, spectrum.groups_of(1), max(spectrum.groups_of(2), 1)
    c = alone * (alone - 1) / pairs
    below = 2 * alone * u + alone * c - n * c
    theta = (n * u * c - alone * (n - 1) * (2 * u + c)) / below if below else 1.0
    alpha = (theta * (alone - n) + (n - 1) * alone) / (n * u)
    return max(theta, 1.0), min(max(alpha, 0.01), 0.99)


def _likelihood(spectrum: Spectrum, theta: float, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return the first and second derivatives of the logarithm of the likelihood.

    The sums over ``1 / (θ + i)`` and ``1 / (j - α)`` and over their squares are differences of polygamma functions.
    """
    from scipy.special import psi, zeta  # noqa: PLC0415

    n, sizes = spectrum.records, spectrum.sizes
    one, two, weighted, mixed, twice = _sums(spectrum.groups, theta, alpha)
    by_one, by_two = psi(n + theta) - psi(1 + theta), zeta(2, 1 + theta) - zeta(2, n + theta)
    inner = float(spectrum.counts @ (psi(sizes - alpha) - psi(1 - alpha)))
    inner_two = float(spectrum.counts @ (zeta(2, 1 - alpha) - zeta(2, sizes - alpha)))
    return np.array([one - by_one, weighted - inner]), np.array([[by_two - two, -mixed], [-mixed, -twice - inner_two]])


def _sums(u: int, theta: float, alpha: float) -> tuple[float, float, float, float, float]:
    """Return, over ``i`` from 1 to ``u - 1`` and with ``t = θ + iα``, the sums of 1/t, 1/t², i/t, i/t² and i²/t²."""
    from scipy.special import psi, zeta  # noqa: PLC0415

    x = theta / alpha
    if x > DISTANT:
        i = np.arange(1.0, u)
        part = 1 / (theta + i * alpha)
        share = i * part
        one, two, weighted, mixed, twice = (each.sum() for each in (part, part * part, share, share * part, share**2))
        return float(one), float(two), float(weighted), float(mixed), float(twice)
    one, two = psi(u + x) - psi(1 + x), zeta(2, 1 + x) - zeta(2, u + x)
    mixed, twice = one - x * two, (u - 1) - 2 * x * one + x**2 * two
    return one / alpha, two / alpha**2, ((u - 1) - x * one) / alpha, mixed / alpha**2, twice / alpha**2


def snb(spectrum: Spectrum, people: int) -> float:
    """Return the estimate by the shifted negative binomial model: ``K β^α`` for ``K`` groups in the population.

    ``K`` is estimated by Shlosser's formula; ``α`` and ``β`` make as many groups of one and of two records expected as
    there are.
    """
    from scipy.optimize import root  # noqa: PLC0415

    fraction = spectrum.records / people
    groups = _groups_of_population(spectrum, fraction)
    wanted = np.array([spectrum.groups_of(1), spectrum.groups_of(2)], dtype=np.float64)
    if not math.isfinite(groups) or not wanted.all():
        return math.nan

    def missed(logs: FloatArray) -> FloatArray:
        return np.log(_expected(logs, groups, fraction) / wanted)

    for start in ((0.0, -1.0), (0.0, 1.0), (-2.0, -4.0), (2.0, 3.0)):
        with np.errstate(all="ignore"):
            found = root(missed, np.array(start), tol=1e-12)
        if found.success and np.abs(found.fun).max() < 1e-8:
            alpha, beta = math.exp(found.x[0]), 1 / (1 + math.exp(-found.x[1]))
            return float(groups * beta**alpha)
    return math.nan


def _expected(logs: FloatArray, groups: float, fraction: float) -> FloatArray:
    """Return how many groups of one and of two records are expected, for ``log α`` and the log-odds of ``β``."""
    alpha, beta = np.exp(logs[0]), 1 / (1 + np.exp(-logs[1]))
    missed = (1 - fraction) * (1 - beta)
    common = groups * (beta / (1 - missed)) ** alpha * fraction
    one = common * (1 + alpha * missed / (1 - missed))
    two = common * fraction * alpha * (1 - beta) / (2 * (1 - missed) ** 2) * (2 - (1 - alpha) * missed)
    return np.array([one, two])


def _groups_of_population(spectrum: Spectrum, fraction: float) -> float:
    """Return the modified estimate of Shlosser for the number of groups in the population."""
    s, c, q = spectrum.sizes.astype(np.float64), spectrum.counts.astype(np.float64), 1 - fraction
    squared = c @ (s * fraction**2 * (1 - fraction**2) ** (s - 1))
    seen = c @ (q**s * ((1 + fraction) ** s - 1))
    ratio = (c @ q**s) / (c @ (s * fraction * q ** (s - 1)))
    if not seen > 0:
        return math.nan
    return float(spectrum.groups + spectrum.groups_of(1) * squared / seen * ratio**2)


def dankar(spectrum: Spectrum, people: int) -> float:
    """Return the estimate by the decision rule of Dankar and others; see the notes of the model."""
    if spectrum.records <= SMALL_SAMPLE * people:
        estimate = pitman(spectrum, people)
        return zayatz(spectrum, people) if math.isnan(estimate) else estimate
    return float(np.fmin(snb(spectrum, people), zayatz(spectrum, people)))


ESTIMATORS: Mapping[str, Callable[[Spectrum, int], float]] = {
    "dankar": dankar,
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
}


class PopulationUniqueness(TableModel):
    """By estimate, at most a given share of the people of the population look like nobody else in it.

    Notes
    -----
    The table is taken for a random sample of a population whose size is known and whose records are not. From how many
    groups have 1, 2, 3, … records an estimator states how many people of the population would stand alone:

    - ``zayatz``: how likely a group of one record comes from one person, if the groups of the population are
      distributed as those of the sample are; too high for small samples;
    - ``pitman``: the sampling formula of Pitman with the most likely parameters; good for small samples;
    - ``snb``: groups of the population follow a negative binomial distribution shifted by one; good for large samples;
    - ``dankar``: the decision rule of Dankar and others: ``pitman`` up to a tenth of the population, else the lower of
      ``snb`` and ``zayatz``; ``zayatz`` where the others give no estimate.

    Where an estimator finds no parameters there is no estimate, and the promise is not kept unless no record stands
    alone. Suppressed records are no part of the sample: ``people`` stays what it is. Estimates are no proof; a table of
    the population and ``k-map`` are.

    References
    ----------
    Dankar et al., "Estimating the re-identification risk of clinical data sets", BMC Med. Inform. Decis. Mak. 12:66,
    2012. Pitman: Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", J. Off. Stat.
    17(4), 2001. Zayatz, "Estimation of the number of unique population elements using a sample", ASA, 1991. SNB: Chen,
    Keller-McNulty, "Estimation of identification disclosure risk in microdata", J. Off. Stat. 14(1), 1998.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> model = PopulationUniqueness(threshold=0.05, people=1000, estimator="zayatz")
    >>> round(model.measure(Groups.of_sizes([1, 1, 2, 4])), 4)
    0.0633
    """

    name: ClassVar[str] = "population-uniqueness"
    protects_from: ClassVar[str] = "linking records of people who stand alone in the population, as far as estimated"
    does_not_protect_from: ClassVar[str] = (
        "attackers who know that somebody is in the data, linking people who stand alone in spite of the estimate, and "
        "learning a sensitive value that all records of a group share"
    )
    reference: ClassVar[str] = (
        "Dankar et al., Estimating the re-identification risk of clinical data sets, BMC Med. Inform. 12:66, 2012"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    threshold: float = Field(gt=0, le=1, description="largest share of the population that may stand alone")
    people: int = Field(ge=1, description="number of people in the population that the table is a sample of")
    estimator: Literal["dankar", "pitman", "zayatz", "snb"] = Field(
        default="dankar", description="how the number of people who stand alone is estimated"
    )

    @property
    def required(self) -> float:
        return self.threshold

    def level(self, sizes: IntArray) -> float:
        spectrum = Spectrum.of(sizes)
        if spectrum.records > self.people:
            raise UsageError(
                f"people of {self.name} must be at least the number of records, {spectrum.records}, got {self.people}: "
                "the table is a sample of the population"
            )
        if spectrum.groups_of(1) == 0:
            return 0.0
        unique = ESTIMATORS[self.estimator](spectrum, self.people)
        return math.inf if math.isnan(unique) else unique / self.people

    def suffices(self, level: float) -> bool:
        return level <= self.threshold

    def promise(self) -> str:
        return (
            f"by the estimate of {self.estimator.capitalize()}, at most {self.threshold:g} of the {self.people} people "
            "of the population look like nobody else in it"
        )
