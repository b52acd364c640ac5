"""Independent verification: re-derives the groups from what was published and asks the models again.

It shares no code with the algorithms, the engines and the frequency set they work on.
"""

from krypsis.checker.base import Given
from krypsis.checker.check import check, check_folder, shows_records
from krypsis.checker.histories import check_history, version_of_folder
from krypsis.checker.published_tables import SubjectTable
from krypsis.checker.table import check_table
from krypsis.checker.transactions import check_transactions
from krypsis.checker.views import check_views

__all__ = [
    "Given",
    "SubjectTable",
    "check",
    "check_folder",
    "check_history",
    "check_table",
    "check_transactions",
    "check_views",
    "shows_records",
    "version_of_folder",
]
