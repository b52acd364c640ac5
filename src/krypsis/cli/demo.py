"""``krypsis demo``: the whole journey on a built-in data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.progress import Reporter
from krypsis.cli.streams import tell
from krypsis.errors import OutputError, UsageError
from krypsis.io.whole import written_as_a_whole
from krypsis.kinds.base import PLAN, Demo, kind_named, kinds
from krypsis.printable import one_line


def demo(
    *,
    kind: Annotated[
        str,
        typer.Option(help="'table': patients of a hospital; 'transactions': baskets of a drugstore, sets of items."),
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

    found = _demo(kind)
    place = folder or Path(found.folder)
    _write(place, found.files, force=force)
    tell(f"1. {found.what} in {place / next(iter(found.files))}, and what to do with them in {place / PLAN}")
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


def _demo(name: str) -> Demo:
    """Return the built-in data of a kind."""
    found = kind_named(name).demo()
    if found is None:
        there = [one for one, kind in kinds().items() if kind.demo() is not None]
        raise UsageError(f"there is no demo of kind {name!r} yet; kinds with one: {', '.join(there)}")
    return found


def _write(folder: Path, files: Mapping[str, str], *, force: bool) -> None:
    if any((folder / name).exists() for name in files) and not force:
        raise OutputError(f"{folder} already holds a demo; use --force to replace it, or --folder for another place")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with written_as_a_whole(folder / name) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
