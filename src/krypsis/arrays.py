"""The types of arrays, named once: what a search passes around is arrays and nothing else."""

from typing import Any

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.int32]
"""Codes of values: a dictionary-encoded column, or a level of a hierarchy."""
ColumnArray = npt.NDArray[np.integer[Any]]
"""Codes of a column as narrow as the number of its values allows."""
CountArray = npt.NDArray[np.unsignedinteger[Any]]
"""Counts as narrow as the number of records allows."""
