"""``krypsis demo``: the whole journey on a built-in data set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.streams import Reporter, print_text
from krypsis.errors import OutputError
from krypsis.io.private import written_as_a_whole
from krypsis.kinds.base import PLAN, DemoOutcome, kind_named, kinds
from krypsis.progress import Progress
from krypsis.registry import USUAL_KIND
from krypsis.texts.printable import one_line


def demo(
    *,
    kind: Annotated[
        str,
        typer.Option(
            help="What the data is: " + "; ".join(f"'{name}', {known.title}" for name, known in kinds().items()) + ".",
        ),
    ] = USUAL_KIND,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where to put the data, the plan and the release; else demo, or demo- and the kind."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier demo wrote.")] = False,
) -> None:
    """Make up data, anonymize it, check it, and say what happened."""
    found = kind_named(kind).demo()
    place = folder or Path(found.folder)
    _write(place, found.files, force=force)
    print_text(f"1. {found.what} in {place / next(iter(found.files))}, and what to do with them in {place / PLAN}")
    print_text("".join(f"   krypsis {command.format(folder=place)}\n" for command in found.commands))
    with Reporter().listening() as reporter:
        outcome = (found.carry_out or _run_plan)(place, reporter)
    print_text(f"2. Anonymized and checked:\n\n{outcome.summary}\n")
    print_text("3. Where everything lies:\n")
    for name, path in outcome.paths.items():
        print_text(f"   {name:<15} {path}")
    print_text(f"\n4. Anybody can check the release from its files alone:\n   krypsis {outcome.check}\n")
    for verdict in outcome.verdicts:
        print_text(f"   {one_line(verdict.sentence)}")


def _run_plan(place: Path, progress: Progress) -> DemoOutcome:
    from krypsis.kinds.publishing import publish  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    plan = Plan.load(place / PLAN)
    published = publish(plan, place / plan.output.folder, progress, force=True)
    release, paths = published.release, published.paths
    return DemoOutcome(release.summary(), paths, f"check {paths['release']}", release.verdicts)


def _write(folder: Path, files: Mapping[str, str], *, force: bool) -> None:
    if any((folder / name).exists() for name in files) and not force:
        raise OutputError(f"{folder} already holds a demo; use --force to replace it, or --folder for another place")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with written_as_a_whole(folder / name) as new:
            new.write_text(text, encoding="utf-8", newline="\n")
