"""Attributes of vertices are published with their roles, and judged by them, in graphs and in super-vertices."""

import json
import pickle
import re
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import krypsis
from checker.forging import forge, rewrite
from krypsis import registry
from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.data.graphs import Graph
from krypsis.data.graphs.graph import Simplification
from krypsis.data.schema import Schema
from krypsis.errors import PromiseBroken, SearchWarning, UsageError
from krypsis.kinds.graph.make import with_diverse_classes
from krypsis.kinds.graph.proposal import propose_graph
from krypsis.models.vertex_l_diversity import VertexLDiversity

NUMBER = 24
ROLES = {"job": "quasi-identifier", "ill": "sensitive"}


def people(seed: int = 3, **columns: list[str | None]) -> krypsis.Graph:
    rng = np.random.default_rng(seed)
    jobs = [["cook", "smith"][number] for number in rng.integers(0, 2, NUMBER).tolist()]
    attributes = pl.DataFrame({"job": jobs, "ill": ["flu", "hiv", "none"] * (NUMBER // 3), **columns})
    return krypsis.Graph.of_codes(rng.integers(0, NUMBER, (40, 2)), NUMBER, attributes=attributes)


@pytest.fixture
def groups(tmp_path):
    models = ["supervertex-anonymity:k=3", "vertex-l-diversity:l=2"]
    return krypsis.anonymize(people(), ROLES, models=models).save(tmp_path / "groups").folder


def test_roles_of_counted_attributes_are_read_back(groups):
    assert [verdict.holds for verdict in krypsis.check(groups)] == [True, True]
    publication = krypsis.Release.load(groups).publication
    assert (publication.known_names, publication.sensitive_names) == (("job",), ("ill",))


def test_rare_known_values_of_a_super_vertex_are_found_in_the_files(groups):
    tables = json.loads((groups / "manifest.json").read_text())["tables"]
    [name] = [name for name, table in tables.items() if any(one["name"] == "job" for one in table["columns"])]
    tables[name]["rows"] = 1
    rewrite(groups, tables=tables)
    forge(groups, f"{name}.csv", b"supervertex,job,vertices\n0,cook,1\n")
    with pytest.raises(PromiseBroken, match="manifest"):
        krypsis.check(groups)
    assert krypsis.check(groups, "supervertex-anonymity:k=3")[0].holds is False


def test_what_a_manifest_says_to_be_known_is_judged_whatever_its_role(tmp_path):
    graph = krypsis.Graph.of_codes(
        np.array([[0, 1], [2, 3]]), 4, attributes=pl.DataFrame({"job": ["a", "b", "c", "d"]})
    )
    release = krypsis.anonymize(graph, {"job": "insensitive"}, models="k-degree-anonymity:k=4")
    folder = release.save(tmp_path / "release").folder
    rewrite(folder, quasi_identifier_sets=[["job"]])
    assert krypsis.check(folder, "k-degree-anonymity:k=4")[0].holds is False


def test_figures_that_compare_with_the_graph_before_are_refused_in_a_manifest(groups):
    assert json.loads((groups / "manifest.json").read_text())["metrics"] == {}
    rewrite(groups, metrics={"edges-added": 3.0})
    with pytest.raises(PromiseBroken, match="3 for 'edges-added' among the metrics"):
        krypsis.check(groups)


def with_table(folder, name, columns, row):
    """Add a table that counts values of an attribute."""
    content = f"{','.join(columns)}\n{row}\n".encode()
    manifest = json.loads((folder / "manifest.json").read_text())
    types = ["Int64", "String", "Int64"][: len(columns)]
    listed = [
        {"name": one, "role": role, "type": dtype} for (one, role), dtype in zip(columns.items(), types, strict=True)
    ]
    rewrite(
        folder,
        tables=manifest["tables"] | {name: {"columns": listed, "rows": 1}},
        files=[*manifest["files"], {"name": f"{name}.csv", "sha256": "0" * 64, "bytes": 0}],
    )
    forge(folder, f"{name}.csv", content)


@pytest.mark.parametrize(
    ("columns", "row", "problem"),
    [
        ({"supervertex": "insensitive", "ill": "insensitive", "vertices": "insensitive"}, "0,flu,1", "two tables"),
        ({"supervertex": "insensitive", "name": "identifier", "vertices": "insensitive"}, "0,ann,1", "names people"),
        ({"supervertex": "insensitive"}, "0", "three columns"),
        ({"supervertex": "insensitive", "name": "quasi-identifier", "vertices": "insensitive"}, "0,ann,1", "claims"),
    ],
)
def test_further_counts_are_refused(groups, columns, row, problem):
    with_table(groups, "attribute_9", columns, row)
    with pytest.raises(PromiseBroken, match=problem):
        krypsis.check(groups)


def test_a_verdict_names_the_counted_attributes_that_it_was_judged_on(groups):
    found = krypsis.check(groups)[0].basis
    assert (found.quasi_identifiers, found.sensitive, found.not_judged) == ((("job",),), ("ill",), ())
    with_table(groups, "attribute_9", dict.fromkeys(("supervertex", "town", "vertices"), "insensitive"), "0,bern,1")
    assert krypsis.check(groups)[0].basis.not_judged == ("town",)


def test_a_record_of_chance_needs_a_promise_about_it(tmp_path):
    drawn = krypsis.anonymize(people(), models="edge-differential-privacy:epsilon=1").save(tmp_path / "drawn").folder
    folder = krypsis.anonymize(people(), models="k-degree-anonymity:k=2").save(tmp_path / "release").folder
    rewrite(folder, mechanism_record=json.loads((drawn / "manifest.json").read_text())["mechanism_record"])
    with pytest.raises(PromiseBroken, match="made by chance"):
        krypsis.check(folder)


def test_types_of_edges_are_refused(tmp_path):
    folder = krypsis.anonymize(people(), models="k-degree-anonymity:k=2").save(tmp_path / "release").folder
    edges = pl.read_csv(folder / "edges.csv").with_columns(type=pl.lit("friend"))
    forge(folder, "edges.csv", edges.write_csv().encode())
    tables = json.loads((folder / "manifest.json").read_text())["tables"]
    tables["edges"]["columns"].append({"name": "type", "role": "insensitive", "type": "String"})
    rewrite(folder, tables=tables)
    with pytest.raises(PromiseBroken, match="judged on more"):
        krypsis.check(folder)


def test_counts_are_listed_by_their_new_numbers(groups):
    tables = [pl.read_csv(path) for path in sorted(groups.glob("attribute_*.csv"))]
    assert tables
    for listed in tables:
        assert listed.equals(listed.sort(listed.columns[:2]))


@pytest.mark.parametrize("name", ["vertex", "size", "vertices"])
def test_attributes_named_like_columns_of_releases_are_refused(name):
    graph = people(**{name: ["a", "b"] * (NUMBER // 2)})
    with pytest.raises(UsageError, match="rename it"):
        krypsis.anonymize(graph, {name: "quasi-identifier"}, models="supervertex-anonymity:k=3")


@pytest.mark.parametrize("name", ["source", "edges", "value"])
@pytest.mark.parametrize("promise", ["k-degree-anonymity:k=3", "supervertex-anonymity:k=3"])
def test_attributes_may_be_named_like_columns_of_edges(name, promise, tmp_path):
    graph = people(**{name: ["a", "b"] * (NUMBER // 2)})
    folder = krypsis.anonymize(graph, {name: "quasi-identifier"}, models=promise).save(tmp_path / "release").folder
    assert krypsis.check(folder)[0].holds


def test_values_hidden_for_one_promise_do_not_count_for_another():
    # By degree, all vertices are alike; two rings of six are told from two triangles by what is near.
    ring = [(first + step, first + (step + 1) % 6) for first in (0, 6) for step in range(6)]
    triangles = [(first + step, first + (step + 1) % 3) for first in (12, 15) for step in range(3)]
    ill = ["flu", "hiv"] * 6 + ["flu"] * 6
    graph = krypsis.Graph.of_codes(np.array(ring + triangles), 18, attributes=pl.DataFrame({"ill": ill}))
    near = "vertex-l-diversity:l=2,knowledge=neighborhood"
    for models in ([near, "vertex-l-diversity:l=3"], ["vertex-l-diversity:l=3", near]):
        release = krypsis.anonymize(graph, {"ill": "sensitive"}, models=models, algorithm="random-relabeling")
        assert release.table["ill"].null_count() == 18
        assert [verdict.holds for verdict in release.verdicts] == [True, True]


@pytest.mark.parametrize("algorithm", ["k-degree", "vertex-clustering", "random-relabeling"])
def test_diversity_is_promised_of_sensitive_attributes(algorithm):
    with pytest.raises(UsageError, match="'job', which is not sensitive"):
        krypsis.anonymize(
            people(),
            ROLES,
            models=["k-degree-anonymity:k=2", "vertex-l-diversity:l=2,attribute=job"],
            algorithm=algorithm,
        )


def test_a_graph_drawn_by_chance_shows_no_attributes(tmp_path):
    dp = "edge-differential-privacy:epsilon=1"
    folder = krypsis.anonymize(people(), ROLES, models=dp).save(tmp_path / "release").folder
    assert krypsis.check(folder)
    assert "job" not in (folder / "manifest.json").read_text()
    with pytest.raises(UsageError, match="does not publish"):
        krypsis.anonymize(people(), ROLES, models=[dp, "vertex-l-diversity:l=2"])
    with pytest.raises(UsageError, match="choose the algorithm 'private-degrees'"):
        krypsis.anonymize(people(), models=dp, algorithm="random-edges")


def test_a_seed_gives_other_numbers_to_other_attributes():
    # Without names and edges, the attributes alone are what nobody knows.
    numbers = defaultdict(list)
    for seed in range(8):
        values = [f"v{place}" for place in np.random.default_rng(seed).permutation(NUMBER)]
        graph = krypsis.Graph.of_codes(np.empty((0, 2), dtype=int), NUMBER, attributes=pl.DataFrame({"ill": values}))
        release = krypsis.anonymize(
            graph, {"ill": "sensitive"}, models="k-degree-anonymity:k=2", algorithm="k-degree:seed=1"
        )
        numbers[tuple(release.private["places"].tolist())].append(seed)
    assert len(numbers) == 8


@pytest.mark.parametrize(("real", "is_shown"), [(["flu", "flu"], False), (["flu", "none"], True)])
def test_vertices_that_stand_for_nobody_make_no_class_diverse(real, is_shown):
    graph = krypsis.Graph.of_codes(
        np.empty((0, 2), dtype=np.int64), 3, attributes=pl.DataFrame({"ill": [*real, "hiv"]})
    )
    task = GraphTask(graph, [VertexLDiversity(l=2)], Schema.of({"ill": "sensitive"}))
    found = with_diverse_classes(GraphResult(graph, np.array([0, 1])), task).published.attributes["ill"].to_list()
    assert found == ([*real, "hiv"] if is_shown else [None] * 3)


def test_a_manifest_says_how_many_vertices_stand_for_nobody(tmp_path):
    star = krypsis.Graph.of_codes(np.array([[0, leaf] for leaf in range(1, 30)]), 30)
    release = krypsis.anonymize(star, models="k-degree-anonymity:k=3", algorithm="k-degree:edits=add-vertices")
    new = release.publication.graph.vertices - 30
    folder = release.save(tmp_path / "release").folder
    assert new > 0
    assert (
        f"{new} of the {30 + new} published vertices" in json.loads((folder / "manifest.json").read_text())["guarantee"]
    )
    plain = krypsis.anonymize(star, models="k-degree-anonymity:k=3", algorithm="k-degree:edits=add-delete")
    assert "stand for no person" not in plain.made_by.guarantee


def test_a_label_that_is_hidden_for_want_of_a_hierarchy_is_announced(recwarn):
    jobs = [f"job {number}" for number in range(NUMBER)]
    graph = people(job=jobs)
    with pytest.warns(
        SearchWarning, match=r"'job' of 24 vertices is published as '\*'.*Give the attribute a hierarchy"
    ):
        release = krypsis.anonymize(graph, ROLES, models="k-degree-anonymity:k=3")
    assert any(sentence.startswith("'job' of 24 vertices") for sentence in release.private["said"])
    recwarn.clear()
    rows = [[job, "work", "*"] for job in jobs]
    krypsis.anonymize(
        graph, ROLES, hierarchies={"job": krypsis.Hierarchy.from_rows(rows)}, models="k-degree-anonymity:k=3"
    )
    krypsis.anonymize(people(), ROLES, models="k-degree-anonymity:k=3")
    assert not recwarn


def test_a_proposed_plan_shows_the_hierarchy_of_numbers(tmp_path):
    (tmp_path / "friends.txt").write_text("".join(f"{number} {number + 1}\n" for number in range(30)))
    (tmp_path / "people.csv").write_text("id,age\n" + "".join(f"{number},{number + 20}\n" for number in range(31)))
    proposed = propose_graph(tmp_path / "friends.txt", "friends.txt", {"vertices": str(tmp_path / "people.csv")})
    assert "\n  age: identifier   # or {role: quasi-identifier, hierarchy: {kind: intervals, width: " in proposed.text


def test_a_role_without_attributes_is_refused_with_what_to_do():
    graph = krypsis.Graph.of_codes(np.array([[0, 1]]), 2)
    with pytest.raises(UsageError, match="the vertices have no attributes; give a table with one row per vertex"):
        krypsis.anonymize(graph, {"job": "sensitive"}, models="k-degree-anonymity:k=2")


@pytest.mark.parametrize("table", ["data", "superedges", "attribute_1"])
def test_another_order_of_rows_is_refused_for_it_may_be_that_of_the_data(groups, table):
    rows = pl.read_csv(groups / f"{table}.csv")
    forge(groups, f"{table}.csv", rows.reverse().write_csv().encode())
    with pytest.raises(PromiseBroken, match=f"the rows of {table} are not in ascending order"):
        krypsis.check(groups)


@pytest.mark.parametrize("change", [pl.DataFrame.reverse, lambda edges: edges.select(source="target", target="source")])
def test_another_order_of_edges_or_their_ends_is_refused(change, tmp_path):
    folder = krypsis.anonymize(people(), models="k-degree-anonymity:k=2").save(tmp_path / "release").folder
    forge(folder, "edges.csv", change(pl.read_csv(folder / "edges.csv")).write_csv().encode())
    with pytest.raises(PromiseBroken, match="the rows of edges are not in ascending order"):
        krypsis.check(folder)


RELEASED = {
    "random-relabeling": (),
    "random-edges": (),
    "edge-switching": (),
    "private-degrees": "edge-differential-privacy:epsilon=1",
    "k-degree": "k-degree-anonymity:k=2",
    "k-degree:edits=add-delete": "k-degree-anonymity:k=2",
    "k-degree:edits=add-vertices": "k-degree-anonymity:k=2",
    "k-neighborhood": "k-neighborhood-anonymity:k=2",
    "vertex-clustering": "supervertex-anonymity:k=2",
}


def test_every_method_is_looked_at():
    named = {cls.name for cls in registry.classes("algorithm").values() if issubclass(cls, GraphMethod)}
    assert named == {spec.partition(":")[0] for spec in RELEASED}


@pytest.mark.parametrize("algorithm", RELEASED)
def test_a_published_graph_says_nothing_about_the_file_and_what_it_guarantees(algorithm, tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text(
        "source,target,type,kilos\nann,bob,love,1\nbob,ann,work,2\nbob,cy,work,3\ncy,di,work,4\ndi,di,work,5\n"
    )
    graph = Graph.read(file, type="type")
    assert graph.simplified != Simplification()
    release = krypsis.anonymize(graph, models=RELEASED[algorithm], algorithm=algorithm, sensitive_edges=["love"])
    assert len(release.guarantee.split()) > 10
    published = release.publication.graph
    if isinstance(published, Graph):
        assert (published.names, published.types, published.edge_types) == (None, (), None)
        assert published.simplified == Simplification()
    assert not re.search(rb"ann|bob|love|work|kilos", pickle.dumps(release))
