"""Workload utility: what an analyst can still do with a release, before and after.

``tree_accuracy`` learns a class, ``kept_rules`` looks for association rules, ``cluster_agreement`` finds clusters; each
does so on the original table and on the release and compares. Trees and clusters need the extra ``utility``.
``query_error`` compares counts of records, ``true_count`` with ``estimated_count``, over many queries;
``reconstruction_error`` says how far what is published of each record is from the record. ``utility_gauge`` sums up in
one number how much of a table is left, ``dependence`` compares what columns reveal about each other.
"""

from krypsis.kinds.table.utility.dependence import Dependence, dependence
from krypsis.kinds.table.utility.gauge import Gauge, utility_gauge
from krypsis.kinds.table.utility.machine_learning import (
    ClusterAgreement,
    TreeAccuracy,
    cluster_agreement,
    tree_accuracy,
)
from krypsis.kinds.table.utility.reconstruction import ReconstructionError, reconstruction_error
from krypsis.kinds.table.utility.rules import RuleAgreement, kept_rules
from krypsis.kinds.table.utility.workload import (
    CountQuery,
    QueryError,
    estimated_count,
    query_error,
    random_queries,
    true_count,
)

__all__ = [
    "ClusterAgreement",
    "CountQuery",
    "Dependence",
    "Gauge",
    "QueryError",
    "ReconstructionError",
    "RuleAgreement",
    "TreeAccuracy",
    "cluster_agreement",
    "dependence",
    "estimated_count",
    "kept_rules",
    "query_error",
    "random_queries",
    "reconstruction_error",
    "tree_accuracy",
    "true_count",
    "utility_gauge",
]
