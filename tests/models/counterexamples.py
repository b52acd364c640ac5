"""Why some models are not monotone with suppression: an accepted group that another group spoils.

Each model that does not claim ``monotone_with_suppression`` needs an entry: the promise, a group that keeps it, and a
group whose union with it breaks it.
"""

COUNTEREXAMPLES = {
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
