"""The ``krypsis`` command: one file per subcommand, errors and exit codes in one place."""

import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from krypsis.cli import (
    advise,
    apply,
    attack,
    audit,
    catalogue,
    check,
    demo,
    dossier,
    explore,
    history,
    init,
    measure,
    ontologies,
    query,
    reconstruct,
    report,
    run,
    serve,
    warm,
)
from krypsis.cli.failures import EXIT_INTERRUPTED, Failure, Terminated, failure_of
from krypsis.cli.start import main
from krypsis.cli.streams import print_text, say, use_harmless_logs

__all__ = ["app", "main"]


class _Group(TyperGroup):
    """Turns every error into a message on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        warnings.showwarning = _show_warning
        use_harmless_logs()
        try:
            return super().invoke(ctx)
        except (typer.Abort, EOFError):
            failure = Failure(EXIT_INTERRUPTED, "ended before all questions were answered; nothing was written")
        except BaseException as error:  # panics of compiled libraries are no Exceptions
            if _is_an_ending(error):
                raise
            failure = failure_of(error)
        say(failure.sentence)
        raise typer.Exit(failure.code)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make personal data safe to publish: anonymize, check, measure.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from krypsis.version import __version__  # noqa: PLC0415

        print_text(f"krypsis {__version__}")
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
app.command()(attack.attack)
app.command()(measure.measure)
app.command()(query.query)
app.command()(reconstruct.reconstruct)
app.command()(ontologies.classify)
app.command()(ontologies.explain_axiom)
app.command()(serve.serve)
app.command()(demo.demo)
app.command()(warm.warm)
app.add_typer(dossier.app)
app.add_typer(audit.app)
app.add_typer(history.app)
app.command()(catalogue.models)
app.command()(catalogue.algorithms)
app.command()(catalogue.metrics)
app.command()(catalogue.attacks)
app.command()(catalogue.explain)


def _is_an_ending(error: BaseException) -> bool:
    """Say whether an error is how typer ends a command: with an exit code, or with a message about its options."""
    own = type(error).__module__.startswith(("typer", "click"))
    return own or (isinstance(error, SystemExit) and not isinstance(error, Terminated))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


if __name__ == "__main__":
    main()
