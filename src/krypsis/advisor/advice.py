"""The advice: a model with its parameters, what completes it, and what to be warned of."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from krypsis import registry
from krypsis.advisor.choice import Choice, choice_of, unknown_parameter
from krypsis.advisor.files import AdvisorPart
from krypsis.advisor.results import THREATS, Threat, results
from krypsis.advisor.texts import Texts, load_texts
from krypsis.advisor.tree import Answer, Step, Taken, Tree
from krypsis.errors import DataError, OutputError

NEEDED = frozenset({"population", "key", "tables", "id", "domains", "private_columns", "secrets"})
"""What models need besides their parameters; see :mod:`krypsis.advisor.needs`."""


class PathStep(AdvisorPart):
    """A step of the way to the advice, in words."""

    question: str
    text: str
    answer: Answer
    taken: Taken
    evidence: str | None = None


class Advice(Choice):
    """What to promise, and why; :meth:`save` writes it as JSON.

    Examples
    --------
    >>> from krypsis.advisor import advise
    >>> advice = advise(["yes", "yes", "yes", "no", "no", "yes"], tree="seed")
    >>> advice.title, advice.threats, advice.uncovered
    ('FF-anonymity', ('attribute',), ('record',))
    """

    tree: str
    page: str
    path: tuple[PathStep, ...]
    declared: tuple[Threat, ...]
    """What must be protected from, as the answers say."""
    uncovered: tuple[Threat, ...]
    """What must be protected from and is not."""
    complements: tuple[Choice, ...]
    """Models to promise besides."""
    alternatives: tuple[Choice, ...]
    """Models that may be promised instead."""
    warnings: tuple[str, ...]
    assumptions: tuple[str, ...]
    """What was taken for granted where nobody knew the answer."""

    def save(self, path: str | Path) -> None:
        """Write the advice as JSON."""
        try:
            Path(path).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error

    @classmethod
    def load(cls, path: str | Path) -> "Advice":
        """Read an advice that was saved."""
        try:
            return cls.model_validate_json(Path(path).read_bytes())
        except (OSError, ValidationError) as error:
            raise DataError(f"{path} is not an advice that was saved: {error}") from error

    def with_values(self, values: Mapping[str, str]) -> "Advice":
        """Return the advice with other values of its parameters; a name it does not have is that of a complement."""
        known = list(dict.fromkeys(name for one in (self, *self.complements) for name in one.names))
        for name in values:
            if name not in known:
                raise unknown_parameter(self.model, name, known)
        complements = [
            one.with_values({name: value for name, value in values.items() if name in set(one.names) - set(self.names)})
            for one in self.complements
        ]
        own = {name: value for name, value in values.items() if name in self.names}
        return super().with_values(own).model_copy(update={"complements": tuple(complements)})

    def with_known_values(self, values: Mapping[str, str]) -> "Advice":
        """Return the advice with those of the values that are about its parameters."""
        known = {name for one in (self, *self.complements) for name in one.names}
        return self.with_values({name: value for name, value in values.items() if name in known})

    def check_values(self, values: Mapping[str, str]) -> None:
        """Raise unless the model takes these values, and every name is a parameter or something that models need.

        Raises
        ------
        UsageError
            if a value is refused, or nothing has that name.
        """
        chosen = self.with_values({name: value for name, value in values.items() if name not in NEEDED})
        for one in (chosen, *chosen.complements):
            if one.model in registry.classes("model") and not one.missing:
                registry.create("model", one.spec)


def advice_of(tree: Tree, steps: tuple[Step, ...], language: str, values: Mapping[str, str]) -> Advice:
    """Return the advice at the end of a path.

    The first model that the structure of the data asked for is the main one; the one at the end and what completes it
    are added to it, as far as the main one does not include them. Where the end decides, it is the main one.
    """
    texts, last = load_texts(language), steps[-1].edge
    end = tree.results[last.to]
    collected = _unique(name for step in steps for name in step.edge.collects)
    main, *others = [end, *last.adds] if last.decides else _unique([*collected, end, *last.adds])
    complements = [name for name in others if not _is_included(name, [main, *others])]
    declared = _in_order(threat for step in steps for threat in step.edge.threats)
    covered = {threat for name in (main, *complements) for threat in results()[name].threats}
    uncovered = tuple(threat for threat in declared if threat not in covered)
    offered = _unique(name for step in steps for name in step.edge.offers if name not in (main, *complements))
    unused = collected if last.decides else []
    return Advice(
        **choice_of(main, texts, values).model_dump(),
        tree=tree.name,
        page=last.to,
        path=tuple(_in_words(step, texts) for step in steps),
        declared=declared,
        uncovered=uncovered,
        complements=tuple(choice_of(name, texts, values) for name in complements),
        alternatives=tuple(choice_of(name, texts, values) for name in offered),
        warnings=tuple(_warnings(steps, main, uncovered, unused, texts)),
        assumptions=tuple(_assumptions(steps, texts)),
    )


def _is_included(name: str, chosen: Iterable[str]) -> bool:
    return any(name in results()[other].includes for other in chosen)


def _in_order(threats: Iterable[Threat]) -> tuple[Threat, ...]:
    found = set(threats)
    return tuple(threat for threat in THREATS if threat in found)


def _in_words(step: Step, texts: Texts) -> PathStep:
    return PathStep(
        question=step.question.name,
        text=texts.questions[step.question.text].question,
        answer=step.answer,
        taken=step.taken,
        evidence=None if step.finding is None else step.finding.words(texts.evidence),
    )


def _warnings(
    steps: tuple[Step, ...], main: str, uncovered: Iterable[Threat], unused: list[str], texts: Texts
) -> Iterator[str]:
    title = texts.results[main].title
    for threat in uncovered:
        yield texts.warnings[f"uncovered-{threat}"].format(model=title)
    if unused:
        named = ", ".join(texts.results[name].title for name in unused)
        yield texts.warnings["not-combined"].format(model=title, others=named)
    for step in steps:
        yield from (texts.warnings[key] for key in step.edge.warns)
        if step.finding and not step.is_assumed and step.finding.answer != step.answer:
            question = texts.questions[step.question.text].question
            yield texts.warnings["against-data"].format(question=question, evidence=step.finding.words(texts.evidence))


def _assumptions(steps: tuple[Step, ...], texts: Texts) -> Iterator[str]:
    for step in steps:
        if step.is_assumed:
            question = texts.questions[step.question.text].question
            answer = texts.words[step.taken]
            if step.finding is None:
                yield texts.words["assumption"].format(question=question, answer=answer)
            else:
                evidence = step.finding.words(texts.evidence)
                yield texts.words["assumption-data"].format(question=question, answer=answer, evidence=evidence)


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
