"""Learn an attribute of a person from vertices that look alike."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.candidates import joined
from krypsis.data.graphs import ClusteredGraph
from krypsis.data.graphs.refinement import refine
from krypsis.errors import UsageError
from krypsis.io.texts import text_of

UNSEEN = (
    "For {:,} of {:,} targets no published vertex that looks alike shows a value; the attacker guesses by what holds "
    "for everybody."
)


@dataclass(frozen=True, eq=False)
class LearnedValues:
    """With which chance the true value of each attacked vertex is guessed."""

    attribute: str
    targets: IntArray
    chances: FloatArray
    baseline: float
    unseen: int = 0
    """People like whom no published vertex shows a value: the attacker guesses as without the release."""


class VertexHomogeneityAttack(GraphAttack):
    """Learns a sensitive attribute of a person from the published vertices that look like the person.

    The chance of a value is its share among these vertices. Nobody has to be found for that.

    References
    ----------
    Zhou, Pei, "The k-anonymity and l-diversity approaches for privacy preservation in social networks against
    neighborhood attacks", Knowledge and Information Systems 28, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krypsis.data.graphs import Graph
    >>> pairs = Graph.of_edges([("a", "b"), ("b", "c")], attributes=pl.DataFrame({"ill": ["yes", "no", "yes"]}),
    ...                        vertices=["a", "b", "c"])
    >>> target = GraphTarget.unprotected(pairs, np.random.default_rng(1), sensitive=("ill",))
    >>> VertexHomogeneityAttack().find(target).chances.tolist()
    [1.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "vertex-homogeneity"
    title: ClassVar[str] = "homogeneity of vertices"
    knowledge: ClassVar[str] = "the degree of a person, or the degrees around up to a depth"
    success: ClassVar[str] = (
        "the attacker, who guesses a value as often as it occurs among the vertices that look like the person, guesses "
        "the right one"
    )
    baseline: ClassVar[str] = "the same guess by somebody who only knows how often each value occurs in the whole graph"
    reference: ClassVar[str] = (
        "Zhou, Pei, The k-anonymity and l-diversity approaches for privacy preservation in social networks against "
        "neighborhood attacks, KAIS 28, 2011"
    )

    depth: int = Field(default=1, ge=0, description="how far the attacker sees")
    sensitive: str | None = Field(
        default=None, description="the attribute to learn; the first sensitive one unless given"
    )

    def fits(self, target: GraphTarget) -> bool:
        return bool(target.sensitive)

    def find_in(self, target: GraphTarget) -> LearnedValues:
        name = self.sensitive or next(iter(target.sensitive), None)
        if name is None:
            raise UsageError("vertices have no sensitive attribute to learn; name one: vertex-homogeneity:sensitive=…")
        if name not in target.original.attributes.columns:
            known = ", ".join(target.original.attributes.columns) or "none"
            raise UsageError(f"vertices have no attribute {name!r}; attributes: {known}")
        chosen = self.chosen(target)
        true = text_of(target.original.attributes[name]).fill_null("")
        overall = true.alias("value").value_counts(normalize=True, name="overall")
        baseline = float((overall["overall"] ** 2).sum())
        rows = pl.DataFrame({"group": self._groups(target), "value": true}).with_row_index("vertex")
        shown = self._shares(target, name)
        seen = shown.select("group").unique().with_columns(is_seen=pl.lit(value=True))
        # A value that nobody of a group has is ruled out; where the group shows nothing, the overall share is as good.
        found = rows.join(shown, on=["group", "value"], how="left").join(seen, on="group", how="left")
        found = found.join(overall, on="value", how="left").sort("vertex")[chosen]
        chances = found.select(pl.when("is_seen").then(pl.col("share").fill_null(0.0)).otherwise("overall"))
        return LearnedValues(name, chosen, chances.to_series().to_numpy(), baseline, found["is_seen"].null_count())

    def _groups(self, target: GraphTarget) -> IntArray:
        """Return where each person of the graph before is looked for."""
        if isinstance(target.published, ClusteredGraph):
            return target.places
        both, labels = joined(target)
        return refine(both, self.depth, labels)[: target.original.vertices]

    def _shares(self, target: GraphTarget, name: str) -> pl.DataFrame:
        """Return the share of each value among the published vertices of a group."""
        published = target.published
        if isinstance(published, ClusteredGraph):
            if not published.attributes.width:
                return pl.DataFrame(schema={"group": pl.Int64, "value": pl.String, "share": pl.Float64})
            listed = published.attributes.filter(pl.col("attribute") == name)
            counts = listed.select(group=pl.col("supervertex").cast(pl.Int64), value="value", count=listed.columns[-1])
        else:
            if name not in published.attributes.columns:
                return pl.DataFrame(schema={"group": pl.Int64, "value": pl.String, "share": pl.Float64})
            both, labels = joined(target)
            groups = refine(both, self.depth, labels)[target.original.vertices :]
            values = text_of(published.attributes[name])
            shown = pl.DataFrame({"group": groups, "value": values}).drop_nulls()
            counts = shown.group_by("group", "value").len("count")
        total = pl.col("count").sum().over("group")
        return counts.select("group", "value", share=pl.col("count") / total)

    def evaluate_in(self, found: LearnedValues, target: GraphTarget) -> AttackSuccess:  # noqa: ARG002
        return AttackSuccess.of(
            self.name,
            targets=len(found.targets),
            rate=float(found.chances.mean()) if len(found.targets) else 0.0,
            baseline=found.baseline,
            certain=float((found.chances >= 1).sum()),
            cannot_say=[UNSEEN.format(found.unseen, len(found.targets)) if found.unseen else ""],
        )
