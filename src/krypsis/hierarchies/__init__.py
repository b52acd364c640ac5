"""Hierarchies: how a value becomes more general, level by level."""

from krypsis.hierarchies.base import TOP, Hierarchy, Label
from krypsis.hierarchies.builder import HierarchyBuilder
from krypsis.hierarchies.csv import CsvFile, format_csv, parse_csv, read_csv, write_csv
from krypsis.hierarchies.dates import Dates
from krypsis.hierarchies.intervals import Intervals
from krypsis.hierarchies.masking import Masking
from krypsis.hierarchies.order import Order
from krypsis.hierarchies.resolve import Flat, HierarchySpec, describe, resolve
from krypsis.hierarchies.taxonomy import Taxonomy

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
