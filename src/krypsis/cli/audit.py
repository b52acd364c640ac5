"""``krypsis audit``: who ran what on which data, and what came of it."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.streams import print_text
from krypsis.errors import PromiseBroken
from krypsis.texts.printable import one_line

if TYPE_CHECKING:
    from krypsis.release.audit_log import AuditLog, LoggedRun

app = typer.Typer(name="audit", no_args_is_help=True, help="The private log of all runs of a project.")

Folder = Annotated[
    Path,
    typer.Option(help="Where the releases lie, next to which the log is; of a history, the folder private in it."),
]
HERE = Path()


@app.command()
def show(
    folder: Folder = HERE,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with the plans.")] = False,
) -> None:
    """Show all runs: when, who, what, the data, and the verdicts."""
    runs = _log(folder).runs()
    if json:
        print_text(dumps([run.as_dict() for run in runs], indent=2, ensure_ascii=False))
    else:
        print_text("\n".join(one_line(run.noted().text) for run in runs))


@app.command()
def check(folder: Folder = HERE) -> None:
    """Find out whether lines were changed or removed; exit code 1 if so."""
    log = _log(folder)
    if problems := log.problems():
        raise PromiseBroken(f"{log.path} is not as it was written:\n" + "\n".join(f"  - {one}" for one in problems))
    print_text(
        f"{log.path}: {_counted(log.runs())}, every line follows the one before it.\nChecksum: {log.digest()}\n"
        "Compare it with the latest dossier, or with one that you have put down elsewhere: who makes up the whole log "
        "anew is found by nothing else."
    )


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="A new file: audit.csv, or audit.json, which has the plans, too.")],
    folder: Folder = HERE,
) -> None:
    """Write all runs to a file that only its owner can read."""
    log = _log(folder)
    log.export(file)
    print_text(f"{file} written: {_counted(log.runs())}")


def _log(folder: Path) -> "AuditLog":
    from krypsis.release.audit_log import AuditLog  # noqa: PLC0415

    return AuditLog.of(folder)


def _counted(runs: "list[LoggedRun]") -> str:
    return f"{len(runs)} run" + "s" * (len(runs) != 1)
