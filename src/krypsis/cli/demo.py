"""``krypsis demo``: the whole journey on a built-in data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.progress import Reporter
from krypsis.errors import OutputError

DATA, PLAN = "patients.csv", "plan.yaml"


def demo(
    folder: Annotated[Path, typer.Option(help="Where to put the data, the plan and the release.")] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier demo wrote.")] = False,
) -> None:
    """Make up a hospital table, anonymize it, check it, and say what happened."""
    from krypsis.cli.run import publish  # noqa: PLC0415
    from krypsis.datasets.hospital import hospital, hospital_plan  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    _prepare(folder, force=force)
    table = hospital()
    table.write_csv(folder / DATA)
    (folder / PLAN).write_text(hospital_plan(), encoding="utf-8")
    typer.echo(f"1. {table.height:,} invented patients in {folder / DATA}, and what to do with them in {folder / PLAN}")
    typer.echo(f"   krypsis run {folder / PLAN}\n")
    plan = Plan.load(folder / PLAN)
    release, paths = publish(plan, folder / plan.output.folder, Reporter(), force=True)
    typer.echo(f"2. Anonymized and checked:\n\n{release.summary()}\n")
    typer.echo("3. Where everything lies:\n")
    for name, path in paths.items():
        typer.echo(f"   {name:<15} {path}")
    typer.echo(f"\n4. Anybody can check the release from its files alone:\n   krypsis check {paths['release']}\n")
    for verdict in release.verdicts:
        typer.echo(f"   {'holds' if verdict.holds else 'DOES NOT HOLD'}: {verdict.sentence}")


def _prepare(folder: Path, *, force: bool) -> None:
    if any((folder / name).exists() for name in (DATA, PLAN)) and not force:
        raise OutputError(f"{folder} already holds a demo; use --force to replace it, or --folder for another place")
    folder.mkdir(parents=True, exist_ok=True)
