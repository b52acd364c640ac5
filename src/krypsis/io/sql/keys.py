"""Tuples of codes as one number, or as few as hold them, in Python and in SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels.rows import KEY_SPACE, number_rows

MOST_DIGITS = 64
"""A key has no more, also of columns with a single value: expressions must not be nested without limit."""


@dataclass(frozen=True)
class KeyLayout:
    """Which codes make up which key: the digits of a mixed-radix number, the first code being the highest digit.

    Examples
    --------
    >>> layout = KeyLayout.of([3, 10])
    >>> layout.expressions(["a", "b"])
    ['cast(a as bigint) * 10 + b']
    >>> layout.decode([np.array([27])]).tolist()
    [[2, 7]]
    """

    radices: tuple[int, ...]
    edges: tuple[int, ...]
    """Where the codes of each key begin, and where those of the last one end."""

    @classmethod
    def of(cls, radices: Sequence[int]) -> "KeyLayout":
        """Return the layout for codes below ``radices``: as few keys as fit into 62 bits each, at least one."""
        edges, space = [0], 1
        for position, radix in enumerate(radices):
            if space * radix >= KEY_SPACE or position - edges[-1] >= MOST_DIGITS:
                edges.append(position)
                space = 1
            space *= radix
        return cls(tuple(radices), (*edges, len(radices)))

    @property
    def names(self) -> list[str]:
        """What the keys are called in statements."""
        return [f"k{number}" for number in range(len(self.edges) - 1)]

    def expressions(self, codes: Sequence[str]) -> list[str]:
        """Return each key as an expression of the codes; it is null where one of them is."""
        return [self._expression(codes, start, end) for start, end in self._spans()]

    def decode(self, keys: Sequence[IntArray]) -> CodeArray:
        """Return the codes of tuples, ``[tuple, attribute]``."""
        codes = np.empty((len(keys[0]), len(self.radices)), dtype=np.int32)
        for key, (start, end) in zip(keys, self._spans(), strict=True):
            rest = key
            for position in reversed(range(start, end)):
                rest, codes[:, position] = np.divmod(rest, self.radices[position])
        return codes

    def numbered(self, keys: Sequence[IntArray]) -> tuple[CodeArray, IntArray]:
        """Give numbers to the distinct tuples in ascending order of their codes; return one place of each, too."""
        if len(keys) == 1:
            return number_rows(keys, [prod(self.radices)], len(keys[0]))  # of 64 bits
        return number_rows(list(self.decode(keys).T), self.radices, len(keys[0]))

    def encode(self, codes: CodeArray) -> list[IntArray]:
        """Return the keys of tuples."""
        keys = []
        for start, end in self._spans():
            key = np.zeros(len(codes), dtype=np.int64)
            for position in range(start, end):
                key = key * self.radices[position] + codes[:, position]
            keys.append(key)
        return keys

    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self.edges[:-1], self.edges[1:], strict=True))

    def _expression(self, codes: Sequence[str], start: int, end: int) -> str:
        if start == end:
            return "cast(0 as bigint)"
        text = f"cast({codes[start]} as bigint)"
        for position in range(start + 1, end):
            text = f"{text if position == start + 1 else f'({text})'} * {self.radices[position]} + {codes[position]}"
        return text
