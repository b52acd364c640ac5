"""Independent verification: re-derives the groups from what was published and asks the models again.

It shares no code with the algorithms, the engines and the frequency set they work on.
"""

from krypsis.checker.check import check
from krypsis.checker.folder import check_folder
from krypsis.checker.table import check_table

__all__ = ["check", "check_folder", "check_table"]
