"""The explorer: one page with the risk and the loss of every node, and the best trade-offs among them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from krypsis import registry
from krypsis.io.private import write_private_files
from krypsis.kinds.table.exploration.exploration import Exploration, Risk, command, risk_column
from krypsis.report import blocks
from krypsis.report.html import HtmlPage, render_page
from krypsis.report.text import count, fine_percent, percent, plural, readable, sentence
from krypsis.version import __version__

MOST_ROWS = 60
"""A longer frontier is shown in part: evenly chosen nodes, with both ends."""

INCOMPLETE = (
    "The lattice is too large to be judged as a whole. Shown are the nodes that the search came upon; among the others "
    "there may be better trade-offs, but what is shown holds."
)
EXPLAINED = (
    "Each point is a node: one choice of a level for every attribute, with the records suppressed that the promises "
    "refuse there. Further left keeps more of the data, further down is safer. The line is the frontier: nothing that "
    "keeps the promises lies to its left and below. Rest the mouse on a point to read its figures."
)
NOTHING_FEASIBLE = (
    "No node keeps the promises within the limit. Allow more suppression, lower a promise, or let attributes go to "
    "higher levels."
)
WORDS = (
    (
        "Level",
        (
            "How far the values of an attribute are made more general: 0 is the original value, the highest level "
            "reveals nothing."
        ),
    ),
    ("Node", "A level for every attribute. All nodes together are the lattice."),
    ("Group", "Records with the same published values in the attributes an attacker may know."),
    ("Suppress", "Take a record out of the table because its group does not keep the promises."),
    ("Frontier", "The nodes for which no other node has both less risk and less loss."),
)


@dataclass(frozen=True)
class RiskMeaning:
    """What a kind of risk means, as people read it."""

    title: str
    sentence: str
    formula: str


MEANINGS: Mapping[str, RiskMeaning] = {
    "average": RiskMeaning(
        "Average risk",
        "The chance to pick the right record of a person known to be in the table, for a person drawn by chance.",
        "groups ÷ published records",
    ),
    "highest": RiskMeaning(
        "Highest risk",
        "The chance to pick the right record of a person known to be in the table, for the person most at risk.",
        "1 ÷ size of the smallest group",
    ),
    "suppressed": RiskMeaning(
        "Suppressed share",
        "The share of records in groups that the promises refuse, which are therefore left out.",
        "suppressed records ÷ records",
    ),
}


def write_exploration(
    exploration: Exploration, path: Path | str, plan: str, metric: str | None = None, risk: Risk = "average"
) -> Path:
    """Write the explorer of a solution space as one HTML file that only its owner can read.

    Parameters
    ----------
    exploration
        the nodes.
    path
        the file to write; an older one is replaced.
    plan
        the plan file, as the commands on the page should name it.
    metric
        what counts as loss; what the task minimizes, unless given.
    risk
        what counts as risk.

    Raises
    ------
    OutputError
        if the file cannot be written; what was there has not changed then.
    """
    place = Path(path)
    write_private_files({place: render_exploration(exploration, plan, metric, risk).encode()})
    return place


def render_exploration(exploration: Exploration, plan: str, metric: str | None = None, risk: Risk = "average") -> str:
    """Return the explorer as one HTML page without scripts and without any address."""
    promises = ", ".join(map(readable, exploration.promises))
    return render_page(
        HtmlPage(
            title="Solution space",
            tab=f"Solution space · {readable(plan)}",
            subtitle=("Plan “", blocks.StyledText(readable(plan), "name"), f"” · {promises} · Krypsis {__version__}"),
            notice="These figures come from the table before anonymization, many of them from releases that were never "
            "made. Keep this page; do not pass it on with a release.",
            sections=explorer_sections(exploration, plan, metric or exploration.criteria[0], risk),
            footer=(("Made by ", blocks.StyledText("krypsis explore", "code"), "."),),
        )
    )


def explorer_sections(exploration: Exploration, plan: str, metric: str, risk: Risk) -> tuple[blocks.Section, ...]:
    """Return what the page says, number by number."""
    front = exploration.frontier(metric, risk).rows(named=True)
    best = exploration.optimum(metric)
    column = exploration.column_of(metric)
    return (
        _in_short(exploration, best, front, metric),
        _frontier(exploration, front, best, metric, risk),
        blocks.Section("nodes", ("The nodes of the frontier",), tuple(_nodes(exploration, front, best, column, plan))),
        blocks.Section(
            "words",
            ("Words used here",),
            (blocks.Panel((), (blocks.FactList(tuple(blocks.fact(*words) for words in WORDS)),)),),
        ),
    )


def _in_short(
    exploration: Exploration,
    best: Mapping[str, Any] | None,
    front: Sequence[Mapping[str, Any]],
    metric: str,
) -> blocks.Section:
    column = exploration.column_of(metric)
    whole: blocks.Words = ("of ", blocks.Number(exploration.size), " in the lattice")
    feasible = sum(exploration.nodes["feasible"].to_list())
    lowest = blocks.Number(None if best is None else best[column])
    tiles = (
        blocks.Tile(
            "Nodes judged",
            (blocks.Number(exploration.nodes.height),),
            ("the whole lattice",) if exploration.complete else whole,
        ),
        blocks.Tile("Keep the promises", (blocks.Number(feasible),), ("within the limit of suppression",)),
        blocks.Tile("On the frontier", (blocks.Number(len(front)),), ("the best trade-offs",)),
        blocks.Tile("Lowest loss", (lowest,), (readable(metric),)),
    )
    lines = [blocks.Text((line,), "lead") for line in _summary(exploration, best, front, column)]
    partly = [] if exploration.complete else [blocks.Text((INCOMPLETE,), "quiet")]
    return blocks.Section("summary", ("In short",), (*lines, blocks.Tiles(tiles), *partly))


def _frontier(
    exploration: Exploration,
    front: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any] | None,
    metric: str,
    risk: Risk,
) -> blocks.Section:
    meaning, measured = MEANINGS[risk], registry.create("metric", metric)
    points = tuple(_points(exploration, front, best, exploration.column_of(metric), risk_column(risk)))
    nodes = plural(exploration.nodes.height, "node")
    chart = blocks.Scatter(
        title=f"{meaning.title} against {readable(metric)} of {nodes}; the frontier is in the table below",
        points=points,
        across=blocks.ChartAxis(f"{readable(metric)} (lower is better)"),
        upwards=blocks.ChartAxis(
            f"{meaning.title} (lower is better)", "fine share", 1.0, logarithmic=risk != "suppressed"
        ),
        best="lowest loss",
    )
    drawn = ", drawn on a logarithmic scale" if chart.upwards.logarithmic else ""
    loss_range = f" · {measured.range}, lower is better. Suppressed records count as lost."
    facts = blocks.FactList(
        (
            blocks.Fact(
                (f"Across: {readable(metric)}",),
                ((sentence(measured.sentence),),),
                (blocks.StyledText(measured.formula, "formula"), loss_range),
            ),
            blocks.Fact(
                (f"Upwards: {meaning.title.lower()}",),
                ((meaning.sentence,),),
                (blocks.StyledText(meaning.formula, "formula"), f" · 0 % to 100 %, lower is better{drawn}."),
            ),
        )
    )
    shown = chart if points else blocks.Text(("At no node is anything left to publish.",))
    return blocks.Section(
        "frontier", ("Risk against loss",), (blocks.Text((EXPLAINED,), "quiet"), blocks.Panel((), (shown, facts)))
    )


def _nodes(
    exploration: Exploration,
    front: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any] | None,
    column: str,
    plan: str,
) -> Iterator[blocks.Block]:
    shown = _evenly(front if best is None or best in front else [best, *front])
    if not shown:
        yield blocks.Text((NOTHING_FEASIBLE,))
        return
    some = f" {len(shown)} of {len(front)} nodes are shown, evenly chosen; all are in the table of nodes ("
    partly: blocks.Words = (some, blocks.StyledText("--table", "code"), ").") if len(shown) < len(front) else ()
    about = "From the lowest loss to the lowest risk. The command publishes the node; run it where the plan lies."
    yield blocks.Text((about, *partly), "quiet")
    levels = (
        blocks.Head((blocks.StyledText(readable(name), "name"), blocks.StyledText(f"0 to {height}", "quiet")))
        for name, height in zip(exploration.attributes, exploration.heights, strict=True)
    )
    figures = blocks.heads(f"#{column.partition(':')[2]}", "#Average risk", "#Smallest group", "#Groups", "#Suppressed")
    rows = tuple(_row(exploration, node, column, plan, best=node == best) for node in shown)
    yield blocks.Panel((), (blocks.TableBlock((*levels, *figures), rows, is_small=True, names_rows=False),))


def _summary(
    exploration: Exploration, best: Mapping[str, Any] | None, front: Sequence[Mapping[str, Any]], column: str
) -> list[str]:
    limit = f"at most {plural(exploration.limit, 'record')} of {exploration.rows:,} suppressed"
    if best is None:
        needed = min(exploration.nodes["suppressed"].to_list())
        share = percent(needed / exploration.rows)
        return [
            f"No node keeps the promises with {limit}.",
            f"The lowest suppression that any node judged needs is {plural(needed, 'record')} ({share}).",
        ]
    feasible = sum(exploration.nodes["feasible"].to_list())
    return [
        f"{feasible:,} of {plural(exploration.nodes.height, 'node')} judged keep the promises with {limit}.",
        f"{len(front):,} of these cannot be improved in one respect without losing in the other.",
        f"The lowest loss is {count(best[column])}, with an average risk of {fine_percent(best['average_risk'])}.",
    ]


def _points(
    exploration: Exploration,
    front: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any] | None,
    loss: str,
    risk: str,
) -> list[blocks.Point]:
    kinds: dict[tuple[int, ...], blocks.PointMark] = {exploration.levels(node): "frontier" for node in front}
    if best is not None:
        kinds[exploration.levels(best)] = "best"
    return [
        blocks.Point(
            node[loss],
            node[risk],
            kinds.get(exploration.levels(node), "node" if node["feasible"] else "refused"),
            _title(exploration, node, loss),
        )
        for node in exploration.nodes.rows(named=True)
        if node["groups"]  # where nothing would be published there is nothing to show
    ]


def _title(exploration: Exploration, node: Mapping[str, Any], loss: str) -> str:
    levels = ", ".join(
        f"{name} {level}" for name, level in zip(exploration.attributes, exploration.levels(node), strict=True)
    )
    return (
        f"{loss.partition(':')[2]} {count(node[loss])} · average risk {fine_percent(node['average_risk'])} · "
        f"smallest group {node['smallest_group']:,} · suppressed {node['suppressed']:,} · {levels}"
    )


def _row(exploration: Exploration, node: Mapping[str, Any], column: str, plan: str, *, best: bool) -> blocks.Row:
    levels = exploration.levels(node)
    run = blocks.StyledText(readable(command(plan, levels), longest=2000), "code")
    suppressed: blocks.Words = (
        blocks.Number(node["suppressed"]),
        " (",
        blocks.Number(node["suppressed_share"], "share"),
        ")",
    )
    figures = (
        (blocks.Number(node[column], strong=True),),
        (blocks.Number(node["average_risk"], "fine share"),),
        (blocks.Number(node["smallest_group"]),),
        (blocks.Number(node["groups"]),),
        suppressed,
    )
    cells = (*(blocks.Cell((str(level),)) for level in levels), *map(blocks.Cell, figures))
    return blocks.Row(cells, (run, " ", blocks.StyledText("lowest loss", "good")) if best else (run,), is_marked=best)


def _evenly(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if len(nodes) <= MOST_ROWS:
        return list(nodes)
    step = (len(nodes) - 1) / (MOST_ROWS - 1)
    return [nodes[round(place * step)] for place in range(MOST_ROWS)]
