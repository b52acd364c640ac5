"""The plan that is proposed for sets of items, with what is in them."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from krypsis.errors import UsageError
from krypsis.io.item_sets import transactions_of
from krypsis.io.paths import usable_path
from krypsis.io.read import file_kind, read_table
from krypsis.io.set_lines import JSON, is_pairs, table_names
from krypsis.io.yaml_file import entry, flow, scalar
from krypsis.kinds.base import PLAN_PLACE, ProfileTable, ProfileView, ProposedPlan
from krypsis.kinds.sets.profile import RARE, SetProfile, profile_sets


def propose_sets(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the sets in a file; ``data`` is its path as seen from the plan."""
    layout = {name: reading[name] for name in ("delimiter", "encoding", "sheet")}
    read = {name: value for name, value in layout.items() if value is not None}
    source, columns = _sets_in(file, layout, reading["key"], reading["item"])
    sets = transactions_of(source, **(read | columns if source is file else columns))
    profile = profile_sets(sets, file.name)
    return ProposedPlan(
        text=set_plan_text(profile, data, read | columns),
        profile=ProfileView(
            f"{profile.name}: {profile.records:,} records, {profile.items:,} items",
            (_figures(profile), _identified(profile)),
        ),
        look_at="what it promises",
        following=("run", PLAN_PLACE),
    )


def _figures(profile: SetProfile) -> ProfileTable:
    least, lower, median, upper, most = profile.supports
    rows = {
        "items per record (mean, median, most)": f"{profile.occurrences / max(profile.records, 1):.2f}, "
        f"{profile.median_size:g}, {profile.largest:,}",
        "records without items": f"{profile.empty:,}",
        "sparsity": f"{profile.sparsity:.2%}".replace("%", " %"),
        "records per item (least, quartiles, most)": f"{least:,}, {lower:,}, {median:,}, {upper:,}, {most:,}",
        f"items in fewer than {RARE} records": f"{profile.rare_items:,}",
    }
    return ProfileTable("Sets", ("what", "figure"), tuple(rows.items()))


def _identified(profile: SetProfile) -> ProfileTable:
    rows = []
    for known, share in enumerate(profile.identified, start=1):
        bound = "at least " if known == 3 and not profile.is_exact else ""
        rows.append((str(known), f"{bound}{share:.1%}".replace("%", " %")))
    return ProfileTable("What distinguishes records", ("known items", "records distinguished"), tuple(rows))


def _sets_in(
    file: Path, reading: dict[str, str | None], key: str | None, item: str | None
) -> tuple[object, dict[str, str]]:
    """Return the table in a file and where its sets are; of a text file with one set per line the file itself."""
    if key is not None or item is not None:
        return file, {name: value for name, value in (("key", key), ("item", item)) if value is not None}
    if not usable_path(file).is_file() or file.suffix.lower() in JSON:
        return file, {}
    if file_kind(file) == "csv" and not is_pairs(file, reading["delimiter"], reading["encoding"]):
        if names := table_names(file, reading["delimiter"], reading["encoding"]):
            raise UsageError(
                f"{file.name} looks like a table and not like one set per line; name the columns of record and items: "
                f"--key and --item. Columns: {', '.join(names)}"
            )
        return file, {}
    table = read_table(file, **reading)
    return table, guess_set_columns(table, file.name)


def guess_set_columns(frame: pl.DataFrame, name: str) -> dict[str, str]:
    """Return the columns of a table of sets: ``item`` alone for a column of lists, else ``key`` and ``item``.

    Raises
    ------
    UsageError
        if that cannot be guessed; a single column of lists can, or two columns of which the first repeats.

    Examples
    --------
    >>> guess_set_columns(pl.DataFrame({"customer": [7, 7, 8], "product": ["milk", "bread", "milk"]}), "sales.csv")
    {'key': 'customer', 'item': 'product'}
    """
    lists = [column for column, dtype in frame.schema.items() if isinstance(dtype, pl.List | pl.Array)]
    if len(lists) == 1:
        return {"item": lists[0]}
    if frame.width == 2 and not lists:
        first, second = frame.columns
        if frame.get_column(first).n_unique() < frame.height:
            return {"key": first, "item": second}
    if lists:
        raise UsageError(f"{name} has several columns of lists: {', '.join(lists)}; name the one to publish: --item")
    raise UsageError(
        f"{name} does not say by itself which sets it holds; name the columns of record and items: "
        f"--key and --item. Columns: {', '.join(frame.columns)}"
    )


USUAL_K, USUAL_M = 5, 2


def set_plan_text(profile: SetProfile, data: str, read: Mapping[str, str] | None = None) -> str:
    """Return the plan for sets of items.

    Parameters
    ----------
    profile
        of the sets.
    data
        the path of the file, relative to the folder of the plan.
    read
        how to read the file, where the usual guess must not be relied on.
    """
    k = max(min(USUAL_K, profile.records // 2), 2)
    parts = [
        HEADER,
        "kind: transactions",
        entry("data", f"{scalar(data)}   # {profile.records} records; the path is relative to this file"),
        *([entry("read", flow(read))] if read else []),
        ITEMS,
        _risk(profile),
        PROMISES.format(k=k, m=USUAL_M),
        _method(profile),
        OUTPUT,
    ]
    return "\n".join(parts)


def _risk(profile: SetProfile) -> str:
    one, two, three = profile.identified
    bound = "" if profile.is_exact else "at least "
    return (
        f"\n# Risk before: {one:.1%} of the records are distinguished from all others by one of their items,\n"
        f"# {two:.1%} by two, {bound}{three:.1%} by three. {profile.rare_items} of {profile.items} items are in fewer "
        "than 5 records."
    )


def _method(profile: SetProfile) -> str:
    """Return the line with the method; records without items need another one than usual."""
    if not profile.empty:
        return USUAL_METHOD
    return WITH_EMPTY.format(empty=profile.empty, records=profile.records)


HEADER = """\
# A plan for krypsis: every record is a set of items. Run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

ITEMS = """
# What is known about the items. Take the # away where it applies:
items:
  # hierarchy: items.csv       # one line per item: the item, then its generalizations up to *
  sensitive: []                # items that nobody should be able to attach to a person
  # constraints: together.json # sets of items that analyses need together, for disassociation"""

PROMISES = """
# What the release must keep; 'krypsis models' lists all promises, 'krypsis explain NAME' explains one.
promises:
  - km-anonymity:k={k},m={m}   # whoever knows {m} items of a record still finds at least {k} records with them
  # With sensitive items: each belongs to at most one in 4 records of its group. Choose cahd as algorithm then.
  # - privacy-degree:p=4"""

USUAL_METHOD = """
algorithm: auto     # apriori where items have a hierarchy, else disassociation; 'krypsis algorithms' lists all"""

WITH_EMPTY = """
# {empty} of {records} records hold no item, and disassociation cannot hide such records. To choose it, leave them out
# of the data, and say so where you publish; apriori publishes them, too, where items have a hierarchy.
algorithm: km-suppression   # leaves out rare items; 'krypsis algorithms' lists all"""

OUTPUT = """
output:
  folder: release   # what may be published, relative to this file
  formats: [csv]    # csv, parquet; pieces of sets are JSON
  report: true      # a page about the release, written next to the folder
"""
