"""The report of a list of numbers."""

from krypsis.report.blocks import Bar, BarChart, Number, Panel, Section, StyledText, Text, Tile
from krypsis.report.sections import assemble, promise_results, promises_section, promises_tile, summary_section


def numbers_report(made, name="", dossier=None):
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
