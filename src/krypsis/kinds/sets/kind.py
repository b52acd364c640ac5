"""Sets of items as a kind of data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.kinds.base import Demo, Kind
from krypsis.kinds.counting import CountAnswer, Where

if TYPE_CHECKING:
    from krypsis.kinds.base import ProposedPlan
    from krypsis.kinds.sets.findings import SetFacts
    from krypsis.kinds.sets.measures import MeasuredFigure
    from krypsis.kinds.sets.plan import SetsPlan
    from krypsis.plan import Plan
    from krypsis.release.dossier import Dossier
    from krypsis.release.release import Release
    from krypsis.report.blocks import Report


class SetsKind(Kind):
    """Every record is a set of items, such as a basket."""

    name = "transactions"
    title = "sets of items, one per record"
    model_kinds = ("transactions",)
    question = "set_valued"
    suggests_algorithms = False  # 'auto' looks whether the items have a hierarchy

    reading = ("delimiter", "encoding", "sheet", "key", "item")
    reads_like_table = False

    def propose(self, file: Path, data: str, reading: Mapping[str, str | None]) -> "ProposedPlan":
        from krypsis.kinds.sets.proposal import propose_sets  # noqa: PLC0415  names alone need no frames

        return propose_sets(file, data, reading)

    def recognizes_file(self, file: Path) -> bool:
        from krypsis.io.set_lines import looks_like_sets  # noqa: PLC0415

        return looks_like_sets(file)

    def facts(self, plan: "Plan") -> "SetFacts":
        from krypsis.kinds.sets.findings import SetFacts  # noqa: PLC0415  questions alone need no arrays
        from krypsis.kinds.sets.plan import SetsPlan  # noqa: PLC0415

        sets = SetsPlan.require(plan)
        return SetFacts(sets.read_data(), sets.items.sensitive)

    def facts_of_file(self, file: Path) -> "SetFacts":
        from krypsis.io.item_sets import transactions_of  # noqa: PLC0415
        from krypsis.kinds.sets.findings import SetFacts  # noqa: PLC0415  questions alone need no arrays

        return SetFacts(transactions_of(file))

    def next_models(self, usual: Sequence[str]) -> Sequence[str]:  # noqa: ARG002  those are for tables
        return ("km-anonymity",)

    def recognizes(self, data: object) -> bool:
        from krypsis.data.transactions import Transactions  # noqa: PLC0415  names alone need no arrays

        return isinstance(data, Transactions)

    def plan_of(self, **keywords: Any) -> "SetsPlan":
        from krypsis.kinds.sets.plan import SetsPlan  # noqa: PLC0415  names alone need no methods

        return SetsPlan.of_keywords(**keywords)

    def count(self, release: "Release", where: Where, domains: Mapping[str, object]) -> CountAnswer:
        from krypsis.kinds.sets.counts import count_in_release  # noqa: PLC0415  names alone need no arrays

        return count_in_release(release, where, domains)

    def true_count(self, original: Any, where: Where) -> int:
        from krypsis.kinds.sets.counts import items_of  # noqa: PLC0415  names alone need no arrays
        from krypsis.metrics.transactions.counting import SetCounts  # noqa: PLC0415

        return round(SetCounts(original).of_all(items_of(where)))

    def domains_of(self, plan: "Plan", original: Any, queries: Sequence[Where]) -> dict[str, object]:  # noqa: ARG002
        from krypsis.checker.base import Given  # noqa: PLC0415  names alone need no arrays
        from krypsis.io.item_sets import ITEM  # noqa: PLC0415
        from krypsis.kinds.sets.counts import ITEMS  # noqa: PLC0415
        from krypsis.kinds.sets.plan import SetsPlan  # noqa: PLC0415

        sets = SetsPlan.require(plan)
        known = sets.private_inputs((), Given(original=original)).get("hierarchies", {})
        return {ITEMS: known[ITEM]} if ITEM in known else {}

    def demo(self) -> Demo:
        from krypsis.kinds.sets.demo import demo  # noqa: PLC0415  names alone need no frames

        return demo()

    def measure(self, release: "Release", plan: "Plan", specs: Sequence[str]) -> "list[MeasuredFigure]":
        from krypsis.kinds.sets.make import measure_loaded  # noqa: PLC0415  names alone need no methods
        from krypsis.kinds.sets.plan import SetsPlan  # noqa: PLC0415

        sets = SetsPlan.require(plan)
        return measure_loaded(release, sets.bind(sets.read_data()), specs)

    def report(self, made: Any, name: str = "", dossier: "Dossier | None" = None) -> "Report":
        from krypsis.kinds.sets.report import sets_report  # noqa: PLC0415  names alone need no frames

        return sets_report(made, name, dossier)
