"""Compiled loops over the pairs of an edge list: reading them from bytes, numbering their ends, sorting them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled

Bytes = npt.NDArray[np.uint8]
WholeNumbers = npt.NDArray[np.signedinteger[Any]]

READ, NO_INTEGER, SHORT, RAGGED, LARGE = range(5)
"""What came of reading: all lines; a line with something else than a whole number; with too few fields; with another
number of fields than the first line; with a number that is too large for the arrays."""

SPACE, TAB, NEWLINE, RETURN, HASH, PERCENT, BRACE, ZERO, NINE = b" \t\n\r#%{09"
"""Letters; whatever is not above a space is a blank."""
FEW = 32
"""So many numbers are sorted fastest by inserting one after the other."""
MOST_DIGITS = 18
"""So many digits fit into 64 bits, whatever they are."""
LONGEST = 64
"""More bytes than a line of two numbers has."""
PORTION = 1 << 14
"""Edges that are sorted together; they fit into the memory next to the processor."""


@compiled
def parse_pairs(  # noqa: C901, PLR0912  one compiled loop
    content: Bytes,
    begin: int,
    delimiter: int,
    columns: IntArray,
    largest: int,
    sources: WholeNumbers,
    targets: WholeNumbers,
) -> tuple[int, int, int]:
    """Read two columns of whole numbers from lines of text.

    No number may be larger than ``largest``. A delimiter that is a space stands for any number of spaces and tabs.
    Lines that begin with ``#`` or ``%`` are comments. All lines must have equally many fields, but for a last one in
    braces, which may hold anything.

    Returns
    -------
    tuple[int, int, int]
        how many pairs were read, what came of it, and where the line begins that could not be read.
    """
    source, target = columns[0], columns[1]
    needed = max(source, target) + 1
    rows, width, at, end = 0, -1, begin, len(content)
    is_plain = source == 0 and target == 1
    while at < end:
        if is_plain and width in (-1, 2):
            # Most files hold nothing but two numbers per line; whatever is not as simple is read by what follows.
            before = rows
            rows, at = plain_pairs(content, at, delimiter, largest, sources, targets, rows)
            width = 2 if rows > before else width
            if at >= end:
                break
        line = at
        letter = content[at]
        if letter in (HASH, PERCENT):
            at = line_end(content, at)
        elif letter <= SPACE:
            at += 1
        else:
            fields, is_last = 0, False
            while not is_last:
                if fields >= needed and at < end and content[at] == BRACE:
                    at = line_end(content, at)
                    break
                if fields in (source, target):
                    value, at = whole_number(content, at, delimiter)
                    if value < 0:
                        return rows, NO_INTEGER, line
                    if value > largest:
                        return rows, LARGE, line
                    if fields == source:
                        sources[rows] = value
                    else:
                        targets[rows] = value
                else:
                    at = field_end(content, at, delimiter)
                fields += 1
                at, is_last = next_field(content, at, delimiter)
            if fields < needed:
                return rows, SHORT, line
            if width < 0:
                width = fields
            if fields != width:
                return rows, RAGGED, line
            rows += 1
    return rows, READ, end


@compiled
def plain_pairs(
    content: Bytes, at: int, delimiter: int, largest: int, sources: WholeNumbers, targets: WholeNumbers, rows: int
) -> tuple[int, int]:
    """Read lines of two numbers with one delimiter, or a tab for a space, between them.

    Returns how many pairs there are by now, and where the first line begins that is anything else. The last lines are
    left, so that no number ends outside of the content.
    """
    last = len(content) - LONGEST
    tab = TAB if delimiter == SPACE else delimiter
    while at < last:
        place = at
        digit = np.int64(content[place]) - ZERO
        first, second = digit, np.int64(0)
        # A number begins with a digit that is no zero, unless it is 0.
        while 0 <= digit <= 9 and place - at < MOST_DIGITS:
            place += 1
            digit = np.int64(content[place]) - ZERO
            if 0 <= digit <= 9:
                first = first * 10 + digit
        middle = place
        if content[middle] != delimiter and content[middle] != tab:
            return rows, at
        place += 1
        digit = np.int64(content[place]) - ZERO
        second = digit
        while 0 <= digit <= 9 and place - middle <= MOST_DIGITS:
            place += 1
            digit = np.int64(content[place]) - ZERO
            if 0 <= digit <= 9:
                second = second * 10 + digit
        is_short = middle - at <= 1 or content[at] != ZERO
        is_short = is_short and (place - middle <= 2 or content[middle + 1] != ZERO)
        if content[place] != NEWLINE or middle == at or place == middle + 1 or not is_short:
            return rows, at
        if first > largest or second > largest:
            return rows, at
        sources[rows], targets[rows] = first, second
        rows += 1
        at = place + 1
    return rows, at


@compiled
def line_end(content: Bytes, at: int) -> int:
    """Return where the line ends."""
    while at < len(content) and content[at] != NEWLINE:
        at += 1
    return at


@compiled
def field_end(content: Bytes, at: int, delimiter: int) -> int:
    """Return where a field ends that nobody reads."""
    while at < len(content) and content[at] != NEWLINE and content[at] != delimiter:
        if delimiter == SPACE and content[at] <= SPACE:
            break
        at += 1
    return at


@compiled
def digits_at(content: Bytes, at: int) -> tuple[int, int]:
    """Return the number that is written with the digits from here on and where they end; -1 for none or too many."""
    value, begin = 0, at
    while at < len(content) and ZERO <= content[at] <= NINE:
        value = value * 10 + content[at] - ZERO
        at += 1
    return (value if 0 < at - begin <= MOST_DIGITS else -1), at


@compiled
def whole_number(content: Bytes, at: int, delimiter: int) -> tuple[int, int]:
    """Return the number in a field and where it ends; -1 if there is something else, or a number like 007."""
    begin = at
    value, at = digits_at(content, at)
    if value < 0 or (at - begin > 1 and content[begin] == ZERO):
        return -1, at
    while at < len(content) and (content[at] == SPACE or content[at] == RETURN) and delimiter != SPACE:
        at += 1
    is_over = at >= len(content) or content[at] == delimiter or content[at] == NEWLINE
    if not is_over and (delimiter != SPACE or content[at] > SPACE):
        return -1, at
    return value, at


@compiled
def next_field(content: Bytes, at: int, delimiter: int) -> tuple[int, bool]:
    """Return where the next field begins, and whether there is none because the line ends."""
    while at < len(content) and content[at] <= SPACE and content[at] != delimiter and content[at] != NEWLINE:
        at += 1
    if at < len(content) and content[at] == delimiter:
        at += 1
        while at < len(content) and content[at] <= SPACE and content[at] != NEWLINE:
            if content[at] == delimiter and delimiter != SPACE:
                break
            at += 1
        # After blanks the line may end; after a comma, an empty field follows.
        if delimiter != SPACE:
            return at, False
    return at, at >= len(content) or content[at] == NEWLINE


@compiled
def parse_lines(content: Bytes, numbers: IntArray, line_ends: IntArray) -> tuple[int, int, int]:
    """Read whole numbers from lines of text, any number in each; comments begin with ``%`` and are no lines.

    Returns how many numbers and lines there are, and where a line begins that has something else; -1 if none has.
    """
    count, lines, at = 0, 0, 0
    while at < len(content):
        line = at
        if content[at] == PERCENT:
            at = line_end(content, at) + 1
            continue
        while at < len(content) and content[at] != NEWLINE:
            if content[at] <= SPACE:
                at += 1
            else:
                value, at = digits_at(content, at)
                if value < 0:
                    return count, lines, line
                numbers[count] = value
                count += 1
        at += 1
        line_ends[lines] = count
        lines += 1
    return count, lines, -1


@compiled
def mark_present(ends: CodeArray, is_present: BoolArray) -> None:
    """Mark the numbers that occur."""
    for end in ends:
        is_present[end] = True


@compiled
def renumber(ends: CodeArray, numbers: IntArray, codes: CodeArray) -> None:
    """Write the number of each end."""
    for position in range(len(ends)):
        codes[position] = numbers[ends[position]]


@compiled
def sorted_pairs(  # noqa: C901, PLR0912  steps on shared arrays
    sources: CodeArray, targets: CodeArray, vertices: int
) -> tuple[CodeArray, int, int, int]:
    """Return the edges of a simple graph, the smaller end first, in ascending order.

    They are brought to their smaller ends by counting, and sorted there; in portions, for writing to places all over
    the memory takes longer than all else. Also returned: how many loops and repetitions
    were left out, and how many edges occur in both directions.
    """
    # Step 1: bring edges to portions of vertices by their smaller ends; the lowest bit says which end stood first.
    shift = 0
    while (vertices >> shift) * PORTION > len(sources):
        shift += 1
    starts = np.zeros((vertices >> shift) + 2, dtype=np.int64)
    loops = 0
    for row in range(len(sources)):
        low = min(sources[row], targets[row])
        loops += sources[row] == targets[row]
        starts[(low >> shift) + 1] += sources[row] != targets[row]
    kept = len(sources) - loops
    for portion in range(len(starts) - 1):
        starts[portion + 1] += starts[portion]
    lows, highs = np.empty(kept, dtype=np.uint32), np.empty(kept, dtype=np.uint32)
    filled = starts.copy()
    for row in range(len(sources)):
        first, second = sources[row], targets[row]
        if first != second:
            low, high = min(first, second), max(first, second)
            place = filled[low >> shift]
            lows[place], highs[place] = low, 2 * high + (first > second)
            filled[low >> shift] = place + 1
    # Step 2: within a portion, the larger end of each edge goes to the smaller one.
    edges = np.empty((kept, 2), dtype=np.int32)
    begins = np.empty((1 << shift) + 1, dtype=np.int64)
    most = 0
    for portion in range(len(starts) - 1):
        most = max(most, starts[portion + 1] - starts[portion])
    ends = np.empty(most, dtype=np.uint32)
    count, both = 0, 0
    for portion in range(len(starts) - 1):
        base = portion << shift
        begins[:] = 0
        for row in range(starts[portion], starts[portion + 1]):
            begins[lows[row] - base + 1] += 1
        for low in range(1 << shift):
            begins[low + 1] += begins[low]
        for row in range(starts[portion], starts[portion + 1]):
            low = lows[row] - base
            ends[begins[low]] = highs[row]
            begins[low] += 1
        # Step 3: sort the ends of each vertex, and of those that are the same keep the first.
        begin = 0
        for low in range(1 << shift):
            own = ends[begin : begins[low]]
            begin = begins[low]
            sort_few(own)
            for place in range(len(own)):
                high = own[place] >> 1
                if place == 0 or high != own[place - 1] >> 1:
                    edges[count, 0], edges[count, 1] = base + low, high
                    count += 1
                elif own[place] != own[place - 1]:
                    both += 1  # the first one in the other direction
    return edges[:count].copy() if 4 * count < 3 * kept else edges[:count], loops, kept - count, both


@compiled
def sort_few(numbers: npt.NDArray[np.uint32]) -> None:
    """Sort numbers, of which there are mostly few."""
    if len(numbers) > FEW:
        numbers.sort()
        return
    for place in range(1, len(numbers)):
        number = numbers[place]
        before = place - 1
        while before >= 0 and numbers[before] > number:
            numbers[before + 1] = numbers[before]
            before -= 1
        numbers[before + 1] = number
