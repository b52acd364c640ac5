"""Blocks: records that lie near each other, where comparing all with each other would take too long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import CodeArray, IntArray


def _none(given: object) -> object:
    return None if given == "none" else given


Block = Annotated[Annotated[int, Field(ge=16)] | None, BeforeValidator(_none)]
"""The size of blocks; the word ``none`` for no blocks."""

Grouped = tuple[IntArray, CodeArray]
"""Records of a block, and their groups, numbered from 0 on."""


def cut_into_blocks(count: int, largest: int | None, cut: Callable[[IntArray], int]) -> list[IntArray]:
    """Return the numbers below ``count`` in blocks of at most ``largest``, each block in ascending order.

    ``cut`` rearranges a block that is too large so that its two parts stand one behind the other, and returns where
    the second begins.

    Examples
    --------
    >>> [block.tolist() for block in cut_into_blocks(5, 2, lambda block: len(block) // 2)]
    [[0, 1], [2], [3, 4]]
    """
    blocks, waiting = [], [np.arange(count, dtype=np.int64)]
    while waiting:
        block = waiting.pop()
        if largest is None or len(block) <= largest:
            blocks.append(np.sort(block))
            continue
        middle = cut(block)
        waiting += [block[middle:], block[:middle]]
    return blocks


def gathered(records: int, parts: Iterable[Grouped]) -> CodeArray:
    """Return the groups of all blocks in one numbering.

    Examples
    --------
    >>> gathered(4, [(np.array([0, 3]), np.array([0, 1])), (np.array([1, 2]), np.array([0, 0]))]).tolist()
    [0, 2, 2, 1]
    """
    group_of = np.zeros(records, dtype=np.int32)
    groups = 0
    for members, inside in parts:
        group_of[members] = inside + groups
        groups += int(inside.max(initial=-1)) + 1
    return group_of
