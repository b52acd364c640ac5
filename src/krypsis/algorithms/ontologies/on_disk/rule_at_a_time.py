"""One rule at a time: the usual evaluation, for comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from krypsis.algorithms.ontologies.on_disk.batch import NEW, OLD
from krypsis.algorithms.ontologies.on_disk.engine import DiskCompletion, DiskRun
from krypsis.algorithms.ontologies.on_disk.pages import PageFile, Stream
from krypsis.algorithms.ontologies.on_disk.relations import (
    Relation,
    left_edges,
    merged_stream,
    relation_of,
    sorted_relation,
    stated_edges,
    written_relation,
)
from krypsis.algorithms.ontologies.on_disk.rules import EDGE_RULES, PAIR_RULES, PATH_RULES, RULES

INCLUSIONS = (1, 5, 6, 9, 10)
SOME, SELF = (3,), (7,)
EDGES_OF = {5: SOME, 12: SELF, 13: SELF, 15: SOME, 2: INCLUSIONS, 4: SOME, 7: SOME, 14: SELF, 16: (5,)}
"""The types of axioms that a rule is applied to one by one."""
PAIRS_OF = {2: INCLUSIONS, 8: (3, 7), 10: SELF, 14: (*INCLUSIONS, 7), 16: (5,)}
"""The types of axioms that a rule compares with each other."""
PATHS_OF = {1: (INCLUSIONS, INCLUSIONS), 3: (INCLUSIONS, SOME), 4: (SOME, INCLUSIONS), 6: (SOME, SOME),
            7: (SOME, (6, 10)), 9: (SOME, SELF), 11: (INCLUSIONS, SELF)}  # fmt: skip
"""The types of the first and of the second edge of the paths that a rule needs."""


@dataclass(frozen=True, kw_only=True)
class RuleAtATime(DiskCompletion):
    """ORT: one rule after another, each on what is new since it was applied before.

    IR1 is applied until nothing is new, then IR2 once, until neither adds anything; then all other rules, once each;
    until a whole round adds nothing. There is one relation for each type of axiom.

    Examples
    --------
    >>> RuleAtATime().engine
    'ort'
    """

    engine: ClassVar[str] = "ort"

    def _saturated(self, run: DiskRun) -> Relation:
        edges = Generations(run)
        self._apply_to_tautologies(run, edges)
        while True:
            grows = False
            while True:
                while self._apply(run, edges, 1):
                    grows = True
                if not self._apply(run, edges, 2):
                    break
                grows = True
            for rule in range(3, RULES):
                grows = self._apply(run, edges, rule) or grows
            run.count_round()
            if not grows:
                return edges.everything()

    @staticmethod
    def _apply_to_tautologies(run: DiskRun, edges: Generations) -> None:
        run.open_round()
        run.apply_to_tautologies()
        edges.add(*run.conclusions.close())

    def _apply(self, run: DiskRun, edges: Generations, rule: int) -> bool:
        """Apply a rule to all edges and pairs of edges that have a new one, and say whether that gave anything new."""
        if not edges.is_new_for(rule):
            return False
        run.open_round()
        if rule in EDGE_RULES and edges.has_new(rule, EDGES_OF[rule]):
            run.join().run(None, edges.right(rule, EDGES_OF[rule], is_new=True), edges=(rule,))
        if rule in PAIR_RULES and edges.has_new(rule, PAIRS_OF[rule]):
            run.join().run(None, edges.right(rule, PAIRS_OF[rule]), pairs=(rule,))
        if rule in PATH_RULES:
            first, second = PATHS_OF[rule]
            if edges.has_new(rule, second):  # old left, new right
                left, right = edges.left(rule, first, is_new=False), edges.right(rule, second, is_new=True)
                run.join().run(left, right, paths=(rule,))
            if edges.has_new(rule, first):  # new left, all right
                left, right = edges.left(rule, first, is_new=True), edges.right(rule, second)
                run.join().run(left, right, paths=(rule,))
        runs = run.conclusions.close()
        edges.mark_seen(rule)
        return edges.add(*runs)


@dataclass(eq=False)
class Generations:
    """Edges in the order in which they were found, so that each rule knows which ones it has not seen."""

    run: DiskRun
    by_left: list[Relation] = field(default_factory=list)
    by_right: list[Relation] = field(default_factory=list)
    """The same edges, sorted by either end: one relation for each generation."""
    seen: list[int] = field(default_factory=lambda: [0] * RULES)
    """How many generations each rule has seen."""

    def __post_init__(self) -> None:
        run = self.run
        self.by_left.append(relation_of(self._empty(is_by_left=True), stated_edges(run.forms, run.layout)))
        tops = left_edges(run.forms, run.layout, lemma_52=False)
        self.by_right.append(relation_of(self._empty(is_by_left=False), tops))

    def _empty(self, *, is_by_left: bool) -> Relation:
        return Relation(self.run.workspace, self.run.layout, is_by_left, is_by_type=True)

    def is_new_for(self, rule: int) -> bool:
        """Whether there are edges of any type that a rule has not seen."""
        return self.seen[rule] < len(self.by_left)

    def has_new(self, rule: int, types: Iterable[int]) -> bool:
        """Whether there are edges of some types that a rule has not seen."""
        wanted = set(types)
        relations = (*self.by_left[self.seen[rule] :], *self.by_right[self.seen[rule] :])
        return any(wanted & relation.files.keys() for relation in relations)

    def right(self, rule: int, types: tuple[int, ...], *, is_new: bool = False) -> Stream:
        """Return edges sorted by the left end: those that are new for a rule, or all with a bit for new ones."""
        old = [] if is_new else self.by_left[: self.seen[rule]]
        new = self.by_left[self.seen[rule] :]
        sources = [source for relation in old for source in relation.sources(OLD, types)]
        sources += [source for relation in new for source in relation.sources(NEW, types)]
        return merged_stream(self.run.workspace, sources, self.run.stream_memory)

    def left(self, rule: int, types: tuple[int, ...], *, is_new: bool) -> Stream:
        """Return edges sorted by the right end: those that are new for a rule, or those that are not."""
        seen = self.seen[rule]
        chosen = self.by_right[seen:] if is_new else self.by_right[:seen]
        sources = [source for relation in chosen for source in relation.sources(types=types)]
        return merged_stream(self.run.workspace, sources, self.run.stream_memory)

    def mark_seen(self, rule: int) -> None:
        """Note that a rule has been applied to all edges that there are."""
        self.seen[rule] = len(self.by_left)

    def add(self, runs_by_left: list[PageFile], runs_by_right: list[PageFile]) -> bool:
        """Add conclusions as a new generation, without those that are known, and say whether any remain."""
        self._merge_generations()
        new = sorted_relation(self._empty(is_by_left=True), runs_by_left, self.by_left)
        new_by_right = sorted_relation(self._empty(is_by_left=False), runs_by_right, self.by_right)
        if not new:
            return False
        self.run.deltas.append((len(new), len(new_by_right)))
        self.by_left.append(new)
        self.by_right.append(new_by_right)
        return True

    def _merge_generations(self) -> None:
        """Merge generations that no rule has to tell from each other, so that there are never many."""
        borders = sorted({*self.seen, len(self.by_left)} - {0})
        starts = [0, *borders[:-1]]
        for each in (self.by_left, self.by_right):
            spans = zip(starts, borders, strict=True)
            each[:] = [self._merged(each[start:end], is_by_left=each is self.by_left) for start, end in spans]
        place = {border: number + 1 for number, border in enumerate(borders)} | {0: 0}
        self.seen = [place[one] for one in self.seen]

    def _merged(self, relations: list[Relation], *, is_by_left: bool) -> Relation:
        if len(relations) == 1:
            return relations[0]
        sources = [source for relation in relations for source in relation.sources()]
        found = written_relation(self._empty(is_by_left=is_by_left), sources)
        for relation in relations:
            relation.delete()
        return found

    def everything(self) -> Relation:
        """Return all edges as one relation, sorted by the left end."""
        return self._merged(self.by_left, is_by_left=True)
