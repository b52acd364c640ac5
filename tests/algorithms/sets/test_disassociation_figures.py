"""The worked examples of disassociation: figures 3.2 to 3.5 and 4.1 to 4.6, and two counterexamples to its proof."""

import numpy as np
import pytest

from krypsis.algorithms.sets.disassociation.disassociation import disassociated, wanted_together
from krypsis.algorithms.sets.disassociation.forest import Wishes
from krypsis.algorithms.sets.disassociation.horizontal import Clusters, form_clusters
from krypsis.algorithms.sets.disassociation.refine import Joined, join_clusters
from krypsis.algorithms.sets.disassociation.vertical import Cut, cut_records
from krypsis.data.transactions import Transactions
from oracles.disassociation import canonical_release

SEARCHES = [
    ["itunes", "flu", "madonna", "ikea", "ruby"],
    ["madonna", "flu", "viagra", "ruby", "audi a4", "sony tv"],
    ["itunes", "madonna", "audi a4", "ikea", "sony tv"],
    ["itunes", "flu", "viagra"],
    ["itunes", "flu", "madonna", "audi a4", "sony tv"],
    ["madonna", "digital camera", "panic disorder", "playboy"],
    ["iphone sdk", "madonna", "ikea", "ruby"],
    ["iphone sdk", "digital camera", "madonna", "playboy"],
    ["iphone sdk", "digital camera", "panic disorder"],
    ["iphone sdk", "digital camera", "madonna", "ikea", "ruby"],
]
PATIENTS = [
    ["296.00", "296.01", "296.02", "834.0", "944.01"],
    ["296.00", "296.02", "296.01", "401.0", "944.01", "692.71", "695.10"],
    ["296.00", "296.02", "692.71", "834.0", "695.10"],
    ["296.00", "296.01", "692.71", "401.0"],
    ["296.00", "296.01", "296.02", "692.71", "695.10"],
    ["296.03", "295.04", "404.00", "480.1"],
    ["294.10", "296.03", "834.0", "944.01"],
    ["294.10", "295.04", "296.03", "480.1"],
    ["294.10", "295.04", "404.00"],
    ["294.10", "295.04", "296.03", "834.0", "944.01"],
]
CONSTRAINTS = [
    ["294.10", "295.04", "296.00", "296.01", "296.02", "296.03"],
    ["692.71", "695.10"],
    ["401.0", "404.00"],
    ["480.1"],
    ["834.0", "944.01"],
]
HALVES = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def options(sets, constraints=()):
    transactions = Transactions.of_sets(sets)
    hidden = np.zeros(len(transactions.items), dtype=np.bool_)
    return transactions, {"hidden": hidden, "together": wanted_together(transactions, constraints)}


def clusters_of(sets, members):
    """Clusters that are given, as lists of numbers of records."""
    transactions = Transactions.of_sets(sets)
    number = np.empty(len(transactions), dtype=np.int64)
    for cluster, records in enumerate(members):
        number[records] = cluster
    return Clusters.of(transactions, number)


def split(sets, limit, constraints=()):
    """The clusters as lists of numbers of records, counted from 1."""
    transactions, given = options(sets, constraints)
    clusters = form_clusters(transactions, limit, 3, unite=False, **given)
    return [sorted((part + 1).tolist()) for part in np.split(clusters.places, clusters.edges[1:-1])]


def published(sets, members, *, constraints=(), refined=True, repair=True, hardened=True, chunks=None):
    """What is published of given clusters, for k = 3 and m = 2; ``chunks`` gives the record chunks of each as well."""
    _, given = options(sets, constraints)
    clusters = clusters_of(sets, members)
    cut = cut_records(clusters, 3, 2, repair=repair, **given) if chunks is None else cut_by_hand(clusters, chunks)
    wishes = Wishes(3, 2, hardened, given["together"])
    joined = join_clusters(clusters, cut, wishes, hidden=given["hidden"]) if refined else Joined.nothing(clusters)
    return canonical_release(disassociated(clusters, cut, joined))


def cut_by_hand(clusters, chunks):
    sets = clusters.transactions
    of = clusters.of_record[sets.records].tolist()
    labels = [sets.items[code] for code in sets.codes.tolist()]
    places = [
        next((n for n, one in enumerate(chunks[c]) if item in one), -1) for c, item in zip(of, labels, strict=True)
    ]
    return Cut(np.array(places, dtype=np.int32), np.zeros(len(clusters), dtype=np.bool_))


def simple(size, chunks, terms):
    return ("simple", str(size), tuple(sorted(map(bag, chunks))), tuple(sorted(terms)))


