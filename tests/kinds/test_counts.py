"""Counts over releases, against all data that could lie behind them."""

from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import krypsis
from effort import examples
from krypsis.algorithms.tables.mechanisms.noise import DiscreteGaussian, DiscreteLaplace
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.data.schema import Schema
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import ColumnError, UsageError
from krypsis.kinds.counting import CountAnswer, answer_queries
from krypsis.kinds.graph.counts import count_in_graph
from krypsis.kinds.sets.counts import count_in_groups, count_in_labels, count_in_pieces
from krypsis.kinds.table.counts import noise_margin
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.publication import BucketedTables
from krypsis.models.mechanisms import Spending
from transactions.clusters import clusters

pytestmark = pytest.mark.exposed


def asked(release, where, domains=None):
    return answer_queries(release, [where], domains)[0].answer


def bounds(answer):
    return (answer.low, answer.high)


# Table 5.1 of the thesis of 2016, with the groups of Table 5.2
PATIENTS = pl.DataFrame(
    {
        "age": [30, 30, 30, 32, 32, 32, 36, 38, 38, 38],
        "sex": ["Male"] * 6 + ["Female"] * 4,
        "disease": ["Hepatitis", "Hepatitis", "AIDS", "Hepatitis", "AIDS", "AIDS", "Flu", "Flu", "Heart", "Heart"],
        "group": [1] * 6 + [2] * 4,
    }
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
HEART_AT_38 = {"age": "38", "disease": "Heart"}


def in_groups(table, hidden):
    roles = dict.fromkeys(table.columns, "quasi-identifier") | {hidden: "sensitive", "group": "insensitive"}
    values = table.group_by("group", hidden).len("count")
    published = BucketedTables(table.drop(hidden), Schema.of(roles), group_column="group", sensitive_table=values)
    return release_of_publication(published, guarantee="a test")


def test_the_worked_example_of_the_thesis_with_bounds():
    """Three of the four records of the second group are 38, and two of the four have a heart disease: one at least."""
    answer = asked(in_groups(PATIENTS, "disease"), HEART_AT_38)
    assert (answer.estimate, answer.low, answer.high) == (1.5, 1, 2)
    general = PATIENTS.drop("group").with_columns(age=pl.Series(["[30-35)"] * 6 + ["[35-40)"] * 4))
    answer = asked(release_of(general, Schema.of(ROLES)), HEART_AT_38, {"age": range(30, 40)})
    assert answer.estimate == pytest.approx(0.4)
    assert bounds(answer) == (0, 2)


LABELS = {"*": "abc", "ab": "ab", "a": "a", "b": "b", "c": "c"}


@settings(max_examples=examples(150), deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from(list(LABELS)), st.sampled_from("st")), min_size=1, max_size=5),
    wanted=st.sets(st.sampled_from("abc"), min_size=1),
    hidden=st.sampled_from("st"),
)
def test_bounds_of_a_generalized_table_are_those_of_all_tables_behind_it(rows, wanted, hidden):
    table = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    tree = krypsis.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    release = release_of(table, Schema.of({"q": "quasi-identifier", "s": "sensitive"}))
    answer = asked(release, {"q": sorted(wanted), "s": hidden}, {"q": tree})
    behind = list(product(*[LABELS[label] for label, _ in rows]))
    counts = [
        sum(value in wanted and s == hidden for value, (_, s) in zip(world, rows, strict=True)) for world in behind
    ]
    assert bounds(answer) == (min(counts), max(counts))
    assert answer.estimate == pytest.approx(np.mean(counts))


@settings(max_examples=examples(150), deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 2)), min_size=1, max_size=6),
    known=st.sampled_from("ab") | st.none(),
    hidden=st.sets(st.sampled_from("xyz"), min_size=1),
)
def test_bounds_of_groups_are_those_of_all_ways_to_hand_out_the_sensitive_values(rows, known, hidden):
    table = pl.DataFrame(rows, schema=["q", "s", "group"], orient="row")
    where = {"s": sorted(hidden)} | ({} if known is None else {"q": known})
    answer = asked(in_groups(table, "s"), where)
    per_group = []
    for group in {row[2] for row in rows}:
        members = [row for row in rows if row[2] == group]
        orders = permutations([row[1] for row in members])
        per_group.append(
            [
                sum(known in (None, row[0]) and s in hidden for row, s in zip(members, order, strict=True))
                for order in orders
            ]
        )
    assert bounds(answer) == (sum(map(min, per_group)), sum(map(max, per_group)))
    assert answer.estimate == pytest.approx(sum(map(np.mean, per_group)))


