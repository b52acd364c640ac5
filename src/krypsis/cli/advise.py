"""``krypsis advise``: answer questions, get the model that fits, written into the plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from krypsis.errors import UsageError

if TYPE_CHECKING:
    from krypsis.advisor import Advice, Evidence
    from krypsis.advisor.promise import Proposal
    from krypsis.advisor.texts import Texts
    from krypsis.plan import Plan

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
        list[str] | None, typer.Option("--set", help="A parameter of the model: k=10. Repeat for several.")
    ] = None,
    lang: Annotated[Literal["en", "el"], typer.Option(help="English or Greek.")] = "en",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    write: Annotated[
        bool | None, typer.Option(help="Whether to write the advice into the plan; asked for unless given.")
    ] = None,
) -> None:
    """Find the model that fits by questions, and write it into the plan.

    With a plan or a table, the data suggests answers. Quitting ends with the exit code 130.
    """
    from krypsis.advisor import Wizard  # noqa: PLC0415
    from krypsis.cli import advice_view  # noqa: PLC0415
    from krypsis.cli.advise_dialog import ask_questions, ask_values, follow  # noqa: PLC0415

    given = _parameters(parameter or [])
    plan, evidence = _look_at(source)
    if write and plan is None:
        raise UsageError("--write needs a plan to write into; name it: krypsis advise plan.yaml --write")
    wizard = Wizard(tree, language=lang, evidence=evidence)
    if answers is None:
        ask_questions(wizard)
    else:
        follow(wizard, answers)
    advice = _as_promised(wizard.result(), plan).with_values(given)
    if answers is None:
        advice = ask_values(advice, wizard.texts, given)
    kind = _kind(advice, plan)
    proposal = _proposal(advice, plan, kind)
    if not json:
        page = advice_view.result_page(advice, wizard.texts, proposal, kind=kind, has_plan=plan is not None)
        typer.echo("\n".join(page))
    is_written = False
    if source is not None and plan is not None and proposal is not None:
        asked = write if write is not None or answers is None else True
        is_written = _put_into(source, proposal, advice, wizard.texts, write=asked, is_quiet=json)
    typer.echo(
        advice_view.as_json(advice, proposal, kind=kind, is_written=is_written)
        if json
        else "\n".join(advice_view.final_page(wizard.texts))
    )
    if write and proposal is None:
        raise UsageError(f"{source} was left as it is: {advice.spec} cannot be promised yet; see 'What to do'")


def _look_at(source: Path | None) -> tuple[Plan | None, Evidence | None]:
    """Return the plan, if it is one, and what the data says."""
    if source is None:
        return None, None
    from krypsis.advisor import evidence_of, evidence_of_plan, evidence_of_sets  # noqa: PLC0415
    from krypsis.datasets.baskets import transactions_of  # noqa: PLC0415
    from krypsis.io.set_lines import looks_like_sets  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    if source.suffix.lower() not in PLANS:
        return None, evidence_of_sets(transactions_of(source)) if looks_like_sets(source) else evidence_of(source)
    plan = Plan.load(source)
    return plan, evidence_of_plan(plan)


def _as_promised(advice: Advice, plan: Plan | None) -> Advice:
    from krypsis.advisor.promise import as_promised_before  # noqa: PLC0415

    return advice if plan is None else as_promised_before(advice, plan.models())


def _kind(advice: Advice, plan: Plan | None) -> str:
    from krypsis.advisor.promise import kind_of  # noqa: PLC0415

    return kind_of(advice) if plan is None else plan.kind


def _parameters(given: list[str]) -> dict[str, str]:
    values = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--set is a parameter and its value, such as k=10; got {one!r}")
        values[name.strip()] = value.strip()
    return values


def _proposal(advice: Advice, plan: Plan | None, kind: str) -> Proposal | None:
    from krypsis.advisor.promise import proposal  # noqa: PLC0415

    schema = plan.task().schema if plan is not None and plan.kind == "table" else None
    return proposal(advice, schema, kind)


def _put_into(
    plan: Path, proposal: Proposal, advice: Advice, texts: Texts, *, write: bool | None, is_quiet: bool
) -> bool:
    """Show what changes in the plan, and write it if that is wanted; ask unless it was said. Return whether it was."""
    from krypsis.advisor.plan_edit import edited_plan  # noqa: PLC0415
    from krypsis.cli.advice_view import diff  # noqa: PLC0415
    from krypsis.cli.advise_dialog import confirm  # noqa: PLC0415
    from krypsis.cli.init import write_plan  # noqa: PLC0415

    # Read now: it may have been edited while the questions were answered. Line ends stay as they are.
    before = plan.read_bytes().decode("utf-8")
    note = f"{texts.words['advised']}: {advice.title}"
    after = edited_plan(before, proposal.promises, proposal.algorithm, note)
    if before == after:
        typer.echo(texts.words["unchanged"].format(plan=plan), err=is_quiet)
        return False
    typer.echo(diff(before, after, plan), err=is_quiet)
    is_wanted = confirm(texts.words["write-prompt"], plan, texts) if write is None else write
    if is_wanted:
        write_plan(after, plan.resolve(), force=True)
    typer.echo(texts.words["written" if is_wanted else "not-written"].format(plan=plan), err=is_quiet)
    return is_wanted
