"""Attacks on graphs find what can be found, and no more."""

from dataclasses import replace

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import GraphMatcher

from krypsis.attacks.graphs.active import ActiveAttack, plant, recover
from krypsis.attacks.graphs.attributes import VertexHomogeneityAttack
from krypsis.attacks.graphs.base import GraphTarget
from krypsis.attacks.graphs.candidates import NeighborhoodAttack, VertexRefinementAttack
from krypsis.attacks.graphs.hubs import HubFingerprintAttack, distances
from krypsis.attacks.graphs.links import LinkDisclosureAttack
from krypsis.attacks.graphs.propagation import PropagationAttack
from krypsis.attacks.graphs.sequence import CandidateIntersectionAttack
from krypsis.attacks.graphs.subgraph import DIFFERS, Pattern, SubgraphAttack
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import DataError, UsageError

FIGURE_4_2 = [[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]
LABELS = ["A", "A", "A", "B", "B", "G", "G"]


def figure(known=()):
    graph = Graph.of_codes(np.array(FIGURE_4_2), 7, attributes=pl.DataFrame({"label": LABELS}))
    return GraphTarget.unprotected(graph, np.random.default_rng(1), known)


@st.composite
def graphs(draw, most=9):
    vertices = draw(st.integers(2, most))
    pairs = [(low, high) for high in range(vertices) for low in range(high)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True))
    return Graph.of_codes(np.array(chosen, dtype=np.int64).reshape(-1, 2), vertices)


def networkx_of(graph: Graph) -> nx.Graph:
    found = nx.Graph()
    found.add_nodes_from(range(graph.vertices))
    found.add_edges_from(graph.edges.tolist())
    return found


def test_vertex_refinement_on_figure_4_2_finds_the_printed_candidates():
    """Specification 8.2, oracle candidates_H1 and candidates_H2."""
    assert VertexRefinementAttack(depth=1).find(figure()).counts.tolist() == [4, 1, 4, 4, 4, 1, 1]
    assert VertexRefinementAttack(depth=2).find(figure()).counts.tolist() == [3, 1, 1, 3, 3, 1, 1]


def test_neighborhood_attack_on_figure_4_2_distinguishes_all_but_two():
    """Specification 8.2, oracle one_neighborhood_classes: x4 and x5 alone look alike."""
    assert NeighborhoodAttack().find(figure(("label",))).counts.tolist() == [1, 1, 1, 2, 2, 1, 1]


def test_subgraph_knowledge_on_figure_4_2():
    """Specification 4.4: a star with four neighbors is x2 alone; label A next to label A are x1, x2 and x3."""
    graph = figure().original
    star = Graph.of_codes(np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), 5)
    assert np.flatnonzero(Pattern.of(star, 0).roots_in(graph)).tolist() == [1]
    labels = np.unique(LABELS, return_inverse=True)[1]
    pair = Pattern.of(Graph.of_codes(np.array([[0, 1]]), 2), 0, np.array([0, 0]))
    assert np.flatnonzero(pair.roots_in(graph, labels)).tolist() == [0, 1, 2]


@given(graphs(), graphs(most=4), st.booleans())
def test_a_pattern_fits_where_networkx_finds_it(graph, pattern, induced):
    networks = networkx_of(graph), networkx_of(pattern)
    if not nx.is_connected(networks[1]):
        with pytest.raises(DataError, match="not connected with its root"):
            Pattern.of(pattern, 0)
        return
    matcher = GraphMatcher(*networks)
    found = matcher.subgraph_isomorphisms_iter() if induced else matcher.subgraph_monomorphisms_iter()
    expected = {large for one in found for large, small in one.items() if small == 0}
    assert set(np.flatnonzero(Pattern.of(pattern, 0).roots_in(graph, induced=induced)).tolist()) == expected


def test_a_search_that_ends_early_rules_nobody_out():
    complete = Graph.of_codes(np.array([(low, high) for high in range(8) for low in range(high)]), 8)
    path = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3]]), 4)
    assert (Pattern.of(path, 0).roots_in(complete, budget=2) != DIFFERS).all()


def test_a_pattern_file_is_sought_from_its_root(tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("boss ann\nboss bob\nboss cy\nboss dan\n")
    success = SubgraphAttack(pattern=str(file), root="boss").run(figure())
    assert (success.rate, success.certain) == (1, 1)
    with pytest.raises(UsageError, match="has no vertex 'chef'"):
        SubgraphAttack(pattern=str(file), root="chef").run(figure())


@given(graphs(), st.sampled_from(["closed", "open"]), st.integers(1, 3))
def test_hub_fingerprints_are_shortest_paths(graph, world, reach):
    attack = HubFingerprintAttack(hubs=2, reach=reach, world=world)
    found = attack.find(GraphTarget.unprotected(graph, np.random.default_rng(3)))
    network = networkx_of(graph)
    hubs = np.argsort(-graph.degrees, kind="stable")[:2].tolist()
    far = {hub: nx.single_source_shortest_path_length(network, hub, cutoff=reach) for hub in hubs}
    prints = [tuple(far[hub].get(vertex) for hub in hubs) for vertex in range(graph.vertices)]

    def fits(known, seen):
        return all(one == other or (world == "open" and one is None) for one, other in zip(known, seen, strict=True))

    assert found.counts.tolist() == [sum(fits(known, seen) for seen in prints) for known in prints]
    assert found.found.all()


def test_distances_beyond_the_reach_are_unknown():
    path = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3]]), 5)
    assert distances(path, np.array([0]), 2).ravel().tolist() == [0, 1, 2, -1, -1]


