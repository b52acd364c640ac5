"""All attacks across the releases of a table that changes, and what came of them in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import polars as pl

from krypsis.attacks.base import percent
from krypsis.attacks.changes import ChangeAttack, Changes
from krypsis.attacks.family import FamilyAttack, KnownFamilies, RangeAttack
from krypsis.attacks.generalized_values import SiblingAttack, TimingAttack
from krypsis.attacks.history_attack import EXACT_PEOPLE, Learned, ReleaseSequence
from krypsis.attacks.identification import WITHOUT_K, Identification, IdentificationAttack
from krypsis.attacks.intersection import AbsenceAttack, IntersectionAttack
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.io.history import Version

SHOWN = 10
"""How many people of each attack a report names."""


@dataclass(frozen=True, eq=False)
class HistoryAttackReport:
    """What somebody learns who compares all releases and knows who is in which.

    Nobody's value should be guessed with a chance above ``limit``. It reveals who is who and must not be published.
    """

    releases: int
    people: int
    limit: Fraction
    attacks: tuple[Learned, ...]
    families: KnownFamilies | None
    """The families or ranges that values belong to; only with a hierarchy of the sensitive attribute, or limits."""
    e: Fraction | None
    """The largest correlation that two values of a group may have, if there is one."""
    identification: Identification | None = None
    """Who can be found by the quasi-identifiers alone; ``None`` where these are not at hand."""
    k: int = 1
    """How many people must look alike in each release; 1 where nothing is promised about it."""
    changes: Changes = field(default_factory=Changes)
    """Where it can be seen that somebody's value has changed, which no promise about releases excludes."""

    @property
    def worst(self) -> Fraction:
        """The largest chance that anybody's value is guessed with, by its upper bound."""
        return max((learned.worst for learned in self.attacks), default=Fraction(0))

    @property
    def holds(self) -> bool:
        """Whether no attack exceeds the limit, not even by an upper bound, and no family is closer than allowed.

        Identification counts where k-anonymity is promised.
        """
        found = self.identification is None or self.identification.smallest >= self.k
        return self.worst <= self.limit and not self._related() and found

    def sentences(self) -> list[str]:
        """Return the report in plain words: the highest risk, then a sentence for each attack."""
        begin = (
            f"{self.people} people in {self.releases} release(s); promised: a chance of at most {self.limit} to learn "
            f"a sensitive value{f', and k-anonymity with k={self.k} in each release' * (self.k > 1)}."
        )
        about = [*map(self._about, self.attacks), *self._about_families(), *self.changes.sentences()]
        return [self.headline(), begin, *about]

    def headline(self) -> str:
        """Return the risks of all people, the highest first."""
        chance = percent(float(self.worst))
        value = f"sensitive value, {chance}: the best guess about the value of a person is right with this chance"
        risks = [(float(self.worst), value)]
        if self.identification is not None:
            risks.append((self.identification.chance, self.identification.sentence()))
        ranked = [text for _, text in sorted(risks, key=lambda risk: -risk[0])]
        more = f" {WITHOUT_K[0].upper()}{WITHOUT_K[1:]}." if self.identification and self.k == 1 else ""
        return f"Highest risk: {'. Then: '.join(ranked)}.{more}"

    def as_dict(self) -> dict[str, Any]:
        """Return the report by name, fractions as text, ready for JSON."""
        return {
            "releases": self.releases,
            "people": self.people,
            "limit": str(self.limit),
            "worst": str(self.worst),
            "holds": self.holds,
            "identification": None if self.identification is None else self.identification.as_dict(),
            "attacks": [self._entry(learned) for learned in self.attacks],
            "families": None if self.families is None else self._family_entry(self.families),
            "changes": self.changes.as_dict(),
        }

    def _about(self, learned: Learned) -> str:
        if not learned.people:
            return f"{learned.attack}: nothing is learned."
        breached, doubtful = learned.breached(self.limit), learned.doubtful(self.limit)
        best = (
            f"{learned.attack}: the best guess about {learned.people} people is right with a chance of {learned.worst}"
        )
        if not doubtful:
            return f"{best} at most, which is within the promise."
        if breached == 0:
            return f"{best} or less; for {doubtful} people too many cases are left to be sure."
        named = "; ".join(found.sentence() for found in learned.breaches(self.limit, SHOWN))
        more = f"; for {doubtful - breached} more it cannot be excluded" * (doubtful > breached)
        return f"{best}; the chance is too high for {breached} people{more}. {named}{'; …' * (breached > SHOWN)}"

    def _entry(self, learned: Learned) -> dict[str, Any]:
        return {
            "attack": learned.attack,
            "people": learned.people,
            "worst": str(learned.worst),
            "breached": learned.breached(self.limit),
            "not_excluded": learned.doubtful(self.limit),
            "findings": [found.as_dict() for found in learned.breaches(self.limit, SHOWN)],
        }

    def _related(self) -> int:
        return 0 if self.families is None or self.e is None else self.families.breached(self.e).height

    def _about_families(self) -> list[str]:
        if self.families is None:
            return []
        name, people = self.families.name, self.families.narrowed()
        known = f"{name}: of {people} people the {name} is known; " if people else f"{name}: "
        strength = f"the closest values of a group have a correlation of {self.families.strongest}"
        bound = "" if self.e is None else f"; at most {self.e} was promised, and {self._related()} people have more"
        return [f"{known}{strength}{bound}."]

    def _family_entry(self, families: KnownFamilies) -> dict[str, Any]:
        e = None if self.e is None else str(self.e)
        return {"told": families.narrowed(), "strongest": str(families.strongest), "e": e, "breached": self._related()}


