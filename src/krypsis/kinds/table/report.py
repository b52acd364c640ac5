"""The blocks of the report on a table, from its first sentence to how it was made."""

from collections.abc import Iterable, Iterator, Sequence

from krypsis.attacks.base import AttackSuccess
from krypsis.kinds.table import report_figures
from krypsis.kinds.table.attack_results import AttackResult, CertainRecords
from krypsis.kinds.table.distributions import Distribution
from krypsis.kinds.table.group_risk import SetRisk
from krypsis.kinds.table.solution_space import SolutionSpace
from krypsis.kinds.table.suppression_figures import SuppressedBy, SuppressionFigures
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report import blocks
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


def table_report(release: Release, name: str = "", dossier: Dossier | None = None) -> blocks.Report:
    """Return the report of a release of a table; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.
    """
    return assemble(release, table_sections(report_figures.table_figures(release)), name, dossier)


def table_sections(figures: report_figures.TableFigures) -> Iterator[blocks.Section]:
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
    yield blocks.Section(
        "recipe", ("How it was made",), (blocks.Panel((), (blocks.FactList(tuple(_recipe(figures))),)), _words())
    )


def _tiles(figures: report_figures.TableFigures) -> Iterator[blocks.Tile]:
    gauge = figures.gauge
    left: blocks.Words = (f"{gauge.value:.0f}", blocks.StyledText(" of 100", "aside"))
    yield blocks.Tile("Utility", left, ("how much of the table is left",), gauge.tip)
    yield promises_tile(figures.promises)
    if figures.disclosed:
        says = "Records in groups in which one sensitive value is certain or at least 90 % likely."
        how = blocks.tip(says, "Σ of the sizes of such groups", "0 to the number of records", blocks.LOWER)
        found = blocks.StyledText(plural(figures.disclosed, "record"), "bad")
        yield blocks.Tile("Disclosed", (found,), ("a sensitive value is certain, or nearly so",), how)
    if figures.main_risk is not None:
        yield from _risk_tiles(figures, figures.main_risk)


def _risk_tiles(figures: report_figures.TableFigures, main: SetRisk) -> Iterator[blocks.Tile]:
    highest, average = main.figure("highest-prosecutor-risk"), main.figure("average-prosecutor-risk")
    one_in: blocks.Words = ("1 in ", blocks.Number(main.figure("smallest-group").after), " · ") if highest.after else ()
    before: blocks.Words = (*one_in, "before: ", blocks.Number(highest.before, "share"))
    yield blocks.Tile("Highest risk", (blocks.Number(highest.after, "share"),), before, highest.tip)
    yield blocks.Tile(
        "Average risk",
        (blocks.Number(average.after, "share"),),
        ("before: ", blocks.Number(average.before, "share")),
        average.tip,
    )
    says = "The share of the records that were taken out because their group would be too small."
    yield blocks.Tile(
        "Suppressed",
        (blocks.Number(figures.suppressed_share, "share"),),
        (blocks.Number(figures.suppressed), f" of {plural(figures.records_before, 'record')}"),
        blocks.tip(says, "suppressed records ÷ records", blocks.SHARES, blocks.LOWER),
    )


def _method(figures: report_figures.TableFigures) -> Iterator[blocks.Section]:
    if not (figures.guarantee or figures.changes):
        return
    guarantee = [blocks.Text((figures.guarantee,))] if figures.guarantee else []
    changes = [blocks.Bullets(tuple((line,) for line in figures.changes))] if figures.changes else []
    yield blocks.Section("guarantee", ("What the method does",), (blocks.Panel((), (*guarantee, *changes)),))


def _risks(figures: report_figures.TableFigures) -> Iterator[blocks.Section]:
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
    yield blocks.Section("risk", ("Risk before and after",), (blocks.Text((about,), "quiet"), *cards))


def _risk(risk: SetRisk) -> Iterator[blocks.Panel]:
    counted = (
        f"{plural(risk.records_before, 'record')} in {plural(risk.groups_before, 'group')} before, "
        f"{plural(risk.records_after, 'record')} in {plural(risk.groups_after, 'group')} after."
    )
    found = blocks.RiskFigures(risk.attributes, risk.figures)
    yield blocks.Panel(
        ("If an attacker knows ", *blocks.joined_names(risk.attributes)), (blocks.Text((counted,), "quiet"), found)
    )
    about = "Number and share of records by the size of their group. Small groups at the top are the dangerous ones."
    title = "Number and share of records by size of their group, before and after"
    chart = blocks.PairedBarChart(title, *risk.bars(), "Size of the group")
    yield blocks.Panel(("How large are the groups?",), (blocks.Text((about,), "quiet"), chart), on_one_page=True)


