"""MDAV as its paper says it: every record is looked at, every time."""

import numpy as np


def mdav(points: np.ndarray, k: int) -> np.ndarray:
    """The group of each record; among equals the record that stands first is taken."""
    groups, left, total, group = np.zeros(len(points), dtype=np.int64), list(range(len(points))), np.zeros(1), 0
    for point in points:
        total = total + point

    def distances(center):
        result = np.zeros(len(left))
        for dimension in range(points.shape[1]):
            result = result + (points[left, dimension] - center[dimension]) ** 2
        return result

    def take(center):
        nonlocal left, total
        chosen = [left[place] for place in np.argsort(distances(center), kind="stable")[:k]]
        for row in chosen:
            groups[row] = group
            total = total - points[row]
        gone = set(chosen)
        left = [row for row in left if row not in gone]

    while len(left) >= 3 * k:
        extreme = points[left[int(np.argmax(distances(total / len(left))))]]
        take(extreme)
        group += 1
        take(points[left[int(np.argmax(distances(extreme)))]])
        group += 1
    if len(left) >= 2 * k:
        take(points[left[int(np.argmax(distances(total / len(left))))]])
        group += 1
    groups[left] = group
    return groups


def squared_errors(points: np.ndarray, groups: np.ndarray) -> float:
    """The sum of squared distances between the records and the mean of their group."""
    return sum(
        float(((points[groups == group] - points[groups == group].mean(axis=0)) ** 2).sum())
        for group in np.unique(groups)
    )


def least_squared_errors(points: np.ndarray, k: int) -> float:
    """The least sum over all ways to put the records into groups of k or more."""

    def parts(rows):
        if not rows:
            yield []
            return
        first, rest = rows[0], rows[1:]
        for mask in range(1 << len(rest)):
            inside = [first, *(row for place, row in enumerate(rest) if mask >> place & 1)]
            outside = [row for place, row in enumerate(rest) if not mask >> place & 1]
            if len(inside) >= k and (not outside or len(outside) >= k):
                for others in parts(outside):
                    yield [inside, *others]

    sums = []
    for partition in parts(list(range(len(points)))):
        groups = np.zeros(len(points), dtype=np.int64)
        for number, rows in enumerate(partition):
            groups[rows] = number
        sums.append(squared_errors(points, groups))
    return min(sums)
