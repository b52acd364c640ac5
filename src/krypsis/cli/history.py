"""``krypsis history``: a table that changes, published version after version."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from krypsis.cli.attack import Chosen, print_successes
from krypsis.cli.failures import exit_code_of
from krypsis.cli.streams import Reporter, print_text
from krypsis.errors import UsageError
from krypsis.texts.printable import one_line

if TYPE_CHECKING:
    from krypsis.kinds.history.version_release import VersionRelease
    from krypsis.kinds.publishing import VersionPublication
    from krypsis.progress import Progress

USUAL = Path("history")

app = typer.Typer(
    name="history", no_args_is_help=True, help="Publish a table that changes, so that its releases can be compared."
)

Data = Annotated[Path, typer.Argument(help="The table of this version: a CSV, Parquet or Excel file.")]
Folder = Annotated[Path, typer.Option(help="The folder of the history.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
OnIneligible = Annotated[
    Literal["raise", "defer", "counterfeits"] | None,
    typer.Option(help="If a value is too frequent among the new records; what the plan says unless given."),
]
OnChanged = Annotated[
    Literal["raise", "withhold", "renew"] | None,
    typer.Option(help="If somebody has a value that earlier releases exclude; what the plan says unless given."),
]
Number = Annotated[int | None, typer.Option(help="The number that this version must have.")]
Again = Annotated[
    bool, typer.Option("--again", help="Publish a table as one more version although it is the same as the last one.")
]
Report = Annotated[bool, typer.Option(help="Whether to write the report, into the private folder of the history.")]
Traced = Annotated[
    bool,
    typer.Option(
        "--trace", help="Show in the report what the method did, step by step; the steps may show records of the data."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


@app.command()
def init(
    data: Data,
    *,
    id: Annotated[  # noqa: A002
        str | None,
        typer.Option(help="The column that says whose record it is; the only identifier of the plan unless given."),
    ] = None,
    plan: Annotated[
        Path, typer.Option(help="The plan, as 'krypsis init --kind history' writes one: roles, hierarchies, a promise.")
    ] = Path("plan.yaml"),
    folder: Folder = USUAL,
    report: Report = True,
    trace: Traced = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Start a history in a new folder, and publish its first version."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415
    from krypsis.kinds.publishing import publish_version  # noqa: PLC0415
    from krypsis.kinds.table.plan import TablePlan  # noqa: PLC0415

    chosen = TablePlan.load(plan)
    own = _identifier(id, [name for name, column in chosen.columns.items() if column.role.value == "identifier"])
    progress = _listener(quiet=quiet or json, trace=trace, report=report)
    history = History.of_plan(folder, chosen, id=own, formats=chosen.output.formats)
    try:
        found = publish_version(history, data, progress, with_report=report)
    except BaseException:
        if not history.log():  # else it stays: what was published must not be forgotten
            shutil.rmtree(folder)
        raise
    _print_published(found.published, found, json=json)


@app.command()
def publish(
    data: Data,
    *,
    folder: Folder = USUAL,
    version: Number = None,
    on_ineligible: OnIneligible = None,
    on_changed: OnChanged = None,
    again: Again = False,
    report: Report = True,
    trace: Traced = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare a table with the versions before, make the next release, check it against all of them, and write it."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415
    from krypsis.kinds.publishing import publish_version  # noqa: PLC0415

    options = {"version": version, "on_ineligible": on_ineligible, "on_changed": on_changed, "again": again}
    progress = _listener(quiet=quiet or json, trace=trace, report=report)
    found = publish_version(History.open(folder), data, progress, with_report=report, **options)
    _print_published(found.published, found, json=json)


@app.command()
def simulate(
    data: Data,
    *,
    folder: Folder = USUAL,
    version: Number = None,
    on_ineligible: OnIneligible = None,
    on_changed: OnChanged = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say what publishing a table would do, without doing it."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415

    progress = Reporter(quiet=quiet or json)
    history = History.open(folder)
    found = history.simulate(
        data, version=version, on_ineligible=on_ineligible, on_changed=on_changed, progress=progress
    )
    _print_published(found, json=json)


@app.command()
def log(folder: Folder = USUAL, json: AsJson = False) -> None:
    """List the versions that were published, the oldest first."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415

    changes = History.open(folder).log()
    if json:
        print_text(_as_json([change.as_dict() for change in changes]))
        return
    print_text("\n".join(change.sentence() for change in changes) or f"{folder} has no versions yet")