def _attacks(attacks: Sequence[AttackResult]) -> Iterator[blocks.Section]:
    if not attacks:
        return
    about = (
        "Each attack was carried out on the table before and on the release, by somebody who knows the attributes "
        "named of everybody. Exposed are records of which the attacker is certain; the average chance is how often a "
        f"guess is right. Shares go from {blocks.SHARES}, lower is better."
    )
    head = blocks.heads(
        "Attack",
        "#Exposed before",
        "#Exposed after",
        "#Average chance before",
        "#Average chance after",
        "#Knowing nothing",
    )
    table = blocks.TableBlock(head, tuple(map(_attack, attacks)))
    yield blocks.Section(
        "attacks", ("Attacks that were tried",), (blocks.Text((about,), "quiet"), blocks.Panel((), (table,)))
    )


def _attack(found: AttackResult) -> blocks.Row:
    chance = f"How often {found.attack.success}. Range: {blocks.SHARES}. Lower is better."
    alone = f"How often, without the release: {found.attack.baseline}. Range: {blocks.SHARES}."
    wants: blocks.Words = ("; wants ", blocks.StyledText(found.sensitive, "name")) if found.sensitive else ()
    lines: tuple[blocks.Words, ...] = (
        ("knows ", *blocks.joined_names(found.known, "nothing"), *wants),
        (f"{found.certain.sentence} ", blocks.StyledText(found.certain.formula, "formula")),
        *((line,) for line in found.after.cannot_say),
    )
    return blocks.Row(
        (
            blocks.Cell((found.attack.title.capitalize(),), lines),
            _exposed(found.certain, found.before),
            _exposed(found.certain, found.after, strong=True),
            blocks.Cell((blocks.Number(found.before.rate, "share"),), tip=chance),
            blocks.Cell((blocks.Number(found.after.rate, "share", strong=True),), tip=chance),
            blocks.Cell((blocks.Number(found.before.baseline, "share"),), tip=alone),
        )
    )


def _exposed(certain: CertainRecords, success: AttackSuccess, *, strong: bool = False) -> blocks.Cell:
    counted: blocks.Words = (blocks.Number(success.certain), " of ", blocks.Number(success.targets))
    how = blocks.tip(certain.sentence, certain.formula, blocks.SHARES, blocks.LOWER)
    return blocks.Cell((blocks.Number(success.certain_share, "share", strong),), (counted,), how)


def _losses(figures: report_figures.TableFigures) -> blocks.Section:
    cards = [blocks.Panel(("Utility gauge",), (figures.gauge,))]
    if figures.attributes:
        formula = blocks.StyledText(sentence(report_figures.LOSS_FORMULA), "formula")
        about = blocks.Text((f"{report_figures.LOSS_SENTENCE} ", formula, " From 0 to 1, lower is better."), "quiet")
        head = blocks.heads("Attribute", "Level", "#Values before", "#Values after", "#Loss", "")
        cards.append(
            blocks.Panel(
                ("By attribute",), (about, blocks.TableBlock(head, tuple(map(_attribute, figures.attributes))))
            )
        )
    if figures.metrics:
        head = blocks.heads("Metric", "#Value", "From best to worst", "What it says")
        rows = tuple(_metric(found, figures.metric) for found in figures.metrics)
        about = blocks.Text((WHOLE,), "quiet")
        cards.append(blocks.Panel(("The table as a whole",), (about, blocks.TableBlock(head, rows))))
    return blocks.Section("lost", ("What was lost",), tuple(cards))


def _attribute(lost: report_figures.AttributeLoss) -> blocks.Row:
    how = blocks.tip(report_figures.LOSS_SENTENCE, report_figures.LOSS_FORMULA, blocks.SHARES, blocks.LOWER)
    return blocks.Row(
        (
            blocks.Cell((blocks.StyledText(lost.attribute, "name"),)),
            blocks.Cell(_level(lost)),
            blocks.Cell((blocks.Number(lost.values_before),)),
            blocks.Cell((blocks.Number(lost.values_after),)),
            blocks.Cell((blocks.Number(lost.loss, "share"),), tip=how),
            blocks.Cell((), meter=blocks.Meter(lost.loss, f"{lost.attribute}: loss {percent(lost.loss)}")),
        )
    )


