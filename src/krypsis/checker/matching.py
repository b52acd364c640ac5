"""Assignments of original records to published ones: which links are part of any."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray, IntArray


def usable_links(
    originals: IntArray, published: IntArray, original_counts: IntArray, published_counts: IntArray
) -> BoolArray:
    """Say for each link whether some assignment of all records uses it; none does if there is no assignment.

    Link ``i`` is between the distinct tuples ``originals[i]`` and ``published[i]``, of which there are so many records.

    Notes
    -----
    One assignment is a maximum flow from the original to the published tuples. A link is used by some assignment if it
    carries flow, or lies on a cycle along which flow can be moved: both ends are in the same strongly connected
    component of the residual graph.

    References
    ----------
    Tassa, "Finding all maximally-matchable edges in a bipartite graph", Theoretical Computer Science 423, 2012.

    Examples
    --------
    >>> one = np.array([1, 1])
    >>> usable_links(np.array([0, 0, 1]), np.array([0, 1, 1]), one, one)
    array([ True, False,  True])
    """
    # Loaded here: nothing else needs these libraries.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    flow = _flow(originals, published, original_counts, published_counts)
    if flow is None:
        return np.zeros(len(originals), dtype=np.bool_)
    carries = flow > 0
    size = len(original_counts) + len(published_counts)
    ends = published + len(original_counts)
    rows = np.concatenate([originals, ends[carries]])
    columns = np.concatenate([ends, originals[carries]])
    residual = csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    _, component = connected_components(residual, directed=True, connection="strong")
    return np.asarray(carries | (component[originals] == component[ends]))


def _flow(
    originals: IntArray, published: IntArray, original_counts: IntArray, published_counts: IntArray
) -> IntArray | None:
    """Return the number of records that one assignment sends along each link; nothing if there is no assignment."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import maximum_flow  # noqa: PLC0415

    before, after = len(original_counts), len(published_counts)
    source, sink = before + after, before + after + 1
    ends = published + before
    rows = np.concatenate([originals, np.full(before, source), np.arange(before, before + after)])
    columns = np.concatenate([ends, np.arange(before), np.full(after, sink)])
    room = np.minimum(original_counts[originals], published_counts[published])
    capacity = np.concatenate([room, original_counts, published_counts]).astype(np.int32)
    network = csr_array((capacity, (rows, columns)), shape=(sink + 1, sink + 1))
    found = maximum_flow(network, source, sink)
    if found.flow_value < original_counts.sum():
        return None
    flow: IntArray = np.asarray(csr_array(found.flow)[originals, ends]).astype(np.int64).ravel()
    return flow
