"""The report on a release of a table with dependencies: its figures, each computed once, and the blocks of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.dependencies import DependencyTarget, RuleInferenceAttack
from krypsis.kinds.dependencies.publication import DependentTablePublication
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report.blocks import (
    Bar,
    Block,
    Bullets,
    Cell,
    DerivationDrawing,
    FactList,
    Number,
    PairedBarChart,
    Panel,
    PromiseResult,
    Report,
    Section,
    TableBlock,
    Text,
    Tile,
    fact,
    heads,
    row,
)
from krypsis.report.sections import (
    assemble,
    nothing_to_compare,
    promise_results,
    promises_section,
    promises_tile,
    summary_section,
    verdict_sentence,
)
from krypsis.report.text import percent, sentence
from krypsis.version import __version__

MOST_DRAWN = 3
BoxKind = Literal["stated", "public", "removed", "derived", "secret"]


@dataclass(frozen=True)
class ColumnFigures:
    """What became of the cells of a column."""

    name: str
    role: str
    before: int
    """Cells that are there."""
    secret: int
    blanked: int
    """Cells that are blank to protect others."""
    after: int


@dataclass(frozen=True)
class DependencyReportFigures:
    """All that a report says about a release of a table with dependencies, number by number."""

    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    guarantee: str
    said: tuple[str, ...]
    records: int
    columns: tuple[ColumnFigures, ...]
    followed: int
    cost: float
    lower_bound: float
    secrets: tuple[Mapping[str, Any], ...]
    """Cells that followed before, with a derivation of each, as the private record has them."""
    rules: tuple[tuple[str, int], ...]
    """The rules, with how many entries of a mapping are public."""
    attack: tuple[AttackSuccess, AttackSuccess]
    algorithm: str

    @property
    def blanked(self) -> int:
        """How many cells are blank to protect others."""
        return sum(one.blanked for one in self.columns)

    @property
    def secret(self) -> int:
        """How many cells are secret."""
        return sum(one.secret for one in self.columns)


def dependency_report(release: Release, name: str = "", dossier: Dossier | None = None) -> Report:
    """Return the report of a release of a table with dependencies; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.
    """
    return assemble(release, dependency_sections(dependency_figures(release)), name, dossier)


def dependency_figures(release: Release) -> DependencyReportFigures:
    """Return everything the report says.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the table before is not there to compare with.
    """
    target, publication, private = DependencyTarget.of(release), release.publication, release.private
    if target is None or release.before is None or not isinstance(publication, DependentTablePublication):
        raise nothing_to_compare("the table")
    promises, attack = promise_results(release), RuleInferenceAttack()
    columns = tuple(_column(name, publication, release) for name in publication.table.columns)
    followed = sum(private["followed"].values())
    blanked = sum(one.blanked for one in columns)
    return DependencyReportFigures(
        summary=(
            verdict_sentence(promises, release.guarantee),
            f"{followed:,} secret cells followed from others; none follows now.",
            f"{blanked:,} further cells are blank.",
        ),
        promises=promises,
        guarantee=release.guarantee,
        said=tuple(private["said"]),
        records=publication.records,
        columns=columns,
        followed=followed,
        cost=float(private["cost"]),
        lower_bound=float(private["lower_bound"]),
        secrets=tuple(private["secrets"]),
        rules=tuple((rule.text, len(getattr(rule, "mapping", ()))) for rule in publication.rules),
        attack=(attack.run(target.before()), attack.run(target)),
        algorithm=release.algorithm,
    )


def _column(name: str, publication: DependentTablePublication, release: Release) -> ColumnFigures:
    assert release.before is not None
    before = release.before.table.get_column(name)
    there = len(before) - before.null_count()
    after = publication.records - publication.table.get_column(name).null_count()
    blanked = int(release.private["blanked_cells"].get(name, 0))
    role = publication.schema.roles[name]
    return ColumnFigures(name, role.value, there, there - after - blanked, blanked, after)


def dependency_sections(figures: DependencyReportFigures) -> Iterator[Section]:
    """Yield the sections of the report."""
    yield summary_section(map(sentence, figures.summary), _tiles(figures))
    yield promises_section(figures.promises)
    if figures.guarantee:
        yield Section("guarantee", ("What the method guarantees",), (Panel((), (Text((figures.guarantee,)),)),))
    yield Section("risk", ("Which secret cells followed, and why",), tuple(_risk(figures)))
    yield Section("lost", ("What was lost",), tuple(_lost(figures)))
    made = FactList((fact("Algorithm", figures.algorithm or "–"), fact("Tool", f"Krypsis {__version__}")))
    yield Section("recipe", ("How it was made",), (_rules(figures), Panel((), (made,))))


def _tiles(figures: DependencyReportFigures) -> Iterator[Tile]:
    yield promises_tile(figures.promises)
    yield Tile("Records", (Number(figures.records),), ("all are published",))
    yield Tile("Secret cells", (Number(figures.secret),), (Number(figures.followed), " followed before"))
    yield Tile("Blank to protect them", (Number(figures.blanked),), ("further cells",))


def _risk(figures: DependencyReportFigures) -> Iterator[Block]:
    before, after = figures.attack
    said = (
        f"Who computes blank cells by the rules, and else guesses the most frequent value, is right about "
        f"{percent(after.rate)} of the secret cells; if only these were blank it would be {percent(before.rate)}, and "
        f"without the table {percent(after.baseline)}."
    )
    yield Panel(("What an attacker computes",), (Text((said,)),))
    if figures.secrets:
        words = "Some secret cells that followed, why, and the cells of the derivation that are blank now."
        table = TableBlock(
            heads("Secret cell", "Why it followed", "Blank now"), tuple(_secret_row(one) for one in figures.secrets)
        )
        yield Panel(("Derivations that were broken",), (Text((words,), "quiet"), table))
    for one in _worth_drawing(figures.secrets):
        about = "Cells at the top, what follows below them; what is blank is marked, and so the secret does not follow."
        title = f"How {one['readable']} followed"
        yield Panel((title,), (Text((about,), "quiet"), _drawing(one)), on_one_page=True)


def _secret_row(found: Mapping[str, Any]) -> Any:
    steps = tuple((sentence(step["sentence"]),) for step in found["steps"])
    return row(found["readable"], Cell(steps[0], steps[1:]), ", ".join(found["blanked"]) or "–")


def _worth_drawing(secrets: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a few secrets with derivations of different lengths, those with the most steps first."""
    by_length: dict[int, Mapping[str, Any]] = {}
    for found in secrets:
        by_length.setdefault(len(found["steps"]), found)
    return [by_length[steps] for steps in sorted(by_length, reverse=True)][:MOST_DRAWN]


