"""An engine that writes down what it is asked, and lets the memory engine answer."""

from krypsis.io.engines import find_engine
from krypsis.io.engines.base import CountedRows, Engine


class RecordingEngine(Engine):
    name = "recording"
    keeps_rows = False

    def __init__(self, source, memory=None):  # noqa: ARG002
        self._memory = find_engine("memory")(source)
        self.asked = []
        """The names of the methods that were called, in their order."""
        self.collected = []
        """The columns whose rows were brought into memory, call by call."""

    @classmethod
    def source_of(cls, data, what):
        return find_engine("memory").source_of(data, what)

    @property
    def columns(self):
        return self._memory.columns

    @property
    def types(self):
        return self._memory.types

    @property
    def rows(self):
        return self._memory.rows

    def collect(self, columns=None):
        rows = self._memory.collect(columns)
        self.collected.append(rows.columns)
        return rows

    def collect_sample(self, rows, columns=None):
        self.asked.append("collect_sample")
        return self._memory.collect_sample(rows, columns)

    def distinct(self, column):
        self.asked.append("distinct")
        return self._memory.distinct(column)

    def count_tuples(self, *given, **named):
        self.asked.append("count_tuples")
        return RecordingTable(self._memory.count_tuples(*given, **named), self.asked)


class RecordingTable(CountedRows):
    def __init__(self, counted, asked):
        self.frequency = counted.frequency
        self._counted = counted
        self._asked = asked

    def apply(self, recoding, suppressed):
        self._asked.append("apply")
        return self._counted.apply(recoding, suppressed)

    def with_groups(self, groups, name, givers=None):
        self._asked.append("with_groups")
        return self._counted.with_groups(groups, name, givers)

    def suppressed_rows(self, recoding):
        self._asked.append("suppressed_rows")
        return self._counted.suppressed_rows(recoding)
