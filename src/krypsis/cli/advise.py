"""``krypsis advise``: answer questions, get the model that fits, written into the plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from krypsis.cli.streams import tell
from krypsis.errors import UsageError

if TYPE_CHECKING:
    from krypsis.advisor import DataEvidence, Wizard
    from krypsis.advisor.settlement import Settlement
    from krypsis.advisor.situation import Situation
    from krypsis.advisor.texts import Texts

PLANS = (".yaml", ".yml")


def advise(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[PLAN_OR_FILE]", help="A plan, which the advice is written into; or the data."),
    ] = None,
    *,
    tree: Annotated[
        Literal["extended", "seed"], typer.Option(help="The questions: all of them, or the original 17.")
    ] = "extended",
    answers: Annotated[
        str | None,
        typer.Option(help="The answers in order, for scripts: y,n,u. An empty one takes what the data suggests: y,,n."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter of the model, or what it needs besides: k=10, population=people.csv. Repeat for several.",
        ),
    ] = None,
    next_best: Annotated[
        bool, typer.Option(help="Write the next best model where the advised one cannot be promised about this data.")
    ] = False,
    lang: Annotated[Literal["en", "el"], typer.Option(help="English or Greek.")] = "en",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    write: Annotated[
        bool | None, typer.Option(help="Whether to write the advice into the plan; asked for unless given.")
    ] = None,
) -> None:
    """Find the model that fits by questions, and write it into the plan.

    With a plan or a table, the data suggests answers. What a model needs besides is asked for, and the search is asked
    whether a release keeps the promises, before anything is written. The exit code is 2 where a plan should have been
    changed and was not, and 130 after quitting.
    """
    from krypsis.advisor import Wizard  # noqa: PLC0415
    from krypsis.cli.advise_dialog import ask_questions, follow  # noqa: PLC0415

    given = _parameters(parameter or [])
    situation, evidence = _look_at(source)
    if write and situation is None:
        raise UsageError("--write needs a plan to write into; name it: krypsis advise plan.yaml --write")
    wizard = Wizard(tree, language=lang, evidence=evidence)
    if answers is None:
        ask_questions(wizard)
    else:
        follow(wizard, answers)
    asks = answers is None
    if source is None or situation is None:
        _show_advice(wizard, given, asks=asks, json=json)
        return
    settled = _settled(wizard, situation, given, asks=asks)
    _show_settlement(settled, wizard, situation, json=json)
    chosen = settled if settled.change is not None else _accepted(settled, wizard.texts, source, next_best, asks=asks)
    asked = write if write is not None or asks else True
    is_written = _put_into(source, chosen, wizard.texts, write=asked, is_quiet=json) if chosen is not None else False
    _end(settled, wizard, situation, json=json, is_written=is_written)
    if chosen is None and write is not False and not asks:
        raise UsageError(wizard.texts.words["nothing-written"].format(plan=source))


def _look_at(source: Path | None) -> tuple[Situation | None, DataEvidence | None]:
    """Return the plan with its data, if it is one, and what the data says."""
    if source is None:
        return None, None
    from krypsis.advisor.situation import Situation  # noqa: PLC0415
    from krypsis.kinds.base import kind_of_file  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    if source.suffix.lower() not in PLANS:
        return None, kind_of_file(source).facts_of_file(source).evidence
    Plan.load(source)  # says what is wrong with it, by its name
    situation = Situation.of(_text(source), source.resolve().parent)
    return situation, situation.evidence


def _text(plan: Path) -> str:
    return plan.read_bytes().decode("utf-8")  # line ends stay as they are


def _parameters(given: list[str]) -> dict[str, str]:
    values = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--set is a parameter and its value, such as k=10; got {one!r}")
        values[name.strip()] = value.strip()
    return values


def _show_advice(wizard: Wizard, given: dict[str, str], *, asks: bool, json: bool) -> None:
    """Show the advice where there is no plan to write it into."""
    from krypsis.advisor.promise import kind_of, proposal  # noqa: PLC0415
    from krypsis.cli import advice_view  # noqa: PLC0415
    from krypsis.cli.advise_dialog import ask_values  # noqa: PLC0415

    advice = wizard.result().with_values(given)
    if asks:
        advice = advice.with_values(ask_values(advice, wizard.texts, given))
    kind = kind_of(advice)
    found = proposal(advice, kind=kind)
    if json:
        tell(advice_view.as_json(advice, found, kind=kind))
        return
    tell(
        "\n".join(
            advice_view.result_page(
                advice, wizard.texts, advice_view.lines_for_a_plan(advice, wizard.texts, found, kind)
            )
        )
    )
    tell("\n".join(advice_view.final_page(wizard.texts)))


def _settled(wizard: Wizard, situation: Situation, given: dict[str, str], *, asks: bool) -> Settlement:
    """Return what the advice comes to for the plan, after asking for what is missing and asking the search."""
    from krypsis.advisor.promise import values_promised_before  # noqa: PLC0415
    from krypsis.advisor.settlement import Settler  # noqa: PLC0415
    from krypsis.cli.advise_dialog import ask_needs, ask_values, say_searching  # noqa: PLC0415

    advice = wizard.result()
    known = values_promised_before(advice, situation.plan.models()) | given
    advice.check_values(known)
    if asks:
        known |= ask_values(advice.with_known_values(known), wizard.texts, given)
        known |= ask_needs(advice.with_known_values(known), situation, wizard.texts, known)
        say_searching(wizard.texts)
    return Settler(situation, wizard.texts, known).settle(advice)


def _accepted(settled: Settlement, texts: Texts, plan: Path, next_best: bool, *, asks: bool) -> Settlement | None:
    """Return the next best, if there is one that runs and it is wanted."""
    from krypsis.cli.advise_dialog import confirm  # noqa: PLC0415

    if settled.instead is None or settled.instead.change is None:
        return None
    is_wanted = next_best or (asks and confirm(texts.words["next-best-prompt"], plan, texts))
    return settled.instead if is_wanted else None


def _show_settlement(settled: Settlement, wizard: Wizard, situation: Situation, *, json: bool) -> None:
    from krypsis.cli import advice_view  # noqa: PLC0415

    if not json:
        lines = advice_view.lines_of_settlement(settled, wizard.texts, situation)
        tell("\n".join(advice_view.result_page(settled.advice, wizard.texts, lines, settled.change)))


def _end(settled: Settlement, wizard: Wizard, situation: Situation, *, json: bool, is_written: bool) -> None:
    from krypsis.cli import advice_view  # noqa: PLC0415

    if json:
        kind = situation.plan.kind
        tell(advice_view.as_json(settled.advice, settled.change, kind=kind, settled=settled, is_written=is_written))
        return
    tell("\n".join(advice_view.final_page(wizard.texts)))


def _put_into(plan: Path, chosen: Settlement, texts: Texts, *, write: bool | None, is_quiet: bool) -> bool:
    """Show what changes in the plan, and write it if that is wanted; ask unless it was said. Return whether it was."""
    from krypsis.cli.advice_view import diff  # noqa: PLC0415
    from krypsis.cli.advise_dialog import confirm  # noqa: PLC0415
    from krypsis.cli.plan_file import write_plan  # noqa: PLC0415

    if chosen.change is None:
        return False
    # Read now: it may have been edited while the questions were answered.
    before = _text(plan)
    after = chosen.change.applied_to(before, f"{texts.words['advised']}: {chosen.advice.title}")
    if before == after:
        tell(texts.words["unchanged"].format(plan=plan), err=is_quiet)
        return False
    tell(diff(before, after, plan), err=is_quiet)
    is_wanted = confirm(texts.words["write-prompt"], plan, texts) if write is None else write
    if is_wanted:
        write_plan(after, plan.resolve(), force=True)
    tell(_what_happened(plan, chosen, texts, is_written=is_wanted), err=is_quiet)
    return is_wanted


def _what_happened(plan: Path, chosen: Settlement, texts: Texts, *, is_written: bool) -> str:
    from krypsis.plan import Plan  # noqa: PLC0415

    own = None if chosen.change is None else chosen.change.preparation.identifier
    if is_written and own is not None:
        data = plan.parent / str(Plan.load(plan).data)
        return texts.words["written-history"].format(plan=plan, data=data, id=own)
    return texts.words["written" if is_written else "not-written"].format(plan=plan)