def _drawing(found: Mapping[str, Any]) -> DerivationDrawing:
    """Return the derivation of a cell as a drawing."""
    steps = found["steps"]
    texts = dict.fromkeys([text for step in steps for text in (*step["premises"], step["conclusion"])])
    numbers = {text: place for place, text in enumerate(texts)}
    concluded = {step["conclusion"] for step in steps}
    last = steps[-1]["conclusion"]

    def kind(text: str) -> BoxKind:
        if text == last:
            return "secret"
        if text in found["blanked"]:
            return "removed"
        if text in concluded:
            return "derived"
        return "public" if " goes with " in text else "stated"

    lines = [(numbers[one], numbers[step["conclusion"]]) for step in steps for one in step["premises"]]
    boxes = tuple((text, kind(text)) for text in texts)
    return DerivationDrawing(f"Derivation of {found['readable']}", boxes, tuple(dict.fromkeys(lines)))


def _lost(figures: DependencyReportFigures) -> Iterator[Block]:
    if figures.said:
        yield Panel((), (Bullets(tuple((sentence(line),) for line in figures.said)),))
    rows = tuple(
        row(one.name, one.role, *map(Number, (one.before, one.secret, one.blanked, one.after)))
        for one in figures.columns
    )
    table = TableBlock(heads("Column", "Role", "#Cells before", "#Secret", "#Further blank", "#Published"), rows)
    cost = f"The further blank cells cost {figures.cost:g}; no safe choice costs less than "
    yield Panel(("Cells by column",), (table, Text((f"{cost}{figures.lower_bound:g}.",), "quiet")))
    bars = PairedBarChart(
        "Cells that are there",
        tuple(Bar(one.name, one.before) for one in figures.columns),
        tuple(Bar(one.name, one.after) for one in figures.columns),
        column="Column",
        counted="Cells",
    )
    yield Panel(("Cells that are there, before and after",), (bars,), on_one_page=True)


def _rules(figures: DependencyReportFigures) -> Panel:
    lines = tuple(
        (f"{text} (its mapping is public, with {count:,} entries)" if count else text,) for text, count in figures.rules
    )
    return Panel(("Rules that everybody knows",), (Bullets(lines or (("none",),)),))
