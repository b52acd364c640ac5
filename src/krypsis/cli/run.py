"""``krypsis run``: anonymize, check, measure and write a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from krypsis.cli.progress import Interrupted, Reporter
from krypsis.errors import Infeasible

if TYPE_CHECKING:
    from krypsis.dossier import Dossier
    from krypsis.plan import Plan
    from krypsis.release.release import Release


def run(
    plan: Annotated[Path, typer.Argument(help="The plan file, as written by 'krypsis init'.")],
    output: Annotated[Path | None, typer.Option(help="Folder of the release, instead of the plan's.")] = None,
    levels: Annotated[
        str | None,
        typer.Option(help="Go to these levels instead of searching: 0,3,1 in the order of the plan, or age=3,sex=0."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    report: Annotated[bool | None, typer.Option(help="Whether to write the report.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Anonymize the data of a plan, check the result and write the release."""
    from krypsis.plan import Plan  # noqa: PLC0415

    chosen = Plan.load(plan)
    if levels is not None:
        chosen = chosen.model_copy(update={"algorithm": {"name": "fixed", "levels": levels}})
    if report is not None:
        chosen = chosen.model_copy(update={"output": chosen.output.model_copy(update={"report": report})})
    result = publish(chosen, output or chosen.output_folder, Reporter(quiet=quiet or json), force=force)
    typer.echo(as_json(*result) if json else as_text(*result))


def publish(plan: Plan, folder: Path, reporter: Reporter, *, force: bool) -> tuple[Release, dict[str, Path]]:
    """Carry out a plan; return the release with its verdicts and the paths that were written."""
    output, dossier = plan.output, plan.checked_dossier()
    return publish_made(
        plan.run, folder, reporter, output.formats, with_report=output.report, force=force, dossier=dossier
    )


def publish_made(
    make: Callable[[Reporter], Release],
    folder: Path,
    reporter: Reporter,
    formats: Sequence[str],
    *,
    with_report: bool,
    force: bool,
    dossier: Dossier | None = None,
) -> tuple[Release, dict[str, Path]]:
    """Make a release and write it with its report; return it with its verdicts and the paths that were written."""
    from krypsis import report  # noqa: PLC0415
    from krypsis.release.writer import check_destination  # noqa: PLC0415

    check_destination(folder, force=force)  # better now than after a long search
    if with_report:
        report.check_ready()
    with reporter.listening():
        release = _made(make, reporter)
        if dossier is not None:
            report.complete_dossier(dossier, release)  # better refused now than after the release is written
        reporter.phase("check")
        saved = release.save(folder, formats=formats, force=force)
        paths = {"release": saved.folder, "private record": saved.private}
        if dossier is not None:
            complete = report.complete_dossier(dossier, saved.release, report.risk_of(saved.release))
            paths["dossier"], paths["statement"] = report.write_dossier(complete, saved.release, saved.folder)
        for outdated in report.report_paths(folder):
            outdated.unlink(missing_ok=True)  # it tells of a release that is no longer there
        if with_report and release.has_evidence and not reporter.interrupted:
            reporter.phase("report")
            paths["report"], _ = report.write_report(saved.release, folder, dossier)
    reporter.done()
    if reporter.interrupted:
        raise Interrupted(f"interrupted after the release was written to {saved.folder}")
    return saved.release, paths


def _made(make: Callable[[Reporter], Release], reporter: Reporter) -> Release:
    try:
        release = make(reporter)
    except Infeasible as error:
        if reporter.interrupted:
            raise Interrupted(f"interrupted; nothing was written, nothing was found so far: {error}") from None
        raise
    if reporter.interrupted:
        raise Interrupted(f"interrupted; nothing was written. Best so far:\n\n{release.summary()}")
    return release


def as_text(release: Release, paths: dict[str, Path]) -> str:
    """Return what was published in plain words, with the places of all files."""
    width = max(len(name) for name in paths)
    lines = [f"{name:<{width}}  {path}" for name, path in paths.items()]
    if not release.has_evidence:
        lines.append(f"{'report':<{width}}  none: there is no report on this kind of release yet")
    return release.summary() + "\n\n" + "\n".join(lines)


def as_json(release: Release, paths: dict[str, Path]) -> str:
    """Return what was published as one document."""
    from json import dumps  # noqa: PLC0415

    document: dict[str, Any] = {
        "holds": all(verdict.holds for verdict in release.verdicts) if release.verdicts else None,
        "guarantee": release.guarantee,
        "verdicts": [verdict.model_dump() for verdict in release.verdicts],
        "algorithm": release.algorithm,
        "scheme": release.scheme,
        "metric": release.metric,
        "score": release.score,
        "lower_bound": release.lower_bound,
        "levels": dict(release.levels),
        "suppressed": release.suppressed,
        "rows": release.rows_before,
        "metrics": dict(release.metrics),
        "paths": {name.replace(" ", "_"): str(path) for name, path in paths.items()},
    }
    return dumps(document, indent=2, ensure_ascii=False)
