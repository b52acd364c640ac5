"""Sensitive values are generalized record by record, as far as people guard them and no further."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import krypsis
from krypsis.algorithms.tables.sa_generalization import soften
from krypsis.checker import Given, check_table
from krypsis.cli.main import app
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.random_order import random_order
from krypsis.errors import Infeasible, PromiseBroken, UsageError
from krypsis.kinds.table.make import release_of_publication
from krypsis.models.personalized_privacy import PersonalizedPrivacy
from krypsis.release.order import in_input_order
from krypsis.report import read_report
from krypsis.report.blocks import Panel, plain

# The tree of the thesis, §5.3.2, with a second branch: Infection → {Flu, Bronchitis}; Heart → {Angina, Stroke}.
ROWS = [
    ["Flu", "Infection", "Any"],
    ["Bronchitis", "Infection", "Any"],
    ["Angina", "Heart", "Any"],
    ["Stroke", "Heart", "Any"],
]
TREE = Hierarchy.from_rows(ROWS)
ROLES = {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"}
LABELS = ["Flu", "Bronchitis", "Angina", "Stroke", "Infection", "Heart", "Any", None]


def patients(diseases, guards, ages=None):
    ages = ages or ["31"] * len(diseases)
    columns = {"age": ages, "disease": diseases, "guard": guards}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def made(table, p, algorithm="sa-generalization", mode="subtree", models=(), **options):
    promise = PersonalizedPrivacy(p=p, guarding="guard", mode=mode)
    options = {"hierarchies": {"disease": TREE}, **options}
    return krypsis.anonymize(table, ROLES, models=[promise, *models], algorithm=algorithm, **options)


def naive_chance(labels, guards, mode="subtree") -> Fraction:
    """The definition for one group, record by record, leaf by leaf: a label stands for each leaf below it, equally."""
    worst = Fraction(0)
    leaves_of = [[row[0] for row in ROWS if label in row] if label is not None else [None] for label in labels]
    for node in filter(None, guards):
        below = [row[0] for row in ROWS if node in row]
        found = [sum(Fraction(leaf in each, len(each)) for each in leaves_of) / len(labels) for leaf in below]
        missing = Fraction(labels.count(None), len(labels)) if node == "Any" else Fraction(0)
        worst = max(worst, sum(found) + missing if mode == "subtree" else max(*found, missing))
    return worst


def achieved(table, mode="subtree"):
    promise = PersonalizedPrivacy(p=0.5, guarding="guard", mode=mode)
    (verdict,) = check_table(table, [promise], Given(["age"], "disease", hierarchies={"disease": TREE}))
    return verdict.achieved


def test_a_generalized_value_may_be_any_below_it():
    """Infection surely is one, Angina none, Any in two of four cases: (1 + 0 + 1/2) / 3."""
    table = patients(["Infection", "Angina", "Any"], ["Infection", None, None])
    assert achieved(table) == pytest.approx(0.5)
    assert achieved(table, mode="leaf") == pytest.approx((1 / 2 + 1 / 4) / 3)  # Flu, or Bronchitis


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=6), st.booleans())
def test_the_chance_is_that_of_the_definition(records, leaf):
    labels, guards = map(list, zip(*records, strict=True))
    mode = "leaf" if leaf else "subtree"
    assert achieved(patients(labels, guards), mode) == pytest.approx(float(naive_chance(labels, guards, mode)))


def test_alice_hides_her_infection_among_all_illnesses():
    """Both have infections: only where both are anything, (2/4 + 2/4) / 2, is it a matter of chance."""
    two = patients(["Bronchitis", "Flu"], ["Infection", None])
    assert in_input_order(made(two, 0.5))["disease"].to_list() == ["Any", "Any"]
    assert in_input_order(made(two, 0.75))["disease"].to_list() == [
        "Any",
        "Flu",
    ]  # (2/4 + 1) / 2, and it is Alice who minds
    assert in_input_order(made(two, 1))["disease"].to_list() == ["Bronchitis", "Flu"]
    with pytest.raises(Infeasible, match=r"personalized-privacy 0\.5"):
        made(two, 0.4)


def test_what_hides_by_the_group_is_not_generalized():
    """One infection of two; with her alone it takes a label that stands for as much else."""
    table = patients(["Bronchitis", "Angina"], ["Infection", None], ["31", "34"])
    grouped = made(table, 0.5)
    assert in_input_order(grouped)["disease"].to_list() == ["Bronchitis", "Angina"]
    assert set(grouped.table["age"]) == {"[31-34]"}
    alone = made(table, 0.5, "sa-generalization:k=1")
    assert in_input_order(alone).rows() == [("31", "Any"), ("34", "Angina")]
    assert "1 of 2 values of disease" in alone.guarantee


@pytest.mark.parametrize("groups", ["mondrian", "optimal"])
def test_a_node_as_exact_as_a_value_needs_one_step_up(groups):
    table = patients(["Flu", "Angina"], ["Flu", None], ["31", "34"])
    release = made(table, 0.5, f"sa-generalization:k=1,groups={groups}")
    assert in_input_order(release).rows() == [("31", "Infection"), ("34", "Angina")]


@st.composite
def guarded(draw, most=7, ages=("1", "2", "3")):
    record = st.tuples(
        st.sampled_from([row[0] for row in ROWS] + [None]), st.sampled_from(LABELS), st.sampled_from(ages)
    )
    diseases, guards, old = zip(*draw(st.lists(record, min_size=1, max_size=most)), strict=True)
    return patients(list(diseases), list(guards), list(old))


@given(
    table=guarded(),
    p=st.sampled_from([0.25, 0.3, 0.5, 0.6, 0.75]),
    mode=st.sampled_from(["subtree", "leaf"]),
    algorithm=st.sampled_from(["", ":k=1", ":k=2", ":k=1,groups=optimal"]),
    suppression=st.sampled_from([0, 0.5]),
    suppressed=st.sampled_from(["remove", "keep"]),
)
def test_a_release_keeps_the_definition_and_generalizes_no_more_than_needed(
    table, p, mode, algorithm, suppression, suppressed, tmp_path_factory
):
    options = {"suppression": suppression, "suppressed": suppressed}
    numbered = table.with_row_index("disease_of")
    try:
        release = made(table, p, f"sa-generalization{algorithm}", mode, **options)
    except Infeasible:
        return
    before = (
        numbered.filter(~pl.col("disease_of").is_in(release.private["suppressed_rows"]))
        if (suppressed == "remove")
        else numbered
    )
    # The columns that are not published go with the records in any order.
    exact = before["disease"].gather(random_order(release.private["order_seed"], before.height))
    published = release.table.with_columns(guard=release.before.private_columns["guard"], exact=exact)
    for _, group in published.group_by("age"):
        labels, guards, exact = (group[name].to_list() for name in ("disease", "guard", "exact"))
        assert naive_chance(labels, guards, mode) <= Fraction(str(p))
        for place, (label, value) in enumerate(zip(labels, exact, strict=True)):
            path = next((row for row in ROWS if row[0] == value), [None])
            assert label in path
            for lower in path[: path.index(label)]:
                as_lower = [*labels[:place], lower, *labels[place + 1 :]]
                assert naive_chance(as_lower, guards, mode) > Fraction(str(p))
    saved = release.save(tmp_path_factory.mktemp("guarded") / "release")
    assert saved.release.verdicts == release.verdicts


@given(st.lists(st.sampled_from([row[0] for row in ROWS]), min_size=1, max_size=4), st.sampled_from(LABELS[:-1]))
def test_of_one_guarded_node_no_way_to_keep_it_is_missed(diseases, node):
    """Against every way to publish the values of a group."""
    table = patients(diseases, [node, *[None] * (len(diseases) - 1)])
    ways = product(*(next(row for row in ROWS if row[0] == value) for value in diseases))
    best = min(naive_chance(list(labels), [node]) for labels in ways)
    for p in (0.2, 0.25, 0.4, 0.5, 0.7):
        if best <= Fraction(str(p)):
            assert made(table, p, "sa-generalization:k=1").verdicts[0].achieved <= p + 1e-12
        else:
            with pytest.raises(Infeasible):
                made(table, p, "sa-generalization:k=1")


@given(guarded(most=6, ages=("1",)), st.sampled_from([0.25, 0.5, 0.6]))
def test_the_compiled_steps_are_those_of_the_plain_ones(table, p):
    values, counts = np.unique(table["disease"].fill_null("Flu").to_numpy(), return_counts=True)
    path = [next(row for row in ROWS if row[0] == value) for value in values]
    nodes = ["Infection", "Flu", "Heart"]
    weights = np.array([[[float(naive_chance([label], [node])) for label in row] for row in path] for node in nodes])
    costs = np.array([[0.0, 1 / 3, 1.0]] * len(values))
    answers = []
    for kernel in (soften, soften.reference):
        shown, reached = np.zeros((len(values), 3), dtype=np.int64), np.zeros(1)
        shown[:, 0] = counts
        starts, limits = np.array([0, len(values)]), np.arange(3)
        kernel(starts, np.arange(len(values)), np.array([0, 3]), limits, weights, costs, p, shown, reached)
        assert shown.sum(axis=1).tolist() == counts.tolist()
        answers.append((shown.tolist(), reached.tolist()))
    assert answers[0] == answers[1]


def test_many_records_take_a_step_together():
    """A thousand of two thousand have an infection that one person guards: those in excess become Any, at 1/2 each."""
    table = patients(["Flu"] * 1000 + ["Angina"] * 1000, ["Infection"] + [None] * 1999)
    found = made(table, 0.4).table["disease"].value_counts().rows()
    assert dict(found) == {"Flu": 600, "Any": 400, "Angina": 1000}  # 600 + 400 / 2 = 0.4 · 2000


def test_an_uneven_tree_repeats_a_value_and_means_the_same():
    rows = [["HIV", "HIV", "Any"], ["Flu", "Infection", "Any"], ["Cold", "Infection", "Any"]]
    table = patients(["HIV", "Flu"], ["HIV", None])
    release = made(table, 0.2, hierarchies={"disease": Hierarchy.from_rows(rows)})
    assert in_input_order(release)["disease"].to_list() == ["Any", "Flu"]  # (1/3 + 0) / 2


def test_missing_values_stay_missing():
    table = patients([None, "Flu", None], ["Infection", "Infection", None])
    assert in_input_order(made(table, 0.3))["disease"].to_list() == [None, "Any", None]


def test_numbers_become_labels_of_their_tree():
    table = patients(["1", "2"], ["1", None]).with_columns(pl.col("disease").cast(pl.Int64))
    rows = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]]
    release = made(table, 0.3, hierarchies={"disease": Hierarchy.from_rows(rows)})
    assert in_input_order(release)["disease"].to_list() == ["low", "2"]


def test_the_release_tells_what_a_label_may_stand_for_and_can_be_checked_again(tmp_path):
    table = patients(["Bronchitis", "Angina", "Angina"], ["Bronchitis", None, None])
    saved = made(table, 0.25).save(tmp_path / "release")
    assert "Infection" in (saved.folder / "data.csv").read_text("utf-8")
    manifest = (saved.folder / "manifest.json").read_text("utf-8")
    assert "Flu" in manifest
    assert "Stroke" not in manifest  # nothing that is published may be one
    (verdict,) = krypsis.check(saved.folder, private_columns=saved.private)
    assert (verdict.holds, verdict.achieved) == (True, pytest.approx(1 / 6))
    assert krypsis.Release.load(saved.folder).promises == saved.release.promises


def test_a_value_that_was_made_exact_again_is_noticed():
    release = made(patients(["Bronchitis", "Flu"], ["Infection", None]), 0.5)
    guards = release.before.private_columns["guard"] == "Infection"
    opened = release.table.with_columns(disease=pl.when(guards).then(pl.lit("Bronchitis")).otherwise(pl.lit("Any")))
    with pytest.raises(PromiseBroken, match=r"achieved 0\.75"):
        release_of_publication(
            replace(release.publication, coded_table=opened), release.promises, before=release.before
        ).checked()


def test_groups_keep_other_promises_beside():
    table = patients(["Flu", "Flu", "Angina", "Angina"], ["Flu", None, None, None], ["1", "2", "3", "4"])
    release = made(table, 0.5, "sa-generalization:k=1", models=["k-anonymity:k=2"])
    assert [verdict.holds for verdict in release.verdicts] == [True, True]
    assert release.table["age"].n_unique() == 2


def test_other_promises_about_sensitive_values_are_refused():
    table = patients(["Flu", "Angina"], ["Flu", None])
    for other in ("distinct-l-diversity:l=2", "xy-anonymity:x=age,y=disease,k=2", "k1-anonymity:k=2"):
        with pytest.raises(UsageError, match="more generally, so it cannot promise"):
            made(table, 0.5, models=[other])
    with pytest.raises(UsageError, match="keeps the promise 'personalized-privacy', once"):
        krypsis.anonymize(table, ROLES, models="k-anonymity:k=2", algorithm="sa-generalization")


@pytest.mark.parametrize("tree", [{}, {"disease": {"kind": "masking"}}, {"disease": "flat"}])
def test_the_values_below_a_node_must_be_known_without_the_data(tree):
    with pytest.raises(UsageError, match=r"known without the data.*as a file or as a taxonomy"):
        made(patients(["Flu"], ["Flu"]), 0.5, hierarchies=tree)


def test_a_label_with_two_meanings_is_refused():
    rows = [["Flu", "Flu", "Any"], ["Swine flu", "Flu", "Any"], ["Angina", "Heart", "Any"]]
    with pytest.raises(UsageError, match="'Flu' in the hierarchy of 'disease' stands for other values at level 0"):
        made(patients(["Flu"], ["Heart"]), 0.5, hierarchies={"disease": Hierarchy.from_rows(rows)})


def test_a_node_that_is_not_in_the_tree_is_named():
    with pytest.raises(UsageError, match="Did you mean 'Infection'"):
        made(patients(["Flu"], ["Infektion"]), 0.5)


def test_several_sets_of_quasi_identifiers_are_refused():
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive", "guard": "identifier"}
    table = patients(["Flu"], [None]).with_columns(sex=pl.lit("f"))
    with pytest.raises(UsageError, match="one set of quasi-identifiers"):
        krypsis.anonymize(
            table,
            roles,
            quasi_identifier_sets=[["age"], ["sex"]],
            hierarchies={"disease": TREE},
            models="personalized-privacy:p=0.5,guarding=guard",
            algorithm="sa-generalization",
        )


def test_nobody_guards_anything_and_nothing_is_generalized():
    table = patients(["Flu", "Angina"], [None, None])
    assert in_input_order(made(table, 0.1, "personalized:k=1"))["disease"].to_list() == ["Flu", "Angina"]


def test_a_plan_on_the_command_line_does_the_same_and_the_report_shows_what_became_of_the_values(tmp_path, monkeypatch):
    """Two flus in one group, one of them guarded: 1/2 each as an infection."""
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text("age,disease,hides\n47,Flu,Flu\n48,Flu,\n", encoding="utf-8")
    Path("tree.csv").write_text("\n".join(map(";".join, ROWS)), encoding="utf-8")
    Path("plan.yaml").write_text(
        "data: patients.csv\n"
        "columns: {age: quasi-identifier, disease: {role: sensitive, hierarchy: tree.csv}, hides: identifier}\n"
        'promises: ["personalized-privacy:p=0.5,guarding=hides"]\n'
        "algorithm: sa-generalization\n",
        encoding="utf-8",
    )
    run = CliRunner().invoke
    done = run(app, ["run", "plan.yaml"])
    assert (done.exit_code, "2 of 2 values of disease" in done.output) == (0, True), done.output
    assert sorted(Path("release/data.csv").read_text("utf-8").split()) == ["[47-48],Infection"] * 2 + ["age,disease"]
    (disease,) = [
        panel
        for panel in read_report("release").section("sensitive").blocks
        if isinstance(panel, Panel) and plain(panel.title) == "disease"
    ]
    assert {bar.label: bar.records for bar in disease.blocks[-1].after if bar.records} == {"Infection": 2}
    (private,) = Path().glob("release*.private.json")
    assert run(app, ["check", "release", "--private-columns", str(private)]).exit_code == 0
    again = run(app, ["apply", "release", "patients.csv", "--output", "more"])
    assert (again.exit_code, "differently from record to record" in again.output) == (2, True)


def test_no_figure_tells_which_value_lies_below_a_published_one(tmp_path):
    published = []
    for hidden in ("Flu", "Bronchitis"):
        release = made(patients(["Flu", "Flu", hidden], [None, None, "Infection"]), 0.85)
        assert sorted(release.table["disease"]) == ["Any", "Flu", "Flu"]
        manifest = json.loads((release.save(tmp_path / hidden).folder / "manifest.json").read_text("utf-8"))
        published.append({name: manifest[name] for name in ("metrics", "score", "guarantee", "promises")})
    assert published[0] == published[1]
