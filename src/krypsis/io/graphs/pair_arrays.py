"""Compiled loops over the pairs of an edge list: reading them from bytes, numbering their ends, sorting them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled

Bytes = npt.NDArray[np.uint8]
WholeNumbers = npt.NDArray[np.signedinteger[Any]]
Keys = npt.NDArray[np.uint64]

READ, NO_INTEGER, SHORT, RAGGED, LARGE = range(5)
"""What came of reading: all lines; a line with something else than a whole number; with too few fields; with another
number of fields than the first line; with a number that is too large for the arrays."""

SPACE, TAB, NEWLINE, RETURN, HASH, PERCENT, BRACE, ZERO, NINE = b" \t\n\r#%{09"
"""Letters; whatever is not above a space is a blank."""
DIGIT = 11
"""The bits of a digit by which edges are sorted; the counts of all its values fit next to the processor."""
MOST_DIGITS = 18
"""So many digits fit into 64 bits, whatever they are."""
LONGEST = 64
"""More bytes than a line of two numbers has."""
PORTION = 1 << 14
"""Edges that are sorted together, or somewhat more; they fit into the memory next to the processor."""


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


def sorted_pairs(sources: CodeArray, targets: CodeArray, vertices: int) -> tuple[CodeArray, int, int, int]:
    """Return the edges of a simple graph, the smaller end first, in ascending order.

    They are brought to portions of vertices by their smaller ends, and each portion is sorted digit by digit in the
    memory next to the processor, for writing to places all over the memory takes longer than all else. Also returned:
    how many loops and repetitions were left out, and how many edges occur in both directions.
    """
    shift = 0
    while (vertices >> shift) * PORTION > len(sources):
        shift += 1
    # The larger end of an edge, and a bit that says which end stood first; before it, the place of the smaller end
    # in its portion.
    end_bits = (2 * vertices).bit_length()
    starts = np.zeros((vertices >> shift) + 2, dtype=np.int64)
    loops = count_portions(sources, targets, shift, starts)
    kept = len(sources) - loops
    # Large arrays that numpy makes lie on large pages of memory, those made by compiled code do not.
    keys = np.empty(kept, dtype="<u8")
    fill_portions(sources, targets, shift, end_bits, starts, keys)
    count, both = sort_portions(keys, starts, shift, end_bits)
    edges = keys.view("<i4").reshape(-1, 2)[:count]
    return edges.copy() if 4 * count < 3 * kept else edges, loops, kept - count, both


@compiled
def count_portions(sources: CodeArray, targets: CodeArray, shift: int, starts: IntArray) -> int:
    """Write where the edges of each portion of vertices start; return how many loops there are."""
    loops = 0
    for row in range(len(sources)):
        low = min(sources[row], targets[row])
        loops += sources[row] == targets[row]
        starts[(low >> shift) + 1] += sources[row] != targets[row]
    for portion in range(len(starts) - 1):
        starts[portion + 1] += starts[portion]
    return loops


@compiled
def fill_portions(
    sources: CodeArray, targets: CodeArray, shift: int, end_bits: int, starts: IntArray, keys: Keys
) -> None:
    """Write each edge that is no loop to its portion, as a number by which edges are sorted."""
    filled, within = starts.copy(), (1 << shift) - 1
    for row in range(len(sources)):
        first, second = np.int64(sources[row]), np.int64(targets[row])
        if first != second:
            low, high = min(first, second), max(first, second)
            place = filled[low >> shift]
            keys[place] = (low & within) << end_bits | 2 * high + (first > second)
            filled[low >> shift] = place + 1


@compiled
def sort_portions(keys: Keys, starts: IntArray, shift: int, end_bits: int) -> tuple[int, int]:
    """Sort the edges of each portion, and write each edge once to the front: its larger end, 32 bits, its smaller end.

    Returns how many there are, and how many of them occurred in both directions.
    """
    most = 0
    for portion in range(len(starts) - 1):
        most = max(most, starts[portion + 1] - starts[portion])
    spare = np.empty(most, dtype=np.uint64)
    places = np.empty(1 << DIGIT, dtype=np.int64)
    end_mask = np.int64((1 << end_bits) - 1)
    count, both = 0, 0
    for portion in range(len(starts) - 1):
        size = starts[portion + 1] - starts[portion]
        own, other = keys[starts[portion] : starts[portion + 1]], spare[:size]
        for digit in range(0, end_bits + shift if size > 1 else 0, DIGIT):
            sort_by_digit(own, other, np.uint64(digit), places)
            own, other = other, own
        before, direction = np.int64(-1), np.int64(0)
        for place in range(size):
            key = np.int64(own[place])
            if key >> 1 != before:
                # What is overwritten has been read: no edge is written behind the place where it stood.
                keys[count] = ((key & end_mask) >> 1) << 32 | (portion << shift) + (key >> end_bits)
                count += 1
            elif key & 1 != direction:
                both += 1  # the first one in the other direction
            before, direction = key >> 1, key & 1
    return count, both


@compiled
def sort_by_digit(numbers: Keys, ordered: Keys, digit: np.uint64, places: IntArray) -> None:
    """Write numbers in the order of one digit; those with the same digit stay as they were."""
    mask = np.uint64((1 << DIGIT) - 1)
    places[:] = 0
    for number in numbers:
        places[number >> digit & mask] += 1
    begin = 0
    for value in range(len(places)):
        begin, places[value] = begin + places[value], begin
    for number in numbers:
        value = number >> digit & mask
        ordered[places[value]] = number
        places[value] += 1
