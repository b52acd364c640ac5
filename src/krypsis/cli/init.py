"""``krypsis init``: profile a file, guess roles and hierarchies, write a plan to edit."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.plan_file import check_free, relative, write_plan
from krypsis.cli.streams import print_text
from krypsis.errors import UsageError
from krypsis.io.addresses import is_address, refuse_password
from krypsis.kinds.base import PLAN_PLACE, Kind, ProfileTable, ProfileView, kind_named, kind_of_file, kinds
from krypsis.registry import USUAL_KIND
from krypsis.texts.printable import one_line

WITHOUT_TERMINAL = 200
NARROW = 120
"""Below this width the details are left out."""


def init(
    file: Annotated[
        str,
        typer.Argument(
            help="The data: a CSV (also packed), Parquet or Excel file; several Parquet files, 'visits/*.parquet'; the "
            "address of a table, 'postgresql://host/clinic?table=public.visits'; a text file with one set per line; a "
            "graph; an ontology."
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            help="What the data is: "
            + "; ".join(f"'{name}', {known.title}" for name, known in kinds().items())
            + ". Found by looking at the file unless given.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="What works on a table where it lies, if not found by itself: duckdb, spark."),
    ] = None,
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
    vertices: Annotated[
        str | None, typer.Option(help="For a graph: a table with the attributes of its vertices.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="For a graph in a table: the column of one end of an edge.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="For a graph in a table: the column of the other end.")] = None,
    edge_type: Annotated[
        str | None, typer.Option("--type", help="For a graph in a table: the column of the types of edges.")
    ] = None,
    public: Annotated[str | None, typer.Option(help="For an ontology: another one that everybody knows.")] = None,
) -> None:
    """Profile the data, guess the role of each column and write a plan to edit."""
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "key": key, "item": item}
    given |= {"vertices": vertices, "source": source, "target": target, "type": edge_type, "public": public}
    data = _source(file, engine)
    chosen = _recognized(data, given, engine) if kind is None else kind_named(kind)
    _refuse_other_kinds(chosen, data, given)
    check_free(output, force=force)  # better now than after reading a large file
    reading = {name: given[name] for name in chosen.reading}
    place = data if isinstance(data, str) else relative(data, output)
    if isinstance(data, str) or engine is not None:
        proposed = chosen.propose_elsewhere(data, place, reading, engine)
    else:
        proposed = chosen.propose(data, place, reading)
    write_plan(_as_seen_from_the_plan(chosen, reading, proposed.text, output), output, force=force)
    for warning in proposed.warnings:
        print_text(f"krypsis: warning: {warning}", err=True)
    show_profile(proposed.profile)  # after the plan is safe: whoever reads along may stop reading
    if proposed.missing:
        print_text(f"{output} written; it cannot be run yet. {' '.join(proposed.missing)}")
        return
    command = shlex.join(["krypsis", *(str(output) if part == PLAN_PLACE else part for part in proposed.following)])
    print_text(f"{output} written; check {proposed.look_at}, then: {command}")


def _as_seen_from_the_plan(kind: Kind, reading: dict[str, str | None], text: str, output: Path) -> str:
    """Return the text of a plan whose further files are found from where it lies."""
    named = {name: relative(Path(place), output) for name in kind.reading_files if (place := reading[name]) is not None}
    if all(place == reading[name] for name, place in named.items()):
        return text
    from krypsis.plan.plan_text import PlanText  # noqa: PLC0415  the help needs no parser

    plan = PlanText(text)
    for name, place in named.items():
        plan = plan.set([name], place)
    return str(plan)


def _source(file: str, engine: str | None) -> Path | str:
    """Return the path of the data, or its address or name where it is no file of this machine."""
    if is_address(file):
        refuse_password(file)
        return file
    if engine is None or Path(file).exists():
        return Path(file)
    from krypsis.io.engines import find_engine  # noqa: PLC0415  files need none

    return file if find_engine(engine).knows_by_name(file) else Path(file)


def _recognized(data: Path | str, given: dict[str, str | None], engine: str | None) -> Kind:
    """Return the kind of the data; who names an engine, or what stands between the fields, means a table."""
    is_table = isinstance(data, str) or engine is not None or given["delimiter"] is not None
    return kind_named(USUAL_KIND) if is_table else kind_of_file(Path(data))


def _refuse_other_kinds(chosen: Kind, file: Path | str, given: dict[str, str | None]) -> None:
    """Raise if the options, or the file, belong to another kind of data."""
    for other in kinds().values():
        names = [f"--{name}" for name in other.reading if given[name] is not None and name not in chosen.reading]
        if names:
            raise UsageError(f"{' and '.join(names)} is for {other.title}; add --kind {other.name}, or leave it out")
    if isinstance(file, str) or not chosen.reads_like_table or given["delimiter"] is not None:
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
