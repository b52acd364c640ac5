"""Disassociation."""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.algorithms.sets.base import SetMethod, SetResult, SetTask
from krypsis.algorithms.sets.disassociation.forest import Wishes
from krypsis.algorithms.sets.disassociation.horizontal import Clusters, form_clusters
from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together
from krypsis.algorithms.sets.disassociation.refine import Joined, join_clusters
from krypsis.algorithms.sets.disassociation.steps import partition_steps
from krypsis.algorithms.sets.disassociation.vertical import Cut, cut_records
from krypsis.algorithms.threads import number_of_threads
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.mining import frequent_itemsets
from krypsis.data.transactions import Disassociated, Transactions
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.set_diversity import SetDiversity
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.specs import sets_of

Sets = tuple[tuple[str, ...], ...]

POLICY = re.compile(r"\s*(hierarchy\s+level|similarity|frequency)\s+(\d+(?:\.\d+)?)\s*(%?)\s*", re.IGNORECASE)
EXAMPLES = "'hierarchy level 1', 'similarity 10', 'frequency 0.625%' or sets of items"


def read_policy(given: object) -> object:
    """Return a rule in its usual spelling, or the sets in a text such as ``"a,b","c,d"``; all else as it is.

    Examples
    --------
    >>> read_policy("Hierarchy  level 1"), read_policy('"a,b",c')
    ('hierarchy level 1', (('a', 'b'), ('c',)))
    """
    if not isinstance(given, str):
        return given
    if found := POLICY.fullmatch(given):
        return _usual(*found.groups())
    return sets_of(given)


def _usual(rule: str, number: str, percent: str) -> str:
    words = " ".join(rule.lower().split())
    if (words == "frequency") != bool(percent):
        raise ValueError(f"expected {EXAMPLES}")
    if words != "frequency" and not (number.isdigit() and int(number)):
        raise ValueError(f"{words} needs a whole number of at least 1")
    if words == "frequency" and not 0 < float(number) <= 100:
        raise ValueError("frequency needs a share of more than 0% and at most 100%")
    return f"{words} {number}{percent}"


def wanted_sets(policy: str | Sets, transactions: Transactions, hierarchy: Hierarchy | None) -> Sets:
    """Return the sets of items that a policy wants together.

    Raises
    ------
    UsageError
        if the policy is about a hierarchy and there is none, or too low a one; or none of the listed items occurs.
    """
    if not isinstance(policy, str):
        return _listed(policy, transactions)
    rule, number = policy.rsplit(" ", 1)
    if rule == "frequency":
        return _frequent(transactions, float(number.rstrip("%")) / 100)
    if hierarchy is None:
        raise UsageError(f"the constraints {policy!r} follow the hierarchy of the items; give one for the items")
    if rule == "similarity":
        return tuple(_similar(hierarchy, int(number)))
    return _below_nodes(hierarchy, int(number))


def _listed(sets: Sets, transactions: Transactions) -> Sets:
    known = set(transactions.items)
    if sets and not any(item in known for one in sets for item in one):
        raise UsageError(
            f"none of the items in the constraints occurs in the records, such as {sets[0][0]!r}; items are such as "
            f"{', '.join(map(repr, transactions.items[:3]))}"
        )
    return sets


def _below_nodes(hierarchy: Hierarchy, level: int) -> Sets:
    """Return for each node of a level the items below it."""
    if level > hierarchy.height:
        raise UsageError(f"the hierarchy of the items has levels 1 to {hierarchy.height}, got level {level}")
    # Hierarchy policy: one constraint per node of the level, with all codes below it.
    values = np.array(hierarchy.values, dtype=object)
    nodes = hierarchy.table[level]
    return tuple(tuple(map(str, values[nodes == node])) for node in range(int(nodes.max()) + 1))


def _similar(hierarchy: Hierarchy, size: int) -> Iterator[tuple[str, ...]]:
    """Yield sets of siblings: the next ones below each node, and what is left over with siblings one level higher."""
    left = np.array(sorted(range(len(hierarchy.values)), key=lambda code: str(hierarchy.values[code])), dtype=np.int64)
    # Similarity policy: constraints of so many siblings; what is left over looks for siblings one level higher.
    for level in range(1, max(hierarchy.height, 2)):
        kept: list[IntArray] = []
        for node in np.unique(hierarchy.table[level]).tolist():
            siblings = left[hierarchy.table[level][left] == node]
            whole = len(siblings) // size * size
            for run in siblings[:whole].reshape(-1, size):
                yield tuple(str(hierarchy.values[code]) for code in run)
            kept.append(siblings[whole:])
        left = np.concatenate(kept)


