"""The built-in graph: who talks to whom in a company that does not exist."""

import numpy as np
import polars as pl

from krypsis.data.graphs import Graph
from krypsis.errors import UsageError
from krypsis.kinds.base import PLAN, Demo

DEPARTMENTS = ("administration", "production", "sales")
UNION_SHARE = 0.35
CONTACTS = 3
"""How many colleagues a new employee gets to know."""
SAME_DEPARTMENT = 0.6
FRIEND_OF_FRIEND = 0.5


def company(people: int = 400, seed: int = 2008) -> Graph:
    """Return invented employees who talk to each other; the same people and seed give the same graph.

    Whoever comes later gets to know colleagues: those who know many already, those of the same department, and those
    whom a new acquaintance knows. So some know very many, and acquaintances know each other, as in real networks.

    Examples
    --------
    >>> office = company(50)
    >>> office.vertices, office.attributes.columns
    (50, ['department', 'union'])
    """
    if people < CONTACTS + 1:
        raise UsageError(f"people of the company must be at least {CONTACTS + 1}, got {people}")
    # Only Generator.random is used: numpy promises no stable stream for the other distributions.
    draw = np.random.default_rng(seed)
    department = (draw.random(people) * len(DEPARTMENTS)).astype(np.int64)
    union = draw.random(people) < UNION_SHARE
    edges: list[tuple[int, int]] = [(low, high) for high in range(CONTACTS + 1) for low in range(high)]
    known: list[list[int]] = [[other for other in range(CONTACTS + 1) if other != one] for one in range(CONTACTS + 1)]
    ends = [end for edge in edges for end in edge]
    for newcomer in range(CONTACTS + 1, people):
        met: set[int] = set()
        while len(met) < CONTACTS:
            chosen = ends[int(draw.random() * len(ends))]
            if draw.random() < SAME_DEPARTMENT and department[chosen] != department[newcomer]:
                continue
            met.add(chosen)
            if len(met) < CONTACTS and draw.random() < FRIEND_OF_FRIEND:
                met.add(known[chosen][int(draw.random() * len(known[chosen]))])
        for other in sorted(met):
            edges.append((other, newcomer))
            ends += [other, newcomer]
            known[other].append(newcomer)
        known.append(sorted(met))
    attributes = pl.DataFrame(
        {"department": [DEPARTMENTS[place] for place in department], "union": ["yes" if one else "no" for one in union]}
    )
    return Graph.of_codes(np.array(edges), people, attributes=attributes)


def demo() -> Demo:
    """Return the company with the departments of its employees and a plan.

    Examples
    --------
    >>> list(demo().files)
    ['contacts.csv', 'employees.csv', 'plan.yaml']
    """
    office = company()
    names = pl.Series("vertex", [f"e{number:03}" for number in range(office.vertices)])
    contacts = pl.DataFrame({"source": names.gather(office.edges[:, 0]), "target": names.gather(office.edges[:, 1])})
    employees = pl.DataFrame([names.alias("employee"), *office.attributes.get_columns()])
    files = {
        "contacts.csv": contacts.write_csv(),
        "employees.csv": employees.write_csv(),
        PLAN: PLAN_TEXT,
    }
    return Demo("demo-graph", files, f"{office.vertices:,} invented employees and who talks to whom")


PLAN_TEXT = """\
# Who talks to whom in a company: the graph is published, and nobody is found in it by the number of contacts.
kind: graph
data: contacts.csv
vertices: employees.csv
columns:
  department: quasi-identifier   # colleagues know it
  union: sensitive               # who is in the union
promises:
  - k-degree-anonymity:k=5
  - vertex-l-diversity:l=2     # employees who look alike are not all in the union, or all out of it
algorithm: auto
output:
  folder: release
"""
