"""The steps of the algorithms on the worked examples of the sources, as a trace keeps them."""

from itertools import chain, combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import krypsis
from algorithms.histories.versions import FIGURE_2_18, FIGURE_2_19, second_version
from algorithms.sets.test_apriori import GOODS, TABLE_5_10
from algorithms.sets.test_disassociation_figures import CONSTRAINTS, PATIENTS, SEARCHES
from algorithms.tables.small_tables import frequency_of
from krypsis import registry
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.algorithms.tables.k_optimize.k_optimize import KOptimize
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.m_invariance import MInvariance

HERE = Path(__file__).parent


def steps_of(frame, algorithm, k, hierarchies=None, **wanted):
    roles = dict.fromkeys(frame.columns, "quasi-identifier") | ({"crime": "sensitive"} if "crime" in frame else {})
    trace = krypsis.Trace()
    krypsis.anonymize(
        frame,
        roles,
        models=f"k-anonymity:k={k}",
        algorithm=algorithm,
        hierarchies=hierarchies or {},
        progress=trace,
        **wanted,
    )
    return trace.steps


def thesis(case, columns):
    frame = pl.read_csv(HERE / case / "table_5_17.csv", infer_schema=False).select(*columns, "crime")
    files = {name: HERE / case / f"{name}.csv" for name in columns}
    return frame, {name: {"kind": "csv", "file": str(file)} for name, file in files.items() if file.exists()}


TABLES_5_18_TO_5_21 = [  # Separated where Divorced is printed (erratum E42)
    (
        {
            ("Separated", "29", "32042", 1),
            ("Single", "20", "32021", 1),
            ("Widowed", "24", "32024", 1),
            ("Separated", "28", "32046", 1),
            ("Widowed", "25", "32045", 1),
            ("Single", "23", "32027", 1),
        },
        (3, 6, 6),
        "age",
    ),
    (
        {
            ("Separated", "[25-30)", "32042", 1),
            ("Single", "[20-25)", "32021", 1),
            ("Widowed", "[20-25)", "32024", 1),
            ("Separated", "[25-30)", "32046", 1),
            ("Widowed", "[25-30)", "32045", 1),
            ("Single", "[20-25)", "32027", 1),
        },
        (3, 2, 6),
        "zip",
    ),
    (
        {
            ("Separated", "[25-30)", "3204*", 2),
            ("Single", "[20-25)", "3202*", 2),
            ("Widowed", "[20-25)", "3202*", 1),
            ("Widowed", "[25-30)", "3204*", 1),
        },
        (3, 2, 2),
        "marital",
    ),
    # f = 2 for marital status is a misprint (erratum E38)
    ({("NotMarried", "[25-30)", "3204*", 3), ("NotMarried", "[20-25)", "3202*", 3)}, (1, 2, 2), None),
]


def test_datafly_prints_f_and_s_as_in_tables_5_18_to_5_21_of_the_thesis():
    steps = steps_of(*(frame := thesis("thesis_2016_datafly", ["marital", "age", "zip"]))[:1], "datafly", 3, frame[1])
    assert len(steps) == 4
    for number, (step, (groups, f, generalized)) in enumerate(zip(steps, TABLES_5_18_TO_5_21, strict=True), 1):
        assert step.title == f"Step {number}: {'done' if generalized is None else f'generalize {generalized}'}"
        assert step.tables[0].columns == ("marital", "age", "zip", "s")
        assert set(step.tables[0].rows) == groups
        assert step.tables[1].rows == (f,)


def test_incognito_prints_the_iterations_of_the_thesis():
    frame, hierarchies = thesis("thesis_2016_incognito", ["marital", "age", "zip"])
    steps = steps_of(frame, "incognito", 2, hierarchies, metric="discernibility")
    minimal = [
        {table.columns[:-2]: [row[:-2] for row in table.rows if row[-1]] for table in step.tables[::2]}
        for step in steps
    ]
    assert minimal == [
        {("marital",): [(0,)], ("age",): [(1,)], ("zip",): [(1,)]},
        {("marital", "age"): [(0, 2), (1, 1)], ("marital", "zip"): [(0, 2), (1, 1)], ("age", "zip"): [(1, 1)]},
        {("marital", "age", "zip"): [(0, 2, 2), (1, 1, 1)]},
    ]


FIG_2_2 = {
    "birthdate": ["1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"],
    "sex": ["Male", "Female", "Male", "Male", "Female", "Female"],
    "zipcode": ["53715", "53715", "53703", "53703", "53706", "53706"],
}
FIG_2_3 = {
    "birthdate": [[day, "76-86"] for day in ("1/21/76", "2/28/76", "4/13/86")],
    "sex": [["Male", "Person"], ["Female", "Person"]],
    "zipcode": [["53715", "5371*", "537**"], ["53706", "5370*", "537**"], ["53703", "5370*", "537**"]],
}


