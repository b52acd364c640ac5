"""``krypsis init``: profile a file, guess roles and hierarchies, write a plan to edit."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.plan_file import check_free, relative, write_plan
from krypsis.cli.streams import tell
from krypsis.errors import UsageError
from krypsis.kinds.base import Kind, kind_named, kind_of_file, kinds
from krypsis.kinds.proposal import PLAN_PLACE, ProfileTable, ProfileView
from krypsis.registry import USUAL_KIND
from krypsis.texts.printable import one_line

WITHOUT_TERMINAL = 200
NARROW = 120
"""Below this width the details are left out."""


def init(
    file: Annotated[
        Path,
        typer.Argument(help="The data: a CSV (also packed), Parquet or Excel file; a text file with one set per line."),
    ],
    *,
    kind: Annotated[
        str,
        typer.Option(
            help="What the data is: " + "; ".join(f"'{name}', {known.title}" for name, known in kinds().items()) + ".",
        ),
    ] = USUAL_KIND,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the plan.")] = Path("plan.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing plan.")] = False,
    delimiter: Annotated[
        str | None, typer.Option(help="What stands between the fields of a CSV file, if not found by itself.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of a CSV file, if not found by itself, such as iso-8859-7.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet of an Excel file, by name or number from 1.")] = None,
    key: Annotated[
        str | None, typer.Option(help="For sets in a table: the column that says which record an item belongs to.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="For sets in a table: the column of items, or of lists.")] = None,
) -> None:
    """Profile the data, guess the role of each column and write a plan to edit."""
    chosen = kind_named(kind)
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "key": key, "item": item}
    _refuse_other_kinds(chosen, file, given)
    check_free(output, force=force)  # better now than after reading a large file
    reading = {name: given[name] for name in chosen.reading}
    proposed = chosen.propose(file, relative(file, output), reading)
    write_plan(proposed.text, output, force=force)
    for warning in proposed.warnings:
        tell(f"krypsis: warning: {warning}", err=True)
    show_profile(proposed.profile)  # after the plan is safe: whoever reads along may stop reading
    if proposed.missing:
        tell(f"{output} written, and a {kind} cannot begin with it yet. {' '.join(proposed.missing)}")
        return
    command = shlex.join(["krypsis", *(str(output) if part == PLAN_PLACE else part for part in proposed.following)])
    tell(f"{output} written; check {proposed.look_at}, then: {command}")


def _refuse_other_kinds(chosen: Kind, file: Path, given: dict[str, str | None]) -> None:
    """Raise if the options, or the file, belong to another kind of data."""
    for other in kinds().values():
        names = [f"--{name}" for name in other.reading if given[name] is not None and name not in chosen.reading]
        if names:
            raise UsageError(f"{' and '.join(names)} is for {other.title}; add --kind {other.name}, or leave it out")
    if not chosen.reads_like_table or given["delimiter"] is not None:
        return
    if not (other := kind_of_file(file)).reads_like_table:
        raise UsageError(
            f"{file.name} looks like {other.title}, and not like a table; add --kind {other.name}. If it is a table "
            "all the same, name what stands between its fields, such as --delimiter comma"
        )


def show_profile(profile: ProfileView) -> None:
    """Print what was found in the data to stderr."""
    from rich.console import Console  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # without a terminal there is no width to fit into
        console = Console(stderr=True, width=WITHOUT_TERMINAL)
    console.print(one_line(profile.summary), markup=False)
    for table in profile.tables:
        console.print(_drawn(table, is_narrow=console.width < NARROW))
    for note in profile.notes:
        console.print(one_line(note), markup=False)


def _drawn(table: ProfileTable, *, is_narrow: bool) -> object:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawn = Table(title=table.title, title_justify="left")
    places = [place for place, name in enumerate(table.headings) if not (is_narrow and name in table.details)]
    for place in places:
        name = table.headings[place]
        drawn.add_column(name, justify="right" if name in table.figures else "left")
    for row in table.rows:
        drawn.add_row(*(Text(one_line(row[place])) for place in places))
    return drawn
