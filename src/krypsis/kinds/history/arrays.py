"""From tables and the private state to the arrays that a method works on, and back to what the state keeps."""

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import LastGroups, Past, Shown, Snapshot, Turnover
from krypsis.algorithms.histories.families import first_nodes, level_and_code
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies import resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, shorten
from krypsis.io.texts import distinct, encode
from krypsis.kinds.history.comparison import Comparison
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State


def taxonomy_of(settings: HistorySettings, values: pl.Series, state: State) -> Hierarchy:
    """Return the hierarchy of the sensitive attribute, for the values of this version and of all before.

    Raises
    ------
    DataError
        if it no longer has a value that earlier releases published.
    """
    name, spec = settings.sensitive, settings.hierarchy_of(settings.sensitive)
    before = state.frame("SELECT value FROM turnover UNION SELECT label FROM signatures WHERE level = 0")
    earlier = before.get_column("value")
    if spec is None:
        return resolve(None, distinct(pl.concat([values.rename("value"), earlier])), name)
    found = resolve(spec, distinct(values), name, settings.folder)
    found = found.with_missing() if earlier.null_count() else found
    if lost := [value for value in distinct(earlier) if value not in found.code_of]:
        raise DataError(
            f"the hierarchy of {name!r} no longer has {shorten(map(repr, lost), 5)}, which earlier versions have; "
            "records are bound to it for ever: put it back"
        )
    return found


def signatures_of(state: State, taxonomy: Hierarchy) -> Signatures:
    """Return the signatures that people are bound to, by their numbers in the state.

    Raises
    ------
    DataError
        if the hierarchy no longer has one of their nodes.
    """
    nodes = pl.DataFrame(
        {
            "level": np.repeat(np.arange(taxonomy.height + 1, dtype=np.int32), list(map(len, taxonomy.labels))),
            "label": pl.Series([label for labels in taxonomy.labels for label in labels], dtype=pl.String),
            "node": np.arange(first_nodes(taxonomy)[-1]),
        }
    )
    kept = state.frame("SELECT signature, level, label FROM signatures")
    found = kept.join(nodes, on=["level", "label"], how="left", nulls_equal=True).sort("signature", "node")
    if lost := found.filter(pl.col("node").is_null()).get_column("label").unique().sort().to_list():
        raise DataError(
            f"the hierarchy no longer has {shorten(map(repr, lost), 5)} at the level at which earlier releases "
            "published it; records are bound to it for ever: put it back"
        )
    count = int(found.get_column("signature").max() or 0) + 1 if found.height else 0  # type: ignore[arg-type]
    sizes = np.bincount(found.get_column("signature").to_numpy(), minlength=count)
    return Signatures(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), found.get_column("node").to_numpy())


def signature_rows(signatures: Signatures, taxonomy: Hierarchy, known: int) -> pl.DataFrame:
    """Return the signatures from number ``known`` on as the state keeps them."""
    new = signatures.owners >= known
    levels, codes = level_and_code(taxonomy, signatures.nodes[new])
    first = first_nodes(taxonomy)
    labels = pl.Series([label for labels in taxonomy.labels for label in labels], dtype=pl.String)
    return pl.DataFrame(
        {
            "signature": signatures.owners[new].astype(np.int32),
            "level": levels.astype(np.int32),
            "label": labels.gather(first[levels] + codes),
        }
    )


def fits(signatures: Signatures, taxonomy: Hierarchy, signature: IntArray, values: IntArray) -> BoolArray:
    """Say for each record whether its signature holds its value, or a more general one."""
    first = first_nodes(taxonomy)
    radix = int(first[-1])
    known = signatures.owners * radix + signatures.nodes
    found = np.zeros(len(values), dtype=np.bool_)
    for level in range(taxonomy.height + 1):
        found |= np.isin(signature * radix + first[level] + taxonomy.table[level][values], known)
    return found


def snapshot_of(
    settings: HistorySettings, texts: pl.DataFrame, comparison: Comparison, taxonomy: Hierarchy, shown: BoolArray
) -> tuple[Snapshot, pl.DataFrame]:
    """Return the records that may be published as arrays, and the codes of those who are absent."""
    names = settings.quasi_identifiers
    records, absent = texts.filter(pl.Series(shown)), comparison.absent
    hierarchies, codes, absent_codes = [], [], {}
    for place, name in enumerate(names):
        here, there = records.get_column(f"q{place}"), absent.get_column(f"q{place}")
        hierarchy = resolve(
            settings.hierarchy_of(name), distinct(pl.concat([here.unique(), there.unique()])), name, settings.folder
        )
        hierarchies.append(hierarchy)
        codes.append(encode(here, hierarchy, name))
        absent_codes[f"q{place}"] = encode(there, hierarchy, name)
    rows = np.stack(codes, axis=1) if codes else np.zeros((records.height, 0), dtype=np.int32)
    weights = tuple(settings.schema_of_columns.weight(name) for name in names)
    values = encode(records.get_column("value"), taxonomy, settings.sensitive).astype(np.int64)
    snapshot = Snapshot(
        names,
        tuple(hierarchies),
        np.ascontiguousarray(rows),
        settings.sensitive,
        taxonomy,
        values,
        comparison.signature[shown],
        weights,
        frozenset(name for name in names if settings.hierarchy_of(name) is not None),
    )
    return snapshot, pl.DataFrame(absent_codes)


def past_of(
    state: State,
    signatures: Signatures,
    shown: Shown,
    comparison: Comparison,
    snapshot: Snapshot,
    absent_codes: pl.DataFrame,
    is_shown: BoolArray,
) -> Past:
    """Return what the publisher remembers, as arrays; ``is_shown`` says which records the method sees."""
    absent = comparison.absent
    codes = absent_codes.to_numpy() if absent_codes.width else np.zeros((absent.height, 0))
    return Past(
        signatures,
        np.ascontiguousarray(codes, dtype=np.int32),
        encode(absent.get_column("value"), snapshot.taxonomy, snapshot.sensitive).astype(np.int64),
        absent.get_column("signature").to_numpy().astype(np.int64),
        _turnover(state, snapshot.taxonomy),
        shown,
        LastGroups(comparison.last_group[is_shown], comparison.last_sizes),
    )


def _turnover(state: State, taxonomy: Hierarchy) -> Turnover:
    kept = state.frame("SELECT * FROM turnover")
    codes = encode(kept.get_column("value"), taxonomy, "value")
    tables = []
    for name in ("population", "inserted", "deleted"):
        table = np.zeros((state.last, len(taxonomy.values)), dtype=np.int64)
        table[kept.get_column("version").to_numpy() - 1, codes] = kept.get_column(name).to_numpy()
        tables.append(table)
    return Turnover(*tables)
