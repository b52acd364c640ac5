"""Lists of numbers as a kind of data: a sixth kind needs no edit of the package."""

from krypsis.kinds.base import PLAN, Demo, Kind

PLAN_TEXT = """\
data: numbers.csv
columns:
  number: quasi-identifier
promises: [k-anonymity:k=2]
"""


class NumbersKind(Kind):
    name = "toy-numbers"
    title = "a list of numbers"

    def demo(self) -> Demo:
        return Demo("demo-numbers", {"numbers.csv": "number\n1\n1\n2\n2\n", PLAN: PLAN_TEXT}, "4 numbers")
