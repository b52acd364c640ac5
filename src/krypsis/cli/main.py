"""The ``krypsis`` command: one file per subcommand, errors and exit codes in one place."""

from __future__ import annotations

import gc
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from krypsis.algorithms.watch import Interrupted
from krypsis.cli import (
    advise,
    apply,
    catalogue,
    check,
    demo,
    dossier,
    explore,
    history,
    init,
    reconstruct,
    report,
    run,
    serve,
)
from krypsis.cli.exit_codes import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_PROMISE, EXIT_USAGE
from krypsis.errors import DossierRefused, Infeasible, InternalError, KrypsisError, PromiseBroken


class _Group(TyperGroup):
    """Turns the toolkit's errors into a message on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        warnings.showwarning = _show_warning
        try:
            return super().invoke(ctx)
        except KrypsisError as error:
            typer.echo(f"krypsis: {error}", err=True)
            raise typer.Exit(_exit_code(error)) from None
        except (KeyboardInterrupt, Interrupted) as error:
            typer.echo(f"krypsis: {str(error) or 'interrupted'}", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from None


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make personal data safe to publish: anonymize, check, measure.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from krypsis import __version__  # noqa: PLC0415

        typer.echo(f"krypsis {__version__}")
        raise typer.Exit


@app.callback()
def common(
    *,
    # eager, or the missing command would be an error before the version is shown
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Options of every command."""


app.command()(init.init)
app.command()(advise.advise)
app.command()(run.run)
app.command()(report.report)
app.command()(explore.explore)
app.command()(apply.apply)
app.command()(check.check)
app.command()(reconstruct.reconstruct)
app.command()(serve.serve)
app.command()(demo.demo)
app.add_typer(dossier.app)
app.add_typer(history.app)
app.command()(catalogue.models)
app.command()(catalogue.algorithms)
app.command()(catalogue.metrics)
app.command()(catalogue.explain)


def main() -> None:
    """Run the command line."""
    try:
        app(prog_name="krypsis")
    finally:
        # The process ends and gives everything back at once; looking for cycles in it would take a fifth of a second.
        # DuckDB, where it was used, would report all that as lost.
        if "duckdb" not in sys.modules:
            gc.freeze()


def _exit_code(error: KrypsisError) -> int:
    if isinstance(error, InternalError):
        return EXIT_INTERNAL
    return EXIT_PROMISE if isinstance(error, (DossierRefused, Infeasible, PromiseBroken)) else EXIT_USAGE


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"krypsis: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
