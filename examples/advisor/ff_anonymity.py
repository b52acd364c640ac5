"""FF-anonymity: colleagues see that somebody has the flu, not that somebody has AIDS; both stand in one column."""

import numpy as np
import polars as pl
from journey import SEX, ask_about, publish, verify, write_plan

draw = np.random.default_rng(29)
illnesses = ["flu", "cold", "AIDS", "tuberculosis", "depression", "cancer"]
illnesses += ["broken arm", "measles", "allergy", "angina", "asthma", "migraine"]
staff = pl.DataFrame(
    {
        "person": np.arange(400),
        "sex": draw.choice(["F", "M"], 400),
        "department": draw.choice(["sales", "office", "workshop", "store"], 400),
        "illness": draw.choice(illnesses, 400),
        "salary": draw.choice([f"{900 + 100 * step}" for step in range(20)], 400),
    }
)
columns = {
    "person": {"role": "identifier"},
    "sex": SEX,
    "department": SEX,
    "illness": {"role": "quasi-identifier", "hierarchy": {"kind": "flat"}},
    "salary": {"role": "sensitive"},
}
plan = write_plan("ff-anonymity", columns, {"staff.csv": staff})

seen = "sex,department,illness=flu,illness=cold,illness=broken arm"
hidden = "illness=AIDS,illness=tuberculosis,illness=depression,illness=cancer,salary"
advice = ask_about(plan, "y,y,y,n,n,y", theta="0.3", lmax="3", observable=seen, sensitive=hidden)
verdicts = verify(publish(plan, advice))
