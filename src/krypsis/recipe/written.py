"""Writing down the recipe of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray
from krypsis.frequency import FrequencySet
from krypsis.hierarchies.base import TOP
from krypsis.hierarchies.resolve import HierarchySpec
from krypsis.recipe.recipe import Recipe
from krypsis.recipe.stored import Row, StoredHierarchy
from krypsis.recoding import CellRecoding, FullDomain
from krypsis.release.before import Evidence

if TYPE_CHECKING:
    from krypsis.pipeline import Task


def write_down(task: Task, evidence: Evidence, columns: Sequence[str]) -> dict[str, Any] | None:
    """Return the recipe of a run for its private record, or nothing where the same value becomes different labels.

    Without a limit for suppression, as many records may be suppressed as were.
    """
    frequency, recoding, specs = evidence.frequency, evidence.recoding, task.hierarchies
    hierarchies = _full_domain(specs, frequency) if isinstance(recoding, FullDomain) else _labels(recoding, frequency)
    if hierarchies is None:
        return None
    levels = recoding.levels if isinstance(recoding, FullDomain) else (1,) * len(frequency.attributes)
    recipe = Recipe(
        roles=task.schema.roles,
        weights=task.schema.weights,
        quasi_identifier_sets=task.schema.quasi_identifier_sets,
        columns=tuple(columns),
        promises=tuple(model.spec for model in task.models),
        metric={"name": task.metric.name, **task.metric.model_dump(mode="json")},
        scheme="levels" if isinstance(recoding, FullDomain) else "labels",
        levels=dict(zip(frequency.attributes, levels, strict=True)),
        hierarchies={**hierarchies, **_of_sensitive(specs, frequency)},
        suppression=evidence.outcome.suppressed if task.suppression is None else task.suppression,
        suppressed=task.suppressed,
    )
    return recipe.model_dump(mode="json")


def _full_domain(specs: Mapping[str, HierarchySpec], frequency: FrequencySet) -> dict[str, StoredHierarchy]:
    return {
        name: StoredHierarchy.of(specs.get(name), hierarchy, name)
        for name, hierarchy in zip(frequency.attributes, frequency.hierarchies, strict=True)
    }


def _labels(recoding: CellRecoding, frequency: FrequencySet) -> dict[str, StoredHierarchy] | None:
    """Return the label of each value as a hierarchy of one level below the top."""
    rows = {name: _label_rows(recoding, frequency, position) for position, name in enumerate(frequency.attributes)}
    if any(found is None for found in rows.values()):
        return None
    return {name: StoredHierarchy(name="labels", rows=found) for name, found in rows.items() if found is not None}


def _label_rows(recoding: CellRecoding, frequency: FrequencySet, position: int) -> tuple[Row, ...] | None:
    kept = ~recoding.suppressed
    # A value whose records are all suppressed has its label, too, unless suppressed records went another way.
    pairs = _pairs(recoding, frequency, position, np.ones_like(kept))
    pairs = _pairs(recoding, frequency, position, kept) if pairs is None else pairs
    if pairs is None or not kept.any():
        return None
    hierarchy, labels = frequency.hierarchies[position], recoding.codebooks[position].labels
    top = hierarchy.labels[-1][0] if hierarchy.height else TOP
    return tuple((hierarchy.values[code], labels[label], top) for code, label in pairs.T.tolist())


def _pairs(
    recoding: CellRecoding, frequency: FrequencySet, position: int, chosen: BoolArray
) -> npt.NDArray[np.int32] | None:
    """Return the codes of values and of their labels in the chosen tuples, or nothing if a value has several."""
    codes, released = frequency.codes[chosen, position], recoding.released[chosen, position]
    label_of = np.full(len(frequency.hierarchies[position].values), -1, dtype=np.int32)
    label_of[codes] = released
    occurring = np.flatnonzero(label_of >= 0).astype(np.int32)
    return np.stack([occurring, label_of[occurring]]) if (label_of[codes] == released).all() else None


def _of_sensitive(specs: Mapping[str, HierarchySpec], frequency: FrequencySet) -> dict[str, StoredHierarchy]:
    return {
        name: StoredHierarchy.of(specs[name], histogram.domain.hierarchy, name)
        for name, histogram in frequency.sensitive.items()
        if histogram.domain.hierarchy is not None
    }
