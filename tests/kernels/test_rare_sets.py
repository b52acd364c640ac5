from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.sets.km.item_tree import list_records
from krypsis.algorithms.sets.km.km_suppression import drop_from_holders
from krypsis.algorithms.sets.km.published_sets import find_rare_sets
from oracles.itemsets import supports

sets_of_codes = st.lists(st.sets(st.integers(0, 5), max_size=5).map(sorted), min_size=1, max_size=8)


def arrays(sets):
    codes = np.array([code for one in sets for code in one], dtype=np.int64)
    return codes, np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64)


def expected(sets, k, m, heads):
    """Rare sets, depth first in ascending order, without those that begin with a rare one."""
    rare = {tuple(sorted(one)) for one, count in supports(sets, m).items() if count < k}
    told = [one for one in sorted(rare) if not any(one[:size] in rare for size in range(1, len(one)))]
    return [one for one in told if one[0] < heads]


@given(sets=sets_of_codes, k=st.integers(1, 4), m=st.integers(1, 4), heads=st.integers(0, 6), most=st.integers(1, 9))
def test_rare_sets_are_found_depth_first_and_their_holders_marked(sets, k, m, heads, most):
    codes, starts = arrays(sets)
    holders = np.zeros(len(sets), dtype=np.bool_)
    found = find_rare_sets(codes, starts, 6, k, m, heads, 1000, holders, np.array([10**9]))
    wanted = expected(sets, k, m, heads)
    assert [tuple(code for code in row if code >= 0) for row in found.tolist()] == wanted
    assert holders.tolist() == [any(set(one) <= set(record) for one in wanted) for record in sets]
    some = find_rare_sets(codes, starts, 6, k, m, heads, most, np.zeros(len(sets), dtype=np.bool_), np.array([10**9]))
    assert some.tolist() == found[:most].tolist()


@given(sets=sets_of_codes, k=st.integers(1, 4), m=st.integers(1, 3))
def test_the_compiled_walk_finds_what_the_plain_one_finds(sets, k, m):
    codes, starts = arrays(sets)
    marked = [np.zeros(len(sets), dtype=np.bool_) for _ in range(2)]
    found = [
        run(codes, starts, 6, k, m, 6, 5, holders, np.array([10**9]))
        for run, holders in zip((find_rare_sets, find_rare_sets.reference), marked, strict=True)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert marked[0].tolist() == marked[1].tolist()


@given(sets=sets_of_codes, k=st.integers(2, 4), m=st.integers(1, 3))
def test_after_dropping_no_record_holds_any_of_the_sets_and_each_dropped_item_was_in_one(sets, k, m):
    codes, starts = arrays(sets)
    rare = find_rare_sets(codes, starts, 6, k, m, 6, 1000, np.zeros(len(sets), dtype=np.bool_), np.array([10**9]))
    counts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=6))])
    records = np.empty(len(codes), dtype=np.int64)
    list_records(codes, starts, counts[:-1].copy(), records)
    dropped = [np.zeros(len(codes), dtype=np.bool_) for _ in range(2)]
    for run, marks in zip((drop_from_holders, drop_from_holders.reference), dropped, strict=True):
        run(rare, codes, starts, records, counts, marks)
    assert dropped[0].tolist() == dropped[1].tolist()
    wanted = [{code for code in row if code >= 0} for row in rare.tolist()]
    for record, (start, end) in enumerate(pairwise(starts)):
        left = set(codes[start:end][~dropped[0][start:end]].tolist())
        gone = set(codes[start:end][dropped[0][start:end]].tolist())
        held = [one for one in wanted if one <= set(sets[record])]
        assert not any(one <= left for one in held)
        assert all(any(code in one for one in held) for code in gone)
