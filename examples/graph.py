"""Publish the built-in network in three ways, and try an attack on each."""

import numpy as np

import krypsis
from krypsis.attacks.graphs.base import GraphTarget
from krypsis.kinds.graph.demo import company

network = company(people=200)

releases = {
    # 1. Edges are added until at least five people have each degree.
    "degrees": krypsis.anonymize(network, models="k-degree-anonymity:k=5"),
    # 2. Edges are changed until at least three people have each neighborhood.
    "neighborhoods": krypsis.anonymize(network, models="k-neighborhood-anonymity:k=3"),
    # 3. People are published in groups of five or more, with the number of edges between the groups.
    "groups": krypsis.anonymize(network, models="supervertex-anonymity:k=5"),
}

attack = krypsis.VertexRefinementAttack(depth=2)
unprotected = GraphTarget.unprotected(network, np.random.default_rng(1))
print("nothing protected:", attack.run(unprotected).sentence())
for name, release in releases.items():
    print(f"{name}:", attack.run(release).sentence())
    release.save(f"network-{name}")
