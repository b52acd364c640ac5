"""What a report says about the items of published sets."""

import re

import krypsis
from krypsis.data.transactions import Disassociated
from krypsis.kinds.sets.report import set_figures
from krypsis.report import build_report, render_html

TREE = {"kind": "taxonomy", "tree": {"*": {"care": ["soap", "gel"], "drinks": ["<i>tea</i>", "milk"]}}}
SETS = [["milk", "soap"]] * 5 + [["milk", "gel"]] + [["milk"]] * 4
BASKETS = krypsis.Transactions.of_sets(SETS)


def release(algorithm, hierarchies=None):
    return krypsis.anonymize(BASKETS, models="km-anonymity:k=3,m=2", algorithm=algorithm, hierarchies=hierarchies)


def test_general_items_are_drawn_with_their_share_of_all_records():
    made = release("apriori", hierarchies={"item": TREE})
    found = set_figures(made)
    (drawn,) = [one for one in found.counts if "general items" in one.title]
    # The gel of one basket is hidden among the soap of five others: 6 of 10 baskets tell "care".
    assert [(bar.label, bar.records) for bar in drawn.after] == [("care", 6)]
    assert re.search(r">6 · 60\.0 %<", render_html(build_report(made)))
    assert found.lost[0] == "1 of 3 items are published as they were, with 62.5 % of all occurrences"


def test_nothing_general_is_drawn_where_items_are_left_out():
    found = set_figures(release("km-suppression"))
    assert not [one for one in found.counts if "general items" in one.title]
    assert "items: as they were, or left out" in found.lost
    assert found.lost[0] == "2 of 3 items are published as they were, with 93.8 % of all occurrences"


def test_names_of_general_items_cannot_change_the_page():
    tree = {"kind": "taxonomy", "tree": {"*": {"<script>": ["soap", "gel"], "drinks": ["milk"]}}}
    assert "<script>" not in render_html(build_report(release("apriori", hierarchies={"item": tree})))


def test_what_is_in_pieces_is_told_as_a_share_of_all_occurrences():
    made = release("disassociation")
    assert isinstance(made.publication.chunks, Disassociated)
    share = sum(map(len, made.publication.chunks.pieces.sets())) / sum(map(len, SETS))
    assert set_figures(made).lost[0].startswith(f"{share:.1%}".replace("%", " %"))
