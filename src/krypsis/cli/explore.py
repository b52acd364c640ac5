"""``krypsis explore``: the risk and the loss of every way to generalize, and the best trade-offs among them."""

from itertools import count
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from krypsis.cli.streams import Reporter, print_text
from krypsis.errors import OutputError, UsageError
from krypsis.progress import Interrupted

if TYPE_CHECKING:
    from krypsis.kinds.table.exploration import Exploration
    from krypsis.metrics.base import Metric

PAGE = "explore.html"


def explore(
    plan: Annotated[Path, typer.Argument(help="The plan file, as written by 'krypsis init'.")],
    *,
    output: Annotated[
        Path | None, typer.Option(help=f"The page to write; {PAGE} next to the plan unless given.")
    ] = None,
    table: Annotated[Path | None, typer.Option(help="Also write the nodes to this .csv or .parquet file.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="What counts as loss, instead of the plan's metric; more of them are added to the table."),
    ] = None,
    risk: Annotated[
        Literal["average", "highest", "suppressed"],
        typer.Option(help="What counts as risk: of an average person, of the one most at risk, or what is suppressed."),
    ] = "average",
    nodes: Annotated[int, typer.Option(min=1, help="Judge a lattice of up to so many nodes as a whole.")] = 50_000,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Judge every node of a plan's lattice and draw risk against loss; the page and the table stay private."""
    from krypsis import registry, report  # noqa: PLC0415
    from krypsis.kinds.table.exploration.page import write_exploration  # noqa: PLC0415

    page = plan.parent / PAGE if output is None else output
    _check_places(page, table, force=force)  # better now than after a long search
    report.check_ready()
    metrics: list[Metric] = [registry.create("metric", name) for name in metric or []]
    space = _explored(plan, metrics, nodes, Reporter(quiet=quiet or json))
    chosen = (metrics[0].spec if metrics else None, risk)
    paths = {"page": write_exploration(space, page, plan.name, *chosen)}
    if table is not None:
        paths["table"] = space.save(table)
    print_text(_as_json(space, chosen, paths) if json else _as_text(space, chosen, paths, plan))


def _explored(plan: Path, metrics: "list[Metric]", nodes: int, reporter: Reporter) -> "Exploration":
    from krypsis.kinds.table.exploration import explore_task  # noqa: PLC0415
    from krypsis.kinds.table.plan import TablePlan  # noqa: PLC0415

    chosen = TablePlan.load(plan)
    chosen.check()
    with reporter.listening():
        reporter.phase("read")
        space = explore_task(chosen.bind(chosen.read_data()), metrics=metrics, most_nodes=nodes, progress=reporter)
    if reporter.interrupted:
        raise Interrupted(f"interrupted after {space.nodes.height:,} of {space.size:,} nodes; nothing was written")
    return space


def _check_places(page: Path, table: Path | None, *, force: bool) -> None:
    from krypsis.kinds.table.exploration.exploration import check_table_name  # noqa: PLC0415

    if table is not None:
        check_table_name(table)
    if table is not None and table.resolve() == page.resolve():
        raise UsageError(f"page and table are the same file, {page}; give them different names")
    for path in (page, table):
        if path is None:
            continue
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file, such as {path / PAGE}")
        if path.exists() and not force:
            raise OutputError(f"{path} exists; choose another name, or replace it: --force")
        if not path.absolute().parent.is_dir():
            raise OutputError(f"{path} cannot be written: the folder {path.parent} does not exist")


def _as_text(space: "Exploration", chosen: tuple[Any, Any], paths: dict[str, Path], plan: Path) -> str:
    from krypsis.kinds.table.exploration.exploration import command  # noqa: PLC0415

    metric, risk = chosen
    feasible = space.nodes.filter("feasible").height
    front = space.frontier(metric, risk).height
    found = f"{feasible:,} feasible, {_minimal(space)}{front:,} on the frontier"
    lines = [f"{space.nodes.height:,} of {space.size:,} nodes judged, {found}"]
    best = space.optimum(metric)
    if best is None:
        needed = min(space.nodes["suppressed"].to_list())
        lines.append(f"no node is within the limit of {space.limit:,} suppressed records; the least needs {needed:,}")
    else:
        name = metric or space.criteria[0]
        lines.append(
            f"lowest {name}: {best[space.column_of(name)]:.4g}, average risk {best['average_risk']:.2%}, "
            f"{best['suppressed']:,} of {space.rows:,} records suppressed\n"
            f"  {command(str(plan), space.levels(best))}{_to_free_place(plan)}"
        )
    return "\n".join([*lines, "", *(f"{name:<6} {path}" for name, path in paths.items())])


def _to_free_place(plan: Path) -> str:
    """Return the option that names another folder where the plan's is taken: nothing is replaced unless asked for."""
    from krypsis.plan import Plan  # noqa: PLC0415

    chosen = Plan.load(plan)
    folder = chosen.output_folder
    if not folder.exists():
        return ""
    names = (f"{folder.name}-{number}" for number in count(2))
    free = next(
        place for name in names if not (place := plan.parent / Path(chosen.output.folder).parent / name).exists()
    )
    return f" --output {quote(str(free))}"


def _minimal(space: "Exploration") -> str:
    return f"{space.nodes.filter('minimal').height:,} of them minimal, " if space.complete else ""


def _as_json(space: "Exploration", chosen: tuple[Any, Any], paths: dict[str, Path]) -> str:
    from json import dumps  # noqa: PLC0415

    document = {
        "nodes": space.size,
        "judged": space.nodes.height,
        "feasible": space.nodes.filter("feasible").height,
        "complete": space.complete,
        "minimal": space.nodes.filter("minimal").to_dicts() if space.complete else None,
        "optimum": space.optimum(chosen[0]),
        "frontier": space.frontier(*chosen).to_dicts(),
        "paths": {name: str(path) for name, path in paths.items()},
    }
    return dumps(document, indent=2, ensure_ascii=False)
