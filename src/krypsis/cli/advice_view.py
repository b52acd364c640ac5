"""An advice on the screen: the result page, the page of all models, and the JSON document."""

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from krypsis.advisor import Advice
from krypsis.advisor.choice import Choice, choice_of
from krypsis.advisor.domains import proposed_domains
from krypsis.advisor.needs import Need
from krypsis.advisor.plan_change import PlanChange
from krypsis.advisor.promise import Proposal, combinable, is_available, suggested_algorithm
from krypsis.advisor.results import THREATS
from krypsis.advisor.settlement import Settlement
from krypsis.advisor.situation import Situation
from krypsis.advisor.texts import Texts
from krypsis.advisor.tree import load_tree
from krypsis.cli.catalogue import WIDTH
from krypsis.errors import shorten
from krypsis.kinds.base import kinds
from krypsis.plan.plan_text import choice_lines

Lines = Proposal | PlanChange
"""What goes into a plan: promises and an algorithm."""


def result_page(advice: Advice, texts: Texts, what_to_do: Iterable[str], change: Lines | None = None) -> Iterator[str]:
    """Yield the lines of the page about the model that fits; ``what_to_do`` are those at its end."""
    words = texts.words
    yield ""
    yield words["result"].format(title=advice.title)
    yield from _part(words["promise"], [advice.promise])
    yield from _part(words["protects"], [texts.threats[one] for one in advice.threats])
    yield from _part(words["not-protects"], [texts.threats[one] for one in THREATS if one not in advice.threats])
    yield from _part(words["parameters"], _parameters(advice, words))
    yield from _part(words["limits"], [advice.limits])
    name = advice.algorithms[0] if change is None else change.algorithm
    yield from _part(words["algorithm"], [advice.algorithm, words["suggested-algorithm"].format(name=name)])
    yield from _part(words["complements"], (f"{one.title} ({one.spec}): {one.promise}" for one in advice.complements))
    yield from _part(words["alternatives"], (f"{one.title} ({one.spec}): {one.promise}" for one in advice.alternatives))
    yield from _part(words["warnings"], advice.warnings)
    yield from _part(words["assumptions"], advice.assumptions)
    yield from _part(words["path"], (f"{step.text} {words[step.answer]}" for step in advice.path))
    yield from _part(words["references"], (one.text for one in advice.references))
    yield f"\n{words['what-to-do']}"
    yield from what_to_do


def final_page(texts: Texts) -> Iterator[str]:
    """Yield the lines of the page that lists all models with their references."""
    yield f"\n{texts.words['all-models']}"
    for name in load_tree("seed").results.values():
        one = choice_of(name, texts, {})
        yield from _filled(f"{one.title} ({one.model}): {'; '.join(work.text for work in one.references)}")


