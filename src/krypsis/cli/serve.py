"""``krypsis serve``: the whole journey in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MEGABYTE = 1024**2


def serve(
    workspace: Annotated[
        Path, typer.Option(help="The folder of the projects; everything that is uploaded stays in it.")
    ] = Path("krypsis-projects"),
    host: Annotated[
        str, typer.Option(help="The address to listen on; another than this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0 takes any that is free.", min=0, max=65535)
    ] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="KRYPSIS_TOKEN",
            show_envvar=True,
            help="What visitors must know, at least 12 characters. Better give it by the variable: others can see the "
            "words of a command.",
        ),
    ] = None,
    largest_upload: Annotated[int, typer.Option(help="The largest file to take, in MB.", min=1)] = 2048,
    memory: Annotated[int, typer.Option(help="How much memory a job may take, in MB.", min=256)] = 8192,
    workers: Annotated[int, typer.Option(help="How many jobs run at the same time.", min=1, max=64)] = 1,
) -> None:
    """Serve the whole journey to browsers, from this machine only unless said otherwise."""
    from krypsis.errors import UsageError  # noqa: PLC0415

    try:
        from krypsis.web.server import run_server  # noqa: PLC0415
        from krypsis.web.settings import Settings  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("krypsis"):
            raise
        raise UsageError(
            f"the server needs {error.name}; install it: pip install 'krypsis[web]', or in a clone: ./dev serve"
        ) from error
    if token is not None and len(token) < 12:
        raise UsageError(f"the token needs at least 12 characters, got {len(token)}; take a longer one")
    settings = Settings(
        host=host,
        port=port,
        token=token,
        largest_upload=largest_upload * MEGABYTE,
        memory=memory * MEGABYTE,
        workers=workers,
    )
    run_server(workspace, settings, _tell)


def _tell(address: str) -> None:
    typer.echo(f"Krypsis is at {address} (press Ctrl-C to stop)")
