"""The blocks of the report on a table, from its first sentence to how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krypsis.kinds.table.attack_results import AttackResult, AttackSide
from krypsis.kinds.table.distributions import Distribution
from krypsis.kinds.table.group_risk import SetRisk
from krypsis.kinds.table.report_figures import (
    LOSS_FORMULA,
    LOSS_SENTENCE,
    AttributeLoss,
    DependenceMap,
    MetricFigure,
    SuppressedBy,
    SuppressionFigures,
    TableFigures,
    table_figures,
)
from krypsis.kinds.table.solution_space import SolutionSpace
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report.blocks import (
    LOWER,
    SHARES,
    BarChart,
    Block,
    Bullets,
    Cell,
    Fact,
    FactList,
    Folded,
    Head,
    HeatMap,
    Meter,
    Number,
    Pair,
    PairedBarChart,
    Panel,
    Report,
    RiskFigures,
    Row,
    Section,
    StyledText,
    TableBlock,
    Text,
    Tile,
    Words,
    fact,
    heads,
    joined_names,
    row,
    tip,
)
from krypsis.report.sections import assemble, promises_section, promises_tile, summary_section
from krypsis.report.text import percent, plural, sentence
from krypsis.version import __version__

WORDS = (
    ("Group", "Records with the same published values in the attributes an attacker may know."),
    (
        "Quasi-identifier",
        "An attribute that does not name a person but may be known from elsewhere, such as age, sex or postal code.",
    ),
    ("Sensitive attribute", "What nobody should be able to attach to a person, such as a diagnosis."),
    (
        "Level",
        "How far values were made more general: 0 is the original value, the highest level reveals nothing.",
    ),
    ("Suppress", "Take a record out of the table because its group would be too small."),
)


WHOLE = "Different ways to measure the same thing. Best is the unchanged table, worst a table with nothing left in it."


def table_report(release: Release, name: str = "", dossier: Dossier | None = None) -> Report:
    """Return the report of a release of a table; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.
    """
    return assemble(release, table_sections(table_figures(release)), name, dossier)


def table_sections(figures: TableFigures) -> Iterator[Section]:
    """Yield the sections of the report on a table."""
    yield summary_section(figures.summary, _tiles(figures))
    yield promises_section(figures.promises)
    if figures.version is not None:
        yield figures.version
    yield from _method(figures)
    yield from _risks(figures)
    yield from _attacks(figures.attacks)
    yield _losses(figures)
    yield from _suppressed(figures.suppressed_by)
    yield from _distributions(figures)
    yield from _dependence(figures.dependence)
    yield from _space(figures.space)
    yield Section("recipe", ("How it was made",), (Panel((), (FactList(tuple(_recipe(figures))),)), _words()))


def _tiles(figures: TableFigures) -> Iterator[Tile]:
    gauge = figures.gauge
    left: Words = (f"{gauge.value:.0f}", StyledText(" of 100", "aside"))
    yield Tile("Utility", left, ("how much of the table is left",), gauge.tip)
    yield promises_tile(figures.promises)
    if figures.disclosed:
        says = "Records in groups in which one sensitive value is certain or at least 90 % likely."
        how = tip(says, "Σ of the sizes of such groups", "0 to the number of records", LOWER)
        found = StyledText(plural(figures.disclosed, "record"), "bad")
        yield Tile("Disclosed", (found,), ("a sensitive value is certain, or nearly so",), how)
    if figures.main_risk is not None:
        yield from _risk_tiles(figures, figures.main_risk)


def _risk_tiles(figures: TableFigures, main: SetRisk) -> Iterator[Tile]:
    highest, average = main.figure("highest-prosecutor-risk"), main.figure("average-prosecutor-risk")
    one_in: Words = ("1 in ", Number(main.figure("smallest-group").after), " · ") if highest.after else ()
    before: Words = (*one_in, "before: ", Number(highest.before, "share"))
    yield Tile("Highest risk", (Number(highest.after, "share"),), before, highest.tip)
    yield Tile(
        "Average risk",
        (Number(average.after, "share"),),
        ("before: ", Number(average.before, "share")),
        average.tip,
    )
    says = "The share of the records that were taken out because their group would be too small."
    yield Tile(
        "Suppressed",
        (Number(figures.suppressed_share, "share"),),
        (Number(figures.suppressed), f" of {plural(figures.records_before, 'record')}"),
        tip(says, "suppressed records ÷ records", SHARES, LOWER),
    )


def _method(figures: TableFigures) -> Iterator[Section]:
    if not (figures.guarantee or figures.changes):
        return
    guarantee = [Text((figures.guarantee,))] if figures.guarantee else []
    changes = [Bullets(tuple((line,) for line in figures.changes))] if figures.changes else []
    yield Section("guarantee", ("What the method does",), (Panel((), (*guarantee, *changes)),))


def _risks(figures: TableFigures) -> Iterator[Section]:
    if not figures.risk:
        return
    subjects = (
        "Subjects whose rows look alike in all tables form a group; what is said of records below is said of subjects. "
    ) * (figures.risk_unit == "subject")
    suppressed = (
        "are published without these attributes and form a group of their own"
        if figures.suppression == "keep"
        else "are not published and carry no risk from this table"
    )
    about = (
        f"{subjects}Records that look alike in the attributes an attacker may know form a group. The larger its group, "
        f"the safer a record. Suppressed records {suppressed}."
    )
    cards = (card for risk in figures.risk for card in _risk(risk))
    yield Section("risk", ("Risk before and after",), (Text((about,), "quiet"), *cards))


def _risk(risk: SetRisk) -> Iterator[Panel]:
    counted = (
        f"{plural(risk.records_before, 'record')} in {plural(risk.groups_before, 'group')} before, "
        f"{plural(risk.records_after, 'record')} in {plural(risk.groups_after, 'group')} after."
    )
    found = RiskFigures(risk.attributes, risk.figures)
    yield Panel(("If an attacker knows ", *joined_names(risk.attributes)), (Text((counted,), "quiet"), found))
    about = "Number and share of records by the size of their group. Small groups at the top are the dangerous ones."
    title = "Number and share of records by size of their group, before and after"
    chart = PairedBarChart(title, *risk.bars(), "Size of the group")
    yield Panel(("How large are the groups?",), (Text((about,), "quiet"), chart), on_one_page=True)


def _attacks(attacks: Sequence[AttackResult]) -> Iterator[Section]:
    if not attacks:
        return
    about = (
        "Each attack was carried out on the table before and on the release, by somebody who knows the attributes "
        "named of everybody. Exposed are records of which the attacker is certain; the average chance is how often a "
        f"guess is right. Shares go from {SHARES}, lower is better."
    )
    head = heads(
        "Attack",
        "#Exposed before",
        "#Exposed after",
        "#Average chance before",
        "#Average chance after",
        "#Knowing nothing",
    )
    table = TableBlock(head, tuple(map(_attack, attacks)))
    yield Section("attacks", ("Attacks that were tried",), (Text((about,), "quiet"), Panel((), (table,))))


def _attack(found: AttackResult) -> Row:
    chance = f"How likely the attacker is right, on average over the records. Range: {SHARES}. Lower is better."
    alone = f"How likely an attacker is right who knows none of the attributes. Range: {SHARES}."
    wants: Words = ("; wants ", StyledText(found.sensitive, "name")) if found.sensitive else ()
    lines: tuple[Words, ...] = (
        ("knows ", *joined_names(found.known, "nothing"), *wants),
        (f"{found.sentence} ", StyledText(found.formula, "formula")),
        *([(found.note,)] if found.note else []),
    )
    return Row(
        (
            Cell((found.title,), lines),
            _exposed(found, found.before),
            _exposed(found, found.after, strong=True),
            Cell((Number(found.before.average_chance, "share"),), tip=chance),
            Cell((Number(found.after.average_chance, "share", strong=True),), tip=chance),
            Cell((Number(found.baseline, "share"),), tip=alone),
        )
    )


def _exposed(found: AttackResult, side: AttackSide, *, strong: bool = False) -> Cell:
    counted: Words = (Number(side.exposed), " of ", Number(side.records))
    how = tip(found.sentence, found.formula, SHARES, LOWER)
    return Cell((Number(side.share, "share", strong),), (counted,), how)


def _losses(figures: TableFigures) -> Section:
    cards = [Panel(("Utility gauge",), (figures.gauge,))]
    if figures.attributes:
        formula = StyledText(sentence(LOSS_FORMULA), "formula")
        about = Text((f"{LOSS_SENTENCE} ", formula, " From 0 to 1, lower is better."), "quiet")
        head = heads("Attribute", "Level", "#Values before", "#Values after", "#Loss", "")
        cards.append(Panel(("By attribute",), (about, TableBlock(head, tuple(map(_attribute, figures.attributes))))))
    if figures.metrics:
        head = heads("Metric", "#Value", "From best to worst", "What it says")
        rows = tuple(_metric(found, figures.metric) for found in figures.metrics)
        about = Text((WHOLE,), "quiet")
        cards.append(Panel(("The table as a whole",), (about, TableBlock(head, rows))))
    return Section("lost", ("What was lost",), tuple(cards))


def _attribute(lost: AttributeLoss) -> Row:
    how = tip(LOSS_SENTENCE, LOSS_FORMULA, SHARES, LOWER)
    return Row(
        (
            Cell((StyledText(lost.attribute, "name"),)),
            Cell(_level(lost)),
            Cell((Number(lost.values_before),)),
            Cell((Number(lost.values_after),)),
            Cell((Number(lost.loss, "share"),), tip=how),
            Cell((), meter=Meter(lost.loss, f"{lost.attribute}: loss {percent(lost.loss)}")),
        )
    )


def _level(lost: AttributeLoss) -> Words:
    if lost.level is None:
        return ("–" if lost.height is None else "mixed",)
    level = str(lost.level) if lost.height is None else f"{lost.level} of {lost.height}"
    if lost.level == 0:
        return (f"{level} ", StyledText("original values", "aside"))
    return (f"{level} ", StyledText("nothing left", "aside")) if lost.level == lost.height else (level,)


def _metric(found: MetricFigure, optimized: str) -> Row:
    says = sentence(found.sentence)
    how = tip(says, found.formula, f"{Number(found.best)} (best) to {Number(found.worst)} (worst)", found.direction)
    place = f"{found.name}: {percent(found.position)} of the way from best to worst"
    ends: Words = (Number(found.best), " to ", Number(found.worst))
    formula: Words = (StyledText(found.formula, "formula"), f" · {found.direction}")
    return Row(
        (
            Cell((found.name,), (("what was optimized",),) if found.name == optimized else ()),
            Cell((Number(found.value, strong=True),), tip=how),
            Cell((), (ends,), meter=Meter(found.position, place)),
            Cell((says,), (formula,)),
        )
    )


def _suppressed(by: SuppressionFigures | None) -> Iterator[Section]:
    if by is None:
        return
    about = (
        "Which records had to go: those in groups that the promises refuse. If they come mostly from few values, the "
        "release speaks less of these people."
    )
    title = "Number and share of suppressed records by the size of their group"
    chart = BarChart(title, by.sizes, "before", columns=("Size of the group", "Suppressed records"))
    number = f"{plural(by.groups, 'group')} were suppressed."
    head = heads("Attribute", "Value", "#Suppressed", "#of records", "#Share")
    rows = tuple(line for found in by.attributes for line in _suppressed_values(found))
    yield Section(
        "suppressed",
        ("Suppressed records",),
        (
            Text((about,), "quiet"),
            Panel(("By the size of their group",), (Text((number,), "quiet"), chart), on_one_page=True),
            Panel(("By the values they would have shown",), (TableBlock(head, rows, is_small=True),)),
        ),
    )


def _suppressed_values(found: SuppressedBy) -> Iterator[Row]:
    how = f"Suppressed records with this value ÷ records with this value. Range: {SHARES}. Lower is better."
    for place, value in enumerate(found.values):
        share = Cell((Number(value.suppressed / value.records, "share"),), tip=how)
        named = StyledText("" if place else found.attribute, "name")
        yield row(named, StyledText(value.label, "name"), Number(value.suppressed), Number(value.records), share)
    if found.others:
        yield row("", StyledText("other values", "quiet"), Number(found.others), "", "")


def _distributions(figures: TableFigures) -> Iterator[Section]:
    known = [shown for shown in figures.distributions if shown.role == "quasi-identifier"]
    sensitive = [shown for shown in figures.distributions if shown.role == "sensitive"]
    if known:
        about = "The quasi-identifiers: number and share of records per value, as they were and as they are published."
        yield Section("attributes", ("Attributes an attacker may know",), _cards(about, known))
    if sensitive:
        about = (
            "What nobody should be able to attach to a person, before and after."
            if figures.changes or figures.version is not None
            else "The frequencies of these are published as they are. If suppression had removed some values more than "
            "others, before and after would differ here."
        )
        yield Section("sensitive", ("Sensitive attributes",), _cards(about, sensitive))
    for place, table in enumerate(figures.tables, 1):
        about = f"{Number(table.records_published)} of {plural(table.records_before, 'row')} are published."
        yield Section(f"table-{place}", ("Table ", StyledText(table.name, "name")), _cards(about, table.distributions))


def _cards(about: str, shown: Iterable[Distribution]) -> tuple[Block, ...]:
    return (Text((about,), "quiet"), *map(_distribution, shown))


def _distribution(shown: Distribution) -> Panel:
    note = [Text((shown.note,), "quiet")] if shown.note else []
    per = f"{shown.attribute}: number and share of records per"
    chart = (
        PairedBarChart(f"{per} value, before and after", shown.before, shown.after)
        if shown.aligned
        else Pair(
            (
                BarChart(f"{per} original value", shown.before, "before", "Before: original values", is_wide=False),
                BarChart(f"{per} published value", shown.after, "after", "After: published values", is_wide=False),
            )
        )
    )
    return Panel((StyledText(shown.attribute, "name"),), (*note, chart), on_one_page=True)


def _dependence(found: DependenceMap | None) -> Iterator[Section]:
    if found is None:
        return
    formula = StyledText(found.formula, "formula")
    about = (f"{found.sentence} ", formula, f", from 0 to 1. The closer after is to before, the better. {found.note}")
    title = "Dependence of each pair of columns"
    maps = (
        HeatMap(f"{title} before", found.columns, found.before, "Before"),
        HeatMap(f"{title} after", found.columns, found.after, "After"),
    )
    card = Panel((), (Pair(maps),), on_one_page=True)
    yield Section("dependence", ("What columns reveal about each other",), (Text(about, "quiet"), card))


def _space(space: SolutionSpace | None) -> Iterator[Section]:
    if space is None:
        return
    about = (
        "Each point is a choice of one level for every attribute, with the records suppressed that the promises refuse "
        "there. Further left keeps more of the data, further down is safer. The line is the frontier: no choice of "
        "levels that keeps the promises lies to its left and below. The large mark is this release. "
        f"{space.note}"
    )
    axes = FactList(
        (
            Fact(
                (f"Across: {space.metric}",),
                ((sentence(space.metric_sentence),),),
                (
                    StyledText(space.metric_formula, "formula"),
                    " · lower is better. This release: ",
                    Number(space.loss, strong=True),
                ),
            ),
            Fact(
                ("Upwards: average risk",),
                ((space.risk_sentence,),),
                (
                    StyledText(space.risk_formula, "formula"),
                    f" · {SHARES}, lower is better. This release: ",
                    Number(space.risk, "share", strong=True),
                ),
            ),
        )
    )
    table = Folded("The frontier as a table", (_frontier(space),))
    card = Panel((), (space.chart(), axes, table), on_one_page=True)
    yield Section("space", ("Solution space",), (Text((about,), "quiet"), card))


def _frontier(space: SolutionSpace) -> TableBlock | Text:
    names = (Head((StyledText(name, "name"),)) for name in space.attributes)
    rows = tuple(
        row(*map(str, point.levels), Number(point.loss), Number(point.risk, "share"), Number(point.suppressed))
        for point in space.points
        if point.kind == "frontier"
    )
    if not rows:
        return Text(("No choice of levels keeps the promises within the limits.",))
    head = (*names, *heads(f"#{space.metric}", "#Average risk", "#Suppressed"))
    return TableBlock(head, rows, is_small=True, names_rows=False)


def _recipe(figures: TableFigures) -> Iterator[Fact]:
    yield fact("Algorithm", figures.algorithm or "–")
    reached: Words = () if figures.score is None else (", reached ", Number(figures.score))
    yield Fact(("Optimized metric",), ((figures.metric or "–", *reached),))
    if figures.suppressed:
        kept = "published with every quasi-identifier at its most general value"
        yield fact("Suppressed records", kept if figures.suppression == "keep" else "left out of the published table")
    if hierarchies := tuple(_hierarchies(figures.attributes)):
        yield Fact(("Hierarchies",), (hierarchies,))
    yield fact("Tool", f"Krypsis {__version__}")


def _hierarchies(attributes: Iterable[AttributeLoss]) -> Iterator[str | StyledText | Number]:
    for place, lost in enumerate(lost for lost in attributes if lost.hierarchy):
        yield from ["; "] if place else []
        yield StyledText(lost.attribute, "name")
        yield f": {lost.hierarchy}"
        if lost.weight != 1:
            yield from (" (weight ", Number(lost.weight), ")")


def _words() -> Panel:
    return Panel(("Words used here",), (FactList(tuple(fact(*words) for words in WORDS)),))