def test_incognito_prints_the_search_and_the_candidate_graph_of_figures_2_5_to_2_7():
    steps = steps_of(
        pl.DataFrame(FIG_2_2), "incognito", 2, {name: Hierarchy.from_rows(rows) for name, rows in FIG_2_3.items()}
    )
    tables = {table.title: table for step in steps for table in step.tables}
    searched = {row[:2]: row[2] for row in tables["Candidates over sex, zipcode"].rows}
    assert searched == {
        (0, 0): "refused, tested",
        (0, 1): "refused, tested",
        (0, 2): "survives, tested",
        (1, 0): "survives, tested",
        (1, 1): "survives, marked",
        (1, 2): "survives, marked",
    }
    assert set(tables["Edges of the candidate graph over sex, zipcode"].rows) == {
        (0, 0, 1, 0),
        (0, 0, 0, 1),
        (1, 0, 1, 1),
        (0, 1, 1, 1),
        (0, 1, 0, 2),
        (1, 1, 1, 2),
        (0, 2, 1, 2),
    }
    last = tables["Candidates over birthdate, sex, zipcode"].rows
    assert {row[:3] for row in last} == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
    assert {row[:3] for row in last if row[-1]} == {(1, 1, 0), (1, 0, 2), (0, 1, 2)}
    assert set(tables["Edges of the candidate graph over birthdate, sex, zipcode"].rows) == {
        (1, 1, 0, 1, 1, 1),
        (1, 1, 1, 1, 1, 2),
        (1, 0, 2, 1, 1, 2),
        (0, 1, 2, 1, 1, 2),
    }


RACES = [["asian", "person"], ["black", "person"], ["white", "person"]]
ZIPS = [[zip_, f"{zip_[:4]}*", "941**"] for zip_ in ("94138", "94139", "94141", "94142")]
PRIVATE = [
    *[("asian", zip_) for zip_ in ("94142", "94141", "94139", "94139", "94139")],
    *[("black", zip_) for zip_ in ("94138", "94139")],
    *[("white", zip_) for zip_ in ("94139", "94141")],
]


def test_samarati_prints_all_minimal_solutions_of_its_figure():
    frame = pl.DataFrame(PRIVATE, schema=["race", "zip"], orient="row")
    steps = steps_of(
        frame, "samarati", 2, {"race": Hierarchy.from_rows(RACES), "zip": Hierarchy.from_rows(ZIPS)}, suppression=2
    )
    assert steps[-1].title == "Minimal solutions"
    assert [row[:4] for row in steps[-1].tables[0].rows] == [(0, 1, 1, 2), (1, 0, 1, 2)]
    # The binary search of heights 0 to 3, whose lowest solution is at 1.
    assert [step.title for step in steps[:-1]] == ["Height 1", "Height 0"]
    assert steps[1].tables[0].rows[0][:2] == (0, 0)


def test_mondrian_prints_its_cuts_as_in_figures_5_17_to_5_19():
    frame, hierarchies = thesis("thesis_2016_mondrian", ["age", "marital"])
    algorithm = 'mondrian:extent=region,publish="age=ranges,marital=sets",kinds="marital=ordered"'
    steps = steps_of(frame, algorithm, 2, hierarchies, metric="generalized-loss")
    whole, first, second = steps
    assert not whole.tables
    # Both are as wide as they can be, and marital status has the smaller absolute range.
    widths = first.tables[0].columns.index("width of age"), first.tables[0].columns.index("width of marital")
    ((*_, on, side, one, other, _),) = first.tables[0].rows
    assert [first.tables[0].rows[0][place] for place in widths] == [1, 1]
    assert (on, side, one, other) == ("marital", "Single to Separated", 4, 2)
    cut, group = second.tables[0].rows
    assert [cut[place] for place in widths] == [1, 0.2]
    assert cut[-5:] == ("age", "20 to 23", 2, 2, None)
    assert group[0] == 2
    assert group[-5:-1] == (None,) * 4
    # The pictures: six values of each attribute have the same room.
    drawn = [step.pictures[0] for step in steps]
    turn = (lambda box: box) if drawn[0].across == "age" else (lambda box: (*box[2:], *box[:2]))
    boxes = [{tuple(np.round(np.multiply(turn(box), 6), 3)) for box in one.boxes} for one in drawn]
    assert boxes[0] == {(0, 6, 0, 6)}
    assert boxes[1] == {(0, 6, 0, 2), (0, 6, 2, 6)}
    assert boxes[2] == {(0, 2, 0, 2), (2, 6, 0, 2), (0, 6, 2, 6)}
    assert all(len(one.dots) == 6 for one in drawn)


