"""From an advice to a plan that runs: what is missing is asked for, what is impossible is replaced by the next best."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory

from krypsis import registry
from krypsis.advisor.advice import Advice
from krypsis.advisor.choice import Choice, choice_of
from krypsis.advisor.needs import Need, open_needs, said
from krypsis.advisor.plan_change import PlanChange
from krypsis.advisor.preparation import CannotBeHad, Preparation, prepare, require_meaning
from krypsis.advisor.promise import combinable, shares_a_plan, suggested_algorithm
from krypsis.advisor.results import results
from krypsis.advisor.situation import Situation
from krypsis.advisor.texts import Texts
from krypsis.errors import Infeasible, PlanError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.history.history import History
from krypsis.kinds.table.findings import Facts
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.profile.sensitive_promise import expected_groups, propose_promise
from krypsis.models.mechanisms import MethodModel
from krypsis.plan import Plan
from krypsis.plan.trial import NOT_TRIED, SECONDS, Trial, try_plan

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
MARGIN = 1.05
"""A limit must exceed what the whole table has by so much, else only one group of all records keeps it."""
MOST_TRIALS = 12
SLOW = ("k", "t")
"""Parameters that stay as long as a weaker value of another one is enough: how many records are alike comes first."""


@dataclass(frozen=True)
class Case:
    """A model in a situation, with what the user said."""

    choice: Choice
    situation: Situation
    given: Mapping[str, str]

    @property
    def facts(self) -> Facts:
        """What the table says."""
        return self.situation.table

    def value(self, name: str) -> str | None:
        """Return the value of a parameter."""
        return next((one.value for one in self.choice.parameters if one.name == name), None)


def allowed_values(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield values of parameters that may be feasible, the most protective first; those in ``given`` stay.

    Nothing is yielded where the data allows no value worth promising.
    """
    if situation.schema is None:
        yield {}
        return
    case = Case(choice, situation, given)
    names = [name for name in choice.names if name not in given and (choice.result, name) in RANGES]
    names.sort(key=lambda name: name not in SLOW)
    ranges = [RANGES[choice.result, name](case, name) for name in names]
    for values in islice(product(*ranges), MOST_TRIALS):
        yield dict(zip(names, values, strict=True))


def _sizes(case: Case, name: str) -> list[str]:
    """Return sizes of groups that the table has room for."""
    usual = int(case.value(name) or 5)
    return [str(size) for size in dict.fromkeys((usual, 5, 3, 2)) if size <= usual and size * 2 <= case.facts.rows]


def _above(share: Callable[[Case], float]) -> Callable[[Case, str], list[str]]:
    """Return what lists limits above a share of the whole table."""

    def limits(case: Case, name: str) -> list[str]:
        usual = float(case.value(name) or SHARES[0])
        least = max(usual, share(case) * MARGIN)
        return [f"{limit:g}" for limit in dict.fromkeys((usual, *SHARES)) if limit >= least]

    return limits


def _listed(*known: float) -> Callable[[Case, str], list[str]]:
    """Return what lists some values from the usual one on, in their order."""

    def values(case: Case, name: str) -> list[str]:
        usual = float(case.value(name) or known[0])
        is_ascending = known[0] < known[-1]
        weaker = [one for one in known if (one > usual if is_ascending else one < usual)]
        return [f"{one:g}" for one in (usual, *weaker)]

    return values


def _diversities(case: Case, name: str) -> list[str]:
    """Return how uncertain values can be: never more than those of the whole column are."""
    most = min((spread.effective for spread in case.facts.spreads), default=0.0) / MARGIN
    usual = float(case.value(name) or 2)
    return [f"{one:g}" for one in dict.fromkeys((usual, 3, 2)) if one <= min(usual, most)]


def _kinds(case: Case, name: str) -> list[str]:
    """Return how many different values a group may need: the most frequent one has room in one record of each."""
    usual = int(case.value(name) or 3)
    return [str(one) for one in dict.fromkeys((usual, 3, 2)) if one <= usual and one * _largest_share(case) <= 1]


def _confidences(case: Case, name: str) -> list[str]:
    """Return how sure of a sensitive value somebody may be: of none where there is no such column."""
    return _above(_largest_share)(case, name) if case.facts.schema.sensitive else ["1"]


def _largest_share(case: Case) -> float:
    return max((spread.largest_share for spread in case.facts.spreads), default=0.0)


def _share_of_value(case: Case) -> float:
    counts = [
        int((case.facts.dataset.collect_texts(name) == case.value("value")).sum())
        for name in case.facts.schema.sensitive
    ]
    return max(counts, default=0) / case.facts.rows


