"""``krypsis apply``: new rows, recoded as a release was."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.streams import Reporter, print_text
from krypsis.progress import Progress

if TYPE_CHECKING:
    from krypsis.release.release import Release


def apply(
    recipe: Annotated[
        Path, typer.Argument(help="The release, with its private record next to it; or that record, or a recipe file.")
    ],
    rows: Annotated[
        str,
        typer.Argument(
            help="The new rows: a CSV (also .gz), Parquet or Excel file, or many Parquet files; the address of a "
            "table, such as postgresql://host/clinic?table=visits."
        ),
    ],
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
    engine: Annotated[
        str | None, typer.Option(help="What works on the rows: memory, duckdb, postgresql, spark; found out otherwise.")
    ] = None,
    memory: Annotated[str | None, typer.Option(help="How much memory it may take: 2GB, 500MB.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    report: Annotated[bool, typer.Option(help="Whether to write the report; there is none with --with.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Recode new rows as a release was, check that its promises hold for them too, and write a release."""
    from krypsis.cli.run import as_json, as_text  # noqa: PLC0415
    from krypsis.kinds.publishing import WantedFiles, audit_log_of, data_named, publish_made  # noqa: PLC0415

    reading = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}

    def make(progress: Progress) -> "Release":
        from krypsis.io.dataset import Dataset  # noqa: PLC0415
        from krypsis.io.memory import bytes_of  # noqa: PLC0415
        from krypsis.kinds.table.recipe import Recipe  # noqa: PLC0415

        found = Recipe.load(recipe)  # a mistake here is reported before a large file is read
        allowed = None if memory is None else bytes_of(memory)
        progress.phase("read")
        dataset = Dataset.of(rows, engine=engine, memory=allowed, reading=reading)
        return found.apply(dataset, together_with=with_, suppression=suppression, progress=progress)

    plan = {"recipe": str(recipe), "together_with": str(with_ or ""), "suppression": suppression or ""}
    log, formats = audit_log_of(output), format_ or ["csv"]
    with (
        Reporter(quiet=quiet or json).listening() as reporter,
        log.running("apply", plan, *data_named(rows)) as logged,
    ):
        published = publish_made(make, output, reporter, WantedFiles(formats, report), force=force, logged=logged)
    print_text(as_json(published) if json else as_text(published))
