"""Promises in the words of the visitor."""

from krypsis import registry
from krypsis.advisor.results import results
from krypsis.advisor.texts import ResultText, load_texts
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.web.texts import language, say

KEYS = {True: "result.kept", False: "result.broken", None: "result.undecided"}


def text_of(name: str) -> ResultText | None:
    """Return what the advisor says about a model in the language of the visitor."""
    known = next((key for key, result in results().items() if result.model == name), None)
    return None if known is None else load_texts(language()).results[known]


def sentence_of(model: PrivacyModel) -> str:
    """Return what a model promises; in other languages than English in general words, with its parameters."""
    text = text_of(model.name)
    if text is None or language() == "en":
        promise = model.promise()
        return promise[:1].upper() + promise[1:] + "." * (not promise.endswith("."))
    parameters = model.spec.partition(":")[2]
    return f"{text.promise} ({parameters})" if parameters else text.promise


def limits_of(model: PrivacyModel) -> str:
    """Return what a promise does not protect from; in general words where the advisor has them in this language."""
    text = text_of(model.name)
    if text is None or language() == "en":
        return say("advisor.leaves-open", what=model.does_not_protect_from)
    return text.limits


def verdict_of(verdict: Verdict) -> str:
    """Return what the checker found about a promise."""
    if language() == "en":
        return verdict.sentence
    promise = sentence_of(registry.create("model", verdict.promise))
    achieved = "–" if verdict.achieved is None else f"{verdict.achieved:.6g}"
    return say(KEYS[verdict.holds], promise=promise, required=f"{verdict.required:.6g}", achieved=achieved)