def _level(lost: report_figures.AttributeLoss) -> blocks.Words:
    if lost.level is None:
        return ("–" if lost.height is None else "mixed",)
    level = str(lost.level) if lost.height is None else f"{lost.level} of {lost.height}"
    if lost.level == 0:
        return (f"{level} ", blocks.StyledText("original values", "aside"))
    return (f"{level} ", blocks.StyledText("nothing left", "aside")) if lost.level == lost.height else (level,)


def _metric(found: report_figures.MetricFigure, optimized: str) -> blocks.Row:
    says = sentence(found.sentence)
    how = blocks.tip(
        says,
        found.formula,
        f"{blocks.Number(found.best)} (best) to {blocks.Number(found.worst)} (worst)",
        found.direction,
    )
    place = f"{found.name}: {percent(found.position)} of the way from best to worst"
    ends: blocks.Words = (blocks.Number(found.best), " to ", blocks.Number(found.worst))
    formula: blocks.Words = (blocks.StyledText(found.formula, "formula"), f" · {found.direction}")
    return blocks.Row(
        (
            blocks.Cell((found.name,), (("what was optimized",),) if found.name == optimized else ()),
            blocks.Cell((blocks.Number(found.value, strong=True),), tip=how),
            blocks.Cell((), (ends,), meter=blocks.Meter(found.position, place)),
            blocks.Cell((says,), (formula,)),
        )
    )


def _suppressed(by: SuppressionFigures | None) -> Iterator[blocks.Section]:
    if by is None:
        return
    about = (
        "Which records had to go: those in groups that the promises refuse. If they come mostly from few values, the "
        "release speaks less of these people."
    )
    title = "Number and share of suppressed records by the size of their group"
    chart = blocks.BarChart(title, by.sizes, "before", columns=("Size of the group", "Suppressed records"))
    number = f"{plural(by.groups, 'group')} were suppressed."
    head = blocks.heads("Attribute", "Value", "#Suppressed", "#of records", "#Share")
    rows = tuple(line for found in by.attributes for line in _suppressed_values(found))
    yield blocks.Section(
        "suppressed",
        ("Suppressed records",),
        (
            blocks.Text((about,), "quiet"),
            blocks.Panel(("By the size of their group",), (blocks.Text((number,), "quiet"), chart), on_one_page=True),
            blocks.Panel(("By the values they would have shown",), (blocks.TableBlock(head, rows, is_small=True),)),
        ),
    )


def _suppressed_values(found: SuppressedBy) -> Iterator[blocks.Row]:
    how = f"Suppressed records with this value ÷ records with this value. Range: {blocks.SHARES}. Lower is better."
    for place, value in enumerate(found.values):
        share = blocks.Cell((blocks.Number(value.suppressed / value.records, "share"),), tip=how)
        named = blocks.StyledText("" if place else found.attribute, "name")
        yield blocks.row(
            named,
            blocks.StyledText(value.label, "name"),
            blocks.Number(value.suppressed),
            blocks.Number(value.records),
            share,
        )
    if found.others:
        yield blocks.row("", blocks.StyledText("other values", "quiet"), blocks.Number(found.others), "", "")


def _distributions(figures: report_figures.TableFigures) -> Iterator[blocks.Section]:
    known = [shown for shown in figures.distributions if shown.role == "quasi-identifier"]
    sensitive = [shown for shown in figures.distributions if shown.role == "sensitive"]
    if known:
        about = "The quasi-identifiers: number and share of records per value, as they were and as they are published."
        yield blocks.Section("attributes", ("Attributes an attacker may know",), _cards(about, known))
    if sensitive:
        about = (
            "What nobody should be able to attach to a person, before and after."
            if figures.changes or figures.version is not None
            else "The frequencies of these are published as they are. If suppression had removed some values more than "
            "others, before and after would differ here."
        )
        yield blocks.Section("sensitive", ("Sensitive attributes",), _cards(about, sensitive))
    for place, table in enumerate(figures.tables, 1):
        about = f"{blocks.Number(table.records_published)} of {plural(table.records_before, 'row')} are published."
        yield blocks.Section(
            f"table-{place}", ("Table ", blocks.StyledText(table.name, "name")), _cards(about, table.distributions)
        )


def _cards(about: str, shown: Iterable[Distribution]) -> tuple[blocks.Block, ...]:
    return (blocks.Text((about,), "quiet"), *map(_distribution, shown))


