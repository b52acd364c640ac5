"""``krypsis run``: anonymize, check, measure and write a release."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.remote import Address, Token
from krypsis.cli.streams import Reporter, print_text
from krypsis.errors import UsageError

if TYPE_CHECKING:
    from krypsis.cli.remote.runs import BroughtHome
    from krypsis.kinds.publishing import PublishedFiles
    from krypsis.plan import Plan
    from krypsis.release.release import Release


def run(
    plan: Annotated[Path, typer.Argument(help="The plan file, as written by 'krypsis init'.")],
    output: Annotated[Path | None, typer.Option(help="Folder of the release, instead of the plan's.")] = None,
    levels: Annotated[
        str | None,
        typer.Option(help="Go to these levels instead of searching: 0,3,1 in the order of the plan, or age=3,sex=0."),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option(help="Search with this algorithm instead of the plan's: optimal, mondrian.")
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="Records that may be suppressed, instead of the plan's: 3%, or a count.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="What works on the data, instead of the plan's: memory, duckdb, spark."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="How much memory it may take, instead of the plan's: 2GB, 500MB.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    report: Annotated[bool | None, typer.Option(help="Whether to write the report.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Write the report as PDF, too; needs the extra 'pdf'.")] = False,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Show in the report what the algorithm did, step by step; the steps may show records of the data.",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse with exit code 1, instead of warning, where sensitive values are disclosed or a published "
            "column singles people out.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    server: Address = None,
    token: Token = None,
) -> None:
    """Anonymize the data of a plan, check the result and write the release."""
    from krypsis.kinds.publishing import at_levels, publish  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415
    from krypsis.progress import Trace  # noqa: PLC0415
    from krypsis.report import check_pdf_ready, write_pdf  # noqa: PLC0415

    if pdf:
        check_pdf_ready()  # better now than after a long search
    chosen = Plan.load(plan)
    if levels is not None:
        chosen = at_levels(chosen, levels)
    instead = {"algorithm": algorithm, "suppression": suppression, "engine": engine, "memory": memory}
    given = {name: value for name, value in instead.items() if value is not None}
    if given:
        _refuse_together(levels, server, given)
        if strange := [name for name in given if name not in type(chosen).model_fields]:
            raise UsageError(f"--{strange[0]} has no meaning for kind: {chosen.kind}; leave it out")
        chosen = chosen.model_copy(update=given)
    if trace:
        _refuse_useless_trace(server, report)
    chosen = _with_report(chosen, True if pdf or trace else report)
    if strict:
        chosen = chosen.model_copy(update={"strict": True})
    folder = output or chosen.output_folder
    published: PublishedFiles | BroughtHome
    with Reporter(quiet=quiet or json).listening() as reporter:
        if server is None:
            published = publish(chosen, folder, Trace(reporter) if trace else reporter, force=force)
        else:
            from krypsis.cli.remote.runs import run_there  # noqa: PLC0415
            from krypsis.cli.remote.server import connected  # noqa: PLC0415

            with connected(server, token) as there:
                published = run_there(
                    there, plan, folder, reporter, levels=levels, report=report, strict=strict, force=force
                )
    if pdf and "report" in published.paths:
        published.paths["report as PDF"] = write_pdf(published.paths["release"])
    again = ["krypsis", "run", str(plan), "--force", *(f"--{name}={value}" for name, value in given.items())]
    print_text(as_json(published) if json else as_text(published).replace("krypsis run PLAN", shlex.join(again)))
    if trace and not json:
        print_text(_on_steps(published.release))


def _refuse_together(levels: str | None, server: str | None, given: Mapping[str, str]) -> None:
    """Raise where options do not go together."""
    if levels is not None and "algorithm" in given:
        raise UsageError("--levels goes to levels without searching, so --algorithm has no meaning; leave one out")
    if server is not None:
        raise UsageError(f"--{next(iter(given))} is not sent to a server; write it into the plan")


def _with_report(plan: "Plan", report: bool | None) -> "Plan":
    """Return the plan with or without a report, where that was said."""
    if report is None:
        return plan
    return plan.model_copy(update={"output": plan.output.model_copy(update={"report": report})})


def _refuse_useless_trace(server: str | None, report: bool | None) -> None:
    """Raise where the steps of the algorithm would be shown nowhere."""
    if report is False:
        raise UsageError("--trace shows the steps of the algorithm in the report, and --no-report asks for none")
    if server is not None:
        raise UsageError("--trace is not sent to a server; run the plan here, or leave it out")


def _on_steps(release: "Release") -> str:
    """Say where the steps of the algorithm are, or which algorithms describe theirs."""
    from krypsis import registry  # noqa: PLC0415

    if release.steps:
        return f"steps  {len(release.steps)} of {release.steps[0].algorithm}, folded in the report: Step by step"
    known = (name for name, cls in registry.classes("algorithm").items() if getattr(cls, "describes_steps", False))
    return f"steps  none: {release.algorithm} does not describe its steps here; these do: {', '.join(sorted(known))}"


def as_text(published: "PublishedFiles | BroughtHome") -> str:
    """Return what was published in plain words, with the places of all files."""
    release, paths = published.release, published.paths
    width = max(len(name) for name in paths)
    lines = [f"{name:<{width}}  {path}" for name, path in paths.items()]
    if published.table:
        lines.append(f"{'table':<{width}}  {published.table}")
    if not release.has_evidence and "report" not in paths:
        lines.append(f"{'report':<{width}}  none: what was there before is not at hand to compare with")
    return release.summary() + "\n\n" + "\n".join(lines)


def as_json(published: "PublishedFiles | BroughtHome") -> str:
    """Return what was published as one document."""
    from json import dumps  # noqa: PLC0415

    paths = {name.replace(" ", "_"): str(path) for name, path in published.paths.items()}
    table = {"table": published.table} if published.table else {}
    return dumps({**published.as_dict(), "paths": paths, **table}, indent=2, ensure_ascii=False)
