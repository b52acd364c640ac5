"""LKC-privacy: a questionnaire with ten answers per person, of which an attacker knows at most two."""

import numpy as np
import polars as pl
from journey import ask_about, publish, verify, write_plan

draw = np.random.default_rng(11)
habits = [f"habit_{number}" for number in range(1, 11)]
survey = pl.DataFrame(
    {
        "person": np.arange(500),
        **{habit: draw.choice(["never", "seldom", "often"], 500, p=[0.6, 0.3, 0.1]) for habit in habits},
        "income": draw.choice(["low", "middle", "high"], 500, p=[0.3, 0.4, 0.3]),
    }
)
columns = {
    "person": {"role": "identifier"},
    **{habit: {"role": "quasi-identifier", "hierarchy": {"kind": "flat"}} for habit in habits},
    "income": {"role": "sensitive"},
}
plan = write_plan("lkc-privacy", columns, {"survey.csv": survey})

advice = ask_about(plan, "y,n,y", l="2", k="5", c="0.8")
verdicts = verify(publish(plan, advice))