def test_who_is_in_a_super_vertex_is_guessed_among_its_vertices():
    graph = figure().original
    clusters = np.array([0, 0, 0, 1, 1, 2, 2])
    target = GraphTarget(graph, ClusteredGraph.of(graph, clusters), clusters)
    success = VertexRefinementAttack().run(target)
    assert success.rate == pytest.approx((3 / 3 + 2 / 2 + 2 / 2) / 7)
    assert success.certain == 0


@given(graphs())
def test_whoever_knows_nothing_finds_nobody_above_the_baseline(graph):
    success = VertexRefinementAttack(depth=0).run(GraphTarget.unprotected(graph, np.random.default_rng(1)))
    assert success.rate == pytest.approx(success.baseline)


@given(graphs())
def test_links_are_the_share_of_pairs_of_classes_that_are_joined(graph):
    found = LinkDisclosureAttack(depth=1).find(GraphTarget.unprotected(graph, np.random.default_rng(1)))
    degrees = graph.degrees
    edges = {tuple(edge) for edge in graph.edges.tolist()}
    expected = []
    for low, high in graph.edges.tolist():
        pairs = [
            (min(one, other), max(one, other))
            for one in np.flatnonzero(degrees == degrees[low]).tolist()
            for other in np.flatnonzero(degrees == degrees[high]).tolist()
            if one != other
        ]
        expected.append(np.mean([pair in edges for pair in pairs]))
    assert np.allclose(found.linked, expected)


def test_links_between_super_vertices_are_counted():
    """Specification 4.7: d(S2,S2) is the number of pairs in S2, so the link x4–x5 is certain; likewise in S3."""
    graph = figure().original
    clusters = np.array([0, 0, 0, 1, 1, 2, 2])
    found = LinkDisclosureAttack().find(GraphTarget(graph, ClusteredGraph.of(graph, clusters), clusters))
    assert found.certain_links == 2
    assert sorted(found.linked.tolist()) == pytest.approx([1 / 3] * 4 + [2 / 3] * 2 + [1] * 2)


def test_an_attribute_that_all_vertices_of_a_degree_share_is_learned():
    star = Graph.of_codes(
        np.array([[0, 1], [0, 2], [0, 3]]), 4, attributes=pl.DataFrame({"ill": ["no", "yes", "yes", "yes"]})
    )
    target = GraphTarget.unprotected(star, np.random.default_rng(1), sensitive=("ill",))
    success = VertexHomogeneityAttack().run(target)
    assert (success.rate, success.certain) == (1, 4)
    assert success.baseline == pytest.approx(0.75**2 + 0.25**2)
    assert VertexHomogeneityAttack(depth=0).run(target).rate == pytest.approx(success.baseline)


def star_published_as(edges, attributes=()):
    """Return a star of four, published with other edges: the center has three edges before."""
    shown = pl.DataFrame(dict(attributes))
    star = Graph.of_codes(np.array([[0, 1], [0, 2], [0, 3]]), 4, attributes=shown)
    published = Graph.of_codes(np.array(edges), 4, attributes=shown)
    return GraphTarget(star, published, np.arange(4), sensitive=tuple(attributes))


@pytest.mark.parametrize("attack", [VertexRefinementAttack(depth=1), CandidateIntersectionAttack(depth=1)])
def test_where_nothing_fits_an_attacker_guesses_among_all(attack):
    target = star_published_as([[0, 1], [2, 3]])  # nobody has three edges, everybody has one
    found = attack.run([target] if isinstance(attack, CandidateIntersectionAttack) else target)
    assert found.rate == pytest.approx(np.mean([1 / 4, 1 / 4, 1 / 4, 1 / 4]))
    assert found.cannot_say == ("For 1 of 4 targets no published vertex fits; the attacker guesses among all.",)


def test_where_only_others_fit_an_attacker_is_misled():
    target = star_published_as([[1, 0], [1, 2], [1, 3]])  # the center changed places with another
    found = VertexRefinementAttack(depth=1).run(target)
    assert found.rate == pytest.approx(np.mean([0, 0, 1 / 3, 1 / 3]))
    assert found.rate < found.baseline
    assert found.cannot_say[0].startswith("For 2 of 4 targets only vertices of others fit")


