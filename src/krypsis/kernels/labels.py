"""What the labels of groups at a node stand for: how much of the domain, which tuples, how many bits."""

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.rows import SPREAD


@compiled
def label_areas(codes: CodeArray, tuples: IntArray, starts: IntArray, leaves: FloatArray, areas: FloatArray) -> None:
    """Write for each of the given tuples the product of the leaves of its labels.

    ``leaves[starts[column] + code]`` is the number of values that look like ``code`` at the level of the node.
    """
    for position in range(len(tuples)):
        row = tuples[position]
        area = 1.0
        for column in range(len(starts)):
            area *= leaves[starts[column] + codes[row, column]]
        areas[position] = area


@compiled
def label_keys(codes: CodeArray, tuples: IntArray, starts: IntArray, digits: IntArray, keys: IntArray) -> None:
    """Write for each of the given tuples the sum of the numbers of its labels, which serves as a hash.

    ``digits[starts[column] + code]`` is the label of ``code`` at the level of the node, as a number.
    """
    for position in range(len(tuples)):
        row = tuples[position]
        key = 0
        for column in range(len(starts)):
            key += digits[starts[column] + codes[row, column]]
        keys[position] = key


@compiled
def sum_by_labels(
    codes: CodeArray,
    groups: IntArray,
    group_keys: IntArray,
    tuples: IntArray,
    tuple_keys: IntArray,
    weights: FloatArray,
    starts: IntArray,
    digits: IntArray,
    sums: FloatArray,
) -> None:
    """Add the weight of each tuple to the sum of the group that looks like it; where none does, to nothing.

    A group is given by one of its tuples. Two tuples look alike if the numbers of all their labels are the same, see
    :func:`label_keys`.
    """
    bits = 4
    while (1 << bits) < 2 * len(groups):
        bits += 1
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    table = np.full(1 << bits, -1, np.int32)
    for number in range(len(groups)):
        slot = np.int64((np.uint64(group_keys[number]) * SPREAD) >> shift)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = number
    for position in range(len(tuples)):
        slot = np.int64((np.uint64(tuple_keys[position]) * SPREAD) >> shift)
        while table[slot] >= 0:
            number = table[slot]
            # Keys are hashes: equal keys are confirmed label by label.
            alike = group_keys[number] == tuple_keys[position]
            column = 0
            while alike and column < len(starts):
                one = digits[starts[column] + codes[tuples[position], column]]
                alike = one == digits[starts[column] + codes[groups[number], column]]
                column += 1
            if alike:
                sums[number] += weights[position]
                break
            slot = (slot + 1) & mask


@compiled
def cheapest_bits(
    counts: IntArray,
    offsets: IntArray,
    labels: CodeArray,
    label_starts: IntArray,
    costs: FloatArray,
    cost_starts: IntArray,
    lowest: IntArray,
    highest: IntArray,
    total: int,
    cost_factor: float,
    bits_factor: float,
) -> float:
    """Return the sum over the columns of the least cost at any level from ``lowest`` to ``highest``.

    The cost at a level is ``costs[cost_starts[column] + level]`` plus the bits that tell the labels of the counted
    records apart, ``total · log2 total - ∑ c · log2 c`` over the labels, each with ``c`` records; both by their factor.
    The values of a column are counted from ``counts[offsets[column]]`` on, and
    ``labels[label_starts[column] + level · values + value]`` is the label of a value.
    """
    least_sum = 0.0
    widest = 0
    for column in range(len(lowest)):
        widest = max(widest, offsets[column + 1] - offsets[column])
    sums = np.zeros(widest, np.int64)
    for column in range(len(lowest)):
        values = offsets[column + 1] - offsets[column]
        least = np.inf
        for level in range(lowest[column], highest[column] + 1):
            cost = cost_factor * costs[cost_starts[column] + level]
            if total > 0 and bits_factor > 0:
                start = label_starts[column] + level * values
                sums[:values] = 0
                for value in range(values):
                    sums[labels[start + value]] += counts[offsets[column] + value]
                bits = total * np.log2(float(total))
                for label in range(values):
                    if sums[label] > 1:
                        bits -= sums[label] * np.log2(float(sums[label]))
                cost += bits_factor * bits
            least = min(least, cost)
        least_sum += least
    return least_sum


@compiled
def largest_by_group(group: IntArray, count: IntArray, largest: IntArray) -> None:
    """Raise the largest count of each group to that of its entries."""
    for entry in range(len(group)):
        largest[group[entry]] = max(largest[group[entry]], count[entry])
