"""The built-in ontology: invented patients, and what everybody knows about medicine."""

import numpy as np

from krypsis.kinds.base import PLAN, Demo

SPECIALISTS = ("Gastroenterologist", "Psychiatrist", "Cardiologist", "Dermatologist")
DRUGS = ("Insulin", "Antiretroviral", "Statin", "Aspirin", "Antihistamine")
MOST_SEEN, MOST_TAKEN = 3, 2


def hospital(patients: int = 60, seed: int = 2014) -> str:
    """Return who is treated by whom and takes what, in functional syntax; patients and seed decide everything.

    Examples
    --------
    >>> hospital(5).count("ClassAssertion(:Patient ")
    5
    """
    # Only Generator.random is used: numpy promises no stable stream for the other distributions.
    draw = np.random.default_rng(seed)
    doctors = [(f"dr{number:02}", SPECIALISTS[number % len(SPECIALISTS)]) for number in range(2 * len(SPECIALISTS))]
    lines = [f"ClassAssertion(:{specialty} :{doctor})" for doctor, specialty in doctors]
    for number in range(patients):
        patient = f":p{number:03}"
        lines.append(f"ClassAssertion(:Patient {patient})")
        seen = sorted({int(draw.random() * len(doctors)) for _ in range(1 + int(draw.random() * MOST_SEEN))})
        lines += [f"ObjectPropertyAssertion(:attendedBy {patient} :{doctors[one][0]})" for one in seen]
        taken = sorted({int(draw.random() * len(DRUGS)) for _ in range(int(draw.random() * (MOST_TAKEN + 1)))})
        lines += [f"ClassAssertion(ObjectSomeValuesFrom(:takes :{DRUGS[one]}) {patient})" for one in taken]
    return HEADER + "\n".join(lines) + "\n)\n"


def demo() -> Demo:
    """Return the hospital, what is known about medicine, and a plan.

    Examples
    --------
    >>> list(demo().files)
    ['hospital.ofn', 'medicine.ofn', 'plan.yaml']
    """
    files = {"hospital.ofn": hospital(), "medicine.ofn": MEDICINE, PLAN: PLAN_TEXT}
    return Demo("demo-ontology", files, "60 invented patients, their doctors and drugs")


HEADER = """\
Prefix(:=<http://example.org/hospital#>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Ontology(
"""

MEDICINE = (
    HEADER
    + """\
SubClassOf(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :GastricDisorder)
SubClassOf(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :MentalDisorder)
SubClassOf(ObjectIntersectionOf(:GastricDisorder :MentalDisorder) :IrritableBowelSyndrome)
SubClassOf(ObjectSomeValuesFrom(:takes :Antiretroviral) :HivPatient)
SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)
SubClassOf(:Gastroenterologist :Doctor)
SubClassOf(:Psychiatrist :Doctor)
SubClassOf(:Cardiologist :Doctor)
SubClassOf(:Dermatologist :Doctor)
SubClassOf(:Antiretroviral :Drug)
SubClassOf(:Insulin :Drug)
SubClassOf(:Statin :Drug)
SubClassOf(:Aspirin :Drug)
SubClassOf(:Antihistamine :Drug)
)
"""
)

PLAN_TEXT = """\
# Who is treated by whom in a hospital: what is published must not let anybody derive two diagnoses.
kind: ontology
data: hospital.ofn
public: medicine.ofn      # what everybody knows about medicine
secrets:
  - ClassAssertion(:HivPatient ?)               # ? stands for anybody
  - ClassAssertion(:IrritableBowelSyndrome ?)
promises:
  - inference-safety
algorithm: auto
output:
  folder: release
"""