def _distribution(shown: Distribution) -> blocks.Panel:
    note = [blocks.Text((shown.note,), "quiet")] if shown.note else []
    per = f"{shown.attribute}: number and share of records per"
    chart = (
        blocks.PairedBarChart(f"{per} value, before and after", shown.before, shown.after)
        if shown.aligned
        else blocks.Pair(
            (
                blocks.BarChart(
                    f"{per} original value", shown.before, "before", "Before: original values", is_wide=False
                ),
                blocks.BarChart(
                    f"{per} published value", shown.after, "after", "After: published values", is_wide=False
                ),
            )
        )
    )
    return blocks.Panel((blocks.StyledText(shown.attribute, "name"),), (*note, chart), on_one_page=True)


def _dependence(found: report_figures.DependenceMap | None) -> Iterator[blocks.Section]:
    if found is None:
        return
    formula = blocks.StyledText(found.formula, "formula")
    about = (f"{found.sentence} ", formula, f", from 0 to 1. The closer after is to before, the better. {found.note}")
    title = "Dependence of each pair of columns"
    maps = (
        blocks.HeatMap(f"{title} before", found.columns, found.before, "Before"),
        blocks.HeatMap(f"{title} after", found.columns, found.after, "After"),
    )
    card = blocks.Panel((), (blocks.Pair(maps),), on_one_page=True)
    yield blocks.Section("dependence", ("What columns reveal about each other",), (blocks.Text(about, "quiet"), card))


def _space(space: SolutionSpace | None) -> Iterator[blocks.Section]:
    if space is None:
        return
    about = (
        "Each point is a choice of one level for every attribute, with the records suppressed that the promises refuse "
        "there. Further left keeps more of the data, further down is safer. The line is the frontier: no choice of "
        "levels that keeps the promises lies to its left and below. The large mark is this release. "
        f"{space.note}"
    )
    axes = blocks.FactList(
        (
            blocks.Fact(
                (f"Across: {space.metric}",),
                ((sentence(space.metric_sentence),),),
                (
                    blocks.StyledText(space.metric_formula, "formula"),
                    " · lower is better. This release: ",
                    blocks.Number(space.loss, strong=True),
                ),
            ),
            blocks.Fact(
                ("Upwards: average risk",),
                ((space.risk_sentence,),),
                (
                    blocks.StyledText(space.risk_formula, "formula"),
                    f" · {blocks.SHARES}, lower is better. This release: ",
                    blocks.Number(space.risk, "share", strong=True),
                ),
            ),
        )
    )
    table = blocks.Folded("The frontier as a table", (_frontier(space),))
    card = blocks.Panel((), (space.chart(), axes, table), on_one_page=True)
    yield blocks.Section("space", ("Solution space",), (blocks.Text((about,), "quiet"), card))


def _frontier(space: SolutionSpace) -> blocks.TableBlock | blocks.Text:
    names = (blocks.Head((blocks.StyledText(name, "name"),)) for name in space.attributes)
    rows = tuple(
        blocks.row(
            *map(str, point.levels),
            blocks.Number(point.loss),
            blocks.Number(point.risk, "share"),
            blocks.Number(point.suppressed),
        )
        for point in space.points
        if point.kind == "frontier"
    )
    if not rows:
        return blocks.Text(("No choice of levels keeps the promises within the limits.",))
    head = (*names, *blocks.heads(f"#{space.metric}", "#Average risk", "#Suppressed"))
    return blocks.TableBlock(head, rows, is_small=True, names_rows=False)


def _recipe(figures: report_figures.TableFigures) -> Iterator[blocks.Fact]:
    yield blocks.fact("Algorithm", figures.algorithm or "–")
    reached: blocks.Words = () if figures.score is None else (", reached ", blocks.Number(figures.score))
    yield blocks.Fact(("Optimized metric",), ((figures.metric or "–", *reached),))
    if figures.suppressed:
        kept = "published with every quasi-identifier at its most general value"
        yield blocks.fact(
            "Suppressed records", kept if figures.suppression == "keep" else "left out of the published table"
        )
    if hierarchies := tuple(_hierarchies(figures.attributes)):
        yield blocks.Fact(("Hierarchies",), (hierarchies,))
    yield blocks.fact("Tool", f"Krypsis {__version__}")


def _hierarchies(
    attributes: Iterable[report_figures.AttributeLoss],
) -> Iterator[str | blocks.StyledText | blocks.Number]:
    for place, lost in enumerate(lost for lost in attributes if lost.hierarchy):
        yield from ["; "] if place else []
        yield blocks.StyledText(lost.attribute, "name")
        yield f": {lost.hierarchy}"
        if lost.weight != 1:
            yield from (" (weight ", blocks.Number(lost.weight), ")")


def _words() -> blocks.Panel:
    return blocks.Panel(("Words used here",), (blocks.FactList(tuple(blocks.fact(*words) for words in WORDS)),))