def test_whom_nothing_published_fits_is_not_certainly_unconnected():
    found = LinkDisclosureAttack(depth=1).run(star_published_as([[0, 1], [2, 3]]))
    # All three edges are of the center, like whom nobody is: half of all pairs have an edge.
    assert found.rate == pytest.approx(found.baseline) == pytest.approx(0.5)
    assert found.cannot_say[0].startswith("For 3 of the pairs nobody published looks like")
    learned = LinkDisclosureAttack(depth=1).find(star_published_as([[0, 1], [1, 2], [2, 3], [0, 3]]))
    assert learned.certain_non_links == 0


def test_a_value_of_people_like_whom_nobody_is_published_is_guessed_as_before():
    target = star_published_as([[0, 1], [2, 3]], {"ill": ["no", "yes", "yes", "yes"]})
    found = VertexHomogeneityAttack().run(target)
    # The center is unseen and guessed as among all; the others look like all four.
    assert found.rate == pytest.approx(np.mean([0.25, 0.75, 0.75, 0.75]))
    assert found.cannot_say[0].startswith("For 1 of 4 targets no published vertex that looks alike")


def random_graph(vertices=200, edges=700, seed=5):
    return Graph.of_codes(np.random.default_rng(seed).integers(0, vertices, (edges, 2)), vertices)


def test_planted_accounts_are_found_in_a_graph_under_random_numbers():
    """Specification C41: the attack recovers targets on a naively relabelled random graph."""
    target = GraphTarget.unprotected(random_graph(), np.random.default_rng(2))
    success = ActiveAttack(victims=15).run(target)
    assert success.rate == 1
    assert len(success.cannot_say) == 3  # the three limits of the attack


def test_planted_accounts_are_lost_where_edges_change():
    rng, graph = np.random.default_rng(4), random_graph()

    def publish(planted):
        edges = planted.edges[rng.random(len(planted.edges)) < 0.9]
        return GraphTarget.unprotected(planted.with_edges(edges), rng)

    target = GraphTarget(graph, graph, np.arange(graph.vertices), republish=publish)
    assert ActiveAttack().run(target).rate == 0


def test_planting_marks_every_victim_by_accounts_of_its_own():
    attack = ActiveAttack(victims=12)
    planted = plant(random_graph(), np.random.default_rng(9), attack)
    assert len(np.unique(planted.signatures, axis=0)) == 12
    assert planted.signatures.any(axis=1).all()
    assert (np.diag(planted.pattern, 1)).all()  # the path through all accounts
    found = recover(planted.graph, np.arange(planted.graph.vertices), planted, 10**6)
    assert found.found_pattern
    assert found.claimed.tolist() == planted.targets.tolist()


def test_too_many_victims_for_the_accounts_are_refused():
    with pytest.raises(UsageError, match="cannot mark"):
        plant(random_graph(200, 300), np.random.default_rng(1), ActiveAttack(victims=200, links=2))


def test_seed_and_propagate_needs_overlap():
    graph = random_graph(150, 900)
    target = GraphTarget.unprotected(graph, np.random.default_rng(1))
    attack = PropagationAttack(seeds=15, overlap=0.95)
    assert attack.run(target).rate > 0.8
    assert PropagationAttack(seeds=15, overlap=0.05).run(target).rate < 0.2


def test_super_vertices_offer_no_vertices_to_map():
    graph = figure().original
    clustered = GraphTarget(graph, ClusteredGraph.of(graph, np.zeros(7, dtype=np.int64)), np.zeros(7, dtype=np.int64))
    assert PropagationAttack().aimed_at(clustered) == ()
    assert SubgraphAttack().aimed_at(clustered) == ()
    assert VertexRefinementAttack().aimed_at(clustered) != ()


@pytest.mark.parametrize("attack", [VertexRefinementAttack(), NeighborhoodAttack(), SubgraphAttack(facts=2)])
def test_an_attacker_knows_what_a_value_was_generalized_to(attack):
    before = figure(("label",))
    labels = before.published.attributes["label"].replace({"A": "letter", "B": "letter", "G": "letter"})
    published = replace(before.published, attributes=pl.DataFrame({"label": labels}))
    after = attack.run(replace(before, published=published))
    unlabeled = attack.run(figure())
    assert after.rate == pytest.approx(unlabeled.rate)  # one label for all is no knowledge, and hides nothing else
    assert after.rate > 0


def test_attacks_say_what_they_cannot_do_without():
    with pytest.raises(UsageError, match="compares several releases"):
        CandidateIntersectionAttack().find(figure())
    with pytest.raises(UsageError, match="no sensitive attribute to learn"):
        VertexHomogeneityAttack().find(figure())


def test_an_attack_says_that_it_needs_the_graph_before():
    with pytest.raises(UsageError, match="krypsis attack RELEASE --plan"):
        VertexRefinementAttack().run("release")
