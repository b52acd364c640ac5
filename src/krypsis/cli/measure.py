"""``krypsis measure``: figures of a release, compared with the data before."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.streams import print_text
from krypsis.texts.printable import one_line


def measure(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    plan: Annotated[Path, typer.Option(help="The plan that the release was made by; it names the data before.")],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="A metric with its parameters, such as tkd:top=100; 'krypsis metrics' lists them. Repeat for several. "
            "Unless given, those of the plan, else all that fit.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure a release by metrics that take long or need a question, such as the signed error of each constraint.

    The figures compare with the data before: they are for the publisher.
    """
    from krypsis.kinds.base import kind_named  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415
    from krypsis.release.release import Release  # noqa: PLC0415

    target = Release.load(release)
    found = kind_named(target.kind).measure(target, Plan.load(plan), metrics or ())
    if json:
        print_text(dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False))
        return
    for one in found:
        print_text(one_line(one.sentence()))
        for items, error in one.errors.items():
            print_text(f"  {one_line(items)}: {'no record matched before' if error is None else f'{error:+.2%}'}")
