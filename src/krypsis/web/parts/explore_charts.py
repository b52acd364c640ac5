"""The charts of the page Explore: the cloud of solutions, and the Hasse diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.exploration.cloud import KINDS
from krypsis.exploration.hasse import Hasse
from krypsis.report.text import shorten_text
from krypsis.web.parts.explore_space import Dot, Space
from krypsis.web.texts import say

COLORS = {"refused": "#a8b1bd", "node": "#6b8fb8", "frontier": "#128a90", "best": "#c2690a"}
SIZES = {"refused": 6, "node": 7, "frontier": 11, "best": 17}
PICKED = ("#7a2fb0", "#c01f6a")
"""The colors of the two solutions that are compared."""
FEW = 40
"""Up to so many nodes show their levels without being asked."""

TOOLTIP = {"renderMode": "richText", "confine": True, "formatter": "{b}"}  # rich text: labels of the data are no HTML


def cloud_options(space: Space, picked: Sequence[Levels]) -> dict[str, Any]:
    """Return the chart of risk and loss."""
    return {
        "animation": False,
        "grid": {"left": 64, "right": 20, "top": 40, "bottom": 58},
        "legend": {"top": 0, "itemGap": 14, "selectedMode": False},
        "tooltip": {"trigger": "item", **TOOLTIP},
        "xAxis": _axis(say("explore.axis-loss", metric=space.metric), 32),
        "yAxis": {**_axis(say(f"explore.axis-{space.risk}"), 46), **_percent(space)},
        "series": [*(_dots(space, kind) for kind in KINDS), _stairs(space), *_rings(space, picked)],
    }


def _axis(name: str, gap: int) -> dict[str, Any]:
    split = {"lineStyle": {"opacity": 0.35}}
    return {"name": name, "nameLocation": "middle", "nameGap": gap, "scale": True, "splitLine": split}


def _percent(space: Space) -> dict[str, Any]:
    kind = "value" if space.risk == "suppressed" else "log"  # a share of 0 has no logarithm
    return {"type": kind, "axisLabel": {"formatter": "{value} %"}, "max": 100 if kind == "log" else None}


def _dots(space: Space, kind: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": say(f"explore.kind-{kind}"),
        "symbol": "diamond" if kind == "best" else "circle",
        "symbolSize": SIZES[kind],
        "itemStyle": {"color": COLORS[kind], "opacity": 0.55 if kind in ("refused", "node") else 0.95},
        "data": [_point(space, dot) for dot in space.dots(kind)],
        "z": KINDS.index(kind) + 2,
    }


def _point(space: Space, dot: Dot) -> dict[str, Any]:
    return {"name": space.words(dot.levels), "value": [dot.loss, dot.risk * 100]}


def _stairs(space: Space) -> dict[str, Any]:
    """Return the border of what can be had: for a given loss, no less risk than the line shows."""
    front = sorted([*space.dots("frontier"), *space.dots("best")], key=lambda dot: (dot.loss, -dot.risk))
    line = {"color": COLORS["frontier"], "width": 1.5, "opacity": 0.7}
    data = [[dot.loss, dot.risk * 100] for dot in front]
    return {"type": "line", "step": "end", "symbol": "none", "silent": True, "lineStyle": line, "data": data, "z": 3}


def _rings(space: Space, picked: Sequence[Levels]) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "silent": True,
            "symbolSize": 24,
            "itemStyle": {"color": "transparent", "borderColor": PICKED[number], "borderWidth": 3},
            "label": {"show": True, "formatter": str(number + 1), "position": "right", "fontWeight": "bold"},
            "data": [[dot.loss, dot.risk * 100] for dot in [space.dot(levels)] if dot is not None],
            "z": 9,
        }
        for number, levels in enumerate(picked)
    ]


def hasse_options(space: Space, drawn: Hasse, picked: Sequence[Levels]) -> dict[str, Any]:
    """Return the Hasse diagram: the original table at the bottom, everything generalized at the top."""
    kinds = space.kinds
    rings = {levels: PICKED[number] for number, levels in reversed(list(enumerate(picked)))}
    few = len(drawn.nodes) <= FEW
    nodes = [
        _node(space, levels, place, kinds, rings, few=few)
        for levels, place in zip(drawn.nodes, drawn.places, strict=True)
    ]
    return {
        "animation": False,
        "tooltip": {"trigger": "item", **TOOLTIP},
        "grid": {"left": 14, "right": 14, "top": 16, "bottom": 26},
        "xAxis": {"show": False, "min": 0, "max": 1},
        "yAxis": {"show": False, "min": "dataMin", "max": "dataMax"},
        "series": [
            {
                "type": "graph",
                "coordinateSystem": "cartesian2d",
                "data": nodes,
                "links": [{"source": low, "target": high, "name": ""} for low, high in drawn.lines],
                "lineStyle": {"color": "#8795a8", "opacity": 0.45, "width": 1},
                "emphasis": {"focus": "adjacency", "lineStyle": {"width": 2.5, "opacity": 1}},
            }
        ],
    }


def _node(
    space: Space,
    levels: Levels,
    place: tuple[float, int],
    kinds: Mapping[Levels, str],
    rings: Mapping[Levels, str],
    *,
    few: bool,
) -> dict[str, Any]:
    kind, ring = kinds.get(levels, "refused"), rings.get(levels)
    label = {"show": few or ring is not None, "formatter": shorten_text(_short(levels), 24), "position": "bottom"}
    border = {"borderColor": ring, "borderWidth": 4} if ring else {}
    return {
        "id": _short(levels),
        "name": space.words(levels),
        "value": list(place),
        "symbol": "diamond" if kind == "best" else "circle",
        "symbolSize": 22 if ring or kind == "best" else 14,
        "itemStyle": {"color": COLORS[kind], **border},
        "label": {**label, "distance": 3, "fontSize": 12},
    }


def _short(levels: Levels) -> str:
    return ",".join(map(str, levels))