def test_records_that_were_left_out_could_be_among_those_that_are_asked_for():
    table = pl.DataFrame({"city": ["A"] * 4 + ["B"], "disease": ["flu"] * 5})
    roles = {"city": "quasi-identifier", "disease": "sensitive"}
    release = krypsis.anonymize(table, roles, models="k-anonymity:k=2", suppression=1, max_levels={"city": 0})
    assert release.suppressed == 1
    assert bounds(asked(release, {"city": "A"}, {"city": ["A", "B"]})) == (4, 5)


def shown(item, label, tree):
    return label == item or label in tree.get(item, ())


@settings(max_examples=examples(150), deadline=None)
@given(
    published=st.lists(st.sets(st.sampled_from(["a", "b", "c", "ab"]), max_size=3), min_size=1, max_size=4),
    items=st.sets(st.sampled_from("abc"), min_size=1, max_size=2).map(sorted),
)
def test_bounds_of_general_items_are_those_of_all_sets_behind_them(published, items):
    """A label stands for any of its items, one at least."""
    assume(not any("ab" in one and one & {"a", "b"} for one in published))
    goods = krypsis.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    answer = count_in_labels(Transactions.of_sets(published), tuple(items), goods, suppresses=False)

    def behind(record):
        exact = record - {"ab"}
        return [exact | extra for extra in ({"a"}, {"b"}, {"a", "b"})] if "ab" in record else [exact]

    counts = [[set(items) <= one for one in behind(record)] for record in published]
    assert bounds(answer) == (sum(map(min, counts)), sum(map(max, counts)))


@settings(max_examples=examples(100), deadline=None)
@given(
    records=st.lists(st.sets(st.sampled_from(["bread", "milk", "s", "t"])), min_size=1, max_size=4),
    cut=st.integers(0, 4),
    items=st.sets(st.sampled_from(["bread", "s", "t"]), min_size=1).map(sorted),
)
def test_bounds_of_sets_in_groups_are_those_of_all_ways_to_hand_out_sensitive_items(records, cut, items):
    groups = np.array([int(0 < cut <= place) for place in range(len(records))])
    answer = count_in_groups(GroupedSets.of(Transactions.of_sets(records), {"s", "t"}, groups), tuple(items))
    least, most = 0, 0
    for group in set(groups.tolist()):
        members = [record for record, own in zip(records, groups, strict=True) if own == group]
        places = range(len(members))
        ways = [combinations(places, sum(one in record for record in members)) for one in "st"]
        known = [record - {"s", "t"} for record in members]
        counts = [
            sum(set(items) <= known[place].union("s" * (place in who_s), "t" * (place in who_t)) for place in places)
            for who_s, who_t in product(*ways)
        ]
        least, most = least + min(counts), most + max(counts)
    assert bounds(answer) == (least, most)


def worlds(chunks, size, terms):
    """Yield all records that could lie behind one simple cluster."""
    placed = [list(permutations(range(size), len(pieces))) for pieces in chunks]
    subsets = [[who for number in range(1, size + 1) for who in combinations(range(size), number)] for _ in terms]
    for places in product(*placed, *subsets):
        records = [set() for _ in range(size)]
        for pieces, who in zip(chunks, places, strict=False):
            for piece, place in zip(pieces, who, strict=True):
                records[place] |= piece
        for term, who in zip(terms, places[len(chunks) :], strict=True):
            for place in who:
                records[place].add(term)
        yield records


pieces_of = lambda letters: st.lists(st.sets(st.sampled_from(letters), min_size=1), min_size=1, max_size=3)  # noqa: E731


