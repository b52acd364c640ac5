"""Personalized privacy: guarding nodes in a hierarchy, searches without pruning, what only the publisher can check."""

from fractions import Fraction
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import Infeasible, UsageError
from krypsis.models.personalized_privacy import PersonalizedPrivacy
from models.counterexamples import guarded_groups
from strategies import tables

# The tree of the thesis, §5.3.2: Infection → {Flu, Bronchitis}; Alice guards Infection, Vasilis nothing.
TREE = Hierarchy.from_rows(
    [["Flu", "Infection", "Any"], ["Bronchitis", "Infection", "Any"], ["Angina", "Heart", "Any"]]
)
PATIENTS = pl.DataFrame(
    {
        "name": ["Alice", "Vasilis", "Georgia", "Dimitris"],
        "sex": ["f", "m", "f", "m"],
        "disease": ["Bronchitis", "Flu", "Angina", "Flu"],
        "guard": ["Infection", None, None, None],
    }
)
ROLES = {"name": "identifier", "sex": "quasi-identifier", "disease": "sensitive", "guard": "identifier"}


def chances(table: pl.DataFrame, mode: str = "subtree", by: str = "sex") -> float:
    promise = PersonalizedPrivacy(p=0.5, guarding="guard", mode=mode)
    (verdict,) = check_table(table, [promise], Given([by], "disease", hierarchies={"disease": TREE}))
    return verdict.achieved


def test_alice_hides_her_infection_and_vasilis_does_not_care():
    assert chances(PATIENTS) == 0.5  # Bronchitis and Angina next to each other
    alone = PATIENTS.filter(pl.col("name") != "Georgia")
    assert chances(alone) == 1
    assert chances(PATIENTS.with_columns(guard=pl.lit(None, dtype=pl.String))) == 0


def test_a_single_value_below_the_node_is_a_weaker_promise_than_the_node():
    together = PATIENTS.with_columns(sex=pl.lit("*"))
    assert chances(together) == 0.75  # Bronchitis, Flu and Flu of four
    assert chances(together, mode="leaf") == 0.5  # Flu


def test_accepted_groups_may_be_refused_together():
    """Specification 5.3: 1/2 and 0 become 3/4."""
    promise = PersonalizedPrivacy(p=0.5, guarding="guard")
    groups = guarded_groups()
    assert promise.accepts(groups).all()
    table = pl.DataFrame({"disease": ["bronchitis", "angina", "flu", "flu"], "guard": ["infection", None, None, None]})
    tree = groups.sensitive["disease"].domain.hierarchy
    (verdict,) = check_table(
        table.with_columns(q=pl.lit("*")), [promise], Given(["q"], "disease", hierarchies={"disease": tree})
    )
    assert verdict.achieved == 0.75
    assert (PersonalizedPrivacy.monotone, PersonalizedPrivacy.monotone_with_suppression) == (False, False)


def keeps(table: pl.DataFrame, known: list[str], p: float, mode: str) -> bool:
    """The definition, record by record."""
    for _, group in table.group_by(known):
        values = group["s0"].to_list()
        for node in group["guard"].drop_nulls():
            below = [row[0] for row in ROWS if node in row]
            found = [values.count(value) for value in below]
            if Fraction(sum(found) if mode == "subtree" else max(found), group.height) > Fraction(str(p)):
                return False
    return True


ROWS = [
    ["1", "small", "any"],
    ["2", "small", "any"],
    ["3", "small", "any"],
    ["10", "large", "any"],
    ["20", "large", "any"],
    [None, None, "any"],
]
NODES = ["1", "2", "3", "10", "20", "small", "large", "any", None]


@st.composite
def guarded_tables(draw: st.DrawFn) -> pl.DataFrame:
    table = draw(tables(max_rows=8, max_quasi_identifiers=2, max_sensitive=0))
    values = draw(st.lists(st.sampled_from([row[0] for row in ROWS]), min_size=table.height, max_size=table.height))
    nodes = draw(st.lists(st.sampled_from(NODES), min_size=table.height, max_size=table.height))
    columns = {"s0": pl.Series(values, dtype=pl.String), "guard": pl.Series(nodes, dtype=pl.String)}
    return table.with_columns(**columns)


@given(
    table=guarded_tables(),
    p=st.sampled_from([0.25, 0.5, 0.75, 1]),
    mode=st.sampled_from(["subtree", "leaf"]),
    suppression=st.sampled_from([0, 0.5, 1.0]),
    suppressed=st.sampled_from(["remove", "keep"]),
    algorithm=st.sampled_from(["optimal", "datafly", "mondrian"]),
)
def test_a_release_keeps_the_definition_and_optimal_misses_none(
    table, p, mode, suppression, suppressed, algorithm, tmp_path_factory
):
    known = [name for name in table.columns if name.startswith("q")]
    roles = dict.fromkeys(known, "quasi-identifier") | {"s0": "sensitive", "guard": "identifier"}
    tree = Hierarchy.from_rows(ROWS)
    model = PersonalizedPrivacy(p=p, guarding="guard", mode=mode)
    try:
        release = krypsis.anonymize(
            table,
            roles,
            models=model,
            hierarchies={"s0": tree},
            suppression=suppression,
            suppressed=suppressed,
            algorithm=algorithm,
        )
    except Infeasible:
        assert algorithm != "optimal" or not any(keeps(one, known, p, mode) for one in recoded(table, known))
        return
    assert "guard" not in release.table.columns
    assert keeps(release.table.hstack(release.before.private_columns), known, p, mode)
    saved = release.save(tmp_path_factory.mktemp("guarded") / "release")
    assert saved.release.verdicts == release.verdicts


