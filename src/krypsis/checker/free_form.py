"""Judge a promise about values that can be seen and values that nobody should learn."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from krypsis.checker.base import judges
from krypsis.checker.table import TableCase
from krypsis.data.columns import CategoryColumn
from krypsis.io.columns import category_column
from krypsis.models.base import Verdict
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.models.free_form import NOTHING, Facet, FreeFormAttack, attacks

SHOWN = 5
"""How many attacks a verdict shows."""


@judges(FFAnonymity, pl.DataFrame)
def judge_free_form(model: FFAnonymity, table: pl.DataFrame, case: TableCase) -> Verdict:
    """Return the verdict about a published table: every set of values that can be seen is tried."""
    if table.is_empty():
        sentence = "Not kept: the published table has no records, so there is nothing to hide among."
        return Verdict(promise=model.spec, holds=False, required=model.theta, achieved=0.0, sentence=sentence)
    columns = _columns(model, table)
    seen, hidden = model.facets(columns, case.hierarchies)
    achieved, broken, worst = 0.0, 0, []
    # FF-anonymity: P(X → s) <= theta for every set X of observable values; testing only the largest X is not enough.
    for attack in attacks(seen, hidden, model.lmax):
        achieved = max(achieved, float(attack.confidence.max()))
        wrong = np.flatnonzero(attack.confidence > model.theta)
        broken += len(wrong)
        order = wrong[np.argsort(-attack.confidence[wrong], kind="stable")][:SHOWN]
        worst += [(float(attack.confidence[group]), attack, int(group)) for group in order]
    worst.sort(key=lambda entry: -entry[0])
    return Verdict(
        promise=model.spec,
        holds=not broken,
        required=model.theta,
        achieved=achieved,
        sentence=_sentence(model, broken, achieved) + _unknown_values(model, columns),
        offending=tuple(_offending(worst[:SHOWN], seen, hidden)),
    )


def _columns(model: FFAnonymity, table: pl.DataFrame) -> dict[str, CategoryColumn]:
    """Return the columns that the promise speaks of, as labels."""
    entries = (*model.observable, *model.sensitive)
    named = [name for name in table.columns if any(entry.startswith(name) for entry in entries)]
    return {name: category_column(table.get_column(name)) for name in named or table.columns}


def _sentence(model: FFAnonymity, broken: int, achieved: float) -> str:
    figures = f"required at most {model.theta:.6g}, achieved {achieved:.6g}"
    if not broken:
        return f"Kept: {model.promise()} ({figures})."
    return f"Not kept: {broken} sets of values that can be seen break the promise that {model.promise()} ({figures})."


def _unknown_values(model: FFAnonymity, columns: Mapping[str, CategoryColumn]) -> str:
    """Say that nobody has a sensitive value that is named: anything keeps the promise then."""
    named = [entry.partition("=") for entry in model.sensitive if entry not in columns]
    absent = [value for name, mark, value in named if mark and name in columns and value not in columns[name].labels]
    return f" No record has {', '.join(map(repr, absent))}; look how it is spelt in the data." if absent else ""


def _offending(
    worst: Sequence[tuple[float, FreeFormAttack, int]], seen: Sequence[Facet], hidden: Sequence[Facet]
) -> Iterator[dict[str, object]]:
    for share, attack, group in worst:
        records = attack.records[attack.group_of == group]
        values = {seen[place].name: _label(seen[place], records[0]) for place in attack.facets}
        learned = {facet.name: label for facet in hidden if (label := _certain(facet, records, share)) is not None}
        yield {"values": values, "size": len(records), "reveals": learned, "share": share}


def _label(facet: Facet, record: int) -> object:
    return facet.labels[facet.codes[record]]


def _certain(facet: Facet, records: np.ndarray[tuple[int], np.dtype[np.int64]], share: float) -> object:
    """Return the value that so many of the records have, if there is one."""
    codes = facet.codes[records]
    counts = np.bincount(codes[codes != NOTHING], minlength=1)
    return facet.labels[int(counts.argmax())] if counts.max() / len(records) == share else None
