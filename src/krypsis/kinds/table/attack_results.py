"""The attacks that a report tries on the table before and on the release, with what they find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from krypsis.attacks.exposure import AttackerView, Exposure, SensitiveValueAttack
from krypsis.attacks.homogeneity import BackgroundKnowledgeAttack, HomogeneityAttack
from krypsis.attacks.linkage import LinkageAttack
from krypsis.release.made_by import MECHANISM, Before
from krypsis.release.release import Release
from krypsis.report.text import readable


@dataclass(frozen=True)
class AttackSide:
    """What an attack finds in one table."""

    records: float
    exposed: float
    share: float
    average_chance: float
    highest_chance: float


@dataclass(frozen=True)
class AttackResult:
    """One attack that was tried on the table before and on the release."""

    name: str
    title: str
    known: tuple[str, ...]
    sensitive: str
    before: AttackSide
    after: AttackSide
    baseline: float
    formula: str
    sentence: str
    note: str = ""


@dataclass(frozen=True)
class _AttackWords:
    title: str
    formula: str
    sentence: str


LINKAGE = _AttackWords(
    "Linkage: who is found?",
    "records that no other looks like ÷ records",
    "The share of the records that somebody who knows these attributes finds with certainty.",
)
LINKAGE_OF_CHANGED = _AttackWords(
    "Linkage: who is found?",
    "records that alone show what was known of their person before ÷ records",
    "The share of the records that somebody who knows these attributes as they were finds with certainty, and rightly.",
)
HOMOGENEITY = _AttackWords(
    "Homogeneity: whose value is learned?",
    "records that look like none with another value ÷ records",
    "The share of the records whose value is certain because all that look alike have the same.",
)
BACKGROUND = _AttackWords(
    "Background knowledge: whose value is learned by ruling out another?",
    "records whose value is certain once the most frequent other value of their group is ruled out ÷ records",
    "The share of the records whose value is certain to somebody who also knows a value that the person does not have.",
)


def attacks_tried(release: Release) -> tuple[AttackResult, ...]:
    """Return what the attacks find for each set of quasi-identifiers and each sensitive attribute.

    Nothing is tried on a table that was made by chance: none of its rows is anybody's.
    """
    before = release.before
    if before is None or release.scheme == MECHANISM:
        return ()
    found: list[AttackResult] = []
    for names in release.schema.sets if release.schema.quasi_identifiers else ():
        sides = AttackerView.of(before.table, names), AttackerView.of(release, names)
        found += _tried(sides, release, before)
    return tuple(found)


def _tried(sides: tuple[AttackerView, AttackerView], release: Release, before: Before) -> Iterator[AttackResult]:
    changed = before.table if before.matches_rows else None
    linkage = LinkageAttack(sample=0)
    after = linkage.find(sides[1], before=changed)
    yield _result(LINKAGE if changed is None else LINKAGE_OF_CHANGED, linkage.find(sides[0]), after)
    for sensitive in release.schema.sensitive:
        for words, attack in _LEARNING:
            old, new = (attack(sensitive=sensitive, sample=0).find(side) for side in sides)
            yield _result(words, old, new)


_LEARNING: Sequence[tuple[_AttackWords, type[SensitiveValueAttack]]] = (
    (HOMOGENEITY, HomogeneityAttack),
    (BACKGROUND, BackgroundKnowledgeAttack),
)


def _result(words: _AttackWords, before: Exposure, after: Exposure) -> AttackResult:
    return AttackResult(
        name=before.attack,
        title=words.title,
        known=tuple(map(readable, before.known)),
        sensitive=readable(before.sensitive) if before.sensitive else "",
        before=_side(before),
        after=_side(after),
        baseline=before.baseline,
        formula=words.formula,
        sentence=words.sentence,
        note=after.note,
    )


def _side(found: Exposure) -> AttackSide:
    return AttackSide(
        records=found.records,
        exposed=found.exposed,
        share=found.share,
        average_chance=found.average_chance,
        highest_chance=found.highest_chance,
    )
