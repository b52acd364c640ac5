"""Lists of numbers as a kind of data: a sixth kind needs no edit of the package."""

from dataclasses import dataclass

from krypsis.kinds.base import PLAN, Demo, Kind
from krypsis.kinds.findings import DataEvidence, DataFacts, Finding
from krypsis.kinds.proposal import PLAN_PLACE, ProfileView, ProposedPlan
from krypsis.report.blocks import Bar, BarChart, Number, Panel, Section, StyledText, Text, Tile
from krypsis.report.sections import assemble, promise_results, promises_section, promises_tile, summary_section

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
        promises = promise_results(made)
        counts = made.table["number"].value_counts(sort=True).iter_rows()
        bars = tuple(Bar(str(number), records) for number, records in counts)
        mean = Number(made.table["number"].cast(float).mean())
        sections = (
            summary_section(["Numbers <b>are</b> published."], [promises_tile(promises), Tile("Mean", (mean,))]),
            promises_section(promises),
            Section(
                "numbers",
                ("Numbers",),
                (
                    Text(("The mean of ", StyledText("<i>number</i>", "name"), " is ", mean, ".")),
                    Panel(("How often is each published?",), (BarChart("Records per number", bars),)),
                ),
            ),
        )
        return assemble(made, sections, name, dossier)