def bag(pieces):
    return tuple(sorted(tuple(sorted(piece)) for piece in pieces))


def joint(chunks, *children):
    return ("joint", "", tuple(sorted(map(bag, chunks))), tuple(sorted(children)))


FIRST = [
    ["itunes", "flu", "madonna"],
    ["madonna", "flu"],
    ["itunes", "madonna"],
    ["itunes", "flu"],
    ["itunes", "flu", "madonna"],
]
TVS = [["audi a4", "sony tv"]] * 3
SECOND = [
    ["madonna", "digital camera"],
    ["iphone sdk", "madonna"],
    ["iphone sdk", "digital camera", "madonna"],
    ["iphone sdk", "digital camera"],
    ["iphone sdk", "digital camera", "madonna"],
]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ([4], [[1, 7, 10], [3], [2, 5], [6, 8], [4, 9]]),
        ([5, 6, 7, 8], [[1, 3, 7, 10], [2, 5, 6, 8], [4, 9]]),
        ([9, 10], [[1, 2, 3, 5, 6, 7, 8, 10], [4, 9]]),
        ([11], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]),
    ],
)
def test_searches_are_split_by_the_most_frequent_term(limits, expected):
    for limit in limits:
        assert split(SEARCHES, limit) == expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [([6, 7, 8, 9, 10], [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]), ([5], [[1, 2, 4, 5], [3], [7, 8, 9, 10], [6]])],
)
def test_patients_are_split_by_codes_of_the_same_constraint(limits, expected):
    for limit in limits:
        assert split(PATIENTS, limit, CONSTRAINTS) == expected


def test_figure_3_2_the_clusters_are_cut_into_chunks():
    assert published(SEARCHES, HALVES, refined=False) == sorted(
        [
            simple(5, [FIRST, TVS], ["ikea", "viagra", "ruby"]),
            simple(5, [SECOND], ["panic disorder", "playboy", "ikea", "ruby"]),
        ]
    )


@pytest.mark.parametrize("hardened", [True, False])
def test_figure_3_3_the_clusters_are_joined_over_ikea_and_ruby(hardened):
    shared = [["ikea", "ruby"], ["ruby"], ["ikea"], ["ikea", "ruby"], ["ikea", "ruby"]]
    first = simple(5, [FIRST, TVS], ["viagra"])
    second = simple(5, [SECOND], ["panic disorder", "playboy"])
    assert published(SEARCHES, HALVES, hardened=hardened) == [joint([shared], first, second)]


@pytest.mark.parametrize(("size", "joined"), [(4, True), (5, False)])
def test_equation_3_1_decides_whether_a_joint_cluster_is_joined_with_another(size, joined):
    # Joined, 3 of 8 + size records get z; before, 2 term chunks of 8 records told of it. 3/12 = 2/8, but 3/13 < 2/8.
    first = [["a", "w", "z"], ["a", "w"], ["a"], ["a"]]
    second = [["b", "w"], *[["b"]] * (size - 1)]
    third = [["c", "z"], ["c", "z"], ["c"], ["c"]]
    members = [range(4), range(4, 4 + size), range(4 + size, 8 + size)]
    left = simple(4, [[["a"]] * 4], [] if joined else ["z"])
    below = joint([[["w"]] * 3], left, simple(size, [[["b"]] * size], []))
    right = simple(4, [[["c"]] * 4], [] if joined else ["z"])
    expected = [joint([[["z"]] * 3], below, right)] if joined else [below, right]
    assert published([*first, *second, *third], members) == expected


