"""New vertices that take the edges for which no partner was found, and the attributes that hide them among others."""

import numpy as np
import polars as pl

from krypsis.arrays import IntArray


def attach_new_vertices(left: IntArray, class_sizes: IntArray, k: int) -> tuple[IntArray, int]:
    """Return edges from vertices that need some to new vertices, and how many of these there are.

    ``left`` are the edges that each vertex needs, ``class_sizes`` how many vertices of the label that the new ones get
    have each degree. The new vertices are numbered after the others. Their degrees differ by at most one, and every
    one is shared by ``k`` vertices; there are as few of them as that allows.

    Examples
    --------
    >>> edges, added = attach_new_vertices(np.array([3, 0, 1]), np.array([0, 5, 5]), 2)
    >>> edges.tolist(), added
    ([[0, 3], [0, 4], [0, 5], [2, 3]], 3)
    """
    n, total, least = len(left), int(left.sum()), int(left.max())
    if not total:
        return np.empty((0, 2), dtype=np.int64), 0
    sizes = np.concatenate([class_sizes, np.zeros(total + 2, dtype=np.int64)])
    numbers = np.arange(least, total + 1)
    degree, higher = total // numbers, total % numbers
    fits = (sizes[degree] + numbers - higher >= k) & ((higher == 0) | (sizes[degree + 1] + higher >= k))
    stubs = np.repeat(np.arange(n), left)
    if fits.any():
        added = int(numbers[np.argmax(fits)])
        # A vertex needs at most as many edges as there are new vertices, so that none gets the same one twice.
        return np.stack([stubs, n + np.arange(total) % added], axis=1), added
    # All new vertices have one edge: to whom it is needed, and the rest in pairs.
    pairs = -(-(k - total - int(sizes[1])) // 2)
    added = total + 2 * pairs
    rest = n + total + np.arange(2 * pairs).reshape(-1, 2)
    return np.concatenate([np.stack([stubs, n + np.arange(total)], axis=1), rest]), added


def rows_for_new_vertices(
    attributes: pl.DataFrame, hosts: IntArray, degrees: IntArray, new_degrees: IntArray, rng: np.random.Generator
) -> tuple[IntArray, bool]:
    """Return the vertex whose attributes each new vertex gets, and whether others share the attributes of all of them.

    A new vertex that shows a combination of values which one person alone has would be recognized as new by that. So
    only combinations that two people share are taken, as often as they occur among those who look like the new vertex:
    the shares of values in a class stay what they are. If nobody of its degree has such a combination, it is taken from
    anybody with its label; if nobody at all has one, the new vertices can be recognized.

    Parameters
    ----------
    attributes
        of the vertices before, as they are published.
    hosts
        the vertices with the label that the new ones get.
    degrees, new_degrees
        published degrees of the vertices before, and of the new ones.
    rng
        for the choice.

    Examples
    --------
    >>> people = pl.DataFrame({"ill": ["flu", "flu", "hiv", "flu", "flu"]})
    >>> rows, _ = rows_for_new_vertices(
    ...     people, np.arange(5), np.array([1, 2, 2, 2, 3]), np.array([2, 2]), np.random.default_rng(1)
    ... )
    >>> set(rows.tolist()) <= {1, 3}
    True
    """
    counts = attributes.select(pl.len().over(attributes.columns)).to_series().to_numpy()
    shared = hosts[counts[hosts] >= 2]
    usable = shared if len(shared) else hosts
    rows = np.empty(len(new_degrees), dtype=np.int64)
    for degree in np.unique(new_degrees).tolist():
        alike = usable[degrees[usable] == degree]
        is_new = new_degrees == degree
        rows[is_new] = rng.choice(alike if len(alike) else usable, int(is_new.sum()))
    return rows, len(shared) > 0
