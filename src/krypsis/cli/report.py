"""``krypsis report``: the report of a release in another form."""

from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.streams import print_text


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release, with its report next to it.")],
    pdf: Annotated[bool, typer.Option("--pdf", help="As PDF; needs the extra 'pdf'.")] = False,
) -> None:
    """Write the report of a release anew: as a page, or as PDF, from the JSON next to the folder."""
    from krypsis.report import write_page, write_pdf  # noqa: PLC0415

    print_text(write_pdf(release) if pdf else write_page(release))
