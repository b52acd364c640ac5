"""``krypsis serve``: the whole journey in the browser."""

import gc
import secrets
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.streams import print_text

MEGABYTE = 1024**2
SHORTEST = 12
"""How many characters a token has at least."""


def serve(
    workspace: Annotated[
        Path, typer.Option(help="The folder of the projects; everything that is uploaded stays in it.")
    ] = Path("krypsis-projects"),
    host: Annotated[str, typer.Option(help="The address to listen on; this machine only by default.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0 takes any that is free.", min=0, max=65535)
    ] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="KRYPSIS_TOKEN",
            show_envvar=True,
            help="What visitors must know, at least 12 characters; a random one is printed by default. Use the "
            "variable: other users can see the words of a command.",
        ),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Ask for no token. Everybody who uses this machine can then read the data."),
    ] = False,
    allow_paths: Annotated[
        bool,
        typer.Option("--allow-paths", help="Let visitors name files of this machine, and databases, to be read."),
    ] = False,
    largest_upload: Annotated[int, typer.Option(help="The largest file to take, in MB.", min=1)] = 2048,
    memory: Annotated[int, typer.Option(help="How much memory a job may take, in MB.", min=256)] = 8192,
    workers: Annotated[int, typer.Option(help="How many jobs run at the same time.", min=1, max=64)] = 1,
) -> None:
    """Serve the whole journey to browsers, from this machine only unless said otherwise."""
    gc.set_threshold(700, 10, 10)  # as Python itself does: a server runs for weeks, other commands for seconds
    from krypsis.errors import UsageError  # noqa: PLC0415

    try:
        from krypsis.web.served import ServerSettings  # noqa: PLC0415
        from krypsis.web.server import run_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("krypsis"):
            raise
        raise UsageError(
            f"the server needs {error.name}; install it: pip install 'krypsis[web]', or in a clone: ./dev serve"
        ) from error
    _check_token(token, is_asked=not no_token)
    drawn = None if no_token or token is not None else secrets.token_urlsafe(32)
    settings = ServerSettings(
        host=host,
        port=port,
        token=token or drawn,
        allow_paths=allow_paths,
        largest_upload=largest_upload * MEGABYTE,
        memory=memory * MEGABYTE,
        workers=workers,
    )
    run_server(workspace, settings, partial(_print_address, drawn=drawn))


def _check_token(token: str | None, *, is_asked: bool) -> None:
    from krypsis.errors import UsageError  # noqa: PLC0415

    if token is not None and not is_asked:
        raise UsageError("--no-token asks for no token, and one is given by --token or KRYPSIS_TOKEN; take one of them")
    if token is not None and len(token) < SHORTEST:
        raise UsageError(f"the token needs at least {SHORTEST} characters, got {len(token)}; take a longer one")


def _print_address(address: str, drawn: str | None) -> None:
    """Print the address; a token that somebody has chosen is known to them, and stays off the screen."""
    query = "" if drawn is None else f"?token={drawn}"
    print_text(f"Krypsis is at {address}{query} (press Ctrl-C to stop)")
