"""Groups of records as boxes: what local recoding algorithms cut, grow and publish."""

from krypsis.algorithms.tables.boxes.axes import Axis, AxisKind, Publish, axes_of
from krypsis.algorithms.tables.boxes.boxes import Boxes, boxes_of, publish_groups

__all__ = ["Axis", "AxisKind", "Boxes", "Publish", "axes_of", "boxes_of", "publish_groups"]
