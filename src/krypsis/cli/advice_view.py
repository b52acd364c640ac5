"""An advice on the screen: the result page, the page of all models, and the JSON document."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from krypsis.advisor import Advice
from krypsis.advisor.choice import Choice, choice_of
from krypsis.advisor.plan_edit import plan_lines
from krypsis.advisor.promise import KINDS_OF_MODELS, Proposal, combinable, is_available, suggested_algorithm
from krypsis.advisor.results import THREATS
from krypsis.advisor.texts import Texts
from krypsis.advisor.tree import load_tree
from krypsis.cli.catalogue import WIDTH


def result_page(advice: Advice, texts: Texts, proposal: Proposal | None, *, kind: str, has_plan: bool) -> Iterator[str]:
    """Yield the lines of the page about the model that fits; ``kind`` is what the plan is about."""
    words = texts.words
    yield ""
    yield words["result"].format(title=advice.title)
    yield from _part(words["promise"], [advice.promise])
    yield from _part(words["protects"], [texts.threats[one] for one in advice.threats])
    yield from _part(words["not-protects"], [texts.threats[one] for one in THREATS if one not in advice.threats])
    yield from _part(words["parameters"], _parameters(advice, words))
    yield from _part(words["limits"], [advice.limits])
    yield from _part(words["algorithm"], [advice.algorithm, _algorithm(advice, words, proposal, kind)])
    yield from _part(words["complements"], (f"{one.title} ({one.spec}): {one.promise}" for one in advice.complements))
    yield from _part(words["alternatives"], (f"{one.title} ({one.spec}): {one.promise}" for one in advice.alternatives))
    yield from _part(words["warnings"], advice.warnings)
    yield from _part(words["assumptions"], advice.assumptions)
    yield from _part(words["path"], (f"{step.text} {words[step.answer]}" for step in advice.path))
    yield from _part(words["references"], (one.work for one in advice.references))
    yield f"\n{words['what-to-do']}"
    yield from _what_to_do(advice, words, proposal, kind, has_plan=has_plan)


def final_page(texts: Texts) -> Iterator[str]:
    """Yield the lines of the page that lists all models with their references."""
    yield f"\n{texts.words['all-models']}"
    for name in load_tree("seed").results.values():
        one = choice_of(name, texts, {})
        yield from _filled(f"{one.title} ({one.model}): {'; '.join(work.work for work in one.references)}")


def diff(before: str, after: str, plan: Path) -> str:
    """Return what changes in a plan, as a unified diff."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(plan), str(plan), lineterm="", n=2)
    return "\n".join(lines)


def as_json(advice: Advice, proposal: Proposal | None, *, kind: str, is_written: bool) -> str:
    """Return the advice and what became of it as one document."""
    from json import dumps  # noqa: PLC0415

    document: dict[str, Any] = advice.model_dump(mode="json")
    document |= {
        "spec": advice.spec,
        "available": is_available(advice, kind),
        "proposal": None if proposal is None else {"promises": proposal.promises, "algorithm": proposal.algorithm},
        "written": is_written,
    }
    return dumps(document, indent=2, ensure_ascii=False)


def _parameters(choice: Choice, words: dict[str, str]) -> Iterator[str]:
    for one in choice.parameters:
        if one.value is not None or not one.optional:
            yield f"{one.name} = {one.value or words['to-say']}: {one.meaning}"


def _algorithm(advice: Advice, words: dict[str, str], proposal: Proposal | None, kind: str) -> str:
    name = _name_of_algorithm(advice, proposal, kind) if is_available(advice, kind) else advice.algorithms[0]
    return words["suggested-algorithm"].format(name=name)


def _name_of_algorithm(advice: Advice, proposal: Proposal | None, kind: str) -> str:
    if proposal is not None:
        return proposal.algorithm
    return suggested_algorithm(advice, is_alone=not advice.complements, kind=kind)


def _what_to_do(
    advice: Advice, words: dict[str, str], proposal: Proposal | None, kind: str, *, has_plan: bool
) -> Iterator[str]:
    if not is_available(advice, kind):
        if other := _other_kind(advice, kind):
            yield from _filled(words[f"only-for-{other}"].format(model=advice.model))
            return
        yield from _filled(words["not-there"].format(model=advice.model))
        nearest = words["nearest"].format(specs=", ".join(advice.nearest))
        yield from _filled(nearest if advice.nearest else words["nothing-near"])
    elif proposal is not None and has_plan:
        yield from _indented(plan_lines(proposal.promises, proposal.algorithm))
        yield from _left_out(advice, proposal.promises, words)
    elif has_plan:
        names = ", ".join(advice.missing)
        yield from _filled(words["missing"].format(model=advice.model, names=names, first=advice.missing[0]))
    else:
        promises = proposal.promises if proposal else (advice.spec, *(one.spec for one in combinable(advice, kind)))
        yield from _filled(words[f"put-there-{kind}"])
        yield from _indented(plan_lines(promises, _name_of_algorithm(advice, proposal, kind)))
        if advice.missing:
            yield from _filled(words["put-first"])
        yield from _left_out(advice, promises, words)


def _other_kind(advice: Advice, kind: str) -> str | None:
    """Return what a plan would have to be about to promise the model, if there is such a kind of plan."""
    return next((other for other in KINDS_OF_MODELS if other != kind and is_available(advice, other)), None)


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
    yield textwrap.fill(paragraph, WIDTH, initial_indent="  ", subsequent_indent="    ")


def _indented(text: str) -> Iterator[str]:
    yield textwrap.indent(text, "    ")
