"""Batch rule application: one join per round and delta applies all rules."""

from dataclasses import dataclass
from typing import ClassVar

from krypsis.algorithms.ontologies.on_disk.engine import DiskCompletion, DiskRun
from krypsis.algorithms.ontologies.on_disk.relations import (
    Relation,
    left_edges,
    merged_stream,
    relation_of,
    sorted_relation,
    stated_edges,
    written_relation,
)
from krypsis.algorithms.ontologies.on_disk.rules import EDGE_RULES, PAIR_RULES, PATH_RULES

OLD, NEW = 0, 1
"""The lowest bit of edges that were there before a round, and of those that are new in it."""


@dataclass(frozen=True, kw_only=True)
class BatchCompletion(DiskCompletion):
    """BRA: a fixed number of scans and sorts per round, whatever rules apply.

    All edges lie in two files, sorted by their left and by their right end. A round joins what is new on either side
    with all on the other; conclusions are sorted, and those that are known are dropped by merging.

    Notes
    -----
    Differs from the source in three points: ``C ⊑ C`` and ``C ⊑ ⊤``, which completeness needs, are implied instead of
    stored; conclusions are sorted while they are collected, so that no unsorted delta is written; a group of edges
    that does not fit into its buffer is compared block by block.

    References
    ----------
    Liagouris, Terrovitis, "Efficient identification of implicit facts in incomplete OWL2-EL knowledge bases", PVLDB
    7(14), 2014: batch rule application, the el-join and ApplyMerge.

    Examples
    --------
    >>> from krypsis.data.ontologies.normal_forms import normalize
    >>> from krypsis.data.ontologies.builder import OntologyBuilder
    >>> from krypsis.data.ontologies.ontology import AxiomType
    >>> builder = OntologyBuilder()
    >>> a, b, c = map(builder.class_named, "ABC")
    >>> builder.axiom(AxiomType.SUBCLASS, a, b)
    >>> builder.axiom(AxiomType.SUBCLASS, b, c)
    >>> BatchCompletion(memory=2**20).complete(normalize(builder.build())).sub.tolist()
    [[2, 3], [2, 4], [3, 4]]
    """

    engine: ClassVar[str] = "bra"
    lemma_52: bool = True
    """Whether edges into Self and ⊥ are left out of the relation that is sorted by the right end."""
    lemma_53: bool = True
    """Whether conclusions of IR1 are left out of it."""
    apply_merge: bool = True
    """Whether rules for edges of the same left end are applied while the relation is rewritten anyway."""
    by_type: ClassVar[bool] = False

    def _empty(self, run: DiskRun, *, is_by_left: bool) -> Relation:
        return Relation(run.workspace, run.layout, is_by_left, self.by_type)

    def _saturated(self, run: DiskRun) -> Relation:
        right = relation_of(self._empty(run, is_by_left=True), stated_edges(run.forms, run.layout))
        left = relation_of(
            self._empty(run, is_by_left=False), left_edges(run.forms, run.layout, lemma_52=self.lemma_52)
        )
        run.open_round()
        run.apply_to_tautologies()
        memory = run.stream_memory
        run.join().run(left.read(memory), right.read(memory), edges=EDGE_RULES, pairs=PAIR_RULES, paths=PATH_RULES)
        while True:
            # Sort both deltas, drop repetitions and what is known.
            runs_by_left, runs_by_right = run.conclusions.close()
            new_right = sorted_relation(self._empty(run, is_by_left=True), runs_by_left, [right])
            new_left = sorted_relation(self._empty(run, is_by_left=False), runs_by_right, [left])
            if not new_right and not new_left:
                return right
            run.deltas.append((len(new_right), len(new_left)))
            run.count_round()
            right, left = self._round(run, left, right, new_left, new_right)

    def _round(
        self, run: DiskRun, left: Relation, right: Relation, new_left: Relation, new_right: Relation
    ) -> tuple[Relation, Relation]:
        """Join the deltas with all edges, and return these with the deltas merged into them."""
        run.open_round()
        memory = run.stream_memory
        if new_right:
            # Line 11: old left, new right.
            edges = () if self.apply_merge else EDGE_RULES
            run.join().run(left.read(memory), new_right.read(memory), edges=edges, paths=PATH_RULES)
            # Line 12: all right edges, with a bit for new ones.
            right = self._merge(run, right, new_right)
        # Line 13: new left, all right.
        pairs = () if self.apply_merge or not new_right else PAIR_RULES
        if new_left or pairs:
            run.join().run(new_left.read(memory), right.read(memory), pairs=pairs, paths=PATH_RULES)
        # Line 14.
        if new_left:
            merged = self._empty(run, is_by_left=False)
            sources = [*left.sources(), *new_left.sources()]
            left_before, left = left, written_relation(merged, sources)
            left_before.delete()
        new_left.delete()
        new_right.delete()
        return right, left

    def _merge(self, run: DiskRun, right: Relation, new_right: Relation) -> Relation:
        """Return old and new edges in one relation; rules for edges and pairs are applied on the way, if wanted."""
        merged = self._empty(run, is_by_left=True)
        sources = [*right.sources(OLD), *new_right.sources(NEW)]
        if self.apply_merge:
            stream = merged_stream(run.workspace, sources, run.stream_memory)
            run.join().run(None, stream, edges=EDGE_RULES, pairs=PAIR_RULES, kept=merged.append)
            merged.finish()
        else:
            written_relation(merged, sources)
        right.delete()
        return merged


@dataclass(frozen=True, kw_only=True)
class SemiNaiveCompletion(BatchCompletion):
    """SN: batch rule application without its optimizations, for comparison.

    Every instance of a rule fires exactly once.

    Examples
    --------
    >>> SemiNaiveCompletion().lemma_53
    False
    """

    engine: ClassVar[str] = "sn"
    lemma_52: bool = False
    lemma_53: bool = False
    apply_merge: bool = False


@dataclass(frozen=True, kw_only=True)
class BatchByType(BatchCompletion):
    """BRA-A: batch rule application on one relation for each type of axiom, for comparison.

    More files share the memory, so that fewer pages of each are read at a time.

    Examples
    --------
    >>> BatchByType().engine
    'bra-a'
    """

    engine: ClassVar[str] = "bra-a"
    by_type: ClassVar[bool] = True
