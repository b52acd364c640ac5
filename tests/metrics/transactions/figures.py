"""The searches of figure 3.2 and the patients of figure 4.1, as they are published in the figures that follow."""

import numpy as np

from krypsis import registry
from krypsis.data.transactions import Transactions
from transactions.clusters import clusters

SEARCHES = Transactions.of_sets(
    line.split("|")
    for line in (
        "itunes|flu|madonna|ikea|ruby",
        "madonna|flu|viagra|ruby|audi a4|sony tv",
        "itunes|madonna|audi a4|ikea|sony tv",
        "itunes|flu|viagra",
        "itunes|flu|madonna|audi a4|sony tv",
        "madonna|digital camera|panic disorder|playboy",
        "iphone sdk|madonna|ikea|ruby",
        "iphone sdk|digital camera|madonna|playboy",
        "iphone sdk|digital camera|panic disorder",
        "iphone sdk|digital camera|madonna|ikea|ruby",
    )
)
_MUSIC = [
    ["itunes", "flu", "madonna"],
    ["madonna", "flu"],
    ["itunes", "madonna"],
    ["itunes", "flu"],
    ["itunes", "flu", "madonna"],
]
_CARS = [["audi a4", "sony tv"]] * 3
_PHONES = [
    ["madonna", "digital camera"],
    ["iphone sdk", "madonna"],
    ["iphone sdk", "digital camera", "madonna"],
    ["iphone sdk", "digital camera"],
    ["iphone sdk", "digital camera", "madonna"],
]
FIGURE_3_2B = clusters(
    [(0, _MUSIC), (0, _CARS), (1, _PHONES)],
    sizes=[5, 5],
    parents=[-1, -1],
    terms=[["ikea", "viagra", "ruby"], ["panic disorder", "playboy", "ikea", "ruby"]],
)
FIGURE_3_3 = clusters(
    [
        (0, _MUSIC),
        (0, _CARS),
        (1, _PHONES),
        (2, [["ikea", "ruby"], ["ruby"], ["ikea"], ["ikea", "ruby"], ["ikea", "ruby"]]),
    ],
    sizes=[5, 5],
    parents=[2, 2, -1],
    terms=[["viagra"], ["panic disorder", "playboy"]],
)
PATIENTS = Transactions.of_sets(
    line.split("|")
    for line in (
        "296.00|296.01|296.02|834.0|944.01",
        "296.00|296.02|296.01|401.0|944.01|692.71|695.10",
        "296.00|296.02|692.71|834.0|695.10",
        "296.00|296.01|692.71|401.0",
        "296.00|296.01|296.02|692.71|695.10",
        "296.03|295.04|404.00|480.1",
        "294.10|296.03|834.0|944.01",
        "294.10|295.04|296.03|480.1",
        "294.10|295.04|404.00",
        "294.10|295.04|296.03|834.0|944.01",
    )
)
CONSTRAINTS = (
    ("294.10", "295.04", "296.00", "296.01", "296.02", "296.03"),
    ("692.71", "695.10"),
    ("401.0", "404.00"),
    ("480.1",),
    ("834.0", "944.01"),
)
_BOTH = ["834.0", "944.01"]
FIGURE_4_6 = clusters(
    [
        (
            0,
            [
                ["296.00", "296.01", "296.02"],
                ["296.00", "296.01", "296.02"],
                ["296.00", "296.02"],
                ["296.00", "296.01"],
                ["296.00", "296.01", "296.02"],
            ],
        ),
        (0, [["692.71", "695.10"], ["692.71", "695.10"], ["692.71"], ["692.71", "695.10"]]),
        (
            1,
            [
                ["296.03", "295.04"],
                ["294.10", "296.03"],
                ["294.10", "295.04", "296.03"],
                ["294.10", "295.04"],
                ["294.10", "295.04", "296.03"],
            ],
        ),
        (2, [_BOTH, ["944.01"], ["834.0"], _BOTH, _BOTH]),
    ],
    sizes=[5, 5],
    parents=[2, 2, -1],
    terms=[["401.0"], ["404.00", "480.1"]],
)


def measured(spec, original, published, hierarchy=None, seed=1):
    """The figure of a metric that is given as one word, or as an object."""
    return registry.create("metric", spec).measure(original, published, hierarchy, np.random.default_rng(seed))
