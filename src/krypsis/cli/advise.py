"""``krypsis advise``: answer questions, get the model that fits, written into the plan.

The advisor's questions in the terminal: one at a time, talk to stderr, answers from stdin.
"""

from __future__ import annotations

import signal
import sys
import textwrap
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from krypsis.cli.catalogue import WIDTH
from krypsis.cli.streams import print_text
from krypsis.errors import UsageError
from krypsis.progress import Interrupted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from krypsis.advisor import Advice, DataEvidence, Wizard
    from krypsis.advisor.settlement import Settlement
    from krypsis.advisor.situation import Situation
    from krypsis.advisor.texts import Texts
    from krypsis.advisor.tree import Answer, Step

LONGEST_SHOWN = 40


def ask_questions(wizard: Wizard) -> None:
    """Ask until a result is reached.

    Raises
    ------
    Interrupted
        if the user quits.
    UsageError
        if stdin ends before the questions do.
    """
    while not wizard.is_done:
        _show_question(wizard)
        while not _obey(_read_answer(wizard), wizard):
            pass


def follow(wizard: Wizard, text: str) -> None:
    """Answer the questions with a list such as ``y,n,u``; an empty answer is left to the data.

    Raises
    ------
    UsageError
        if one of them is no answer, or if they are too few or too many.
    """
    answers: list[Answer | None] = []
    for place, word in enumerate(text.split(","), 1):
        answer = answer_of(word, wizard.texts)
        if answer is None and word.strip():
            raise UsageError(f"answer {place} must be y, n, u (don't know) or empty, got {shown(word)}")
        answers.append(answer)
    wizard.answer_all(answers)


def ask_values(advice: Advice, texts: Texts, given: Mapping[str, str]) -> dict[str, str]:
    """Ask for the parameters that were not given and return what was said; nothing said takes the value shown."""
    while True:
        values: dict[str, str] = {}
        for one in advice.parameters:
            if one.name not in given and not one.optional:
                shown_value = one.value or "…"
                _say(texts.words["parameter-prompt"].format(name=one.name, meaning=one.meaning, value=shown_value))
                if line := (_read_line() or "").strip():
                    values[one.name] = line
        try:
            advice.check_values(values)
        except UsageError as error:
            _say(str(error))
        else:
            return values


def ask_needs(advice: Advice, situation: Situation, texts: Texts, given: Mapping[str, str]) -> dict[str, str]:
    """Ask for what the model needs besides its parameters; nothing said takes what is suggested, if anything is."""
    from krypsis.advisor.needs import needs_of  # noqa: PLC0415
    from krypsis.cli.advice_view import domain_lines, question_of  # noqa: PLC0415

    found: dict[str, str] = {}
    for need in needs_of(advice, situation):
        if need.name in given or need.is_parameter:
            continue
        if need.name == "domains":
            _say(*domain_lines(situation, texts))
        question = question_of(need, advice, texts)
        _say(texts.words["need-prompt"].format(question=question, suggestion=need.suggestion or "…"))
        if line := (_read_line() or "").strip():
            found[need.name] = line
    return found


def say_searching(texts: Texts) -> None:
    """Say that the search is asked."""
    _say(texts.words["searching"])


def confirm(question: str, plan: Path, texts: Texts) -> bool:
    """Ask for a yes; where nobody answers, it is a no."""
    _say(f"{question.format(plan=plan)} [{texts.answers['yes'][0]}/{texts.answers['no'][0]}]")
    while (line := _read_line()) is not None:
        if line.strip():
            return answer_of(line, texts) == "yes"
    return False


def answer_of(word: str, texts: Texts) -> Answer | None:
    """Return the answer that a word means, if it is one."""
    meaning: Answer | None = _meaning(word, texts.answers)
    return meaning


def shown(given: str) -> str:
    """Return what somebody typed as it may be shown: on one line, printable, not too long."""
    printable = "".join(letter if letter.isprintable() else "�" for letter in given.strip())
    return repr(printable if len(printable) <= LONGEST_SHOWN else printable[: LONGEST_SHOWN - 1] + "…")


def _obey(line: str, wizard: Wizard) -> bool:
    """Follow what was typed; return whether the page has changed."""
    texts = wizard.texts
    command = _meaning(line, texts.commands)
    if command is not None:
        return _follow_command(command, wizard)
    answer = answer_of(line, texts)
    if answer is None and not line.strip() and wizard.finding:
        answer = wizard.finding.answer
    if answer is None or (answer == "unknown" and not wizard.tree.knows_unknown):
        _say(texts.words["not-understood"].format(given=shown(line), prompt=_prompt(wizard)))
        return False
    wizard.answer(answer)
    return True


def _follow_command(command: str, wizard: Wizard) -> bool:
    words = wizard.texts.words
    if command == "quit":
        raise Interrupted("ended by the user; nothing was written")
    if command == "help":
        _say(wizard.text.help, f"{words['example']}: {wizard.text.example}")
    if command == "why":
        before = [f"{_question_of(step, wizard)} {words[step.answer]}" for step in wizard.why().before]
        _say(wizard.why().reason, f"{words['answered']}:", *(before or [words["nothing-before"]]))
    if command == "back" and not wizard.path():
        _say(words["first"])
        return False
    if command == "back":
        wizard.back()
    if command == "restart":
        wizard.restart()
    return command in ("back", "restart")


def _question_of(step: Step, wizard: Wizard) -> str:
    return wizard.texts.questions[step.question.text].question


