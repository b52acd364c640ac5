"""The attacks that a report tries on the table before and on the release, with what they find."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.exposure import AttackerView, Exposure, SensitiveValueAttack, TableAttack, measure
from krypsis.attacks.homogeneity import BackgroundKnowledgeAttack, HomogeneityAttack
from krypsis.attacks.linkage import LinkageAttack
from krypsis.data.recoding import FrequencySet
from krypsis.release.provenance import MECHANISM, Before, PartsEvidence
from krypsis.release.release import Release
from krypsis.report.text import readable


@dataclass(frozen=True)
class CertainRecords:
    """Which records an attacker is certain of: how they are counted, and what their share says."""

    formula: str
    sentence: str


@dataclass(frozen=True)
class AttackResult:
    """One attack that was tried on the table before and on the release."""

    attack: TableAttack
    known: tuple[str, ...]
    sensitive: str
    before: AttackSuccess
    after: AttackSuccess
    certain: CertainRecords


FOUND = CertainRecords(
    "records that no other looks like ÷ records",
    "The share of the records that somebody who knows these attributes finds with certainty.",
)
FOUND_AFTER_CHANGE = CertainRecords(
    "records that alone show what was known of their person before ÷ records",
    "The share of the records that somebody who knows these attributes as they were finds with certainty, and rightly.",
)
LEARNED: Mapping[type[SensitiveValueAttack], CertainRecords] = {
    HomogeneityAttack: CertainRecords(
        "records that look like none with another value ÷ records",
        "The share of the records whose value is certain because all that look alike have the same.",
    ),
    BackgroundKnowledgeAttack: CertainRecords(
        "records whose value is certain once the most frequent other value of their group is ruled out ÷ records",
        "The share of the records whose value is certain to somebody who also knows a value that the person does not "
        "have.",
    ),
}


def attacks_tried(release: Release) -> tuple[AttackResult, ...]:
    """Return what the attacks find for each set of quasi-identifiers and each sensitive attribute.

    Nothing is tried on a table that was made by chance: none of its rows is anybody's.
    """
    before = release.before
    if before is None or release.scheme == MECHANISM:
        return ()
    if before.parts is not None:
        return tuple(_tried_on_parts(release, before.parts))
    found: list[AttackResult] = []
    for names in release.schema.sets if release.schema.quasi_identifiers else ():
        sides = _view_before(release, before, names), AttackerView.of(release, names)
        found += _tried(sides, release, before)
    return tuple(found)


def _tried_on_parts(release: Release, parts: PartsEvidence) -> Iterator[AttackResult]:
    """Yield what attackers find who know all quasi-identifiers of a table that was cut where it lies.

    Before, they are measured on what was counted part by part: no two parts have a tuple in common. What an attacker
    learns who can rule out a value was not counted.
    """
    known, records = release.schema.quasi_identifiers, parts.groups.rows
    after, linkage = AttackerView.of(release, known), LinkageAttack(sample=0)
    sizes, times = parts.sizes
    exposed, average, highest, _ = measure(1.0 / sizes, sizes * times, linkage.certainty)
    found = linkage.find(after)
    before = replace(
        found, records=records, exposed=exposed, average_chance=average, highest_chance=highest, baseline=1.0 / records
    )
    yield _result(linkage, (before, found), FOUND)
    for sensitive, (exposed, chances, highest) in parts.surest.items():
        attack = HomogeneityAttack(sensitive=sensitive, sample=0)
        found, whole = attack.find(after), parts.groups.sensitive[sensitive].whole.astype(np.float64)
        before = replace(
            found,
            records=records,
            exposed=exposed,
            average_chance=chances / records,
            highest_chance=highest,
            baseline=float(whole @ whole) / records**2,
        )
        yield _result(attack, (before, found), LEARNED[HomogeneityAttack])


def _view_before(release: Release, before: Before, names: Sequence[str]) -> AttackerView:
    """Return the table before as an attacker sees it; where its rows are elsewhere, from counts."""
    if before.evidence is None or release.publication.is_in_memory:
        return AttackerView.of(before.table, names)
    return counted_view(before.evidence.frequency, names)


def counted_view(frequency: FrequencySet, names: Sequence[str]) -> AttackerView:
    """Return a counted table as an attacker sees it who knows some of its quasi-identifiers.

    Examples
    --------
    >>> from krypsis.io.dataset import Dataset
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> from krypsis.data.schema import Schema
    >>> table = Dataset.of(pl.DataFrame({"sex": ["f", "f", "m"], "disease": ["flu", "flu", "hiv"]}))
    >>> schema = Schema.of({"sex": "quasi-identifier", "disease": "sensitive"})
    >>> counted = table.engine.count_tuples(schema, {"sex": Hierarchy.from_rows([["f", "*"], ["m", "*"]])})
    >>> HomogeneityAttack(sensitive="disease", sample=0).find(counted_view(counted.frequency, ["sex"])).exposed
    3.0
    """
    columns = {}
    for name in names:
        place = frequency.attributes.index(name)
        values = pl.Series(frequency.hierarchies[place].values, dtype=pl.String)
        columns[name] = values.gather(frequency.codes[:, place])
    view = AttackerView(pl.DataFrame(columns), tuple(names), weights=frequency.counts)
    for name, histogram in frequency.sensitive.items():
        view.give_counts(name, histogram)
    return view


def _tried(sides: tuple[AttackerView, AttackerView], release: Release, before: Before) -> Iterator[AttackResult]:
    changed = before.table if before.matches_rows else None
    linkage = LinkageAttack(sample=0)
    found = linkage.find(sides[0]), linkage.find(sides[1], before=changed)
    yield _result(linkage, found, FOUND if changed is None else FOUND_AFTER_CHANGE)
    for sensitive in release.schema.sensitive:
        for attack_class, certain in LEARNED.items():
            attack = attack_class(sensitive=sensitive, sample=0)
            yield _result(attack, (attack.find(sides[0]), attack.find(sides[1])), certain)


def _result(attack: TableAttack, found: tuple[Exposure, Exposure], certain: CertainRecords) -> AttackResult:
    known, sensitive = found[0].known, found[0].sensitive
    before, after = (attack.evaluate(side, None) for side in found)
    return AttackResult(
        attack, tuple(map(readable, known)), readable(sensitive) if sensitive else "", before, after, certain
    )
