"""Whatever comes, goes, moves, changes and comes back: all releases together keep the promise and nothing is lost."""

import shutil
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from krypsis.algorithms.histories.targets import CRITERIA
from krypsis.attacks.histories import attack_history
from krypsis.attacks.intersection import CandidateAttack
from krypsis.attacks.taxonomy import coarsened
from krypsis.data.hierarchies import resolve
from krypsis.errors import Infeasible
from krypsis.kinds.history.history import History
from krypsis.kinds.history.storage import HistoryFiles, working

pytestmark = pytest.mark.exposed

TREE = {"any": {"lungs": ["flu", "cough"], "gut": ["ulcer", "colic"], "others": ["gout", "acne"]}}
DISEASES = [disease for family in TREE["any"].values() for disease in family]
TAXONOMY = resolve(TREE, DISEASES, "disease")
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
# Of six values in three families: with e = 1 only values of different families may meet.
RELATED = "em-correlation:e=1,m={m}"
# From the second version on, values are generalized by what has left so far, however little it is.
RULES = st.fixed_dictionaries(
    {
        "name": st.just("frequency-aware"),
        "criterion": st.sampled_from(CRITERIA),
        "evidence": st.just(0),
        "smoothing": st.integers(0, 1),
        "window": st.integers(1, 3),
    }
)
METHODS = st.one_of(
    st.just(("m-invariance:m={m}", {"name": "m-invariant"})),
    st.just((RELATED, {"name": "correlation"})),
    st.tuples(st.just(RELATED), RULES),
)
OPTIONS = st.fixed_dictionaries(
    {
        "publish": st.sampled_from(["anatomy", "generalization"]),
        "on_ineligible": st.sampled_from(["defer", "counterfeits"]),
        "on_changed": st.sampled_from(["withhold", "renew"]),
    }
)
PERSON = st.tuples(st.integers(20, 29).map(str), st.sampled_from(["f", "m"]), st.sampled_from(DISEASES))