def _share_of_population(case: Case) -> float:
    population = said("population", case.choice, case.situation, case.given)
    if population is None:
        return 0.0
    return case.facts.rows / max(Dataset.of(case.situation.plan.folder / population).rows, 1)


RANGES: dict[tuple[str, str], Callable[[Case, str], list[str]]] = {
    **{
        (result, "k"): _sizes
        for result in (
            "k-anonymity",
            "xy-privacy",
            "multirelational-k-anonymity",
            "lkc-privacy",
            "alpha-k-anonymity",
            "ke-anonymity",
        )
    },
    ("alpha-k-anonymity", "alpha"): _above(_largest_share),
    ("lkc-privacy", "c"): _confidences,
    ("ff-anonymity", "theta"): _above(_largest_share),
    ("confidence-bounding", "h"): _above(_share_of_value),
    ("delta-presence", "delta_max"): _above(_share_of_population),
    ("personalized-privacy", "p"): _above(lambda _: 0.0),
    ("t-closeness", "t"): _listed(0.2, 0.3, 0.4, 0.5),
    ("l-diversity", "l"): _diversities,
    ("m-invariance", "m"): _kinds,
    ("em-anonymity", "m"): _listed(3, 2),
    ("ct-isolation", "share"): _listed(0.05, 0.1, 0.2),
    ("ct-isolation", "t"): _listed(5, 3, 2),
}
"""By result and parameter, what lists the values to try."""


MOST_TRIED_ROWS = 300_000
"""Larger tables are not tried: the run itself takes long enough."""

OF_PERSONS = ("xy-privacy",)
"""Models that protect values only if promised about a sensitive column; the advisor promises them about persons."""


@dataclass(frozen=True)
class Settlement:
    """What an advice comes to in a situation."""

    advice: Advice
    change: PlanChange | None = None
    """What to write into the plan; nothing where something is missing or the model cannot be had here."""
    lacks: tuple[Need, ...] = ()
    """What has to be said first."""
    reason: str = ""
    """Why the model cannot be had here."""
    notes: tuple[str, ...] = ()
    """What should be known about the result: parameters that the data does not allow, columns that are left out."""
    trial: Trial = NOT_TRIED
    """Whether the search found a release."""
    instead: "Settlement | None" = None
    """The next best, where the model cannot be had."""

    @property
    def unprotected(self) -> tuple[str, ...]:
        """For each promise in the plan, what it does not protect from."""
        promised = [] if self.change is None else [registry.create("model", spec) for spec in self.change.promises]
        return tuple(f"{model.name}: {model.does_not_protect_from}" for model in promised)


