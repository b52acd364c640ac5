"""How the checker reads the versions of a table that changes back, and whom they show in which group."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray
from krypsis.checker.base import Given
from krypsis.checker.coverage import coverage_of
from krypsis.checker.histories import COUNTERFEITS, counterfeits_in
from krypsis.checker.published_tables import PublishedTables, PublishedVersion, TableFiles
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import PromiseBroken, UsageError
from krypsis.format.claims import Claims, restore_types
from krypsis.format.files import read_data
from krypsis.io.texts import text_of
from krypsis.models.base import PrivacyModel, Verdict

MOST_LABELS = 5_000
"""How many labels of an attribute are compared with values; of more, so many are chosen at even distances."""

MOST_PAIRS = 20_000_000
"""How many pairs of a node and a value are compared at the most."""

USUAL_NUMBER = r"(-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?)"
"""Numbers of up to 15 digits, which are compared exactly as they are kept in a computer."""
USUAL_RANGE = rf"^\[{USUAL_NUMBER}(?:-| to ){USUAL_NUMBER}\]$"


class HistoryCheck(TableFiles):
    """Reads one version of a table that changes: a table in groups, with the number of counterfeits of each."""

    name = "history"
    promise_kinds = ("history",)
    refines = "table"
    judged_fields = TableFiles.judged_fields | {"tables"}

    def reads(self, claims: Claims, models: Sequence[PrivacyModel]) -> bool:
        declares = COUNTERFEITS in claims.tables and claims.subject_column is None
        return declares or any(model.kind == self.name for model in models)

    def with_further_tables(self, published: PublishedTables, folder: Path, claims: Claims) -> PublishedTables:
        counterfeits = counterfeits_in(folder, claims)
        if counterfeits is None:
            raise PromiseBroken(
                f"{folder} is a release of a table that changes, and its manifest does not name the table "
                f"{COUNTERFEITS!r}, which says how many records nobody has; do not trust this release"
            )
        return PublishedVersion(**vars(published), counterfeits=counterfeits)

    def unjudged_tables(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        if strangers := set(claims.tables) - ({COUNTERFEITS} if claims.group_column is not None else set()):
            yield f"further tables that nothing links to the first ({', '.join(sorted(strangers))})"
        elif not any(promise.kind == self.name for promise in promises):
            yield "counterfeits without a promise about several releases"

    def shows_records(self, models: Sequence[PrivacyModel]) -> bool:
        return not any(model.kind == self.name for model in models)

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:  # noqa: ARG002
        raise UsageError(
            f"{models[0].spec} is about several releases of a table; check them with krypsis.checker.check_history"
        )


def refuse_misplaced(
    folder: Path, people: pl.DataFrame, quasi_identifiers: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> None:
    """Raise unless the group of everybody holds a record that can be theirs.

    Parameters
    ----------
    folder
        of the release.
    people
        one row per person: ``group``, as text, and the quasi-identifiers as text under the names ``q0``, ``q1``, ….
    quasi_identifiers
        their names in the release.
    hierarchies
        of quasi-identifiers that are generalized to nodes.

    Raises
    ------
    PromiseBroken
        if somebody's quasi-identifiers are not those of a record of the group, nor covered by its labels.
    """
    rows = _published(folder, quasi_identifiers)
    keys = ["group", *(f"q{place}" for place in range(len(quasi_identifiers)))]
    there = rows.group_by(keys).len("records")
    wanted = people.select(keys).group_by(keys).len("people")
    found = wanted.join(there, on=keys, how="left", nulls_equal=True).with_columns(pl.col("records").fill_null(0))
    missing = found.filter(pl.col("people") > pl.col("records"))
    if not missing.height:
        return
    looks = rows.unique()
    if looks.get_column("group").is_duplicated().any():
        raise _misplaced(folder, int((missing.get_column("people") - missing.get_column("records")).sum()))
    pairs = missing.join(looks, on="group", how="left", suffix=" label")
    wrong = np.zeros(pairs.height, dtype=np.bool_)
    for place, name in enumerate(quasi_identifiers):
        labels, values = pairs.get_column(f"q{place} label"), pairs.get_column(f"q{place}")
        wrong |= _uncovered(labels, values, name, hierarchies.get(name))
    if wrong.any():
        raise _misplaced(folder, int(wrong.sum()))


def _published(folder: Path, quasi_identifiers: Sequence[str]) -> pl.DataFrame:
    claims = Claims.read(folder)
    table = restore_types(read_data(folder, claims), claims.columns, list(quasi_identifiers))
    names = [str(claims.group_column), *quasi_identifiers]
    columns = [text_of(table.get_column(name)) for name in names]
    return pl.DataFrame([column.rename(f"q{place - 1}" if place else "group") for place, column in enumerate(columns)])


def _uncovered(labels: pl.Series, values: pl.Series, name: str, hierarchy: Hierarchy | None) -> BoolArray:
    """Say for each pair of a label and a value whether the label does not stand for the value."""
    sure = _surely_covered(labels, values, has_nodes=hierarchy is not None)
    pairs = pl.DataFrame({"label": labels, "value": values, "sure": sure}).with_row_index("place")
    pairs = pairs.filter(~pl.col("sure").all().over("label"))
    found = pairs.group_by("label", maintain_order=True).agg("value", "place")
    # Nodes of a hierarchy are few and looked up at once; each range is compared with its own values only.
    known = [] if hierarchy is None else pairs.get_column("value").unique().to_list()
    most = MOST_LABELS if hierarchy is None else min(MOST_LABELS, max(MOST_PAIRS // max(len(known), 1), 1))
    chosen = found.gather_every(-(-found.height // most) or 1)
    nodes = coverage_of(chosen.get_column("label").to_list(), known, name, hierarchy) if known else None
    wrong = np.zeros(len(labels), dtype=np.bool_)
    for number, (label, own, places) in enumerate(chosen.iter_rows()):
        inside = known or list(dict.fromkeys(own))
        row = coverage_of([label], inside, name)[0] if nodes is None else nodes[number]
        covered = {value for value, is_covered in zip(inside, row.tolist(), strict=True) if is_covered}
        wrong[places] = [value not in covered for value in own]
    return wrong


def _surely_covered(labels: pl.Series, values: pl.Series, *, has_nodes: bool) -> pl.Series:
    """Say for each pair, all at once, whether the label is the value, or a usual range of numbers that holds it.

    Where this is not sure, the label is read like any other.
    """
    same = labels.eq_missing(values)
    if has_nodes or values.str.starts_with("[").any():  # what looks like a range may be a node or a value
        return same
    low, high = (labels.str.extract(USUAL_RANGE, side).cast(pl.Float64) for side in (1, 2))
    number = values.str.extract(f"^{USUAL_NUMBER}$", 1).cast(pl.Float64)
    return same | ((low <= number) & (number <= high)).fill_null(value=False)


def _misplaced(folder: Path, people: int) -> PromiseBroken:
    return PromiseBroken(
        f"{people} record(s) of {folder} do not show the people whom the state keeps in their groups: the published "
        "quasi-identifiers are those of others. The release is not published"
    )