def _frequent(transactions: Transactions, share: float) -> Sets:
    """Return the frequent sets of at least two items; of equally frequent ones the largest first."""
    # Frequency policy: the frequent itemsets are the constraints.
    found = frequent_itemsets(transactions, max(1, ceil(share * len(transactions) - 1e-9)))
    several = np.flatnonzero(found.sets.sizes >= 2)
    order = several[np.lexsort((-found.sets.sizes[several], -found.supports[several]))]
    return tuple(tuple(sorted(one)) for one in found.sets.taken(order).sets())


def wanted_together(transactions: Transactions, constraints: Sequence[Iterable[str]]) -> Together:
    """Return sets of items as numbers; items that do not occur are left out.

    Of several sets that an item is in, it belongs to the one that most records hold as a whole; of equally frequent
    ones to the first.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["a", "b", "c"], ["b", "c"]])
    >>> wanted_together(baskets, [["a", "b"], ["b", "c", "z"]]).home.tolist()
    [0, 1, 1]
    """
    code_of = {item: code for code, item in enumerate(transactions.items)}
    sets = [sorted({code_of[item] for item in one if item in code_of}) for one in constraints]
    sets = [one for one in sets if one]
    starts = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    members = np.array([code for one in sets for code in one], dtype=np.int32)
    number = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(starts))
    order = np.argsort(members, kind="stable")
    first = np.searchsorted(members[order], np.arange(len(transactions.items) + 1)).astype(np.int64)
    home = _homes(len(transactions.items), first, number[order], _supports(transactions, starts, number[order], first))
    return Together(starts, members, home, first, number[order])


def _supports(transactions: Transactions, starts: IntArray, sets: CodeArray, first: IntArray) -> IntArray:
    """Return how many records hold each set as a whole, from the sets that each occurrence belongs to."""
    room = np.diff(first)[transactions.codes]
    places = np.repeat(first[transactions.codes] - np.cumsum(room) + room, room) + np.arange(room.sum())
    pairs = np.repeat(transactions.records, room) * np.int64(max(len(starts) - 1, 1)) + sets[places]
    keys, held = np.unique(pairs, return_counts=True)
    number = keys % max(len(starts) - 1, 1)
    whole = held == np.diff(starts)[number] if len(keys) else np.zeros(0, dtype=np.bool_)
    return np.bincount(number[whole], minlength=len(starts) - 1).astype(np.int64)


def _homes(items: int, first: IntArray, sets: CodeArray, supports: IntArray) -> CodeArray:
    home = np.full(items, -1, dtype=np.int32)
    owner = np.repeat(np.arange(items), np.diff(first))
    # Constraints may overlap; "the constraint of a code" is that of largest support, of equals the first listed.
    best_last = np.lexsort((-sets, supports[sets], owner))  # the best set of each item comes last and is written last
    home[owner[best_last]] = sets[best_last]
    return home


def disassociated(clusters: Clusters, cut: Cut, joined: Joined) -> Disassociated:
    """Return the clusters with their chunks, and the term chunk of what is in no other."""
    sets = clusters.transactions
    cluster = clusters.of_record[sets.records]
    first, nodes = _record_chunks(cluster, cut, len(clusters))
    # Every occurrence goes to exactly one place: a record chunk, a shared chunk or the term chunk of its cluster.
    chunk = np.where(cut.chunk >= 0, first[cluster] + cut.chunk, -1)
    chunk = np.where(joined.shared >= 0, len(nodes) + joined.shared, chunk)
    pieces, starts = _pieces(sets, chunk, len(nodes) + len(joined.chunk_nodes))
    rest = chunk < 0
    terms = Transactions.of_pairs(cluster[rest], sets.codes[rest].astype(np.int64), sets.items, len(clusters))
    all_nodes = np.concatenate([nodes, joined.chunk_nodes])
    return Disassociated(pieces, starts, all_nodes, clusters.sizes, joined.parents, terms)


