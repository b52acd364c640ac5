"""Workload utility: what an analyst can still do with a release, before and after.

``tree_accuracy`` learns a class, ``kept_rules`` looks for association rules, ``cluster_agreement`` finds clusters; each
does so on the original table and on the release and compares. Trees and clusters need the extra ``utility``.
"""

from krypsis.utility.clusters import ClusterAgreement, cluster_agreement
from krypsis.utility.rules import RuleAgreement, kept_rules
from krypsis.utility.tree import TreeAccuracy, tree_accuracy

__all__ = [
    "ClusterAgreement",
    "RuleAgreement",
    "TreeAccuracy",
    "cluster_agreement",
    "kept_rules",
    "tree_accuracy",
]
