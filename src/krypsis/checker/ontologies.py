"""Check a published ontology: that no secret follows from it together with what is public."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as naturals
from itertools import pairwise, product
from math import prod

import numpy as np

from krypsis.checker.base import judge_of, judges, refuse_others
from krypsis.checker.subsumption import Context, Subsumption
from krypsis.data.ontologies import AxiomType, Ontology, Operator
from krypsis.data.ontologies.language import NOMINAL, outside_tests, refuse_ranges_outside
from krypsis.data.ontologies.merging import merged
from krypsis.data.ontologies.wording import in_brackets
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.inference_safety import InferenceSafety

SHOWN = 5
"""How many secrets that follow a verdict names."""
WILDCARD = re.compile(r"(?<=[\s(])\?(?=[\s)])")
MOST_SECRETS = 4_000_000
ANYBODY = "urn:krypsis:anybody"
"""The name of an individual of whom nothing is said, and which does not count unless a secret follows for it."""
ABOUT_ROLES = frozenset(
    {
        *(AxiomType.SUBROLE, AxiomType.EQUIVALENT_ROLES, AxiomType.TRANSITIVE, AxiomType.REFLEXIVE),
        *(AxiomType.DOMAIN, AxiomType.RANGE, AxiomType.UNRELATED, AxiomType.DIFFERENT),
    }
)


@dataclass(frozen=True, eq=False)
class OntologyCase:
    """What a published ontology is judged on."""

    public: Ontology | None = None
    """What everybody knows, in the form of axioms."""
    secrets: tuple[str, ...] = ()
    """Axioms that nobody should be able to derive, or patterns of them with ``?`` for any name."""


@dataclass(frozen=True)
class InclusionQuestion:
    """Whether a context is included in an expression; in ⊥, where none is given."""

    context: Context
    expression: int | None

    @property
    def holds_always(self) -> bool:
        """Whether the context is the expression."""
        return self.context == (self.expression,)


def check_ontology(
    published: Ontology, models: Sequence[PrivacyModel], *, public: Ontology | None = None, secrets: Sequence[str] = ()
) -> tuple[Verdict, ...]:
    """Say for each promise whether a published ontology keeps it.

    Parameters
    ----------
    published
        the axioms that are published.
    models
        the promises.
    public
        axioms that everybody knows anyway.
    secrets
        axioms in functional syntax that must not follow; ``?`` stands for any individual, or any class.

    Examples
    --------
    >>> rules = Ontology.of_text("SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)")
    >>> facts = Ontology.of_text("ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :ann)")
    >>> [verdict] = check_ontology(facts, [InferenceSafety()], public=rules, secrets=["ClassAssertion(:Diabetic ?)"])
    >>> verdict.holds, verdict.achieved
    (False, 1.0)
    """
    judged = [(model, judge_of(model, Ontology)) for model in models]
    case = OntologyCase(public, tuple(secrets))
    return tuple(judge(model, published, case) for model, judge in judged)


refuse_others(Ontology, "the promise about ontologies is inference-safety; got {model!r}")


@judges(InferenceSafety, Ontology)
def judge_inference_safety(model: InferenceSafety, published: Ontology, case: OntologyCase) -> Verdict:
    """Judge whether a secret follows; from axioms that contradict each other, every secret does."""
    if not case.secrets:
        sentence = (
            f"Undecided: {model.promise()}; what is secret is not said, and the plan of the publisher may say it."
        )
        return Verdict(promise=model.spec, holds=None, required=model.required, sentence=sentence)
    known = [published] if case.public is None else [published, case.public]
    texts = _expanded(case.secrets, known)
    leaked, inconsistent = _leaked(known, texts)
    left_out = sum((Counter(part.left_out) for part in known), Counter[str]())
    if left_out and not leaked:  # what they imply cannot be derived here
        constructs = "; ".join(f"{construct} ({count:,})" for construct, count in left_out.items())
        sentence = f"Undecided: {model.promise()}; axioms outside of the language were not considered: {constructs}."
        return Verdict(promise=model.spec, holds=None, required=model.required, sentence=sentence)
    said = ""
    if inconsistent:
        said = "Not kept: what is published contradicts itself or what is public, and everything follows from it"
    elif leaked:
        count = len({*leaked, *(text for text in texts if ANYBODY not in text)})
        said = f"Not kept: {len(leaked):,} of {count:,} secrets follow from what is published and what is public"
    figures = f"required at most {model.required:g}, achieved {len(leaked)}"
    return Verdict(
        promise=model.spec,
        holds=not leaked,
        required=model.required,
        achieved=float(len(leaked)),
        sentence=f"{said} ({figures})." if leaked else kept_sentence(model),
        offending=tuple({"values": {"axiom": text}, "size": 1, "unit": "secret"} for text in leaked[:SHOWN]),
    )


def kept_sentence(model: PrivacyModel) -> str:
    """Return what is said of the promise where no secret follows."""
    return f"Kept: {model.promise()} (required at most {model.required:g}, achieved 0)."


def _expanded(secrets: Iterable[str], known: Sequence[Ontology]) -> dict[str, bool]:
    """Return each secret, and each axiom that a pattern stands for, with whether it comes from a pattern."""
    prefixes = _prefixes(known)
    classes = tuple(dict.fromkeys(in_brackets(name) for part in known for name in part.classes.to_list()))
    named = dict.fromkeys(name for part in known for name in part.individuals.to_list())
    # Somebody of whom nothing is said: where ⊤ is included in a class, so is whoever will be named one day.
    anybody = next(name for name in (ANYBODY + "_" * more for more in naturals()) if name not in named)
    individuals = tuple(in_brackets(name) for name in (*named, anybody))
    found: dict[str, bool] = {}
    for secret in secrets:
        parts = WILDCARD.split(secret)
        # Whether a class or an individual can stand there is seen by reading the secret with a name in its place.
        marks = [f"urn:anything:{place}" for place in range(len(parts) - 1)]
        read = Ontology.of_text(_joined(parts, [f"<{mark}>" for mark in marks]), prefixes=prefixes)
        if any(mark in read.roles for mark in marks):
            raise UsageError(f"{secret}: ? stands for an individual or a class, and never for a role; name the role")
        choices = [classes if mark in read.classes else individuals for mark in marks]
        if prod(map(len, choices)) > MOST_SECRETS:
            raise UsageError(f"{secret} stands for more than {MOST_SECRETS:,} axioms; use fewer question marks")
        for names in product(*choices):
            found.setdefault(_joined(parts, names), bool(marks))
    return found


def _joined(parts: Sequence[str], names: Sequence[str]) -> str:
    return parts[0] + "".join(name + part for name, part in zip(names, parts[1:], strict=True))


def _prefixes(known: Sequence[Ontology]) -> dict[str, str]:
    return {prefix: name for part in reversed(known) for prefix, name in part.prefixes.items()}


def _leaked(known: Sequence[Ontology], texts: Mapping[str, bool]) -> tuple[list[str], bool]:
    """Return the secrets that follow from what is known, and whether that contradicts itself.

    What a pattern stands for and holds always, such as that a class is included in itself, is nobody's secret.
    """
    asked = Ontology.of_text("\n".join(texts), prefixes=_prefixes(known), repeated=True)
    if len(asked) != len(texts):
        raise UsageError(f"a secret is one axiom; {len(texts):,} secrets were given with {len(asked):,} axioms in them")
    everything, origin = merged([*known, asked])
    axioms = everything.select(origin < len(known))
    refuse_ranges_outside(axioms, of_chains=False)
    reasoning = Subsumption(axioms)
    questions = [_questions(everything, int(place), reasoning) for place in np.flatnonzero(origin >= len(known))]
    _refuse_undecidable(everything, texts, questions)
    for each in questions:
        for question in each:
            if question.expression is not None:
                reasoning.ask(question.expression)
    operators = everything.expressions.operators
    individuals = [(int(one),) for one in np.flatnonzero(operators == Operator.NOMINAL)]
    for context in [(0,), *individuals, *(question.context for each in questions for question in each)]:
        reasoning.include(context)
    inconsistent = any(reasoning.is_empty(context) for context in [(0,), *individuals])
    found = [
        text
        for (text, is_instance), each in zip(texts.items(), questions, strict=True)
        if not (is_instance and all(question.holds_always for question in each))
        and (inconsistent or all(_follows(reasoning, question) for question in each))
    ]
    return found, inconsistent


def _follows(reasoning: Subsumption, question: InclusionQuestion) -> bool:
    if reasoning.is_empty(question.context):
        return True
    return question.expression is not None and question.expression in reasoning.including(question.context)


def _questions(everything: Ontology, place: int, reasoning: Subsumption) -> list[InclusionQuestion]:
    """Return what an axiom says as questions, all of which must be answered with yes for it to follow."""
    kind, given = AxiomType(int(everything.types[place])), everything.arguments[place].tolist()
    if kind in ABOUT_ROLES:
        raise UsageError(f"{everything.functional(place)} is about roles; a secret is about classes or individuals")
    if kind is AxiomType.RELATED:
        related = reasoning.expression(Operator.SOME, given[0], given[2])
        return [InclusionQuestion((given[1],), related)]
    if kind is AxiomType.DISJOINT:
        pairs = [(one, other) for at, one in enumerate(given) for other in given[at + 1 :]]
        return [InclusionQuestion(tuple(sorted(set(pair))), None) for pair in pairs]
    if kind is AxiomType.MEMBER:
        given = given[::-1]
    ring = [*pairwise(given)]
    if kind in (AxiomType.EQUIVALENT, AxiomType.SAME):
        ring.append((given[-1], given[0]))
    return [question for left, right in ring for question in _split(everything, left, right)]


def _split(everything: Ontology, left: int, right: int) -> Iterator[InclusionQuestion]:
    """Return questions that have neither a union on the left nor a conjunction or a complement on the right."""
    table = everything.expressions
    if table.operators[left] == Operator.OR:
        for part in table.arguments[left].tolist():
            yield from _split(everything, part, right)
    elif table.operators[right] == Operator.AND:
        for part in table.arguments[right].tolist():
            yield from _split(everything, left, part)
    elif table.operators[right] == Operator.NOT:  # C is included in ¬D where nothing is in both
        yield InclusionQuestion(tuple(sorted({left, int(table.arguments[right][0])})), None)
    else:
        yield InclusionQuestion((left,), right)


def _refuse_undecidable(
    everything: Ontology, texts: Iterable[str], questions: Sequence[Sequence[InclusionQuestion]]
) -> None:
    """Raise where rules do not decide a question: it must not pass for one that is answered with no."""
    known, operators = len(everything.expressions), everything.expressions.operators
    lefts = {one for each in questions for question in each for one in question.context}
    rights = {question.expression for each in questions for question in each if question.expression is not None}
    reasons = outside_tests(everything, [one for one in lefts if one < known], [one for one in rights if one < known])
    for text, each in zip(texts, questions, strict=True):
        for question in each:
            parts = question.context
            why = next((reasons[one] for one in (*parts, question.expression) if one in reasons), None)
            if len(parts) > 1 and any(operators[one] == Operator.NOMINAL for one in parts):
                why = NOMINAL
            if why is not None:
                raise UsageError(
                    f"{text}: whether this secret follows cannot be decided in the language, for it holds {why}"
                )
