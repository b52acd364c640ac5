"""``krypsis init --kind transactions``: profile sets of items and write a plan to edit."""

from __future__ import annotations

from pathlib import Path

from krypsis.cli.init import check_free, relative, write_plan
from krypsis.cli.streams import tell


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
    from krypsis.cli.set_profile_view import show_set_profile  # noqa: PLC0415
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
