"""Write down in the state what a version changed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import NEW
from krypsis.arrays import BoolArray
from krypsis.checker.invariance import Bound
from krypsis.history.encoding import signature_rows
from krypsis.history.making import Made
from krypsis.history.seal import Seal
from krypsis.history.shown import shown_rows
from krypsis.history.state import State
from krypsis.history.turnover import turnover_rows


def record(state: State, made: Made, seal: Seal) -> None:
    """Write a version into the state; the caller has begun a transaction."""
    version, people = made.change.version, _people(made)
    known = pl.Series(made.comparison.is_known)
    changed = pl.Series(made.comparison.moved | made.comparison.changed | _newly_bound(made)) & pl.Series(made.shown)
    state.update("people", "person", pl.DataFrame({"person": made.renewed}).with_columns(active=pl.lit(value=False)))
    state.update("people", "person", people.filter(known & changed).drop("id", "active"))
    state.insert("people", people.filter(~known))
    state.insert("members", members_of(made).with_columns(version=pl.lit(version, dtype=pl.Int32)))
    taxonomy = made.snapshot.taxonomy
    state.insert("signatures", signature_rows(made.publication.signatures, taxonomy, len(made.signatures_before)))
    if (shown := made.publication.shown) is not None:
        state.insert("generalized", shown_rows(made.publication.signatures, shown, taxonomy, version))
    state.insert("turnover", turnover_rows(made.table.texts.get_column("value"), made.comparison, version))
    told = {**asdict(seal), "day": datetime.now(tz=UTC).date().isoformat()}
    state.insert("versions", pl.DataFrame([{**made.change.as_dict(), **told, "fingerprint": made.table.fingerprint}]))


def members_of(made: Made) -> pl.DataFrame:
    """Return who is in which published group; nobody's group is empty where the record is left out."""
    group = pl.Series(made.group)
    return pl.DataFrame({"person": made.comparison.person, "group": group.set(group == 0, None)})


def bound_by(made: Made) -> Bound:
    """Return what everybody with a record in this version is bound to: newcomers by the method, others by the state.

    What the method says about people who were published before is not asked: it is what has to be checked.
    """
    before, taxonomy = made.comparison.signature, made.snapshot.taxonomy
    bound = np.where(before == NEW, made.signature, before)
    people = pl.DataFrame({"person": made.comparison.person, "signature": bound}).filter(pl.Series(bound != NEW))
    old, every = made.signatures_before, made.publication.signatures
    values = pl.concat([signature_rows(old, taxonomy, 0), signature_rows(every, taxonomy, len(old))])
    return Bound(people, values.select("signature", value="label"), is_lowest=True)


def _people(made: Made) -> pl.DataFrame:
    bound = pl.Series(made.signature.astype(np.int32))
    return made.table.texts.with_columns(
        person=pl.Series(made.comparison.person), active=pl.lit(value=True), signature=bound.set(bound == NEW, None)
    )


def _newly_bound(made: Made) -> BoolArray:
    return np.not_equal(made.signature, made.comparison.signature)