@app.command()
def measure(folder: Folder = USUAL, json: AsJson = False) -> None:
    """Say what each version loses: NCP_S, NCP_τ and NCP_c, with the weights of the plan. It is for the publisher."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415

    found = History.open(folder).penalties()
    if json:
        print_text(_as_json(found))
        return
    for version, readings in found.items():
        for reading, figures in readings.items():
            written = ", ".join(f"{name} {'–' if value is None else f'{value:.4g}'}" for name, value in figures.items())
            print_text(f"version {version}, {reading}: {written}")
        if not readings:
            print_text(f"version {version}: not measured when it was published")
    if not found:
        print_text(f"{folder} has no versions yet")


@app.command()
def check(folder: Folder = USUAL, json: AsJson = False) -> None:
    """Check all releases together, from their files and the private state.

    The exit code is 0 if every promise holds, 1 if one is broken, 3 if one is undecided.
    """
    from krypsis.kinds.history.history import History  # noqa: PLC0415
    from krypsis.models.base import all_hold  # noqa: PLC0415

    verdicts = History.open(folder).check()
    document = {"holds": all_hold(verdicts), "verdicts": [verdict.model_dump() for verdict in verdicts]}
    print_text(_as_json(document) if json else "\n".join(one_line(verdict.sentence) for verdict in verdicts))
    raise typer.Exit(exit_code_of(verdicts))


@app.command()
def attack(folder: Folder = USUAL, attacks: Chosen = None, json: AsJson = False) -> None:
    """Compare all releases as an attacker would who knows everybody; exit code 1 if more is learned than promised.

    With --attack, say how often single attacks succeed.
    """
    from krypsis.kinds.history.history import History  # noqa: PLC0415

    if attacks:
        print_successes(History.open(folder).release_sequence(), attacks, json)
        return
    report = History.open(folder).attack()
    print_text(_as_json(report.as_dict()) if json else "\n".join(report.sentences()))
    raise typer.Exit(0 if report.holds else 1)


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="A new folder; it reveals who is who and must not be published.")],
    *,
    folder: Folder = USUAL,
) -> None:
    """Write the private state as Parquet files, one per table."""
    from krypsis.kinds.history.history import History  # noqa: PLC0415

    print_text(f"private state written to {History.open(folder).export(target)}")


def _listener(*, quiet: bool, trace: bool, report: bool) -> "Progress":
    """Return what follows the work, and keeps the steps of the method where they are wanted."""
    from krypsis.progress import Trace  # noqa: PLC0415

    if trace and not report:
        raise UsageError("--trace shows the steps of the method in the report, and --no-report asks for none")
    reporter = Reporter(quiet=quiet)
    return Trace(reporter) if trace else reporter


def _identifier(given: str | None, identifiers: list[str]) -> str:
    """Return the column that says whose record it is: the one that is named, or the only one it can be."""
    if given is None and len(identifiers) != 1:
        found = ", ".join(identifiers) or "none"
        raise UsageError(
            f"whose record it is must be stated by one column, and the plan has several identifiers or none ({found}); "
            "name the column that has another value for every record, such as --id patient_id"
        )
    return identifiers[0] if given is None else given


def _print_published(published: "VersionRelease", written: "VersionPublication | None" = None, *, json: bool) -> None:
    report = None if written is None or written.report is None else str(written.report)
    if json:
        place = None if published.folder is None else str(published.folder)
        verdicts = [verdict.model_dump() for verdict in published.verdicts]
        print_text(
            _as_json(
                {
                    **published.change.as_dict(),
                    "is_new": published.is_new,
                    "risks": published.risks(),
                    "identification": published.identification.as_dict(),
                    "penalties": published.release.private.get("penalties", {}),
                    "verdicts": verdicts,
                    "release": place,
                    "report": report,
                }
            )
        )
        return
    print_text(published.summary())
    print_text(f"\nrelease  {published.folder or 'nothing was written: this is a simulation'}")
    if written is not None and (report_note := report or written.no_report):
        print_text(f"report   {report_note}")


def _as_json(document: Any) -> str:
    from json import dumps  # noqa: PLC0415

    return dumps(document, indent=2, ensure_ascii=False)
