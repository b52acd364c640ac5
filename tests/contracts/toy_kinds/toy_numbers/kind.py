"""Lists of numbers as a kind of data: a sixth kind needs no edit of the package."""

from dataclasses import dataclass

from krypsis.kinds.toy_numbers.report import numbers_report

from krypsis.kinds.base import PLAN, PLAN_PLACE, DataEvidence, DataFacts, Demo, Finding, Kind, ProfileView, ProposedPlan

PLAN_TEXT = """\
kind: toy-numbers
data: numbers.csv
promises: [k-anonymity:k=2]
"""


@dataclass(frozen=True)
class NumbersFacts(DataFacts):
    """How many numbers there are, which is no network."""

    numbers: int

    @property
    def evidence(self) -> DataEvidence:
        return DataEvidence({"graph": Finding("no", "sets", {"records": self.numbers, "items": 1})})


class NumbersKind(Kind):
    name = "toy-numbers"
    title = "a list of numbers"

    def propose(self, file, data, reading):  # noqa: ARG002  numbers are read in one way
        numbers = file.read_text("utf-8").split()[1:]
        text = PLAN_TEXT.replace("numbers.csv", data)
        profile = ProfileView(f"{file.name}: {len(numbers)} numbers")
        return ProposedPlan(text, profile, look_at="the promise", following=("run", PLAN_PLACE))

    def facts_of_file(self, file):
        return NumbersFacts(len(file.read_text("utf-8").split()) - 1)

    def facts(self, plan):
        return self.facts_of_file(plan.data_path)

    def recognizes_file(self, file):
        return file.name.startswith("numbers")

    def demo(self) -> Demo:
        return Demo("demo-numbers", {"numbers.csv": "number\n1\n1\n2\n2\n", PLAN: PLAN_TEXT}, "4 numbers")

    def report(self, made, name="", dossier=None):
        return numbers_report(made, name, dossier)
