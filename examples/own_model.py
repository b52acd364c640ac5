"""Promise something of your own, and minimize a metric of your own, without changing Krypsis."""

import numpy as np
from pydantic import Field

import krypsis
from krypsis.kinds.table.demo import hospital


@krypsis.register
class EveryValue(krypsis.SensitiveModel):
    """Every value of the sensitive attribute occurs in every group, at least ``least`` times."""

    name = "every-value"
    better = "higher"

    least: int = Field(default=1, ge=1, description="how often each value occurs at least")

    @property
    def required(self):
        return float(self.least)

    def promise(self):
        return f"every value of {self.subject} occurs {self.least} times or more in every group"

    def levels(self, histogram, sizes):
        counts = np.zeros((len(sizes), len(histogram.domain)))
        counts[histogram.group, histogram.value] = histogram.count
        return counts.min(axis=1)

    def suffices(self, levels):
        return levels >= self.least


class LargestGroup(krypsis.Metric):
    """The share of the records that are in the largest group or suppressed."""

    name = "largest-group"

    def best(self, outcome):
        return 1 / outcome.rows

    def worst(self, outcome):
        return 1.0

    def compute(self, outcome):
        return float(outcome.kept_sizes.max(initial=0) + outcome.suppressed) / outcome.rows


release = krypsis.anonymize(
    hospital(rows=500),
    roles={"age": "quasi-identifier", "zip": "quasi-identifier", "sex": "sensitive"},
    hierarchies={"age": {"kind": "intervals", "width": 10}, "zip": {"kind": "masking", "side": "right"}},
    models=["k-anonymity:k=5", "every-value:least=2"],  # by name, for it is registered
    metric=LargestGroup(),  # as an object
    suppression="5%",
)
for verdict in release.verdicts:
    print(verdict.sentence)
print(release.metric, release.score)
