"""Commands that let a server do the work: ``--server`` of ``krypsis run`` and ``krypsis check``."""

from typing import Annotated

import typer

Address = Annotated[
    str | None,
    typer.Option("--server", help="Let this server do the work: the address that 'krypsis serve' printed."),
]
Token = Annotated[
    str | None,
    typer.Option(envvar="KRYPSIS_TOKEN", show_envvar=True, help="The token of the server, if its address has none."),
]
