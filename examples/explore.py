"""Look at all ways to generalize a table, and publish the one that suits best."""

import krypsis
from krypsis.kinds.table.demo import hospital

table = hospital(rows=2000)
roles = {
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "zip": "quasi-identifier",
    "diagnosis": "sensitive",
}
options = {
    "hierarchies": {"age": {"kind": "intervals", "width": 5}, "zip": {"kind": "masking"}},
    "models": ["k-anonymity:k=5", "distinct-l-diversity:l=2"],
    "suppression": 0.02,
}
space = krypsis.explore(table, roles, metrics=["discernibility"], **options)

print(space.nodes.height, "nodes,", space.nodes["feasible"].sum(), "feasible")
for node in space.frontier().iter_rows(named=True):
    print(space.levels(node), f"loss {node['metric:loss']:.3f}, average risk {node['average_risk']:.2%}")

# The node with the lowest loss among those whose average risk is at most 1 %.
chosen = next(node for node in space.frontier().iter_rows(named=True) if node["average_risk"] <= 0.01)
release = krypsis.anonymize(table, roles, algorithm={"name": "fixed", "levels": space.levels(chosen)}, **options)
print(release.levels, release.suppressed)
