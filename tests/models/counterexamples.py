"""Why some models are not monotone with suppression: an accepted group that another group spoils.

Each model that does not claim ``monotone_with_suppression`` needs an entry: the promise, a group that keeps it, and a
group whose union with it breaks it.
"""

COUNTEREXAMPLES = {
    "entropy-l-diversity": ("entropy-l-diversity:l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "recursive-l-diversity": ("recursive-l-diversity:c=2,l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "frequency-l-diversity": ("frequency-l-diversity:l=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "alpha-k-anonymity": ("alpha-k-anonymity:alpha=0.5,k=2", {"flu": 1, "cancer": 1}, {"flu": 8}),
    "t-closeness": ("t-closeness:t=0.1", {"flu": 5, "cancer": 5}, {"flu": 5}),
}
