"""k^m-anonymity: baskets of a shop, of which a neighbor may have seen any two items.

A search that generalizes items is not there yet; here items are suppressed, in every basket, until no pair is rare.
"""

from pathlib import Path

import numpy as np
from journey import ask, told

import krypsis

K, M, ITEMS = 5, 2, [f"item {number:02d}" for number in range(1, 31)]
draw = np.random.default_rng(17)
popularity = 1 / np.arange(1, 31)
baskets = [
    sorted(draw.choice(ITEMS, size=draw.integers(1, 6), replace=False, p=popularity / popularity.sum()).tolist())
    for _ in range(1500)
]

folder = Path("km-anonymity")
advice = ask("y,y,y,n,n,n,y", folder=folder, k=str(K), m=str(M))

before = krypsis.check(baskets, models=advice.spec)[0]
print(f"as they are: {before.sentence}")
while not (verdict := krypsis.check(baskets, models=advice.spec)[0]):
    rare = [known["values"]["items"].split(", ") for known in verdict.offending]
    counts = {item: sum(item in basket for basket in baskets) for items in rare for item in items}
    gone = {min(items, key=counts.__getitem__) for items in rare}  # of each rare pair, the item that is rarer
    baskets = [[item for item in basket if item not in gone] for basket in baskets]

kept = {item for basket in baskets for item in basket}
print(f"published: {len(baskets)} baskets of {len(kept)} of {len(ITEMS)} items")
published = folder / "baskets.csv"
published.write_text("".join(",".join(basket) + "\n" for basket in baskets if basket), encoding="utf-8")
verdicts = told(krypsis.check(published, models=advice.spec))