@settings(max_examples=examples(150), deadline=None)
@given(
    first=pieces_of("ab"),
    second=pieces_of("cd"),
    has_term=st.booleans(),
    items=st.sets(st.sampled_from("abcdt"), min_size=1, max_size=3).map(sorted),
)
def test_bounds_of_pieces_are_those_of_all_sets_behind_a_cluster(first, second, has_term, items):
    terms = {"t"} if has_term else set()
    published = clusters([(0, first), (0, second)], [3], [-1], [terms])
    answer = count_in_pieces(published, tuple(items))
    counts = [sum(set(items) <= record for record in records) for records in worlds([first, second], 3, sorted(terms))]
    assert bounds(answer) == (min(counts), max(counts))
    if "t" not in items:  # of an item in a term chunk nobody knows how often it occurs
        ways = [sum(set(items) <= record for record in records) for records in worlds([first, second], 3, [])]
        assert answer.estimate == pytest.approx(np.mean(ways))


@settings(max_examples=examples(100), deadline=None)
@given(
    own=pieces_of("a"),
    other=pieces_of("ab"),
    shared=pieces_of("cd"),
    items=st.sets(st.sampled_from("abcd"), min_size=1, max_size=3).map(sorted),
)
def test_bounds_of_clusters_with_a_shared_chunk_hold_all_sets_behind_them(own, other, shared, items):
    own, other = own[:2], other[:2]
    published = clusters([(0, own), (1, other), (2, shared)], [2, 2], [2, 2, -1], [set(), set()])
    answer = count_in_pieces(published, tuple(items))
    counts = []
    for left, right, whole in product(
        permutations(range(2), len(own)), permutations(range(2, 4), len(other)), permutations(range(4), len(shared))
    ):
        records = [set() for _ in range(4)]
        for pieces, who in ((own, left), (other, right), (shared, whole)):
            for piece, place in zip(pieces, who, strict=True):
                records[place] |= piece
        counts.append(sum(set(items) <= record for record in records))
    assert answer.low <= min(counts)
    assert max(counts) <= answer.high


# Figure 4.3 of the thesis of 2016, clustered: 675 graphs look like it.
FRIENDS = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
CLUSTERS = [0, 0, 0, 1, 1, 2, 2]
JOBS = ["cook", "judge", "cook", "judge", "judge", "cook", "judge"]


def clustered(graph, groups, values):
    rows = pl.DataFrame({"supervertex": groups, "attribute": "job", "value": values})
    counted = rows.group_by("supervertex", "attribute", "value").len("count").sort("supervertex", "value")
    return ClusteredGraph.of(graph, np.array(groups), counted)


def graphs_behind(published, groups):
    vertices = [[place for place, own in enumerate(groups) if own == group] for group in range(len(published))]
    options = []
    for (low, high), count in zip(published.superedges.tolist(), published.counts.tolist(), strict=True):
        pairs = combinations(vertices[low], 2) if low == high else product(vertices[low], vertices[high])
        options.append(list(combinations(pairs, count)))
    return [[edge for chosen in world for edge in chosen] for world in product(*options)]


@pytest.mark.parametrize(
    "ends", [("cook", "cook"), ("cook", "judge"), ("judge", None), (["cook", "judge"], "cook"), ("none", "cook")]
)
def test_counts_of_edges_over_the_clusters_of_the_thesis_are_those_of_its_675_graphs(ends):
    published = clustered(FRIENDS, CLUSTERS, JOBS)
    behind = graphs_behind(published, CLUSTERS)
    assert len(behind) == 675
    sets = [set(JOBS) if end is None else {end} if isinstance(end, str) else set(end) for end in ends]

    def meets(edge):
        one, other = (JOBS[place] for place in edge)
        return (one in sets[0] and other in sets[1]) or (other in sets[0] and one in sets[1])

    counts = [sum(map(meets, world)) for world in behind]
    where = {f"{end}.job": job for end, job in zip(("source", "target"), ends, strict=True) if job is not None}
    answer = count_in_graph(published, where)
    assert answer.estimate == pytest.approx(np.mean(counts))
    assert bounds(answer) == (min(counts), max(counts))