def test_k_optimize_prints_only_prunings_that_lose_nothing():
    """Below a set of cuts, no set with a pruned one is cheaper than the optimum: tried by brute force."""
    columns = {"race": [race for race, _ in PRIVATE], "zip": [zip_ for _, zip_ in PRIVATE]}
    frequency = frequency_of(columns, {"race": Hierarchy.from_rows(RACES), "zip": Hierarchy.from_rows(ZIPS)})
    trace = krypsis.Trace()
    KOptimize().search(frequency, [KAnonymity(k=2)], registry.create("metric", "discernibility"), Limits(), trace)
    (step,) = trace.steps
    assert step.tables[0].columns == ("cuts", "cost", "best so far", "what follows", "pruned")
    values = ["race black", "race white", "zip 94139", "zip 94141", "zip 94142"]
    costs = {frozenset(cuts): slow_cost(cuts) for cuts in subsets(values)}
    best, pruned = min(costs.values()), 0
    for head, cost, _, _, gone in step.tables[0].rows:
        above = frozenset() if head == "none" else frozenset(head.split(", "))
        assert cost in (None, costs[above])
        for cut in [] if gone is None else gone.split(", "):
            pruned += 1
            assert min(costs[one] for one in costs if above | {cut} <= one) >= best
    assert pruned
    assert f"best: {best}, proven bound: {best}." in step.says


def subsets(values):
    return chain.from_iterable(combinations(values, size) for size in range(len(values) + 1))


def slow_cost(cuts):
    """The discernibility of intervals that begin at the cuts, groups of one record suppressed."""

    def interval(name, value):
        return sum(cut.split()[0] == name and cut.split()[1] <= value for cut in cuts)

    looks = [(interval("race", race), interval("zip", zip_)) for race, zip_ in PRIVATE]
    return sum(size if size > 1 else len(PRIVATE) for size in (looks.count(look) for look in looks))


def test_apriori_prints_the_rare_sets_of_table_5_10_and_their_cheapest_generalization():
    """One way touches 5 occurrences of items, the other 6; the loss counts each with the two items it may then be."""
    trace = krypsis.Trace()
    task = SetTask(Transactions.of_sets(TABLE_5_10), [KmAnonymity(k=2, m=2)], Hierarchy.from_rows(GOODS))
    Apriori(variant="apriori").publish(task, np.random.default_rng(1), trace)
    settled, cut = trace.steps
    ((rare_set, support, becomes, loss),) = settled.tables[0].rows
    assert set(rare_set.split(", ")) in ({"KitchenPaper", "Lentils"}, {"Bleach", "KitchenPaper"})
    assert (support, loss) == (1, 5 * 2)
    assert "Cleaning" in becomes.split(", ")
    assert dict(cut.tables[0].rows) == {
        "KitchenPaper": "Cleaning",
        "Bleach": "Cleaning",
        "Lentils": "Lentils",
        "Chickpeas": "Chickpeas",
    }


def disassociation_steps(sets, **options):
    trace = krypsis.Trace()
    task = SetTask(Transactions.of_sets(sets), [KmAnonymity(k=3, m=2)])
    Disassociation(**options).publish(task, np.random.default_rng(1), trace)
    return trace.steps


def test_disassociation_prints_the_splits_of_figure_3_2a():
    """The specification follows HORPART by hand: madonna divides 10 records, then ikea the 8 with madonna."""
    horizontal, *_ = disassociation_steps(SEARCHES, max_cluster_size=6, variant="printed")
    splits, clusters = horizontal.tables
    assert [row[1:] for row in splits.rows] == [(None, "madonna", 10, 8, 2), ("madonna", "ikea", 8, 4, 4)]
    by_cluster = {}
    for cluster, items in clusters.rows:
        by_cluster.setdefault(cluster, set()).add(SEARCHES.index(found_in(SEARCHES, items)) + 1)
    assert sorted(map(sorted, by_cluster.values())) == [[1, 3, 7, 10], [2, 5, 6, 8], [4, 9]]


def found_in(sets, items):
    return next(one for one in sets if set(one) == set(items.split(", ")))


