"""The report on a release of an ontology: its figures, each computed once, and the blocks made of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.ontologies.base import OntologyTarget
from krypsis.attacks.ontologies.derivation import DerivationAttack
from krypsis.data.ontologies import AxiomType, Ontology, normalize
from krypsis.data.ontologies.merging import merged
from krypsis.data.ontologies.normal_forms import FIRST_CLASS
from krypsis.data.ontologies.wording import FUNCTIONAL_NAMES
from krypsis.kinds.ontology.publication import OntologyPublication
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

MOST_SECRETS = 20
"""Of more secrets that followed before, the first are shown."""
MOST_DRAWN = 3
MOST_REMOVED = 50
BoxKind = Literal["stated", "public", "removed", "derived", "secret"]


@dataclass(frozen=True)
class OntologyReportFigures:
    """All that a report says about a release of an ontology, number by number."""

    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    guarantee: str
    said: tuple[str, ...]
    before: int
    published: int
    public: int
    removed: tuple[str, ...]
    cost: float
    lower_bound: float
    secrets: tuple[Mapping[str, Any], ...]
    """The secrets that followed before, with their derivations, as the private record has them."""
    not_derivable: tuple[str, ...]
    memberships: tuple[int, int]
    """Memberships of individuals in named classes that follow, before and after."""
    links: tuple[int, int]
    """Relations between individuals that follow, before and after."""
    types: tuple[Mapping[str, int], Mapping[str, int]]
    """How many axioms there are of each type, before and after."""
    attack: tuple[AttackSuccess, AttackSuccess]
    algorithm: str
    public_axioms: frozenset[str]
    """Those that are public, for people."""


def ontology_report(release: Release, name: str = "", dossier: Dossier | None = None) -> Report:
    """Return the report of a release of an ontology; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the ontology before is not there to compare with.
    """
    return assemble(release, ontology_sections(ontology_figures(release)), name, dossier)


def ontology_figures(release: Release) -> OntologyReportFigures:
    """Return everything the report of a release of an ontology says.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the ontology before is not there to compare with.
    """
    target, publication, private = OntologyTarget.of(release), release.publication, release.private
    if target is None or not isinstance(publication, OntologyPublication):
        raise nothing_to_compare("the ontology")
    promises = promise_results(release)
    public = [] if target.public is None else [target.public]
    before, after = (_consequences(merged([part, *public])[0]) for part in (target.original, target.published))
    attack, removed = DerivationAttack(), _readable(private["removed"], target.original)
    attacked = attack.run(target.before()), attack.run(target)
    return OntologyReportFigures(
        summary=(
            verdict_sentence(promises, release.guarantee),
            f"{len(target.published):,} of {len(target.original):,} axioms are published.",
            f"{len(private['secrets']):,} secrets followed before, and {int(attacked[1].certain):,} of them do now.",
        ),
        promises=promises,
        guarantee=release.guarantee,
        said=tuple(private["said"]),
        before=len(target.original),
        published=len(target.published),
        public=sum(map(len, public)),
        removed=removed,
        cost=float(private["cost"]),
        lower_bound=float(private["lower_bound"]),
        secrets=tuple(private["secrets"]),
        not_derivable=tuple(private["not_derivable"]),
        memberships=(before[0], after[0]),
        links=(before[1], after[1]),
        types=(_types(target.original), _types(target.published)),
        attack=attacked,
        algorithm=release.algorithm,
        public_axioms=frozenset(part.readable(place) for part in public for place in range(len(part))),
    )


def _types(ontology: Ontology) -> dict[str, int]:
    """Return how many axioms there are of each type, as functional syntax names it."""
    return {FUNCTIONAL_NAMES[AxiomType[name.upper()]]: count for name, count in ontology.counts.items()}


def _readable(axioms: Sequence[str], original: Ontology) -> tuple[str, ...]:
    """Return axioms in functional syntax, as the private record has them, for people."""
    words = {original.functional(place): original.readable(place) for place in range(len(original))}
    return tuple(words.get(one, one) for one in axioms)


def _consequences(whole: Ontology) -> tuple[int, int]:
    """Return how many memberships of individuals, and relations between them, follow."""
    forms = normalize(whole)
    found = InMemoryCompletion().complete(forms)
    first, last = forms.first_individual, forms.first_fresh

    def is_individual(atoms: Any) -> Any:
        return (atoms >= first) & (atoms < last)

    member = is_individual(found.sub[:, 0]) & (found.sub[:, 1] >= FIRST_CLASS) & (found.sub[:, 1] < first)
    related = is_individual(found.some[:, 0]) & is_individual(found.some[:, 2])
    return int(member.sum()), int(related.sum())


def ontology_sections(figures: OntologyReportFigures) -> Iterator[Section]:
    """Yield the sections of the report on an ontology."""
    yield summary_section(map(sentence, figures.summary), _tiles(figures))
    yield promises_section(figures.promises)
    if figures.guarantee:
        yield Section("guarantee", ("What the method guarantees",), (Panel((), (Text((figures.guarantee,)),)),))
    yield Section("risk", ("Which secrets followed, and why",), tuple(_risk(figures)))
    yield Section("lost", ("What was lost",), tuple(_lost(figures)))
    made = FactList((fact("Algorithm", figures.algorithm or "–"), fact("Tool", f"Krypsis {__version__}")))
    yield Section("recipe", ("How it was made",), (Panel((), (made,)),))


def _tiles(figures: OntologyReportFigures) -> Iterator[Tile]:
    yield promises_tile(figures.promises)
    yield Tile("Axioms published", (Number(figures.published),), (Number(figures.before), " before"))
    yield Tile(
        "Secrets that follow",
        (Number(int(figures.attack[1].certain)),),
        (Number(len(figures.secrets)), " followed before"),
    )
    yield Tile("Public axioms", (Number(figures.public),), ("known to everybody",))


def _risk(figures: OntologyReportFigures) -> Iterator[Block]:
    before, after = figures.attack
    said = (
        f"Who derives everything that follows from the published axioms and the public ones learns "
        f"{percent(after.rate)} of the secrets; before it was {percent(before.rate)}, and without the release "
        f"{percent(after.baseline)}."
    )
    yield Panel(("What an attacker derives",), (Text((said,)),))
    shown = figures.secrets[:MOST_SECRETS]
    if shown:
        rows = tuple(_secret_row(one) for one in shown)
        more = len(figures.secrets) - len(shown)
        words = "Each secret that followed, a derivation of it, and the axioms of it that are not published."
        rest = f" {more:,} more are in the private record." if more else ""
        table = TableBlock(heads("Secret", "Why it followed", "Not published"), rows)
        yield Panel(("Derivations that were broken",), (Text((words + rest,), "quiet"), table))
    for one in _worth_drawing(figures.secrets):
        about = (
            "Axioms at the top, what follows below them; what was removed is marked, and so the secret does not follow."
        )
        drawing = _drawing(one, figures.public_axioms)
        yield Panel((f"How {one['readable']} followed",), (Text((about,), "quiet"), drawing), on_one_page=True)
    if figures.not_derivable:
        lines = tuple((text,) for text in figures.not_derivable[:MOST_SECRETS])
        yield Panel(("Secrets that did not follow, and needed nothing",), (Bullets(lines),))


def _secret_row(found: Mapping[str, Any]) -> Any:
    first = found["derivations"][0] if found["derivations"] else {"steps": (), "removed": ()}
    # A step begins with a name, which keeps its small letter.
    steps = tuple((f"{step['sentence']}.",) for step in first["steps"]) or (("It was stated.",),)
    removed = ", ".join(dict.fromkeys(text for one in found["derivations"] for text in one["removed"]))
    return row(found["readable"], Cell(steps[0], steps[1:]), removed or "–")


def _worth_drawing(secrets: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a few secrets with derivations of different lengths, those with the most steps first."""
    by_length: dict[int, Mapping[str, Any]] = {}
    for found in secrets:
        steps = len(found["derivations"][0]["steps"]) if found["derivations"] else 0
        if steps:
            by_length.setdefault(steps, found)
    return [by_length[steps] for steps in sorted(by_length, reverse=True)][:MOST_DRAWN]


