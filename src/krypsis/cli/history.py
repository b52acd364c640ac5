"""``krypsis history``: a table that changes, published version after version."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from krypsis.cli.progress import Reporter

if TYPE_CHECKING:
    from krypsis.history import Published

USUAL = Path("history")

app = typer.Typer(
    name="history", no_args_is_help=True, help="Publish a table that changes, so that its releases can be compared."
)

Data = Annotated[Path, typer.Argument(help="The table of this version: a CSV, Parquet or Excel file.")]
Folder = Annotated[Path, typer.Option(help="The folder of the history.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


@app.command()
def init(
    data: Data,
    *,
    id: Annotated[str, typer.Option(help="The column that says whose record it is; it is never published.")],  # noqa: A002
    plan: Annotated[Path, typer.Option(help="The plan: roles, hierarchies, and a promise such as m-invariance:m=3.")],
    folder: Folder = USUAL,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Start a history in a new folder, and publish its first version."""
    from krypsis.history import History  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    chosen = Plan.load(plan)
    reading = chosen.read.model_dump(include={"delimiter", "encoding", "sheet"})
    history = History.of_task(folder, chosen.task(), id=id, formats=chosen.output.formats, reading=reading)
    try:
        published = history.publish(data, watch=Reporter(quiet=quiet or json))
    except BaseException:
        if not history.log():  # else it stays: what was published must not be forgotten
            shutil.rmtree(folder)
        raise
    _tell(published, json=json)


@app.command()
def publish(
    data: Data,
    *,
    folder: Folder = USUAL,
    version: Annotated[int | None, typer.Option(help="The number that this version must have.")] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare a table with the versions before, make the next release, check it against all of them, and write it."""
    from krypsis.history import History  # noqa: PLC0415

    watch = Reporter(quiet=quiet or json)
    _tell(History.open(folder).publish(data, version=version, watch=watch), json=json)


@app.command()
def simulate(data: Data, *, folder: Folder = USUAL, json: AsJson = False, quiet: Quiet = False) -> None:
    """Tell what publishing a table would do, without doing it."""
    from krypsis.history import History  # noqa: PLC0415

    _tell(History.open(folder).simulate(data, watch=Reporter(quiet=quiet or json)), json=json)


@app.command()
def log(folder: Folder = USUAL, json: AsJson = False) -> None:
    """List the versions that were published, the oldest first."""
    from krypsis.history import History  # noqa: PLC0415

    changes = History.open(folder).log()
    if json:
        typer.echo(_as_json([change.as_dict() for change in changes]))
        return
    typer.echo("\n".join(change.sentence() for change in changes) or f"{folder} has no versions yet")


@app.command()
def check(folder: Folder = USUAL, json: AsJson = False) -> None:
    """Check all releases together, from their files and the private state; exit code 1 if a promise is broken."""
    from krypsis.history import History  # noqa: PLC0415

    verdicts = History.open(folder).check()
    document = {"holds": all(verdicts), "verdicts": [verdict.model_dump() for verdict in verdicts]}
    typer.echo(_as_json(document) if json else "\n".join(verdict.sentence for verdict in verdicts))
    raise typer.Exit(0 if all(verdicts) else 1)


@app.command()
def attack(folder: Folder = USUAL, json: AsJson = False) -> None:
    """Compare all releases as an attacker would who knows everybody; exit code 1 if more is learned than promised."""
    from krypsis.history import History  # noqa: PLC0415

    report = History.open(folder).attack()
    typer.echo(_as_json(report.as_dict()) if json else "\n".join(report.sentences()))
    raise typer.Exit(0 if report.holds else 1)


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="A new folder; it tells who is who and must not be published.")],
    *,
    folder: Folder = USUAL,
) -> None:
    """Write the private state as Parquet files, one per table."""
    from krypsis.history import History  # noqa: PLC0415

    typer.echo(f"private state written to {History.open(folder).export(target)}")


def _tell(published: Published, *, json: bool) -> None:
    if json:
        place = None if published.folder is None else str(published.folder)
        verdicts = [verdict.model_dump() for verdict in published.verdicts]
        typer.echo(_as_json({**published.change.as_dict(), "verdicts": verdicts, "release": place}))
        return
    typer.echo("\n".join([published.change.sentence(), *(one.sentence for one in published.verdicts)]))
    written = "nothing was written: this is a simulation" if published.folder is None else published.folder
    typer.echo(f"\nrelease  {written}")


def _as_json(document: Any) -> str:
    from json import dumps  # noqa: PLC0415

    return dumps(document, indent=2, ensure_ascii=False)
