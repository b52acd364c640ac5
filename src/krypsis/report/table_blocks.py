"""The report on a table as a list of blocks, to be set on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krypsis.report.blocks import (
    NUMBER,
    TEXT,
    Block,
    bars,
    dossier_blocks,
    drawing,
    facts,
    figure_text,
    heading,
    pair,
    paragraph,
    promise_blocks,
    summary_blocks,
    table,
)
from krypsis.report.charts import bar_chart, paired_bars
from krypsis.report.heatmap import dial, heatmap
from krypsis.report.loss import LOSS_FORMULA, LOSS_SENTENCE
from krypsis.report.parts import AttackResult, DependenceMap, GaugeFigure, HistorySection, SolutionSpace, Suppression
from krypsis.report.space_chart import space_chart
from krypsis.report.text import count, percent, plural
from krypsis.report.values import Bar, Distribution, SetRisk
from krypsis.report.whole import ReportContent


def table_blocks(content: ReportContent) -> Iterator[Block]:
    """Yield the report on a table from its first sentence to how to cite."""
    yield from summary_blocks(content.summary, _tiles(content))
    yield from promise_blocks(content.promises)
    yield from _history(content.history)
    yield from _method(content)
    yield from _risks(content.risk)
    yield from _attacks(content.attacks)
    yield heading("What was lost")
    yield from _gauge(content.gauge)
    yield from _losses(content)
    yield from _suppressed(content.suppressed_by)
    yield from _distributions("Attributes before and after", content.distributions)
    for further in content.tables:
        yield from _distributions(f"Table {further.name}", further.distributions)
    yield from _dependence(content.dependence)
    yield from _space(content.space)
    yield from dossier_blocks(content.dossier)
    yield heading("How it was made")
    made = [("Algorithm", content.algorithm or "–"), ("Metric", content.metric or "–")]
    yield facts([*made, ("Tool", f"Krypsis {content.tool_version}")])
    yield heading("How to cite")
    yield from map(paragraph, (content.citation.text, *content.citation.methods))


def _history(history: HistorySection | None) -> Iterator[Block]:
    if history is None:
        return
    yield heading(f"Version {history.version} of a table that changes")
    rows = ((one.title, count(one.value), one.sentence) for one in history.figures)
    yield table(("Figure", "Number", "What it says"), rows, (TEXT, NUMBER, TEXT))
    yield from map(paragraph, history.notes)


def _method(content: ReportContent) -> Iterator[Block]:
    told = [line for line in (content.guarantee, *content.changes) if line]
    if told:
        yield heading("What the method does")
    yield from map(paragraph, told)


def _risks(risks: Sequence[SetRisk]) -> Iterator[Block]:
    if risks:
        yield heading("Risk before and after")
    for risk in risks:
        yield from _risk(risk)


def _distributions(title: str, shown: Sequence[Distribution]) -> Iterator[Block]:
    if shown:
        yield heading(title)
    for one in shown:
        yield from _distribution(one)


_TILES = {"Highest risk": "highest-prosecutor-risk", "Average risk": "average-prosecutor-risk"}


def _tiles(content: ReportContent) -> list[tuple[str, str]]:
    tiles = [("Utility", f"{content.gauge.value:.0f} of 100")]
    if main := content.main_risk:
        tiles += [(title, figure_text(main.figure(name).after, main.figure(name))) for title, name in _TILES.items()]
        tiles.append(("Suppressed", percent(content.suppressed_share)))
    return tiles


def _risk(risk: SetRisk) -> Iterator[Block]:
    yield heading(f"If an attacker knows {', '.join(risk.attributes)}", 3)
    yield table(
        ("Figure", "Before", "After", "What it says"),
        (
            (one.title, figure_text(one.before, one), figure_text(one.after, one), f"{one.sentence} ({one.formula})")
            for one in risk.figures
        ),
        (TEXT, NUMBER, NUMBER, TEXT),
    )
    old, new = ([Bar(label=one.label, records=getattr(one, name)) for one in risk.sizes] for name in _RECORDS)
    yield paragraph("Number and share of records by the size of their group; gray before, green after.", quiet=True)
    yield drawing(paired_bars(old, new, "Records by the size of their group"))


_RECORDS = ("records_before", "records_after")


def _attacks(attacks: Sequence[AttackResult]) -> Iterator[Block]:
    if not attacks:
        return
    yield heading("Attacks that were tried")
    rows = (
        (
            _attack_words(one),
            percent(one.before.share),
            percent(one.after.share),
            percent(one.before.average_chance),
            percent(one.after.average_chance),
            percent(one.baseline),
        )
        for one in attacks
    )
    head = ("Attack", "Exposed before", "Exposed after", "Chance before", "Chance after", "Knowing nothing")
    yield table(head, rows, (TEXT, *[NUMBER] * 5))


def _attack_words(one: AttackResult) -> str:
    wants = f"; wants {one.sensitive}" if one.sensitive else ""
    return f"{one.title} Knows {', '.join(one.known) or 'nothing'}{wants}. {one.note}".strip()


def _gauge(gauge: GaugeFigure) -> Iterator[Block]:
    yield drawing(dial(gauge.value, "Utility gauge"), 0.3)
    yield paragraph(f"{gauge.sentence} {gauge.formula}", quiet=True)
    shares = ((one.name, "–" if one.share is None else percent(one.share), one.formula) for one in gauge.parts)
    yield table(("Part", "Kept", "Formula"), shares, (TEXT, NUMBER, TEXT))


def _losses(content: ReportContent) -> Iterator[Block]:
    if content.attributes:
        yield heading("By attribute", 3)
        yield paragraph(f"{LOSS_SENTENCE} {LOSS_FORMULA}", quiet=True)
        rows = (
            (
                one.attribute,
                "–" if one.level is None else str(one.level),
                count(one.values_before),
                count(one.values_after),
                percent(one.loss),
            )
            for one in content.attributes
        )
        head = ("Attribute", "Level", "Values before", "Values after", "Loss")
        yield table(head, rows, (TEXT, NUMBER, NUMBER, NUMBER, NUMBER))
    if content.metrics:
        yield heading("The table as a whole", 3)
        figures = (
            (one.name, count(one.value), f"{count(one.best)} to {count(one.worst)}", one.sentence)
            for one in content.metrics
        )
        yield table(("Metric", "Value", "Best to worst", "What it says"), figures, (TEXT, NUMBER, NUMBER, TEXT))


def _suppressed(by: Suppression | None) -> Iterator[Block]:
    if by is None:
        return
    yield heading("Suppressed records")
    yield paragraph(f"{plural(by.groups, 'group')} were suppressed. By the size of the group:", quiet=True)
    yield bars(by.sizes, "Suppressed records by the size of their group", "before")
    rows = (
        (one.attribute, value.label, count(value.suppressed), count(value.records))
        for one in by.attributes
        for value in one.values
    )
    yield table(("Attribute", "Value", "Suppressed", "of records"), rows, (TEXT, TEXT, NUMBER, NUMBER))


def _distribution(one: Distribution) -> Iterator[Block]:
    yield heading(one.attribute, 3)
    if one.note:
        yield paragraph(one.note, quiet=True)
    if one.aligned:
        yield drawing(paired_bars(one.before, one.after, one.attribute))
        return
    yield pair({"Before": bar_chart(one.before, "before", "before"), "After": bar_chart(one.after, "after", "after")})


def _dependence(found: DependenceMap | None) -> Iterator[Block]:
    if found is None:
        return
    yield heading("What columns tell of each other")
    yield paragraph(f"{found.sentence} {found.formula}. {found.note}".strip(), quiet=True)
    shown = {"Before": found.before, "After": found.after}
    yield pair({when: heatmap(found.columns, cells, when) for when, cells in shown.items()})


def _space(space: SolutionSpace | None) -> Iterator[Block]:
    if space is None:
        return
    yield heading("Solution space")
    yield paragraph(
        f"Each point is a choice of levels; the large mark is this release ({space.metric} {count(space.loss)}, "
        f"average risk {percent(space.risk)}), the line joins the best trade-offs. {space.note}".strip(),
        quiet=True,
    )
    yield drawing(space_chart(space))