def _show_question(wizard: Wizard) -> None:
    words = wizard.texts.words
    _say("", f"{words['question'].format(number=len(wizard.path()) + 1)}: {wizard.text.question}")
    if wizard.finding:
        answer, evidence = words[wizard.finding.answer], wizard.finding.words(wizard.texts.evidence)
        _say(words["suggested"].format(answer=answer, evidence=evidence))
    _say(f"[{_prompt(wizard)}]")


def _prompt(wizard: Wizard) -> str:
    texts = wizard.texts
    letters = {name: known[0] for name, known in (texts.answers | texts.commands).items()}
    prompt = texts.words["prompt-unknown" if wizard.tree.knows_unknown else "prompt"].format(**letters)
    return f"{prompt}; {texts.words['enter']}" if wizard.finding else prompt


def _read_answer(wizard: Wizard) -> str:
    line = _read_line()
    if line is not None:
        return line
    raise UsageError(
        f"the input ended at question {len(wizard.path()) + 1} ({wizard.page}): {wizard.text.question!r}; "
        "answer in a terminal, or give all answers with --answers y,n,…"
    )


def _read_line() -> str | None:
    """Return a line of stdin without its end; bytes that are no text are shown as such; nothing at the end."""
    if hasattr(signal, "siginterrupt"):
        # Once polars is loaded, a signal lets the system go on reading, and Python never hears of Ctrl-C.
        signal.siginterrupt(signal.SIGINT, True)
    line = sys.stdin.buffer.readline() if sys.stdin else b""  # a program may be started without any input
    return line.decode("utf-8", errors="replace").rstrip("\r\n") if line else None


def _meaning(word: str, known: dict[str, tuple[str, ...]]) -> Any:
    wanted = _folded(word)
    return next((name for name, words in known.items() if wanted in map(_folded, words)), None)


def _folded(word: str) -> str:
    """Return a word so that capitals, and letters with their accents in one sign or in two, make no difference."""
    return unicodedata.normalize("NFC", word.strip().casefold())


def _say(*paragraphs: str) -> None:
    for paragraph in paragraphs:
        print_text(textwrap.fill(paragraph, WIDTH) if paragraph else "", err=True)


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

    advice = wizard.result().with_values(given)
    if asks:
        advice = advice.with_values(ask_values(advice, wizard.texts, given))
    kind = kind_of(advice)
    found = proposal(advice, kind=kind)
    if json:
        print_text(advice_view.as_json(advice, found, kind=kind))
        return
    print_text(
        "\n".join(
            advice_view.result_page(
                advice, wizard.texts, advice_view.lines_for_a_plan(advice, wizard.texts, found, kind)
            )
        )
    )
    print_text("\n".join(advice_view.final_page(wizard.texts)))


def _settled(wizard: Wizard, situation: Situation, given: dict[str, str], *, asks: bool) -> Settlement:
    """Return what the advice comes to for the plan, after asking for what is missing and asking the search."""
    from krypsis.advisor.promise import values_promised_before  # noqa: PLC0415
    from krypsis.advisor.settlement import Settler  # noqa: PLC0415

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
    if settled.instead is None or settled.instead.change is None:
        return None
    is_wanted = next_best or (asks and confirm(texts.words["next-best-prompt"], plan, texts))
    return settled.instead if is_wanted else None


def _show_settlement(settled: Settlement, wizard: Wizard, situation: Situation, *, json: bool) -> None:
    from krypsis.cli import advice_view  # noqa: PLC0415

    if not json:
        lines = advice_view.lines_of_settlement(settled, wizard.texts, situation)
        print_text("\n".join(advice_view.result_page(settled.advice, wizard.texts, lines, settled.change)))


def _end(settled: Settlement, wizard: Wizard, situation: Situation, *, json: bool, is_written: bool) -> None:
    from krypsis.cli import advice_view  # noqa: PLC0415

    if json:
        kind = situation.plan.kind
        print_text(
            advice_view.as_json(settled.advice, settled.change, kind=kind, settled=settled, is_written=is_written)
        )
        return
    print_text("\n".join(advice_view.final_page(wizard.texts)))


def _put_into(plan: Path, chosen: Settlement, texts: Texts, *, write: bool | None, is_quiet: bool) -> bool:
    """Show what changes in the plan, and write it if that is wanted; ask unless it was said. Return whether it was."""
    from krypsis.cli.advice_view import diff  # noqa: PLC0415
    from krypsis.cli.plan_file import write_plan  # noqa: PLC0415

    if chosen.change is None:
        return False
    # Read now: it may have been edited while the questions were answered.
    before = _text(plan)
    after = chosen.change.applied_to(before, f"{texts.words['advised']}: {chosen.advice.title}")
    if before == after:
        print_text(texts.words["unchanged"].format(plan=plan), err=is_quiet)
        return False
    print_text(diff(before, after, plan), err=is_quiet)
    is_wanted = confirm(texts.words["write-prompt"], plan, texts) if write is None else write
    if is_wanted:
        write_plan(after, plan.resolve(), force=True)
    print_text(_what_happened(plan, chosen, texts, is_written=is_wanted), err=is_quiet)
    return is_wanted


def _what_happened(plan: Path, chosen: Settlement, texts: Texts, *, is_written: bool) -> str:
    from krypsis.plan import Plan  # noqa: PLC0415

    own = None if chosen.change is None else chosen.change.preparation.identifier
    if is_written and own is not None:
        data = plan.parent / str(Plan.load(plan).data)
        return texts.words["written-history"].format(plan=plan, data=data, id=own)
    return texts.words["written" if is_written else "not-written"].format(plan=plan)