PIECES_OF_3_4 = [["a"], ["a"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]


def test_example_3_4_1_without_repair_the_pieces_do_not_fill_all_records():
    broken = simple(5, [[["a"]] * 3, [["b", "c"]] * 3], [])
    assert published(PIECES_OF_3_4, [[0, 1, 2, 3, 4]], refined=False, repair=False) == [broken]


def test_example_3_4_1_is_repaired_by_moving_the_rarest_item_to_the_term_chunk():
    repaired = simple(5, [[["a"]] * 3, [["b"]] * 3], ["c"])
    assert published(PIECES_OF_3_4, [[0, 1, 2, 3, 4]], refined=False) == [repaired]


def test_a_needed_term_chunk_keeps_its_last_item():
    records = [["a", "z"], ["a"], ["b", "c"], ["b", "c"], ["a", "b", "c"], ["p"], ["p"], ["p"], ["z"], ["z"]]
    chunks = [[["a"]] * 3, [["b", "c"]] * 3]
    broken = joint([[["z"]] * 3], simple(5, chunks, []), simple(5, [[["p"]] * 3], []))
    assert published(records, HALVES, hardened=False) == [broken]
    assert published(records, HALVES) == sorted([simple(5, chunks, ["z"]), simple(5, [[["p"]] * 3], ["z"])])


def test_a_needed_term_chunk_keeps_its_last_item_in_an_instance_found_by_chance():
    records = [
        [["t00", "t03"], ["t00", "t02", "t03"], ["t00", "t03"], ["t02"]],
        [["t00", "t01", "t10"], ["t00", "t02", "t05"], ["t00", "t04"], ["t00"], ["t05"], ["t01", "t05"]],
        [["t04"], ["t03"], ["t08"], ["t06"]],
    ]
    members = [range(4), range(4, 10), range(10, 14)]
    sets = [one for cluster in records for one in cluster]
    first = [[["t00", "t03"]] * 3]
    second = [[["t00"]] * 4, [["t05"]] * 3]
    third = simple(4, [], ["t03", "t04", "t06", "t08"])
    broken = joint([[["t02"]] * 3], simple(4, first, []), simple(6, second, ["t01", "t04", "t10"]))
    apart = [simple(4, first, ["t02"]), simple(6, second, ["t01", "t02", "t04", "t10"]), third]
    assert published(sets, members, hardened=False) == sorted([broken, third])
    assert published(sets, members) == sorted(apart)


def test_items_in_conflict_get_shared_chunks_of_their_own():
    # The second and third cluster are joined first, over w. Then o, b and c are common to all, but b and c stand in
    # record chunks of the second cluster: their pieces cannot go there, and in one chunk with o they would fill the
    # places that o needs.
    first = [["x", "o"], ["x", "b"], ["x", "c"], ["b", "q"]]
    second = [["b", "c", "o"], ["b", "c", "o"], ["b", "c", "a"], ["b", "c", "a"]]
    third = [["d", "b", "a"], ["d", "b"], ["d", "c"], ["d", "c"]]
    chunks = [[["x"]], [["b"], ["c"]], [["d"]]]
    members = [range(4), range(4, 8), range(8, 12)]
    one = simple(4, [[["x"]] * 3], ["q"])
    two = simple(4, [[["b"]] * 4, [["c"]] * 4], [])
    three = simple(4, [[["d"]] * 4], [])
    below = joint([[["a"]] * 3], two, three)
    sets = [*first, *second, *third]
    in_one = [["o"]] * 3 + [["b"]] * 4 + [["c"]] * 3
    assert published(sets, members, chunks=chunks, hardened=False) == [joint([in_one], one, below)]
    alone = [[["o"]] * 3, [["b"]] * 4, [["c"]] * 3]
    assert published(sets, members, chunks=chunks) == [joint(alone, one, below)]


BIPOLAR = [
    ["296.00", "296.01", "296.02"],
    ["296.00", "296.01", "296.02"],
    ["296.00", "296.02"],
    ["296.00", "296.01"],
    ["296.00", "296.01", "296.02"],
]
SUNBURN = [["692.71", "695.10"]] * 3 + [["692.71"]]
DEMENTIA = [
    ["296.03", "295.04"],
    ["294.10", "296.03"],
    ["294.10", "295.04", "296.03"],
    ["294.10", "295.04"],
    ["294.10", "295.04", "296.03"],
]


def test_figure_4_5_a_code_leaves_a_chunk_that_lacks_the_rest_of_its_constraint():
    assert published(PATIENTS, HALVES, constraints=CONSTRAINTS, refined=False) == sorted(
        [
            simple(5, [BIPOLAR, SUNBURN], ["834.0", "401.0", "944.01"]),
            simple(5, [DEMENTIA], ["404.00", "480.1", "834.0", "944.01"]),
        ]
    )


def test_figure_4_5_without_constraints_the_code_stays():
    with_sunburn = [[*piece, "692.71"] if n else piece for n, piece in enumerate(BIPOLAR)]
    found = published(PATIENTS, HALVES, refined=False)
    assert simple(5, [with_sunburn, [["695.10"]] * 3], ["834.0", "401.0", "944.01"]) in found


def test_figure_4_6_the_clusters_are_joined_over_dislocation_and_burn():
    shared = [["834.0", "944.01"]] * 3 + [["944.01"], ["834.0"]]
    first, second = simple(5, [BIPOLAR, SUNBURN], ["401.0"]), simple(5, [DEMENTIA], ["404.00", "480.1"])
    assert published(PATIENTS, HALVES, constraints=CONSTRAINTS) == [joint([shared], first, second)]
