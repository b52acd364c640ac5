"""All ways to put a few records into groups."""

from collections.abc import Iterator


def partitions(records: int) -> Iterator[list[list[int]]]:
    """Yield every partition of the records 0 to ``records - 1``; there are 4140 of eight records."""
    if records == 0:
        yield []
        return
    for partition in partitions(records - 1):
        for place in range(len(partition)):
            yield [[*group, records - 1] if place == number else group for number, group in enumerate(partition)]
        yield [*partition, [records - 1]]
