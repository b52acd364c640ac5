"""Turn links into a verdict that a person can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from krypsis.arrays import IntArray
from krypsis.checker.linkage import Linkage
from krypsis.models.links import LinkModel, Side
from krypsis.models.verdict import Verdict

SHOWN = 5
"""How many offending records a verdict shows."""

OTHER: dict[Side, Side] = {"original": "published", "published": "original"}


def judge_links(model: LinkModel, sets: Sequence[Linkage]) -> Verdict:
    """Return the verdict over all quasi-identifier sets: the record with the fewest links in any of them counts."""
    counts = [(links, side, count) for links in sets for side, count in model.counts(links).items()]
    achieved = min((int(count.min(initial=np.iinfo(np.int64).max)) for _, _, count in counts), default=0)
    broken = [(links, side, count) for links, side, count in counts if (count < model.k).any()]
    return Verdict(
        promise=model.spec,
        holds=not broken,
        required=model.required,
        achieved=float(achieved),
        sentence=_sentence(model, broken, achieved, several_sets=len(sets) > 1),
        offending=tuple(_offending(model, broken))[:SHOWN],
    )


def nothing_to_link(model: LinkModel) -> Verdict:
    """Return the verdict about a table without records."""
    sentence = "Not kept: the published table has no records, so there is nothing to hide among."
    return Verdict(promise=model.spec, holds=False, required=model.required, achieved=0.0, sentence=sentence)


Broken = Sequence[tuple[Linkage, Side, IntArray]]


def _sentence(model: LinkModel, broken: Broken, achieved: int, *, several_sets: bool) -> str:
    figures = f"required at least {model.k}, achieved {achieved}"
    if not broken:
        return f"Kept, compared with the original table: {model.promise()} ({figures})."
    if achieved == 0 and model.counts_assignments and not broken[0][0].has_assignment:
        return (
            f"Not kept: the published table cannot come from this original one, since no assignment gives every "
            f"original record a published one of its own that generalizes it ({figures})."
        )
    links, side, count = max(broken, key=lambda entry: _records(entry[0], entry[1], entry[2], model.k))
    where = f" by {', '.join(links.attributes)}" if several_sets else ""
    return (
        f"Not kept: {_records(links, side, count, model.k)} of {_tuples(links, side).sum()} {side} records{where} "
        f"break the promise that {model.promise()} ({figures})."
    )


def _tuples(links: Linkage, side: Side) -> IntArray:
    return links.originals.counts if side == "original" else links.published.counts


def _records(links: Linkage, side: Side, count: IntArray, k: int) -> int:
    return int(_tuples(links, side)[count < k].sum())


def _offending(model: LinkModel, broken: Broken) -> Iterator[dict[str, object]]:
    """Yield records with too few links, those with fewest first."""
    sample = [
        (int(count[place]), side, links, place)
        for links, side, count in broken
        for place in np.argsort(count, kind="stable")[:SHOWN].tolist()
        if count[place] < model.k
    ]
    for number, side, links, place in sorted(sample, key=lambda entry: entry[0]):
        tuples = links.originals if side == "original" else links.published
        values = dict(zip(links.attributes, tuples.row(place), strict=True))
        yield {"values": values, "size": number, "record": side, "counts": OTHER[side]}
