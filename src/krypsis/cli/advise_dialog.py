"""The advisor's questions in the terminal: one at a time, talk to stderr, answers from stdin."""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.cli.catalogue import WIDTH
from krypsis.cli.streams import tell
from krypsis.errors import UsageError
from krypsis.progress import Interrupted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from krypsis.advisor import Advice, Wizard
    from krypsis.advisor.situation import Situation
    from krypsis.advisor.steps import Step
    from krypsis.advisor.texts import Texts
    from krypsis.advisor.tree import Answer

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
        tell(textwrap.fill(paragraph, WIDTH) if paragraph else "", err=True)
