"""The sections that every report has, and the report as a whole: what is promised, the dossier, how to cite."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from krypsis import registry
from krypsis.errors import UsageError
from krypsis.models.base import GroupModel, PrivacyModel, Verdict
from krypsis.progress import StepTable, TraceStep
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.report import blocks
from krypsis.report.dossier import dossier_section
from krypsis.report.text import plural, readable
from krypsis.version import __version__

LONGEST_SENTENCE = 1000
"""Sentences may quote the names of attributes, which come from outside."""


def assemble(
    release: Release,
    sections: Iterable[blocks.Section],
    name: str = "",
    dossier: Dossier | None = None,
) -> blocks.Report:
    """Return the report of a release: the sections that its kind made, the dossier, and how to cite.

    Parameters
    ----------
    release
        what the report is about.
    sections
        from the summary to how the release was made.
    name
        what the release is called.
    dossier
        what the publisher documents about it.
    """
    promises = promise_results(release)
    return blocks.Report(
        kind=release.kind,
        release_id=release.release_id,
        title="Anonymization report",
        name=readable(name) if name else "",
        tool_version=__version__,
        holds=bool(promises) and all(promise.holds for promise in promises),
        records_published=release.records,
        sections=(
            *sections,
            *([steps_section(release.steps)] if release.steps else []),
            *([] if dossier is None else [dossier_section(dossier)]),
            citation_section(release),
        ),
    )


def summary_section(summary: Iterable[str], tiles: Iterable[blocks.Tile]) -> blocks.Section:
    """Return what a report says in short."""
    lines: list[blocks.Block] = [blocks.Text((line,), "lead") for line in summary]
    return blocks.Section("summary", ("In short",), (*lines, blocks.Tiles(tuple(tiles))))


def promises_tile(promises: Sequence[blocks.PromiseResult]) -> blocks.Tile:
    """Return whether all promises hold, as it is seen first."""
    states = [promise.state for promise in promises]
    number = plural(len(promises), "promise")
    if not states:
        return blocks.Tile("Promises", (blocks.StyledText("none", "unknown"),), (number,))
    if set(states) == {"holds"}:
        return blocks.Tile("Promises", (blocks.StyledText("all hold", "good"),), (f"{number}, each checked",))
    worst = next(state for state in ("broken", "not checked", "undecided") if state in states)
    return blocks.Tile("Promises", (blocks.StyledText(worst, "bad" if worst == "broken" else "unknown"),), (number,))


def promises_section(promises: Sequence[blocks.PromiseResult]) -> blocks.Section:
    """Return what is promised, and what the checker found."""
    about = "Promises are checked by a part of the tool that knows nothing of how the table was made."
    found: Sequence[blocks.Block] = promises or [blocks.Text(("No promise was made.",))]
    return blocks.Section("promises", ("What is promised",), (blocks.Text((about,), "quiet"), *found))


def verdict_sentence(promises: Sequence[blocks.PromiseResult], guarantee: str = "") -> str:
    """Say whether all promises hold."""
    if not promises and guarantee:
        return "No promise about groups of records was made; what the method guarantees is stated below."
    if not promises:
        return "No promise was made, so nothing is known about how well persons are protected."
    number, all_ = Counter(promise.state for promise in promises), plural(len(promises), "promise")
    if number["broken"]:
        return f"Do not publish: {number['broken']} of {all_} broken."
    if number["not checked"]:
        return f"Check before you publish: {number['not checked']} of {all_} not checked."
    if number["undecided"]:
        return (
            f"The published files do not decide {number['undecided']} of {all_}: what they show and what remains the "
            "publisher's word is explained below."
        )
    return {1: "The promise holds.", 2: "Both promises hold."}.get(len(promises), f"All {len(promises)} promises hold.")


def promise_results(release: Release) -> tuple[blocks.PromiseResult, ...]:
    """Return every verdict with its promise, then the promises nobody checked."""
    checked = {verdict.promise for verdict in release.verdicts}
    unchecked = (promise for promise in release.promises if promise not in checked)
    return (
        *(_judged(verdict, release) for verdict in release.verdicts),
        *(_promise(promise, release) for promise in unchecked),
    )


def _judged(verdict: Verdict, release: Release) -> blocks.PromiseResult:
    return replace(
        _promise(verdict.promise, release),
        holds=verdict.holds,
        required=verdict.required,
        achieved=verdict.achieved,
        verdict=readable(verdict.sentence, longest=LONGEST_SENTENCE),
    )


def _promise(spec: str, release: Release) -> blocks.PromiseResult:
    model = registry.create("model", spec)
    return blocks.PromiseResult(
        promise=readable(spec),
        checked_on=_checked_on(model, release),
        sentence=readable(model.promise(), longest=LONGEST_SENTENCE),
        protects_from=model.protects_from,
        does_not_protect_from=model.does_not_protect_from,
        reference=model.reference,
    )


def _checked_on(model: PrivacyModel, release: Release) -> str:
    """Return what decides a promise; only what the published table alone decides can anybody verify."""
    if model.needs_population:
        return "the published table and the population"
    if model.needs_original:
        return "the published table and the original one"
    private = None if release.before is None else release.before.private_columns
    if private is None or not isinstance(model, GroupModel):
        return "the published data alone"
    counted = {name for names in model.combinations(release.schema.sensitive) for name in names}
    if hidden := [readable(name) for name in private.columns if name in counted]:
        return f"the published table and columns that are not published: {', '.join(hidden)}"
    return "the published data alone"


STEPS = (
    "What the algorithm did, to follow it by hand. Unlike the rest of this page, the steps may show single records of "
    "the data before."
)


def steps_section(steps: Sequence[TraceStep]) -> blocks.Section:
    """Return the steps of the algorithm, folded."""
    panels = tuple(blocks.Panel((step.title,), tuple(_step_blocks(step))) for step in steps)
    folded = blocks.Folded(f"{plural(len(steps), 'step')} of {steps[0].algorithm}", panels)
    return blocks.Section("steps", ("Step by step",), (blocks.Text((STEPS,), "quiet"), folded))


def _step_blocks(step: TraceStep) -> Iterator[blocks.Block]:
    if step.says:
        yield blocks.Text((readable(step.says, longest=LONGEST_SENTENCE),))
    for picture in step.pictures:
        names = readable(picture.title), readable(picture.across), readable(picture.upwards)
        yield blocks.BoxDrawing(*names, picture.dots, picture.boxes)
    for table in step.tables:
        if table.title:
            yield blocks.Text((readable(table.title),))
        yield _step_table(table)
        if table.more:
            yield blocks.Text((f"and {plural(table.more, 'more row')}",), "quiet")


def _step_table(table: StepTable) -> blocks.TableBlock:
    numbers = [any(isinstance(row[place], int | float) for row in table.rows) for place in range(len(table.columns))]
    head = tuple(
        blocks.Head((blocks.StyledText(readable(name), "name"),) if name else ("",), is_number)
        for name, is_number in zip(table.columns, numbers, strict=True)
    )
    rows = (blocks.row(*map(_step_cell, row)) for row in table.rows)
    return blocks.TableBlock(head, tuple(rows), is_small=True, names_rows=False)


def _step_cell(value: object) -> str | blocks.StyledText | blocks.Number:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return blocks.Number(value)
    return blocks.StyledText(readable(str(value)), "name")


def citation_section(release: Release) -> blocks.Section:
    """Return how to cite the tool, and the sources of the promises, the algorithm and the metric.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["F", "F"]}), {"sex": "QI"}, models="k-anonymity:k=2")
    >>> citation_section(release).blocks[0].blocks[2].lines[0]
    ('k-anonymity:k=2: Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002',)
    """
    text = f"Krypsis, version {__version__}: makes personal data safe to publish. Software, Apache-2.0."
    bibtex = (
        f"@software{{krypsis, title = {{Krypsis: makes personal data safe to publish}}, "
        f"version = {{{__version__}}}, license = {{Apache-2.0}}}}"
    )
    methods: tuple[blocks.Words, ...] = tuple((line,) for line in dict.fromkeys(_methods(release)))
    listed = [blocks.Bullets(methods)] if methods else []
    return blocks.Section(
        "cite",
        ("How to cite",),
        (blocks.Panel((), (blocks.Text((text,)), blocks.Text((blocks.StyledText(bibtex, "code"),)), *listed)),),
    )


def _methods(release: Release) -> Iterator[str]:
    given = [
        *(("model", spec) for spec in release.promises),
        ("algorithm", release.algorithm),
        ("metric", release.metric),
    ]
    for kind, spec in given:
        cls = registry.find_named(kind, spec.partition(":")[0])
        if reference := str(getattr(cls, "reference", "")):
            yield f"{spec}: {reference}"


def nothing_to_compare(what: str) -> UsageError:
    """Return the error for a release that does not carry the data before, such as ``the graph``.

    Examples
    --------
    >>> print(nothing_to_compare("the graph"))
    a report compares the graph before with the release, and this release does not carry it ...
    """
    return UsageError(
        f"a report compares {what} before with the release, and this release does not carry it (it was loaded from its "
        "published files); make the report from the result of krypsis.anonymize"
    )
