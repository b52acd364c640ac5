"""The profile of sets of items on the screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from krypsis.printable import one_line
from krypsis.profile.sets import RARE, SetProfile


def show_set_profile(profile: SetProfile) -> None:
    """Print the figures of the sets, and how few items tell a record apart, to stderr."""
    console = Console(stderr=True)
    console.print(f"{one_line(profile.name)}: {profile.records:,} records, {profile.items:,} items", markup=False)
    console.print(_figures(profile))
    console.print(_identified(profile))


def _figures(profile: SetProfile) -> Table:
    least, lower, median, upper, most = profile.supports
    table = Table("what", "figure", title="Sets", title_justify="left")
    rows = {
        "items per record (mean, median, most)": f"{profile.occurrences / max(profile.records, 1):.2f}, "
        f"{profile.median_size:g}, {profile.largest:,}",
        "records without items": f"{profile.empty:,}",
        "sparsity": f"{profile.sparsity:.2%}".replace("%", " %"),
        "records per item (least, quartiles, most)": f"{least:,}, {lower:,}, {median:,}, {upper:,}, {most:,}",
        f"items in fewer than {RARE} records": f"{profile.rare_items:,}",
    }
    for name, figure in rows.items():
        table.add_row(name, figure)
    return table


def _identified(profile: SetProfile) -> Table:
    table = Table("known items", "records told apart", title="What tells records apart", title_justify="left")
    for known, share in enumerate(profile.identified, start=1):
        bound = "at least " if known == 3 and not profile.is_exact else ""
        table.add_row(str(known), f"{bound}{share:.1%}".replace("%", " %"))
    return table
