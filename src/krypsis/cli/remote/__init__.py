"""Commands that let a server do the work: ``--server`` of ``krypsis run`` and ``krypsis check``."""

from __future__ import annotations

from typing import Annotated

import typer

Address = Annotated[
    str | None,
    typer.Option("--server", help="Let this server do the work, such as http://127.0.0.1:8765 of 'krypsis serve'."),
]
Token = Annotated[
    str | None,
    typer.Option(envvar="KRYPSIS_TOKEN", show_envvar=True, help="The token of the server, if it asks for one."),
]
