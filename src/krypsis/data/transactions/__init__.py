"""Records that are sets of items, such as baskets or diagnoses, and the forms in which they are published."""

from krypsis.data.transactions.disassociated import Disassociated
from krypsis.data.transactions.grouped import GroupedSets
from krypsis.data.transactions.reconstruction import reconstruct
from krypsis.data.transactions.sets import Transactions
from krypsis.data.transactions.supports import Supports

PublishedSets = Transactions | Disassociated | GroupedSets
"""What may be published of sets: sets, perhaps of generalized items; pieces of sets in clusters; or sets in groups
with their sensitive items listed separately."""

__all__ = ["Disassociated", "GroupedSets", "PublishedSets", "Supports", "Transactions", "reconstruct"]
