"""How many people look like a group is counted in two ways, which agree where both apply."""

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker.linkage import Linkage
from krypsis.checker.population import _counted
from strategies import VALUES, hierarchies


@st.composite
def generalized(draw: st.DrawFn):
    """A population, and a table that some people of it are published as, one level per column."""
    rows = draw(st.lists(st.tuples(*[st.sampled_from(VALUES)] * 2), min_size=1, max_size=12))
    trees = {name: draw(hierarchies(VALUES)) for name in ("a", "b")}
    levels = {name: draw(st.integers(0, tree.height)) for name, tree in trees.items()}
    label_of = {name: {row[0]: row[levels[name]] for row in tree.rows()} for name, tree in trees.items()}
    looks = [tuple(label_of[name][value] for name, value in zip(trees, row, strict=True)) for row in rows]
    inside = draw(st.sets(st.sampled_from(range(len(rows))), min_size=1))
    published = sorted({looks[place] for place in inside}, key=repr)
    return rows, trees, looks, published


@given(generalized())
def test_people_are_counted_as_by_hand_and_as_by_all_links(case):
    rows, trees, looks, published = case
    columns = dict.fromkeys(trees, pl.String)
    people, table = (pl.DataFrame(part, schema=columns, orient="row") for part in (rows, published))
    linkage = Linkage.between(people, table, list(trees), trees)
    groups_of_person, people_of_group = _counted(linkage)
    by_hand = Counter(looks)
    labels = [linkage.published.row(place) for place in range(len(published))]
    assert people_of_group.tolist() == [by_hand[label] for label in labels]
    look_of = dict(zip(rows, looks, strict=True))
    persons = [linkage.originals.row(place) for place in range(len(groups_of_person))]
    assert groups_of_person.tolist() == [int(look_of[person] in published) for person in persons]
    assert people_of_group.tolist() == linkage.of_published.tolist()
    assert groups_of_person.tolist() == linkage.of_originals.tolist()
