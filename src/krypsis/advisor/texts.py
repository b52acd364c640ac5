"""What the advisor says, in several languages."""

from collections.abc import Iterable
from functools import cache

from pydantic import Field

from krypsis.advisor.files import AdvisorPart, parsed, read_data
from krypsis.advisor.results import THREATS, Threat, results
from krypsis.advisor.tree import TREES, load_tree
from krypsis.errors import UsageError, did_you_mean

LANGUAGES = ("en", "el")
ANSWERS = ("yes", "no", "unknown")
COMMANDS = ("back", "restart", "why", "help", "quit")


class QuestionText(AdvisorPart):
    """A question with what helps to answer it."""

    question: str = Field(min_length=1)
    help: str = Field(min_length=1)
    example: str = Field(min_length=1)
    why: str = Field(min_length=1)


class ResultText(AdvisorPart):
    """A model in plain words."""

    title: str = Field(min_length=1)
    promise: str = Field(min_length=1)
    limits: str = Field(min_length=1)
    algorithm: str = Field(min_length=1)
    parameters: dict[str, str]


class Texts(AdvisorPart):
    """Everything the advisor says in one language.

    Examples
    --------
    >>> load_texts("el").questions["page05"].question
    'Θα ενημερώνονται συχνά τα περιεχόμενα του πίνακα;'
    """

    answers: dict[str, tuple[str, ...]] = Field(description="the words that mean yes, no and unknown, the usual first")
    commands: dict[str, tuple[str, ...]] = Field(description="the words that mean back, restart, why, help and quit")
    threats: dict[Threat, str]
    questions: dict[str, QuestionText]
    results: dict[str, ResultText]
    evidence: dict[str, str]
    warnings: dict[str, str]
    needs: dict[str, str] = Field(description="what is asked for besides parameters")
    reasons: dict[str, str] = Field(description="why a model cannot be had, or is had in another way than usual")
    words: dict[str, str]


@cache
def load_texts(language: str) -> Texts:
    """Return the texts of a language: ``en`` or ``el``."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UsageError(f"language {language!r} is not known; languages: {known}.{did_you_mean(language, LANGUAGES)}")
    texts = parsed(Texts, read_data("texts", f"{language}.yaml"), f"texts/{language}.yaml")
    check_complete(texts, language)
    return texts


def check_complete(texts: Texts, language: str) -> None:
    """Raise unless everything that can be said has its text, and nothing else has."""
    asked = {question.text for name in TREES for question in load_tree(name).questions.values()}
    first = read_data("texts", f"{LANGUAGES[0]}.yaml")
    wanted: dict[str, Iterable[str]] = {
        "answers": ANSWERS,
        "commands": COMMANDS,
        "threats": THREATS,
        "questions": asked,
        "results": results(),
        "evidence": first["evidence"],
        "warnings": first["warnings"],
        "needs": first["needs"],
        "reasons": first["reasons"],
        "words": first["words"],
    }
    for part, keys in wanted.items():
        _check_same(set(getattr(texts, part)), set(keys), f"{part} of texts/{language}.yaml")
    for name, text in texts.results.items():
        _check_same(
            set(text.parameters), set(results()[name].parameters), f"parameters of {name} in texts/{language}.yaml"
        )


def _check_same(found: set[str], wanted: set[str], where: str) -> None:
    if missing := wanted - found:
        raise UsageError(f"{where}: no text for {', '.join(sorted(missing))}")
    if strangers := found - wanted:
        raise UsageError(f"{where}: a text for {', '.join(sorted(strangers))}, which is asked for nowhere")
