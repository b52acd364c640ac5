"""Personalized privacy: patients say what others may not conclude about them; most of them do not mind."""

import numpy as np
import polars as pl
from journey import AGE, SEX, ask_about, publish, verify, write_plan

draw = np.random.default_rng(19)
tree = {
    "any": {"infection": ["flu", "bronchitis", "hepatitis"], "heart": ["angina", "arrhythmia"], "other": ["allergy"]}
}
illnesses = [name for part in tree["any"].values() for name in part]
wishes = [None, "infection", "heart", "hepatitis"]
patients = pl.DataFrame(
    {
        "patient": np.arange(400),
        "age": draw.integers(18, 90, 400),
        "sex": draw.choice(["F", "M"], 400),
        "illness": draw.choice(illnesses, 400, p=[0.3, 0.15, 0.05, 0.2, 0.1, 0.2]),
        "hides": pl.Series(draw.choice(4, 400, p=[0.7, 0.1, 0.1, 0.1])).map_elements(wishes.__getitem__, pl.String),
    }
)
columns = {
    "patient": {"role": "identifier"},
    "age": AGE,
    "sex": SEX,
    "illness": {"role": "sensitive", "hierarchy": {"kind": "taxonomy", "tree": tree}},
    "hides": {"role": "identifier"},  # what somebody wants to hide is not published
}
plan = write_plan("personalized-privacy", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,n,n,y", p="0.6", guarding="hides")
saved = publish(plan, advice)
verdicts = verify(saved, private_columns=saved.private)
