"""``krypsis init --kind transactions``: profile sets of items and write a plan to edit."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from krypsis.cli.plan_file import check_free, relative, write_plan
from krypsis.cli.streams import tell
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


def init_sets(
    file: Path,
    output: Path,
    *,
    force: bool,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | None,
    key: str | None,
    item: str | None,
) -> None:
    """Profile sets of items and write a plan to edit."""
    from krypsis.cli.init_sets import show_set_profile  # noqa: PLC0415
    from krypsis.datasets.baskets import transactions_of  # noqa: PLC0415
    from krypsis.profile.set_plan_file import set_plan_text  # noqa: PLC0415
    from krypsis.profile.sets import profile_sets  # noqa: PLC0415

    check_free(output, force=force)  # better now than after reading a large file
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    read = {name: value for name, value in given.items() if value is not None}
    data, columns = _sets_in(file, given, key, item)
    sets = transactions_of(data, **(read | columns if data is file else columns))
    profile, read = profile_sets(sets, file.name), read | columns
    write_plan(set_plan_text(profile, relative(file, output), read), output, force=force)
    show_set_profile(profile)  # after the plan is safe: whoever reads along may stop reading
    tell(f"{output} written; check what it promises, then: krypsis run {output}")


def _sets_in(
    file: Path, reading: dict[str, str | None], key: str | None, item: str | None
) -> tuple[object, dict[str, str]]:
    """Return the table in a file and where its sets are; of a text file with one set per line the file itself."""
    from krypsis.errors import UsageError  # noqa: PLC0415
    from krypsis.io.paths import usable_path  # noqa: PLC0415
    from krypsis.io.read import file_kind, read_table  # noqa: PLC0415
    from krypsis.io.set_lines import JSON, is_pairs, table_names  # noqa: PLC0415
    from krypsis.profile.set_columns import guess_set_columns  # noqa: PLC0415

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
