"""What is published of lists of numbers."""

from krypsis.kinds.table.publication import GeneralizedTable


class NumbersPublication(GeneralizedTable):
    """Numbers in a column, in random order."""

    kind = "toy-numbers"