def _drawing(found: Mapping[str, Any], public: frozenset[str]) -> DerivationDrawing:
    """Return the first derivation of a secret as a drawing."""
    derivation = found["derivations"][0]
    steps = derivation["steps"]
    texts = dict.fromkeys([text for step in steps for text in (*step["premises"], step["conclusion"])])
    numbers = {text: place for place, text in enumerate(texts)}
    concluded = {step["conclusion"] for step in steps}
    last = steps[-1]["conclusion"]

    def kind(text: str) -> BoxKind:
        if text == last:
            return "secret"
        if text in derivation["removed"]:
            return "removed"
        if text in concluded:
            return "derived"
        return "public" if text in public else "stated"

    lines = [(numbers[one], numbers[step["conclusion"]]) for step in steps for one in step["premises"]]
    boxes = tuple((text, kind(text)) for text in texts)
    return DerivationDrawing(f"Derivation of {found['readable']}", boxes, tuple(dict.fromkeys(lines)))


def _lost(figures: OntologyReportFigures) -> Iterator[Block]:
    if figures.said:
        yield Panel((), (Bullets(tuple((sentence(line),) for line in figures.said)),))
    rows = (
        row("Axioms", Number(figures.before), Number(figures.published)),
        row("Memberships of individuals that follow", *map(Number, figures.memberships)),
        row("Relations between individuals that follow", *map(Number, figures.links)),
    )
    cost = (
        f"The axioms that are left out cost {figures.cost:g}; no safe removal costs less than {figures.lower_bound:g}."
    )
    yield Panel(("Before and after",), (TableBlock(heads("What", "#Before", "#After"), rows), Text((cost,), "quiet")))
    names = list(figures.types[0])
    bars = PairedBarChart(
        "Axioms by type",
        tuple(Bar(name, figures.types[0].get(name, 0)) for name in names),
        tuple(Bar(name, figures.types[1].get(name, 0)) for name in names),
        column="Type",
        counted="Axioms",
    )
    yield Panel(("Axioms by type",), (bars,), on_one_page=True)
    if figures.removed:
        shown = figures.removed[:MOST_REMOVED]
        more = len(figures.removed) - len(shown)
        lines = [(text,) for text in shown] + ([(f"and {more:,} more, in the private record",)] if more else [])
        yield Panel(("What is not published",), (Bullets(tuple(lines)),))
