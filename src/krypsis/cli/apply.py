"""``krypsis apply``: new rows, recoded as a release was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.progress import Reporter
from krypsis.cli.streams import tell
from krypsis.progress import Progress

if TYPE_CHECKING:
    from krypsis.release.release import Release


def apply(
    recipe: Annotated[
        Path, typer.Argument(help="The release, with its private record next to it; or that record, or a recipe file.")
    ],
    rows: Annotated[Path, typer.Argument(help="The new rows: a CSV (also .gz), Parquet or Excel file.")],
    output: Annotated[Path, typer.Option(help="Folder of the new release.")],
    *,
    with_: Annotated[
        Path | None,
        typer.Option("--with", help="Publish one table with the records of this earlier release of the same recipe."),
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="How many new records may be suppressed: 2% or 10; as before unless given.")
    ] = None,
    format_: Annotated[
        list[str] | None, typer.Option("--format", help="Form of the table: csv or parquet; repeat for both.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a CSV file; found out otherwise.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a CSV file; found out otherwise.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Of an Excel file, by name or number from 1.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    report: Annotated[bool, typer.Option(help="Whether to write the report; there is none with --with.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Recode new rows as a release was, check that its promises hold for them too, and write a release."""
    from krypsis.cli.run import as_json, as_text  # noqa: PLC0415
    from krypsis.kinds.publishing import publish_made  # noqa: PLC0415

    reading = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}

    def make(progress: Progress) -> Release:
        return _make(recipe, rows, with_, suppression, reading, progress)

    with Reporter(quiet=quiet or json).listening() as reporter:
        published = publish_made(make, output, reporter, format_ or ["csv"], with_report=report, force=force)
    tell(as_json(published) if json else as_text(published))


def _make(
    recipe: Path,
    rows: Path,
    earlier: Path | None,
    suppression: str | None,
    reading: dict[str, str | None],
    progress: Progress,
) -> Release:
    from krypsis.io.dataset import Dataset  # noqa: PLC0415
    from krypsis.io.read import read_table  # noqa: PLC0415
    from krypsis.kinds.table.recipe import Recipe  # noqa: PLC0415

    found = Recipe.load(recipe)  # a mistake here is reported before a large file is read
    progress.phase("read")
    dataset = Dataset(read_table(rows, **reading), rows.name, rows)
    return found.apply(dataset, together_with=earlier, suppression=suppression, progress=progress)
