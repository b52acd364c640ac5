"""Check baskets: who knows two things that somebody bought must find two baskets at least."""

from krypsis.checker import check_transactions
from krypsis.data.transactions import Transactions
from krypsis.models.km_anonymity import KmAnonymity

baskets = Transactions.of_sets(
    [
        ["kitchen paper", "lentils", "chickpeas"],
        ["bleach", "lentils"],
        ["bleach", "lentils", "chickpeas"],
        ["kitchen paper", "bleach", "chickpeas"],
    ]
)
published = baskets.generalized({"kitchen paper": "cleaning", "bleach": "cleaning"})

for sets in (baskets, published):
    (verdict,) = check_transactions(sets, [KmAnonymity(k=2, m=2)])
    print(verdict.sentence)
    for found in verdict.offending:
        print("  only", found["size"], "basket:", found["values"]["items"])