def _record_chunks(cluster: IntArray, cut: Cut, clusters: int) -> tuple[IntArray, IntArray]:
    """Return the number of each cluster's first chunk, and the cluster of each chunk."""
    count = np.zeros(clusters, dtype=np.int64)
    np.maximum.at(count, cluster, cut.chunk.astype(np.int64) + 1)
    return np.cumsum(count) - count, np.repeat(np.arange(clusters, dtype=np.int64), count)


def _pieces(sets: Transactions, chunk: IntArray, chunks: int) -> tuple[Transactions, IntArray]:
    """Return the pieces chunk by chunk, and where the pieces of each chunk begin."""
    placed = np.flatnonzero(chunk >= 0)
    keys = chunk[placed] * np.int64(max(len(sets), 1)) + sets.records[placed]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    pieces = Transactions(sets.items, sets.codes[placed[order]], np.append(begins, len(keys)).astype(np.int64))
    chunk_of_piece = keys[begins] // max(len(sets), 1)
    return pieces, np.searchsorted(chunk_of_piece, np.arange(chunks + 1)).astype(np.int64)


class Disassociation(SetMethod):
    """Publishes all items of all records, in pieces: which pieces belong to one record is hidden among k.

    Notes
    -----
    Four steps. *Clusters*: records are split by the item most of them hold, again and again, until a part has fewer
    than ``max_cluster_size``; parts of fewer than k are united with the neighbor whose items are most like theirs, and
    cut into equal parts where that makes them larger than ``max_cluster_size``.
    *Pieces*: the items of a cluster are put into record chunks, in which every combination of up to m items occurs k
    times or not at all; items that fewer than k of its records hold are listed in its term chunk, without counts.
    *Repair*: a cluster whose pieces could not fill all its records gets one item in an empty term chunk. *Refinement*:
    neighbors with common items in their term chunks are joined where that reveals more, and these items get shared
    chunks.

    ``hardened`` differs from the paper where its proof has gaps: no cluster has fewer than k records, an item that
    stands in another chunk of the same records' clusters gets a shared chunk of its own, and a term chunk that the
    guarantee depends on keeps one item. ``printed`` is the algorithm of the paper, for research: its releases often
    break the promise.

    Utility constraints are sets of items that an analysis needs together: they decide first which records form a
    cluster and which items a chunk. Listed, or by a rule: ``hierarchy level 1``, one set for each node of that level;
    ``similarity 10``, sets of that many siblings; ``frequency 0.625%``, sets that this share of the records holds.

    Sensitive items have no say in clusters and are in term chunks only.

    Partners of small clusters are looked for among 256 neighbors, not among all clusters; this keeps the cost linear.
    Cost: nearly linear in the number of occurrences. Ties go to the item that comes first.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.
    Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, "Disassociation for electronic health record privacy", Journal
    of Biomedical Informatics 50, 2014.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> searches = Transactions.of_sets([["flu", "madonna"], ["flu", "madonna"], ["flu", "viagra"]])
    >>> task = SetTask(searches, [KmAnonymity(k=2, m=2)])
    >>> published = Disassociation().publish(task, np.random.default_rng(1)).published
    >>> [sorted(piece) for piece in published.pieces.sets()], published.terms.sets()
    ([['flu', 'madonna'], ['flu', 'madonna'], ['flu']], [frozenset({'viagra'})])
    """

    name: ClassVar[str] = "disassociation"
    scheme: ClassVar[str] = "disassociation"
    describes_steps: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity, SetDiversity)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (KmAnonymity,)
    guarantee: ClassVar[str] = (
        "For any m items that a record may hold, there is a data set that fits what is published in which k records "
        "hold them all. It says nothing about people of whom more than m items are known, or who is known not to hold "
        "an item; and somebody who knows how clusters are made may rule out some of these data sets."
    )

    max_cluster_size: int | None = Field(
        default=None,
        ge=2,
        description="the most records of a cluster, before clusters are joined; at least 2 k - 1; 6 k, but at least "
        "30, unless given",
    )
    variant: Literal["hardened", "printed"] = Field(
        default="hardened", description="hardened, or as printed in the paper, which does not always keep its promise"
    )
    refine: bool = Field(default=True, description="whether clusters are joined to publish common rare items together")
    constraints: Annotated[str | Sets, BeforeValidator(read_policy)] = Field(
        default=(),
        description="items wanted together: 'hierarchy level 1', 'similarity 10', 'frequency 0.625%' or sets of items",
    )

    def check(self, task: SetTask) -> None:
        super().check(task)
        if task.promise(SetDiversity) and not task.sensitive:
            raise UsageError("set-diversity is about sensitive items; name at least one sensitive item")
        least = _least(task)
        if self.max_cluster_size is not None and self.max_cluster_size < 2 * least - 1:
            raise UsageError(
                f"max_cluster_size must be at least {2 * least - 1}, got {self.max_cluster_size}: the promises need "
                f"{least} records in a cluster, and not every number of records can be divided into smaller clusters"
            )

    def publish(self, task: SetTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> SetResult:  # noqa: ARG002  nothing is drawn
        _refuse_data(task)
        clusters, cut, joined = self._steps(task, progress)
        progress.each_step(lambda: partition_steps(self.name, clusters, cut, joined))
        published = disassociated(clusters, cut, joined)
        return SetResult(published, _figures(cut, joined, clusters))

    def _steps(self, task: SetTask, progress: Progress) -> tuple[Clusters, Cut, Joined]:
        sets, promise = task.transactions, _promise(task)
        least, hardened = _least(task), self.variant == "hardened"
        hidden = np.array([item in task.sensitive for item in sets.items], dtype=np.bool_)
        wanted = wanted_sets(self.constraints, sets, task.hierarchy)
        options: dict[str, Any] = {"hidden": hidden, "together": wanted_together(sets, wanted)}
        threads = number_of_threads(None)
        limit = self.max_cluster_size or max(6 * least, 30)
        # Step 1: HORPART. Hardened: clusters of fewer than k records are united (Lemmas 3.1 and 3.2 need |P| >= k).
        clusters = form_clusters(sets, limit, least, unite=hardened, **options)
        # Step 2: VERPART with the size repair, cluster by cluster.
        cut = cut_records(clusters, promise.k, promise.m, threads=threads, **options)
        if not self.refine:
            return clusters, cut, Joined.nothing(clusters)
        # Step 3: REFINE.
        wishes = Wishes(promise.k, promise.m, hardened, options["together"])
        joined = join_clusters(clusters, cut, wishes, hidden=hidden, threads=threads, progress=progress)
        return clusters, cut, joined


def _promise(task: SetTask) -> KmAnonymity:
    """Return one promise that covers all about k and m.

    An ``m`` beyond the largest set counts here: pieces of several chunks may belong to one record, so a data set that
    fits what is published can have larger sets than the original.
    """
    most = max(model.m for model in task.models if isinstance(model, KmAnonymity))
    return KmAnonymity(k=task.strictest().k, m=min(most, max(len(task.transactions.items), 1)))


def _least(task: SetTask) -> int:
    """Return the fewest records that a cluster may have."""
    # l-diversity mode: a sensitive term is linked with probability 1/|P| at most, so |P| >= l.
    diverse = [model.l for model in task.models if isinstance(model, SetDiversity)]
    return max(task.strictest().k, *diverse, 1)


def _refuse_data(task: SetTask) -> None:
    sets, least = task.transactions, _least(task)
    if empty := int((sets.sizes == 0).sum()):
        raise DataError(
            f"{empty} of {len(sets)} records are empty; disassociation hides records among others that hold something, "
            "so every record must hold at least one item: leave empty records out, and say so where you publish; "
            "or choose km-suppression, or apriori with a hierarchy of the items, which publish them"
        )
    if len(sets) < least:
        raise Infeasible(
            f"every cluster must have at least {least} records, and there are only {len(sets)}; the largest k, and the "
            f"largest l, that is possible is {len(sets)}",
            {"k": len(sets)},
        )


def _figures(cut: Cut, joined: Joined, clusters: Clusters) -> dict[str, Any]:
    """Return figures of the run: how much is published together, and how much only as a list of items."""
    total = max(len(cut.chunk), 1)
    return {
        "clusters": len(clusters),
        "joint_clusters": len(joined.parents) - len(clusters),
        "passes": joined.passes,
        "share_in_record_chunks": float((cut.chunk >= 0).sum() / total),
        "share_in_shared_chunks": float((joined.shared >= 0).sum() / total),
    }
