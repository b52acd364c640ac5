"""l-diversity: four parties, each with about as many voters. Votes come in a table of their own."""

import numpy as np
import polars as pl
from journey import AGE, SEX, ask_about, publish, verify, write_plan

draw = np.random.default_rng(7)
voters = pl.DataFrame(
    {
        "voter": np.arange(400),
        "age": draw.integers(18, 90, 400),
        "sex": draw.choice(["F", "M"], 400),
        "party": draw.choice(["green", "orange", "purple", "white"], 400),
    }
)
columns = {"voter": {"role": "identifier"}, "age": AGE, "sex": SEX, "party": {"role": "sensitive"}}
plan = write_plan("l-diversity", columns, {"voters.csv": voters})

advice = ask_about(plan, "y,n,n,n,n,n,n", l="3")
verdicts = verify(publish(plan, advice))