def attack_history(
    versions: Sequence[Version],
    *,
    m: int,
    hierarchy: Hierarchy | None = None,
    limits: tuple[Fraction, Fraction] | None = None,
    e: Fraction | None = None,
    k: int = 1,
    values: pl.DataFrame | None = None,
    exact_people: int = EXACT_PEOPLE,
) -> HistoryAttackReport:
    """Try every attack across releases, and say whether somebody's value is guessed with a chance above 1 / m.

    Parameters
    ----------
    versions
        the releases, the oldest first, with who is in which group.
    m
        the promise: a value is one of ``m`` at best.
    hierarchy
        of the sensitive attribute; without it values that mean almost the same or are generalized reveal nothing more.
    limits
        the lowest and the highest number that the sensitive attribute can have, if it is one: numbers that lie close
        together mean almost the same.
    e
        the largest correlation that two values of a group may have, as in (e,m)-correlation.
    k
        how many people must look alike in each release, if that is promised.
    values
        ``person`` and ``value``: the last known values, so that only people are examined for changes whose groups
        these do not explain.
    exact_people
        how many people are counted exactly where groups are irregular; for others there are bounds.

    Examples
    --------
    >>> first = pl.DataFrame({"g": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> second = pl.DataFrame({"g": [1, 1], "disease": ["flu", "gout"], "name": ["Ann", "Cid"]})
    >>> versions = [Version.of(one, group="g", sensitive="disease", person="name") for one in (first, second)]
    >>> report = attack_history(versions, m=2)
    >>> report.holds, report.worst
    (False, Fraction(1, 1))
    >>> print(report.sentences()[1])
    3 people in 2 release(s); promised: a chance of at most 1/2 to learn a sensitive value.
    """
    _check(versions, m, e, [given for given in (hierarchy, limits) if given is not None])
    releases = ReleaseSequence(versions, hierarchy, limits, values)
    inferring = (
        IntersectionAttack(exact_people=exact_people),
        AbsenceAttack(exact_people=exact_people),
        TimingAttack(),
        SiblingAttack(exact_people=exact_people),
    )
    narrowing = [attack for attack in (FamilyAttack(), RangeAttack()) if attack.aimed_at(releases)]
    identifying = IdentificationAttack().aimed_at(releases)
    return HistoryAttackReport(
        releases=len(versions),
        people=releases.people,
        limit=Fraction(1, m),
        attacks=tuple(attack.find(releases) for attack in inferring if attack.aimed_at(releases)),
        families=narrowing[0].find(releases) if narrowing else None,
        e=e,
        identification=identifying[0].find(releases) if identifying else None,
        k=k,
        changes=ChangeAttack().find(releases),
    )


def _check(versions: Sequence[Version], m: int, e: Fraction | None, measures: Sequence[object]) -> None:
    if not versions:
        raise UsageError("no release is given; give the releases of the table, the oldest first")
    if isinstance(m, bool) or not isinstance(m, int) or m < 1:
        raise UsageError(f"m must be a whole number of at least 1, such as 3 for a chance of one in three; got {m!r}")
    if len(measures) > 1:
        raise UsageError("values are related by their hierarchy or as numbers; give 'hierarchy' or 'limits'")
    if e is not None and not measures:
        raise UsageError(
            "how values are related is given by a hierarchy, or by the limits of numbers; give 'hierarchy' or 'limits' "
            "with 'e'"
        )