def test_disassociation_prints_the_pieces_of_figures_4_5_and_4_6():
    constraints = tuple(map(tuple, CONSTRAINTS))
    horizontal, vertical, refined = disassociation_steps(PATIENTS, max_cluster_size=6, constraints=constraints)
    assert horizontal.tables[0].rows[0][2:4] == ("296.00", 10)  # of the first constraint, the most frequent
    chunks = {}
    for cluster, chunk, items, pieces in vertical.tables[0].rows:
        chunks.setdefault(cluster, {})[chunk] = (items, None if pieces is None else set(pieces.split("; ")))
    first, second = sorted(chunks.values(), key=len, reverse=True)
    assert first == {
        "record chunk 1": (
            "296.00, 296.01, 296.02",
            {"{296.00, 296.01, 296.02} × 3", "{296.00, 296.02} × 1", "{296.00, 296.01} × 1"},
        ),
        "record chunk 2": ("692.71, 695.10", {"{692.71, 695.10} × 3", "{692.71} × 1"}),
        "term chunk": ("401.0, 834.0, 944.01", None),
    }
    assert second == {
        "record chunk 1": (
            "294.10, 295.04, 296.03",
            {"{295.04, 296.03} × 1", "{294.10, 296.03} × 1", "{294.10, 295.04, 296.03} × 2", "{294.10, 295.04} × 1"},
        ),
        "term chunk": ("404.00, 480.1, 834.0, 944.01", None),
    }
    ((_, below, items, pieces),) = refined.tables[0].rows
    assert (below, items) == ("1, 2", "834.0, 944.01")
    assert set(pieces.split("; ")) == {"{834.0, 944.01} × 3", "{944.01} × 1", "{834.0} × 1"}


def test_m_invariance_prints_the_buckets_of_figure_2_21():
    now, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    trace = krypsis.Trace()
    MInvariant().publication(snapshot, past, [MInvariance(m=2)], np.random.default_rng(0), trace)
    name_of = {f"{age}, {zipcode}": name for name, age, zipcode, *_ in now.iter_rows()}

    def names(records):
        return {name_of[record] for record in records.split("; ") if record}

    division, balancing, assignment, split = trace.steps
    buckets = {row[:2]: names(row[2]) for row in division.tables[0].rows}
    assert buckets == {
        ("flu, gastritis", "flu"): {"Gary"},
        ("flu, gastritis", "gastritis"): {"David"},
        ("dyspepsia, gastritis", "dyspepsia"): set(),
        ("dyspepsia, gastritis", "gastritis"): {"Steve"},
        ("bronchitis, dyspepsia", "dyspepsia"): {"Bob"},
        ("bronchitis, dyspepsia", "bronchitis"): set(),
        ("dyspepsia, flu, gastritis", "dyspepsia"): {"Jane"},
        ("dyspepsia, flu, gastritis", "flu"): set(),
        ("dyspepsia, flu, gastritis", "gastritis"): {"Linda"},
    }
    assert {row[:2]: row[2:] for row in balancing.tables[0].rows} == {
        ("dyspepsia, gastritis", "dyspepsia"): (1, 1, 0),  # by Ray
        ("bronchitis, dyspepsia", "bronchitis"): (1, 0, 1),
        ("dyspepsia, flu, gastritis", "flu"): (1, 0, 1),
    }
    assigned = {row[:2]: (names(row[2]), row[3]) for row in assignment.tables[0].rows}
    assert assigned == {
        **{place: (who, 0) for place, who in buckets.items()},
        ("flu, gastritis", "flu"): ({"Vince", "Emily", "Gary"}, 0),
        ("flu, gastritis", "gastritis"): ({"Tom", "Mary", "David"}, 0),
        ("dyspepsia, gastritis", "dyspepsia"): ({"Ray"}, 0),
        ("bronchitis, dyspepsia", "bronchitis"): (set(), 1),
        ("dyspepsia, flu, gastritis", "flu"): (set(), 1),
    }
    groups = {frozenset(names(row[2])): row[3] for row in split.tables[0].rows}
    assert groups == {
        frozenset({"Bob"}): 1,
        frozenset({"David", "Emily"}): 0,
        frozenset({"Jane", "Linda"}): 1,
        frozenset({"Gary", "Mary"}): 0,
        frozenset({"Ray", "Steve"}): 0,
        frozenset({"Tom", "Vince"}): 0,
    }


@pytest.mark.parametrize("shown", [repr, str])
def test_a_trace_shows_nothing_of_the_data_and_is_not_pickled(shown):
    import pickle  # noqa: PLC0415

    trace = krypsis.Trace()
    frame, hierarchies = thesis("thesis_2016_datafly", ["marital", "age", "zip"])
    release = krypsis.anonymize(
        frame,
        dict.fromkeys(["marital", "age", "zip"], "QI") | {"crime": "sensitive"},
        models="k-anonymity:k=3",
        algorithm="datafly",
        hierarchies=hierarchies,
        progress=trace,
    )
    said = shown([trace, *trace.steps, *(table for step in trace.steps for table in step.tables), release])
    assert not [value for column in frame for value in column if value in said]
    with pytest.raises(TypeError, match="private"):
        pickle.dumps(trace.steps)
    assert pickle.loads(pickle.dumps(release)).steps == ()
    assert release.steps == trace.steps