@dataclass(frozen=True)
class Settler:
    """Settles advices in one situation.

    Parameters
    ----------
    situation
        the plan and what its data says.
    texts
        of the advisor, in the language of the user.
    given
        what the user said: parameters, and what is needed complementss, such as ``population``.
    histories
        whether versions of a table can be published from here.
    seconds
        how long the search may take for each trial.
    """

    situation: Situation
    texts: Texts
    given: Mapping[str, str]
    histories: bool = True
    seconds: float = SECONDS

    def settle(self, advice: Advice) -> Settlement:
        """Return what to write into the plan, what is missing, or the next best that runs."""
        found = self._settled(advice)
        if found.change is not None:
            return found
        return replace(found, instead=self._next_best(advice))

    def _next_best(self, advice: Advice) -> Settlement | None:
        """Return the first of the models that come next which runs, else the first that only lacks something."""
        lacking = None
        known = results()
        wanted = self.situation.kind.next_models(known[advice.result].instead)
        for name in (one for one in wanted if one in known and one != advice.result):
            choice = choice_of(name, self.texts, self.situation.evidence.values)
            found = self._settled(_replaced(advice, choice, self.texts, self.situation.plan.kind))
            if found.change is not None:
                return found
            lacking = lacking or (found if found.lacks else None)
        return lacking

    def _settled(self, advice: Advice) -> Settlement:
        advice = advice.with_known_values(self.given)
        try:
            self._require_place(advice)
            if lacks := self._lacking(advice):
                return Settlement(advice, lacks=lacks)
            return self._tried(advice)
        except CannotBeHad as error:
            reason = self.texts.reasons[error.key].format(**error.figures)
        except PlanError:
            raise  # the plan cannot be changed at all, whatever is promised
        except UsageError as error:
            reason = str(error)
        return Settlement(advice, reason=reason)

    def _require_place(self, advice: Advice) -> None:
        if advice.result == "m-invariance" and not self.histories:
            raise CannotBeHad("no-histories-here", model=advice.title)

    def _lacking(self, advice: Advice) -> tuple[Need, ...]:
        require_meaning(advice, self.situation)  # what has no meaning for this data is not worth a question
        return open_needs(advice, self.situation, self.given)

    def _tried(self, advice: Advice) -> Settlement:
        """Return the first values of the parameters for which the search finds a release."""
        last = Settlement(advice, reason=self.texts.reasons["nothing-allowed"].format(model=advice.title))
        for values in allowed_values(advice, self.situation, self.given):
            chosen = advice.with_values(values)
            for change in self._changes(chosen):
                trial = self._trial(change)
                if trial.feasible is not False:
                    notes = (*self._weaker(advice, chosen), *self._notes(change.preparation))
                    return Settlement(chosen, change, notes=notes, trial=trial)
                last = Settlement(chosen, reason=trial.reason, trial=trial)
        return last

    def _changes(self, advice: Advice) -> Iterator[PlanChange]:
        """Yield what the plan may say: with the suggested algorithm, then without one that separates values."""
        prepared = prepare(advice, self.situation, self.given)
        plan = self.situation.plan
        complements = [one for one in combinable(advice, plan.kind) if not open_needs(one, self.situation, self.given)]
        specs = [advice.spec, *(one.spec for one in complements)]
        for spec in specs:
            registry.create("model", spec)
        specs += self._about_values(advice, complements)
        schema = self.situation.schema
        algorithms = [
            prepared.algorithm or suggested_algorithm(advice, schema, is_alone=is_alone, kind=plan.kind)
            for is_alone in (len(specs) == 1, False)
        ]
        for algorithm in dict.fromkeys(algorithms):
            yield PlanChange(tuple(dict.fromkeys(specs)), algorithm, prepared)

    def _about_values(self, advice: Advice, complements: Sequence[Choice]) -> list[str]:
        """Return a promise for each sensitive column, where records are published and nothing else protects values."""
        kind = self.situation.plan.kind
        stands_alone = not all(shares_a_plan(one, kind) for one in (advice, *complements))
        protected = any("attribute" in one.threats and one.result not in OF_PERSONS for one in (advice, *complements))
        if self.situation.schema is None or stands_alone or protected:
            return []
        facts = self.situation.table
        groups = expected_groups(facts.rows)
        return [
            propose_promise(name, facts.dataset.collect_texts(name), groups).spec for name in facts.schema.sensitive
        ]

    def _trial(self, change: PlanChange) -> Trial:
        plan = Plan.parse(change.applied_to(self.situation.text), self.situation.plan.folder)
        if self.situation.facts.rows > MOST_TRIED_ROWS:
            return NOT_TRIED
        if change.preparation.identifier is not None:
            return _try_history(TablePlan.require(plan), change.preparation.identifier)
        return try_plan(plan, self.situation.facts.data_for(plan), seconds=self.seconds)

    def _weaker(self, advice: Advice, chosen: Advice) -> Iterator[str]:
        """Say which parameters the data does not allow."""
        for one, other in zip(advice.parameters, chosen.parameters, strict=True):
            is_limit_of_nothing = other.value == "1" and one.name == "c"  # there is no sensitive column
            if one.value is not None and other.value != one.value and not is_limit_of_nothing:
                yield self.texts.reasons["weaker"].format(
                    name=one.name, value=other.value, usual=one.value, meaning=one.meaning
                )

    def _notes(self, prepared: Preparation) -> Iterator[str]:
        for key, figures in prepared.notes:
            yield self.texts.reasons[key].format(**figures)


def _replaced(advice: Advice, choice: Choice, texts: Texts, kind: str) -> Advice:
    """Return an advice of another model, with k-anonymity where it does not protect records."""
    fields = {name: getattr(choice, name) for name in Choice.model_fields}
    known = registry.classes("model").get(choice.model)
    is_alone = "record" in choice.threats or known is None or issubclass(known, MethodModel)
    complements = () if is_alone else (choice_of("k-anonymity", texts, {}),)
    covered = {threat for one in (choice, *complements) for threat in one.threats}
    if shares_a_plan(choice, kind):
        covered.add("attribute")  # every sensitive column gets a promise of its own
    uncovered = tuple(threat for threat in advice.declared if threat not in covered)
    warnings = tuple(texts.warnings[f"uncovered-{threat}"].format(model=choice.title) for threat in uncovered)
    return advice.model_copy(
        update={**fields, "complements": complements, "uncovered": uncovered, "warnings": warnings, "alternatives": ()}
    )


def _try_history(plan: TablePlan, identifier: str) -> Trial:
    """Return whether the first version of a history can be published."""
    with TemporaryDirectory() as folder:
        try:
            history = History.of_plan(Path(folder, "history"), plan, id=identifier)
            history.simulate(plan.data_path)
        except (Infeasible, UsageError) as error:
            return Trial(False, str(error))
    return Trial(True)
