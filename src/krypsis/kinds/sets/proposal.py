"""The plan that is proposed for sets of items, with what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from krypsis.errors import UsageError
from krypsis.io.baskets import transactions_of
from krypsis.io.paths import usable_path
from krypsis.io.read import file_kind, read_table
from krypsis.io.set_lines import JSON, is_pairs, table_names
from krypsis.kinds.proposal import PLAN_PLACE, ProfileTable, ProfileView, ProposedPlan
from krypsis.profile.set_columns import guess_set_columns
from krypsis.profile.set_plan_file import set_plan_text
from krypsis.profile.sets import RARE, SetProfile, profile_sets


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
    return ProfileTable("What tells records apart", ("known items", "records told apart"), tuple(rows))


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
