"""Candidates are generated as the paper says, in its own SQL."""

import re
from pathlib import Path

import duckdb
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.incognito import subset_search
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.models.k_anonymity import KAnonymity
from strategies import frequency_sets

SHOWN = Path(__file__).parents[3] / "examples" / "incognito_candidates.sql"


def paper_sql(width):
    """The statements of iteration ``width``; for three attributes they are those of the documentation."""
    shared = range(1, width - 1)
    alike = [f"p.dim_{n} = q.dim_{n} AND p.index_{n} = q.index_{n}" for n in shared]
    columns = ", ".join(f"p.dim_{n}, p.index_{n}" for n in range(1, width))
    join = (
        f"CREATE TABLE C_{width} AS SELECT row_number() OVER () AS id, {columns}, q.dim_{width - 1} AS dim_{width}, "
        f"q.index_{width - 1} AS index_{width}, p.id AS parent_1, q.id AS parent_2 "
        f"FROM S_{width - 1} AS p, S_{width - 1} AS q "
        f"WHERE {' AND '.join([*alike, f'p.dim_{width - 1} < q.dim_{width - 1}'])};"
    )
    return " ".join([join, *(prune_sql(width, left_out) for left_out in shared), edge_sql(width)])


def prune_sql(width, left_out):
    rest = [n for n in range(1, width + 1) if n != left_out]
    part = " AND ".join(f"s.dim_{n} = c.dim_{m} AND s.index_{n} = c.index_{m}" for n, m in enumerate(rest, start=1))
    return f"DELETE FROM C_{width} AS c WHERE NOT EXISTS (SELECT * FROM S_{width - 1} AS s WHERE {part});"


def edge_sql(width):
    text = SHOWN.read_text("utf-8")
    shown = flat(text[text.index("CREATE TABLE E_3") :])
    return re.sub(r"\b([CE])_(\d)", lambda name: f"{name[1]}_{int(name[2]) - 3 + width}", shown)


def flat(sql):
    return " ".join(re.sub(r"--.*", "", sql).split())


def test_the_statements_of_the_documentation_are_those_that_are_tested():
    assert flat(SHOWN.read_text("utf-8")) == paper_sql(3)


@given(frequency_sets(sensitive=0), st.integers(1, 4), st.integers(0, 4))
def test_candidates_and_edges_are_those_of_the_papers_sql(frequency, k, suppressed):
    with duckdb.connect() as database:
        iterations = Incognito().iterations(frequency, [KAnonymity(k=k)], Limits(suppressed))
        for width, found in enumerate(iterations, start=1):
            if width == 1:
                create_first(database, found)
            else:
                database.execute(paper_sql(width))
            nodes = nodes_of(database, width)
            assert sorted(nodes.values()) == sorted(labeled(found, "candidates"))
            edges = database.execute(f"SELECT start_id, end_id FROM E_{width}").fetchall()
            assert sorted((nodes[start], nodes[end]) for start, end in edges) == sorted(labeled_edges(found))
            keep_survivors(database, width, nodes, set(labeled(found, "survivors")))


def create_first(database, found):
    """C_1 and E_1: the hierarchies themselves."""
    database.execute("CREATE TABLE C_1 (id INTEGER, dim_1 VARCHAR, index_1 INTEGER)")
    database.execute("CREATE TABLE E_1 (start_id INTEGER, end_id INTEGER)")
    number = 0
    for searched in found:
        for (level,) in searched.candidates:
            number += 1
            database.execute("INSERT INTO C_1 VALUES (?, ?, ?)", [number, searched.attributes[0], level])
            if level:
                database.execute("INSERT INTO E_1 VALUES (?, ?)", [number - 1, number])


def nodes_of(database, width):
    columns = ", ".join(f"dim_{n}, index_{n}" for n in range(1, width + 1))
    rows = database.execute(f"SELECT id, {columns} FROM C_{width}").fetchall()
    return {row[0]: (row[1::2], row[2::2]) for row in rows}


def labeled(found, what):
    return [(searched.attributes, node) for searched in found for node in getattr(searched, what)]


def labeled_edges(found):
    return [
        ((searched.attributes, start), (searched.attributes, end))
        for searched in found
        for start, end in searched.edges
    ]


def keep_survivors(database, width, nodes, survivors):
    database.execute(f"CREATE TABLE S_{width} AS SELECT * FROM C_{width}")
    gone = [number for number, node in nodes.items() if node not in survivors]
    database.execute(f"DELETE FROM S_{width} WHERE list_contains(?, id)", [gone])


@st.composite
def upward_closed(draw):
    """An upward closed set of nodes of a small lattice, by the nodes at its bottom."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    nodes = np.zeros(shape, dtype=bool)
    for _ in range(draw(st.integers(0, 3))):
        nodes[tuple(slice(draw(st.integers(0, size - 1)), None) for size in shape)] = True
    return nodes


@given(upward_closed())
def test_minimal_nodes_have_none_below(nodes):
    found = [tuple(index) for index in np.argwhere(nodes).tolist()]
    lowest = [
        node for node in found if not any(other != node and all(np.array(other) <= np.array(node)) for other in found)
    ]
    assert [tuple(index) for index in np.argwhere(subset_search.minimal(nodes)).tolist()] == lowest


@given(upward_closed().filter(lambda nodes: nodes.any()))
def test_the_super_root_is_the_highest_node_below_all(nodes):
    found = np.argwhere(nodes)
    below_all = [index for index in np.ndindex(nodes.shape) if (found >= index).all()]
    assert subset_search.super_root(nodes) == max(below_all, key=sum)
