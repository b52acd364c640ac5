"""Hierarchies: how a value becomes more general, level by level."""

from krypsis.data.hierarchies.base import TOP, Hierarchy, HierarchyBuilder, Label
from krypsis.data.hierarchies.csv import CsvFile, format_csv, parse_csv, read_csv, write_csv
from krypsis.data.hierarchies.dates import Dates
from krypsis.data.hierarchies.intervals import Intervals
from krypsis.data.hierarchies.masking import Masking
from krypsis.data.hierarchies.order import Order
from krypsis.data.hierarchies.resolve import Flat, HierarchySpec, describe, resolve
from krypsis.data.hierarchies.taxonomy import Taxonomy

__all__ = [
    "TOP",
    "CsvFile",
    "Dates",
    "Flat",
    "Hierarchy",
    "HierarchyBuilder",
    "HierarchySpec",
    "Intervals",
    "Label",
    "Masking",
    "Order",
    "Taxonomy",
    "describe",
    "format_csv",
    "parse_csv",
    "read_csv",
    "resolve",
    "write_csv",
]
