"""``krypsis demo``: the whole journey on a built-in data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from krypsis.cli.progress import Reporter
from krypsis.cli.streams import tell
from krypsis.errors import OutputError
from krypsis.io.whole import written_as_a_whole
from krypsis.printable import one_line

PLAN = "plan.yaml"
FOLDERS = {"table": Path("demo"), "transactions": Path("demo-sets")}


def demo(
    *,
    kind: Annotated[
        Literal["table", "transactions"],
        typer.Option(help="A table of hospital patients, or baskets of a drugstore: sets of items."),
    ] = "table",
    folder: Annotated[
        Path | None,
        typer.Option(help="Where to put the data, the plan and the release; else demo, for sets of items demo-sets."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier demo wrote.")] = False,
) -> None:
    """Make up data, anonymize it, check it, and say what happened."""
    from krypsis.plan import Plan  # noqa: PLC0415
    from krypsis.publishing import publish  # noqa: PLC0415

    place = folder or FOLDERS[kind]
    files, what = _hospital() if kind == "table" else _drugstore()
    _write(place, files, force=force)
    tell(f"1. {what} in {place / next(iter(files))}, and what to do with them in {place / PLAN}")
    tell(f"   krypsis run {place / PLAN}\n")
    plan = Plan.load(place / PLAN)
    with Reporter().listening() as reporter:
        published = publish(plan, place / plan.output.folder, reporter, force=True)
    release, paths = published.release, published.paths
    tell(f"2. Anonymized and checked:\n\n{release.summary()}\n")
    tell("3. Where everything lies:\n")
    for name, path in paths.items():
        tell(f"   {name:<15} {path}")
    tell(f"\n4. Anybody can check the release from its files alone:\n   krypsis check {paths['release']}\n")
    for verdict in release.verdicts:
        tell(f"   {one_line(verdict.sentence)}")


def _hospital() -> tuple[dict[str, str], str]:
    """Return the files of the table, the data first, and what it holds."""
    from krypsis.datasets.hospital import hospital, hospital_plan  # noqa: PLC0415

    table = hospital()
    return {"patients.csv": table.write_csv(), PLAN: hospital_plan()}, f"{table.height:,} invented patients"


def _drugstore() -> tuple[dict[str, str], str]:
    """Return the files of the sets, the data first, and what they hold."""
    from krypsis.datasets.drugstore import drugstore, drugstore_hierarchy, drugstore_plan  # noqa: PLC0415
    from krypsis.io.write_sets import set_lines  # noqa: PLC0415

    baskets = drugstore()
    files = {"baskets.csv": set_lines(baskets), "goods.csv": drugstore_hierarchy(), PLAN: drugstore_plan()}
    return files, f"{len(baskets):,} invented baskets"


def _write(folder: Path, files: dict[str, str], *, force: bool) -> None:
    if any((folder / name).exists() for name in files) and not force:
        raise OutputError(f"{folder} already holds a demo; use --force to replace it, or --folder for another place")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with written_as_a_whole(folder / name) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