@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_counts_of_edges_are_those_of_all_small_graphs_with_the_same_clusters(data):
    pairs = list(combinations(range(5), 2))
    edges = data.draw(st.sets(st.sampled_from(pairs), min_size=1, max_size=5))
    groups, jobs = [0, 0, 0, 1, 1], data.draw(st.lists(st.sampled_from("xyz"), min_size=5, max_size=5))
    published = clustered(Graph.of_codes(np.array(sorted(edges)), 5), groups, jobs)
    a, b = data.draw(st.sampled_from(jobs)), data.draw(st.sampled_from(jobs))
    counts = [sum({jobs[u], jobs[v]} == {a, b} for u, v in world) for world in graphs_behind(published, groups)]
    answer = count_in_graph(published, {"source.job": a, "target.job": b})
    assert answer.estimate == pytest.approx(np.mean(counts))
    assert bounds(answer) == (min(counts), max(counts))


def test_vertices_are_counted_exactly_by_one_attribute_and_within_bounds_where_some_are_hidden():
    published = clustered(FRIENDS, CLUSTERS, JOBS)
    assert bounds(count_in_graph(published, {"job": "cook"})) == (3, 3)
    hidden = clustered(FRIENDS, CLUSTERS, [*JOBS[:-1], None])
    assert bounds(count_in_graph(hidden, {"job": "judge"})) == (3, 4)
    several = pl.DataFrame(
        {"supervertex": [0, 0], "attribute": ["job", "sex"], "value": ["cook", "f"], "count": [2, 2]}
    )
    both = ClusteredGraph.of(Graph.of_codes(np.array([[0, 1]]), 3), np.array([0, 0, 0]), several)
    assert bounds(count_in_graph(both, {"job": "cook", "sex": "f"})) == (1, 3)
    with pytest.raises(UsageError, match="not which values go together"):
        count_in_graph(both, {"source.job": "cook", "target.sex": "f"})


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_bounds_hold_whatever_the_values_are_that_are_not_published(data):
    pairs, letters = list(combinations(range(4), 2)), ["x", "y"]
    edges = data.draw(st.sets(st.sampled_from(pairs), min_size=1, max_size=4))
    groups, jobs = [0, 0, 1, 1], data.draw(st.lists(st.sampled_from([*letters, None]), min_size=4, max_size=4))
    assume(any(jobs))
    published = clustered(Graph.of_codes(np.array(sorted(edges)), 4), groups, jobs)
    known = [job for job in dict.fromkeys(jobs) if job is not None]
    a, b = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
    counts = [
        sum({filled[u], filled[v]} == {a, b} for u, v in world)
        for filled in product(*[[job] if job else letters for job in jobs])
        for world in graphs_behind(published, groups)
    ]
    answer = count_in_graph(published, {"source.job": a, "target.job": b})
    assert answer.low <= min(counts)
    assert max(counts) <= answer.high


@pytest.mark.parametrize(("noise", "scale"), [("discrete Laplace", 2.0), ("discrete Gaussian", 3.0)])
@pytest.mark.parametrize("cells", [1, 2, 5])
def test_the_margin_of_noise_is_that_of_the_distribution_of_the_sum(noise, scale, cells):
    """By convolution of the chances, written out."""
    steps = np.arange(-80, 81)
    one = np.exp(-np.abs(steps) / scale) if noise == "discrete Laplace" else np.exp(-(steps**2) / (2 * scale))
    one, several = one / one.sum(), np.ones(1)
    for _ in range(cells):
        several = np.convolve(several, one)
    middle = len(several) // 2
    spending = Spending(what="counts", noise=noise, sensitivity=1, scale=scale, epsilon=1, delta=1e-6)
    margin = noise_margin(spending, cells, 0.95)
    within = several[middle - margin : middle + margin + 1].sum()
    assert within >= 0.95
    assert several[middle - margin + 1 : middle + margin].sum() < 0.95
    if cells == 1:
        known = DiscreteLaplace(2) if noise == "discrete Laplace" else DiscreteGaussian(3)
        assert margin <= known.margin(0.95)