class Sequence(RuleBasedStateMachine):
    """Drives a history, with the table as a dictionary next to it."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.table, self.gone, self.names = {}, {}, iter(range(10**6))

    @initialize(m=st.integers(2, 3), method=METHODS, options=OPTIONS)
    def begin(self, m, method, options):
        promise, method = method
        self.e, self.is_general = Fraction(1) if promise == RELATED else None, method["name"] == "frequency-aware"
        given = {"id": "name", "roles": ROLES, "models": promise.format(m=m)}
        # With values declared beforehand, a counterfeit can have one that nobody has.
        tree = {"disease": TREE}
        self.history = History.init(self.folder / "history", hierarchies=tree, algorithm={**method, **options}, **given)
        self.m, self.options = m, options

    @rule(people=st.lists(PERSON, min_size=1, max_size=8))
    def insert(self, people):
        self.table |= {f"p{next(self.names)}": person for person in people}

    @precondition(lambda self: self.table)
    @rule(data=st.data())
    def delete(self, data):
        for name in data.draw(st.lists(st.sampled_from(sorted(self.table)), unique=True, min_size=1, max_size=4)):
            self.gone[name] = self.table.pop(name)

    @precondition(lambda self: self.gone)
    @rule(data=st.data())
    def come_back(self, data):
        name = data.draw(st.sampled_from(sorted(self.gone)))
        self.table[name] = self.gone.pop(name)

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), disease=st.sampled_from(DISEASES))
    def come_back_with_another_value(self, data, disease):
        name = data.draw(st.sampled_from(sorted(self.gone)))
        self.table[name] = (*self.gone.pop(name)[:2], disease)

    @precondition(lambda self: self.table)
    @rule(data=st.data(), person=PERSON)
    def move(self, data, person):
        name = data.draw(st.sampled_from(sorted(self.table)))
        self.table[name] = (*person[:2], self.table[name][2])

    @precondition(lambda self: self.table)
    @rule(data=st.data(), disease=st.sampled_from(DISEASES))
    def fall_ill_again(self, data, disease):
        name = data.draw(st.sampled_from(sorted(self.table)))
        self.table[name] = (*self.table[name][:2], disease)

    @precondition(lambda self: self.table)
    @rule()
    def publish(self):
        rows = [(name, *person) for name, person in self.table.items()]
        frame = pl.DataFrame(rows, schema=["name", "age", "sex", "disease"], orient="row")
        before = self.history.log()
        try:
            published = self.history.publish(frame, version=len(before) + 1)
        except Infeasible as error:
            self.had_to_wait(str(error))
            assert self.history.log() == before
            return
        self.nothing_is_lost(published)
        assert all(self.history.check())
        versions = self.history.versions()
        alike = coarsened(versions, TAXONOMY) if self.is_general else versions
        assert same_signature_everywhere(alike)
        left = CandidateAttack(cascade=True).find(alike)
        assert all(len(values) >= self.m for values in left.values())
        report = attack_history(versions, m=self.m, hierarchy=TAXONOMY, e=self.e)
        assert report.holds, "\n".join(report.sentences())
        assert report.worst <= Fraction(1, self.m)
        assert report.people == len({name for version in versions for name in version.members["person"]})

    def had_to_wait(self, reason):
        """Counterfeits always help, unless there is nobody left to publish."""
        assert self.options["on_ineligible"] == "defer" or "are withheld" in reason

    def nothing_is_lost(self, published):
        shown = {name: person for name, person in self.table.items() if name not in published.left_out}
        change, release = published.change, published.release
        assert change.published == len(shown)
        assert change.published + change.deferred + change.withheld == len(self.table)
        assert release.table.height == change.published + change.counterfeits
        assert release.tables["counterfeits"]["counterfeits"].sum() == change.counterfeits
        values = release.table if release.sensitive_table is None else release.sensitive_table
        false = Counter(map(self.told, values["disease"].to_list()))
        false.subtract(Counter(self.told(person[2]) for person in shown.values()))
        assert min(false.values(), default=0) >= 0
        assert sum(false.values()) == change.counterfeits
        self.everybody_is_where_the_state_says(published, shown)
        if self.options["on_ineligible"] == "counterfeits":
            assert change.deferred == 0
        if self.options["on_changed"] == "renew":
            assert change.withheld == 0

    def everybody_is_where_the_state_says(self, published, shown):
        """The checker learns from the state who is in which group; the published tables must agree."""
        with working(HistoryFiles(self.history.folder)) as state:
            query = 'SELECT id, "group" FROM people JOIN members USING (person) WHERE version = ? AND "group" > 0'
            group_of = dict(state.rows(query, [published.change.version]))
        assert group_of.keys() == shown.keys()
        release = published.release
        values = release.table if release.sensitive_table is None else release.sensitive_table
        records = Counter((group, self.told(value)) for group, value in values.select("group", "disease").iter_rows())
        records.subtract(Counter((group_of[name], self.told(person[2])) for name, person in shown.items()))
        assert min(records.values()) >= 0
        if self.options["publish"] == "anatomy":
            looks = Counter(release.table.select("age", "sex", "group").iter_rows())
            looks.subtract(Counter((*person[:2], group_of[name]) for name, person in shown.items()))
            assert min(looks.values()) >= 0

    def told(self, value):
        """What a release reveals of a value at least: the value, or its family where it may be general."""
        return TAXONOMY.label(value, 1) if self.is_general and value in DISEASES else value

    def teardown(self):
        shutil.rmtree(self.folder)


def same_signature_everywhere(versions):
    """The definition, person by person."""
    known = {}
    for version in versions:
        for person, values in version.signatures().items():
            if known.setdefault(person, values) != values:
                return False
    return True


Sequence.TestCase.settings = settings(settings.default, stateful_step_count=8)
TestSequences = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")(Sequence.TestCase)