def recoded(table: pl.DataFrame, known: list[str]) -> list[pl.DataFrame]:
    """The table at every node of the lattice, in which a column is published or replaced by ``*``."""
    chosen = [
        [name for name, level in zip(known, node, strict=True) if level] for node in product((0, 1), repeat=len(known))
    ]
    return [table.with_columns(pl.lit("*").alias(name) for name in names) for names in chosen]


def test_the_publisher_can_check_it_again_and_nobody_else(tmp_path):
    options = {"hierarchies": {"disease": TREE}, "models": "personalized-privacy:p=0.5,guarding=guard"}
    saved = krypsis.anonymize(PATIENTS, ROLES, **options).save(tmp_path / "release")
    assert "Infection" not in (saved.folder / "data.csv").read_text()
    (undecided,) = krypsis.check(saved.folder)
    assert undecided.holds is None
    assert "about 'guard', which is not among the published columns" in undecided.sentence
    assert "--private-columns" in undecided.sentence
    (verdict,) = krypsis.check(saved.folder, private_columns=saved.private)
    assert (verdict.holds, verdict.achieved) == (True, 0.5)
    (stricter,) = krypsis.check(
        saved.folder, "personalized-privacy:p=0.4,guarding=guard", private_columns=saved.private
    )
    assert not stricter.holds


def test_a_node_that_is_not_in_the_hierarchy_is_named():
    table = PATIENTS.with_columns(guard=pl.Series(["Infektion", None, None, None]))
    with pytest.raises(
        UsageError, match=r"'Infektion', which is not in the hierarchy of 'disease'.*Did you mean 'Infection'"
    ):
        krypsis.anonymize(
            table, ROLES, hierarchies={"disease": TREE}, models="personalized-privacy:p=0.5,guarding=guard"
        )


def test_a_sensitive_attribute_without_hierarchy_has_no_nodes():
    with pytest.raises(UsageError, match="hierarchy of 'disease' and none is given"):
        krypsis.anonymize(PATIENTS, ROLES, models="personalized-privacy:p=0.5,guarding=guard")


def test_with_several_sensitive_attributes_one_is_named():
    roles = {**ROLES, "sex": "sensitive", "name": "quasi-identifier"}
    options = {"hierarchies": {"disease": TREE}, "suppression": 1.0}
    with pytest.raises(UsageError, match="about one sensitive attribute and there are 2: sex, disease"):
        krypsis.anonymize(PATIENTS, roles, models="personalized-privacy:p=0.5,guarding=guard", **options)
    release = krypsis.anonymize(
        PATIENTS, roles, models="personalized-privacy:p=0.8,guarding=guard,attribute=disease", **options
    )
    assert release.verdicts[0].achieved <= 0.8


def test_a_node_above_nothing_that_is_published_guards_nothing(tmp_path):
    """The release does not tell a part of the hierarchy that none of its values is in; the publisher has it."""
    table = PATIENTS.with_columns(
        disease=pl.Series(["Flu", "Flu", "Bronchitis", "Flu"]), guard=pl.Series(["Heart", None, None, None])
    )
    options = {"hierarchies": {"disease": TREE}, "models": "personalized-privacy:p=0.5,guarding=guard"}
    saved = krypsis.anonymize(table, ROLES, **options).save(tmp_path / "release")
    assert "Heart" not in (saved.folder / "manifest.json").read_text()
    with pytest.raises(UsageError, match="give the whole one"):
        krypsis.check(saved.folder, private_columns=saved.private)
    (verdict,) = krypsis.check(saved.folder, private_columns=saved.private, hierarchies={"disease": TREE})
    assert verdict.achieved == 0


@pytest.mark.parametrize("parameters", ["p=0,guarding=g", "p=1.5,guarding=g", "p=0.5", "p=0.5,guarding=g,mode=tree"])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(UsageError, match="personalized-privacy"):
        registry.create("model", f"personalized-privacy:{parameters}")


def test_algorithms_that_need_monotonicity_refuse_it():
    with pytest.raises(UsageError, match="algorithm 'optimal'"):
        krypsis.anonymize(
            PATIENTS,
            ROLES,
            hierarchies={"disease": TREE},
            models="personalized-privacy:p=0.5,guarding=guard",
            algorithm="incognito",
        )