def noisy(model, algorithm, rows=400):
    table = pl.DataFrame({"sex": ["f"] * (rows // 2) + ["m"] * (rows // 2), "age": ["30", "31"] * (rows // 2)})
    domains = {"sex": {"*": ["f", "m", "x"]}, "age": {"*": ["30", "31", "32"]}}
    roles = dict.fromkeys(table.columns, "quasi-identifier")
    return krypsis.anonymize(table, roles, models=model, algorithm=algorithm, hierarchies=domains)


def test_noisy_counts_are_added_with_the_margin_of_their_noise():
    release = noisy("differential-privacy:epsilon=1", "dp-histogram")
    table = release.table
    answer = asked(release, {"sex": "f", "age": ("30", "31")})
    own = table.filter((pl.col("sex") == "f") & pl.col("age").is_in(["30", "31"]))["count"].sum()
    assert answer.estimate == own
    assert answer.high - answer.estimate == noise_margin(release.mechanism_record.spent[0], 2, 0.95)
    assert "95%" in answer.basis


@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        ("differential-privacy:epsilon=1", "dp-histogram:publish=records"),
        ("differential-privacy:epsilon=1,delta=1e-6", "dp-sampling"),
        ("d-gamma-privacy:d=0.1,gamma=0.5", "alpha-beta"),
    ],
)
def test_other_output_of_chance_has_an_estimate_and_no_upper_bound(model, algorithm):
    release = noisy(model, algorithm, 1000)
    answer = asked(release, {"sex": "f"})
    published = (release.table["sex"] == "f").sum()
    assert answer.high is None
    if algorithm == "dp-sampling":
        assert answer.estimate == pytest.approx(published / release.mechanism_record.chances["rate"])
        assert answer.low == published
    else:
        assert answer.low is None


@pytest.mark.parametrize(
    ("where", "error", "message"),
    [
        ({"agee": "3"}, ColumnError, "Did you mean 'age'"),
        ({"age": ("1", "2", "3")}, UsageError, "Write several values as a list"),
    ],
)
def test_what_cannot_be_asked_of_a_table_is_refused(where, error, message):
    with pytest.raises(error, match=message):
        asked(in_groups(PATIENTS, "disease"), where)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"job": "cook", "source.job": "cook"}, "a question is about vertices or about edges"),
        ({"jobb": "cook"}, "Did you mean 'job'"),
    ],
)
def test_what_cannot_be_asked_of_a_graph_is_refused(where, message):
    with pytest.raises((UsageError, ColumnError), match=message):
        count_in_graph(clustered(FRIENDS, CLUSTERS, JOBS), where)


@pytest.mark.parametrize(
    ("where", "message"),
    [({"item": "a"}, "items=bread|milk"), ({"items": ["a", "a"]}, "each once"), ({"items": ("a", None)}, "one item")],
)
def test_what_cannot_be_asked_of_sets_is_refused(where, message):
    baskets = Transactions.of_sets([["a", "b"]] * 4)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=2,m=2", algorithm="disassociation")
    with pytest.raises(UsageError, match=message.replace("|", r"\|")):
        asked(release, where)


def test_an_answer_is_a_plain_value():
    assert CountAnswer(1.5, 1, 2, "x") == CountAnswer(1.5, 1, 2, "x")


def test_sensitive_values_that_are_published_more_generally_are_counted_by_what_they_stand_for():
    rows = [["Flu", "Infection", "Any"], ["Bronchitis", "Infection", "Any"], ["Stroke", "Heart", "Any"]]
    table = pl.DataFrame({"age": ["31"] * 3, "disease": ["Flu"] * 3, "guard": ["Flu"] * 3})
    release = krypsis.anonymize(
        table,
        {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
        models="personalized-privacy:p=0.5,guarding=guard",
        algorithm="sa-generalization",
        hierarchies={"disease": krypsis.Hierarchy.from_rows(rows)},
    )
    assert set(release.table["disease"]) == {"Infection"}
    answer = asked(release, {"disease": "Flu"})
    assert (answer.estimate, answer.low, answer.high) == (1.5, 0, 3)
    assert bounds(asked(release, {"disease": ["Flu", "Bronchitis"]})) == (3, 3)


def test_a_cell_that_was_left_out_could_hold_anything():
    table = pl.DataFrame({"job": ["cook", None, "judge", "cook"], "disease": ["flu"] * 4})
    schema = Schema.of({"job": "insensitive", "disease": "sensitive"})
    release = release_of(table, schema, scheme="_CS")
    answer = asked(release, {"job": "cook"})
    assert bounds(answer) == (2, 3)
    assert answer.estimate == pytest.approx(2 + 2 / 3)
