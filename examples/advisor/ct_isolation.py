"""(c,t)-isolation: measurements only. Nobody may point at a person by a guess that is nearer to nobody else."""

import numpy as np
import polars as pl
from journey import ask_about, publish, verify, write_plan

draw = np.random.default_rng(13)
height = draw.normal(172, 9, 500).round()
measured = pl.DataFrame(
    {
        "person": np.arange(500),
        "height": height,
        "weight": (height - 100 + draw.normal(0, 9, 500)).round(),
        "pulse": draw.normal(70, 8, 500).round(),
    }
)
numbers = dict.fromkeys(["height", "weight", "pulse"], "quasi-identifier")
columns = {"person": "identifier", **numbers}
plan = write_plan("ct-isolation", columns, {"measured.csv": measured})

advice = ask_about(plan, "y,y,y,n,n,n,n,n,y", c="2", t="5")
verdicts = verify(publish(plan, advice), original=plan.parent / "measured.csv")
