"""The built-in table with dependencies: invented patients whose drugs and wards give their diagnosis away."""

import numpy as np

from krypsis.kinds.base import PLAN, Demo

CITIES = {"15121": "Pefki", "15122": "Marousi", "15124": "Marousi", "15125": "Marousi", "14561": "Kifisia"}
TREATED = (
    ("E10 type 1 diabetes", "insulin", "internal medicine"),
    ("E11 type 2 diabetes", "insulin", "endocrinology"),
    ("E11 type 2 diabetes", "metformin", "internal medicine"),
    ("B20 HIV disease", "antiretroviral", "infectious diseases"),
    ("I10 hypertension", "beta blocker", "cardiology"),
    ("G43 migraine", "beta blocker", "neurology"),
    ("C50 breast cancer", "tamoxifen", "oncology"),
    ("J18 pneumonia", "amoxicillin", "infectious diseases"),
)


def patients(records: int = 300, seed: int = 2017) -> str:
    """Return a table of invented patients as CSV; records and seed decide everything.

    Examples
    --------
    >>> print(patients(2))
    name,zip,city,sex,drug,ward,diagnosis
    patient 001,...
    """
    # Only Generator.random is used: numpy promises no stable stream for the other distributions.
    draw = np.random.default_rng(seed)
    lines = ["name,zip,city,sex,drug,ward,diagnosis"]
    for number in range(1, records + 1):
        code = list(CITIES)[int(draw.random() * len(CITIES))]
        diagnosis, drug, ward = TREATED[int(draw.random() * len(TREATED))]
        sex = "F" if draw.random() < 0.5 or drug == "tamoxifen" else "M"
        lines.append(f"patient {number:03},{code},{CITIES[code]},{sex},{drug},{ward},{diagnosis}")
    return "\n".join(lines) + "\n"


def demo() -> Demo:
    """Return the patients, where every zip lies, and a plan.

    Examples
    --------
    >>> list(demo().files)
    ['patients.csv', 'cities.csv', 'plan.yaml']
    """
    cities = "zip,city\n" + "".join(f"{code},{city}\n" for code, city in CITIES.items())
    files = {"patients.csv": patients(), "cities.csv": cities, PLAN: PLAN_TEXT}
    return Demo("demo-dependencies", files, "300 invented patients with drugs, wards and diagnoses")


PLAN_TEXT = """\
# Patients of a hospital: some diagnoses must not be published, nor follow from what is.
kind: dependencies
data: patients.csv
columns:
  name: identifier
  zip: insensitive
  city: sensitive
  sex: insensitive
  drug: insensitive
  ward: insensitive
  diagnosis: sensitive
secrets:
  - diagnosis where ward in infectious diseases, oncology
  - city where ward = infectious diseases
dependencies:
  - drug = antiretroviral => diagnosis = B20 HIV disease
  - drug = insulin => diagnosis in E10 type 1 diabetes, E11 type 2 diabetes
  - ward = oncology => diagnosis = C50 breast cancer
  - drug, ward -> diagnosis
  - {rule: zip -> city, public: cities.csv}   # anybody can look it up
weights: {ward: 2}
promises:
  - dependency-safety
algorithm: auto
output:
  folder: release
"""
