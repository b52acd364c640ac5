"""An attack tries to learn something about people from what is published, and says how often it succeeds."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

from krypsis.specs import write_spec

CONFIDENCE = 0.95
"""The confidence of every interval."""

SMALLEST = 0.001
"""Shares below are not shown in digits."""

_QUANTILE = 1.959963984540054
"""The quantile of the normal distribution for that confidence, two-sided."""


@dataclass(frozen=True)
class AttackSuccess:
    """How often an attack succeeds, compared with an attacker who has not seen the release.

    Examples
    --------
    >>> found = AttackSuccess.of("linkage", targets=50, rate=0.2, baseline=0.02)
    >>> print(found.sentence())
    linkage: succeeds for 20 % of 50 targets (95 % confidence: 11.2 % to 33 %); without the release 2 %
    """

    attack: str
    """The name of the attack."""
    targets: float
    """How many records or people the attack was tried on; an expected number where a release publishes groups."""
    rate: float
    """The share of the targets that the attack succeeds for; where it is known within bounds only, the upper one."""
    low: float
    high: float
    """The ends of the confidence interval of the rate."""
    baseline: float
    """The same share for an attacker who has not seen the release."""
    certain: float = 0.0
    """For how many targets the attacker is sure enough of the success."""
    cannot_say: tuple[str, ...] = ()
    """What the figures leave open, one sentence each."""

    @classmethod
    def of(
        cls,
        attack: str,
        *,
        targets: float,
        rate: float,
        baseline: float,
        at_least: float | None = None,
        certain: float = 0.0,
        cannot_say: Iterable[str] = (),
    ) -> "AttackSuccess":
        """Return a success with its confidence interval.

        Parameters
        ----------
        attack, targets, rate, baseline, certain
            as the fields.
        at_least
            the lower bound of the rate, where the rate itself is an upper one.
        cannot_say
            sentences; empty ones are left out.
        """
        low, _ = wilson_interval(rate if at_least is None else at_least, targets)
        _, high = wilson_interval(rate, targets)
        nothing = "" if targets else "There was nothing to attack."
        sentences = tuple(filter(None, [nothing, *cannot_say]))
        return cls(attack, targets, rate, low, high, min(baseline, 1.0), certain, sentences)

    @property
    def certain_share(self) -> float:
        """For which share of the targets the attacker is sure enough of the success."""
        return self.certain / self.targets if self.targets else 0.0

    def sentence(self) -> str:
        """Return the figures in plain words."""
        interval = f"{percent(self.low)} to {percent(self.high)}"
        before = percent(self.baseline) if not 0 < self.baseline < SMALLEST else f"less than {percent(SMALLEST)}"
        sure = f"; the attacker is certain about {self.certain:,.0f}" if self.certain else ""
        return (
            f"{self.attack}: succeeds for {percent(self.rate)} of {self.targets:,.0f} targets "
            f"({percent(CONFIDENCE)} confidence: {interval}); without the release {before}{sure}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by name, ready for JSON."""
        return {**asdict(self), "confidence": CONFIDENCE, "cannot_say": list(self.cannot_say)}


class Attack(BaseModel, ABC):
    """An attack, with what it takes for granted declared as fields.

    A subclass under ``krypsis/attacks`` is found by the registry; nothing else has to be changed. :meth:`find` returns
    what is learned, in the words of the attack; :meth:`run` how often that is a success, in the same figures for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    """The name as people say it."""
    kind: ClassVar[str]
    """The kind of data it is tried on."""
    knowledge: ClassVar[str]
    """What the attacker knows before seeing the release."""
    success: ClassVar[str]
    """What counts as a success."""
    baseline: ClassVar[str]
    """How often an attacker succeeds who has not seen the release."""
    reference: ClassVar[str]

    @property
    def spec(self) -> str:
        """The attack as one word with the parameters that are not as usual, such as ``background:ruled_out=2``.

        Tables and hierarchies that an attack was given as objects are left out.
        """
        given = {name: getattr(self, name) for name in type(self).model_fields}
        plain = {name: value for name, value in given.items() if isinstance(value, str | int | float | tuple)}
        fields = type(self).model_fields
        return write_spec(self.name, {name: value for name, value in plain.items() if value != fields[name].default})

    def aimed_at(self, target: object) -> tuple[Self, ...]:  # noqa: ARG002  for those that depend on it
        """Return the attack as it is tried on a target: once for each thing to learn, not at all where it cannot be.

        An attack for which no column to learn is named is tried on each sensitive one.
        """
        return (self,)

    @abstractmethod
    def find(self, target: Any) -> Any:
        """Carry out the attack and return what is learned. The result may reveal who is who."""

    @abstractmethod
    def evaluate(self, found: Any, target: Any) -> AttackSuccess:
        """Return how often what was found on a target is a success."""

    def run(self, target: Any) -> AttackSuccess:
        """Carry out the attack and return how often it succeeds."""
        return self.evaluate(self.find(target), target)


def wilson_interval(rate: float, targets: float) -> tuple[float, float]:
    """Return the ends of the confidence interval of a rate that was seen on so many targets.

    The targets are taken for a sample of all people whom the release could be about. Wilson's score interval stays
    within 0 and 1, and is meaningful for rates near either and for few targets.

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22(158), 1927.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0.5, 100)], wilson_interval(0.5, 0)
    ([0.4038, 0.5962], (0.0, 1.0))
    """
    if not targets:
        return 0.0, 1.0
    spread = _QUANTILE**2 / targets
    center = (rate + spread / 2) / (1 + spread)
    half = sqrt(spread * (max(rate * (1 - rate), 0.0) + spread / 4)) / (1 + spread)
    # At 0 and 1 the ends are the rate itself, which rounding may miss.
    return max(min(center - half, rate), 0.0), min(max(center + half, rate), 1.0)


def percent(chance: float) -> str:
    """Return a chance in percent.

    Examples
    --------
    >>> percent(1.0), percent(1 / 3), percent(0.2)
    ('100 %', '33.3 %', '20 %')
    """
    return f"{float(f'{chance * 100:.1f}'):g} %"
