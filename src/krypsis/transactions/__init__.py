"""Records that are sets of items, such as baskets or diagnoses, and the forms in which they are published."""

from krypsis.transactions.disassociated import Disassociated
from krypsis.transactions.grouped import GroupedSets
from krypsis.transactions.reconstruction import reconstruct
from krypsis.transactions.sets import Transactions
from krypsis.transactions.supports import Supports

PublishedSets = Transactions | Disassociated | GroupedSets
"""What may be published of sets: sets, perhaps of generalized items; pieces of sets in clusters; or sets in groups
with their sensitive items apart."""

__all__ = ["Disassociated", "GroupedSets", "PublishedSets", "Supports", "Transactions", "reconstruct"]