def diff(before: str, after: str, plan: Path) -> str:
    """Return what changes in a plan, as a unified diff."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(plan), str(plan), lineterm="", n=2)
    return "\n".join(lines)


def as_json(
    advice: Advice,
    proposal: Lines | None,
    *,
    kind: str,
    settled: Settlement | None = None,
    is_written: bool = False,
) -> str:
    """Return the advice and what became of it as one document."""
    from json import dumps  # noqa: PLC0415

    document: dict[str, Any] = advice.model_dump(mode="json")
    document |= {
        "spec": advice.spec,
        "available": is_available(advice, kind),
        "proposal": None if proposal is None else {"promises": proposal.promises, "algorithm": proposal.algorithm},
        **({} if settled is None else _outcome(settled)),
        "written": is_written,
    }
    return dumps(document, indent=2, ensure_ascii=False)


def _outcome(settled: Settlement) -> dict[str, Any]:
    """Return what an advice came to, ready for JSON."""
    instead = settled.instead
    return {
        "lacks": [need.name for need in settled.lacks],
        "reason": settled.reason,
        "notes": settled.notes,
        "feasible": settled.trial.feasible,
        "does_not_protect_from": settled.unprotected,
        "next_best": None
        if instead is None
        else {"model": instead.advice.model, **_lines_of(instead), **_outcome(instead)},
    }


def _lines_of(settled: Settlement) -> dict[str, Any]:
    change = settled.change
    return {} if change is None else {"promises": change.promises, "algorithm": change.algorithm}


def _parameters(choice: Choice, words: dict[str, str]) -> Iterator[str]:
    for one in choice.parameters:
        if one.value is not None or not one.optional:
            yield f"{one.name} = {one.value or words['to-say']}: {one.meaning}"


def lines_for_a_plan(advice: Advice, texts: Texts, found: Proposal | None, kind: str) -> Iterator[str]:
    """Yield what to write into a plan that there is not yet, or what comes next where no plan can promise the model."""
    words = texts.words
    if not is_available(advice, kind):
        if other := _other_kind(advice, kind):
            yield from _filled(words[f"only-for-{other}"].format(model=advice.model))
            return
        yield from _filled(words["not-there"].format(model=advice.model))
        specs = ", ".join(choice_of(name, texts, {}).spec for name in advice.instead)
        yield from _filled(words["nearest"].format(specs=specs) if specs else words["nothing-near"])
        return
    promises = found.promises if found else (advice.spec, *(one.spec for one in combinable(advice, kind)))
    yield from _filled(words[f"put-there-{kind}"])
    yield from _indented(choice_lines(promises, _name_of_algorithm(advice, found, kind)))
    if advice.missing:
        yield from _filled(words["put-first"])
    yield from _left_out(advice, promises, words)


def _name_of_algorithm(advice: Advice, proposal: Proposal | None, kind: str) -> str:
    if proposal is not None:
        return proposal.algorithm
    return suggested_algorithm(advice, is_alone=not advice.complements, kind=kind)


def lines_of_settlement(settled: Settlement, texts: Texts, situation: Situation) -> Iterator[str]:
    """Yield what goes into the plan, what is missing, or why it cannot be had and what comes next."""
    words = texts.words
    if settled.change is not None:
        yield from _lines_of_change(settled, words)
        yield from _left_out(settled.advice, settled.change.promises, words)
        return
    if settled.lacks:
        yield from _filled(words["missing"].format(model=settled.advice.title))
        for need in settled.lacks:
            yield from _lines_of_need(need, settled.advice, texts, situation)
        yield from _filled(words["give-needs"].format(first=settled.lacks[0].name))
    else:
        yield from _filled(words["cannot"].format(model=settled.advice.title, reason=settled.reason))
    yield from _next_best(settled, words)


def _lines_of_change(settled: Settlement, words: dict[str, str]) -> Iterator[str]:
    if settled.change is None:
        return
    yield from _indented(choice_lines(settled.change.promises, settled.change.algorithm))
    yield from _filled(words["feasible" if settled.trial.feasible else "not-tried"])
    yield from _part(words["notes"], settled.notes)
    yield from _part(words["unprotected"], settled.unprotected)


def _next_best(settled: Settlement, words: dict[str, str]) -> Iterator[str]:
    instead = settled.instead
    if instead is None:
        yield from () if settled.lacks else _filled(words["nothing-near"])
    elif instead.change is None:
        names = ", ".join(need.name for need in instead.lacks)
        yield from _filled(words["next-best-lacks"].format(title=instead.advice.title, names=names))
    else:
        yield from _filled(words["next-best"].format(title=instead.advice.title))
        yield from _lines_of_change(instead, words)
        yield from _part(words["warnings"], instead.advice.warnings)
        yield from _filled(words["take-next-best"])


def _lines_of_need(need: Need, advice: Advice, texts: Texts, situation: Situation) -> Iterator[str]:
    yield from _filled(texts.words["need-line"].format(name=need.name, question=question_of(need, advice, texts)))
    if need.name == "domains":
        for line in domain_lines(situation, texts):
            yield from _filled(line)
    elif need.choices:
        yield from _filled(texts.words["need-choices"].format(choices=shorten(need.choices)))


def question_of(need: Need, advice: Advice, texts: Texts) -> str:
    """Return what is asked for."""
    if not need.is_parameter:
        return texts.needs[need.name]
    return next(one.meaning for one in advice.parameters if one.name == need.name)


def domain_lines(situation: Situation, texts: Texts) -> Iterator[str]:
    """Yield the proposed values of each column, with where they come from."""
    for one in proposed_domains(situation.table_plan, situation.table).values():
        source = texts.words[f"source-{one.source}"]
        yield texts.words["domain-line"].format(column=one.column, labels=shorten(one.labels, 12), source=source)


def _other_kind(advice: Advice, kind: str) -> str | None:
    """Return what a plan would have to be about to promise the model, if there is such a kind of plan."""
    return next((other for other in kinds() if other != kind and is_available(advice, other)), None)


def _left_out(advice: Advice, promises: Sequence[str], words: dict[str, str]) -> Iterator[str]:
    """Yield a line about what is advised besides and not among the promises."""
    if specs := [one.spec for one in advice.complements if one.spec not in promises]:
        yield from _filled(words["left-out"].format(specs=", ".join(specs)))


def _part(label: str, paragraphs: Iterable[str]) -> Iterator[str]:
    """Yield a heading with its paragraphs, and nothing if there are none."""
    listed = list(paragraphs)
    if listed:
        yield f"\n{label}"
        for paragraph in listed:
            yield from _filled(paragraph)


def _filled(paragraph: str) -> Iterator[str]:
    # Addresses stay whole, so that a terminal can open them.
    yield textwrap.fill(
        paragraph,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens="://" not in paragraph,
    )


def _indented(text: str) -> Iterator[str]:
    yield textwrap.indent(text, "    ")
