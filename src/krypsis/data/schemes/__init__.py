"""Schemes: which cells a recoding may generalize together, and what it may suppress.

``recoded.py`` puts original and published tuples side by side, ``validators.py`` says which scheme they follow,
``generalization.py`` and ``suppression.py`` make recodings of each scheme.
"""

from krypsis.data.schemes.generalization import cell, full_domain, sibling, subtree
from krypsis.data.schemes.levels import levels_of
from krypsis.data.schemes.suppression import (
    blank,
    suppress,
    suppress_attribute,
    suppress_cell,
    suppress_records,
    suppress_value,
)
from krypsis.data.schemes.validators import (
    Recoded,
    is_cell,
    is_full_domain,
    is_multidimensional,
    is_sibling,
    is_subtree,
    narrowest_scheme,
)

__all__ = [
    "Recoded",
    "blank",
    "cell",
    "full_domain",
    "is_cell",
    "is_full_domain",
    "is_multidimensional",
    "is_sibling",
    "is_subtree",
    "levels_of",
    "narrowest_scheme",
    "sibling",
    "subtree",
    "suppress",
    "suppress_attribute",
    "suppress_cell",
    "suppress_records",
    "suppress_value",
]
