"""The plan that is proposed for sets of items, as commented YAML to edit."""

from __future__ import annotations

from collections.abc import Mapping

from krypsis.io.yaml_file import entry, flow, scalar
from krypsis.profile.sets import SetProfile

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
        f"\n# Risk before: {one:.1%} of the records are told apart from all others by one of their items,\n"
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
  report: true      # a page about the release, written beside the folder
"""
