"""Why some models are not monotone with suppression: an accepted group that another group spoils.

Each model that does not claim ``monotone_with_suppression`` needs an entry: the promise, a group that keeps it, and a
group whose union with it breaks it; or both groups as one object.
"""

from dataclasses import replace

import numpy as np

from krypsis.data.groups import Domain, Groups, Histogram, JointDomain
from krypsis.data.hierarchies.base import Hierarchy

TREE = Hierarchy.from_rows([["bronchitis", "infection", "*"], ["flu", "infection", "*"], ["angina", "heart", "*"]])


def guarded_groups() -> Groups:
    """The groups of the specification, 5.3: bronchitis guarded by infection next to angina, and two unguarded flus."""
    illnesses = Groups.of_histograms([{"bronchitis": 1, "angina": 1}, {"flu": 2}], "disease", TREE)
    disease, guard = illnesses.sensitive["disease"].domain, Domain(("infection", None), None, "guard")
    codes = np.array(
        [[disease.values.index("bronchitis"), 0], [disease.values.index("angina"), 1], [disease.values.index("flu"), 1]]
    )
    joint = JointDomain((), None, "disease, guard", (disease, guard), codes)
    together = Histogram(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([1, 1, 2]), np.array([1, 1, 2]), joint)
    return replace(illnesses, combined={("disease", "guard"): together})


COUNTEREXAMPLES = {
    "personalized-privacy": ("personalized-privacy:p=0.5,guarding=guard", guarded_groups()),
    "entropy-l-diversity": ("entropy-l-diversity:l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "recursive-l-diversity": ("recursive-l-diversity:c=2,l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "frequency-l-diversity": ("frequency-l-diversity:l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "alpha-k-anonymity": ("alpha-k-anonymity:alpha=0.5,k=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "lkc-privacy": ("lkc-privacy:l=1,k=2,c=0.5", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "confidence-bounding": ("confidence-bounding:value=flu,h=0.5", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "xy-linkability": ("xy-linkability:y=sensitive,h=0.5", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "xy-privacy": ("xy-privacy:y=sensitive,k=2,h=0.5", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "multi-attribute-l-diversity": (
        "multi-attribute-l-diversity:l=2,variant=entropy",
        {"flu": 1, "cancer": 1},
        {"flu": 8},
    ),
    "grassberger-l-diversity": ("grassberger-l-diversity:l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "pd-recursive-l-diversity": ("pd-recursive-l-diversity:c=2,l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "npd-recursive-l-diversity": ("npd-recursive-l-diversity:c1=2,c2=10,l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "delta-disclosure": ("delta-disclosure:delta=0.1", {"flu": 5, "cancer": 5}, {"flu": 5}),
    "basic-beta-likeness": ("basic-beta-likeness:beta=0.1", {"flu": 5, "cancer": 5}, {"flu": 5}),
    "enhanced-beta-likeness": ("enhanced-beta-likeness:beta=0.1", {"flu": 5, "cancer": 5}, {"flu": 5}),
    "bayes-breach": ("bayes-breach:p1=0.6,p2=0.7", {"flu": 5, "cancer": 5}, {"flu": 15}),
    "skyline": ("skyline:l=0,k=0,m=0,c=0.6", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "em-anonymity": ("em-anonymity:epsilon=1,m=2", {"1": 1, "5": 1}, {"1": 8}),
    "t-closeness": ("t-closeness:t=0.1", {"flu": 5, "cancer": 5}, {"flu": 5}),
}
