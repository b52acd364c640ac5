"""Build a hierarchy from a rule or from rows, and save it as a file for a plan."""

from pathlib import Path

from krypsis.data.hierarchies import Hierarchy, Intervals, write_csv

age = Intervals(width=5).build(["31", "38"], "age")
sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])

print(age.rows(), sex.height)
write_csv(age, "age.csv")
print(Path("age.csv").read_text(encoding="utf-8"))
