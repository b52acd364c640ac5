"""Whether two trees make the same releases: the published rows of every method, as checksums.

    PYTHONPATH=old/src python benchmarks/same_releases.py write old.json
    PYTHONPATH=src python benchmarks/same_releases.py compare old.json

A structural change must not change an answer. Rows are compared in sorted order, because the published order is random;
methods that draw random numbers get a seed. Mechanisms take their chance from the system and cannot be compared so.
"""

import hashlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

import polars as pl

import krypsis
from krypsis import registry

ROWS = 2_000
SEEDED = "{name}:seed=7"
KNOWN = ("sex", "age", "race", "marital-status", "education")
HIDDEN = "occupation"
PROMISES = ["k-anonymity:k=5"]
OTHER_PROMISES = {
    "anatomize": ["frequency-l-diversity:l=3"],
    "permutation": ["ke-anonymity:k=3,e=5"],
    "proximity-permutation": ["em-anonymity:epsilon=3,m=3"],
    "kk-anonymizer": ["kk-anonymity:k=5"],
    "apriori": ["km-anonymity:k=5,m=2"],
    "disassociation": ["km-anonymity:k=5,m=2"],
    "km-suppression": ["km-anonymity:k=5,m=2"],
    "cahd": ["privacy-degree:p=4"],
    "permutation-mondrian": ["privacy-degree:p=4"],
    "m-invariant": ["m-invariance:m=3"],
}
LEFT_OUT = {
    *("alpha-beta", "dp-histogram", "dp-sampling", "recursive-histogram"),  # chance of the system
    *("multirelational", "sa-generalization", "ff-suppression"),  # need more than one table gives
    *("correlation", "frequency-aware"),  # need a taxonomy of the sensitive values
}


def data_folder() -> Path:
    return Path(os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def adult() -> pl.DataFrame:
    table = pl.read_csv(data_folder() / "relational" / "adult" / "adult.csv", separator=";", infer_schema=False)
    return table.head(ROWS).select(*KNOWN, HIDDEN)


def baskets() -> krypsis.Transactions:
    lines = (data_folder() / "transactions" / "foodmart.dat").read_text("utf-8").splitlines()
    return krypsis.Transactions.of_sets([line.split() for line in lines[:ROWS] if line.strip()])


def of_table(name: str, spec: str) -> krypsis.Release:
    perturbs = any(base.__name__ == "Perturbation" for base in registry.find("algorithm", name).__mro__)
    hidden = "age" if name.endswith("permutation") else HIDDEN
    known = ["age"] if perturbs else [one for one in KNOWN if one != hidden]
    files = {one: data_folder() / "relational" / "adult" / f"adult_hierarchy_{one}.csv" for one in known}
    return krypsis.anonymize(
        adult(),
        {**dict.fromkeys(known, "quasi-identifier"), hidden: "sensitive"},
        models=() if perturbs else OTHER_PROMISES.get(name, PROMISES),
        hierarchies={} if perturbs or hidden == "age" else files,
        algorithm=spec if name != "fixed" else 'fixed:levels="sex=1,age=4,race=1,marital-status=2,education=3"',
    )


def of_sets(name: str, spec: str) -> krypsis.Release:
    sets = baskets()
    items = sorted(sets.items, key=int)
    hierarchy = krypsis.Hierarchy.from_rows([[item, f"g{int(item) % 50}", "*"] for item in items])
    rare = items[: max(1, len(items) // 100)]
    return krypsis.anonymize(
        sets,
        models=OTHER_PROMISES[name],
        algorithm=spec,
        hierarchies={"item": hierarchy} if name == "apriori" else {},
        sensitive_items=rare if "privacy-degree" in OTHER_PROMISES[name][0] else (),
    )


def of_history(name: str, spec: str, folder: Path) -> krypsis.Release:
    table = adult().with_row_index("id")
    history = krypsis.History.init(
        folder / "history",
        id="id",
        roles={**dict.fromkeys(KNOWN, "quasi-identifier"), HIDDEN: "sensitive"},
        models=OTHER_PROMISES[name],
        algorithm=spec,
    )
    history.publish(table.head(ROWS // 2))
    return history.publish(table.slice(100, ROWS // 2)).release


def checksum(release: krypsis.Release, folder: Path) -> str:
    """Return what identifies the published rows, whatever their order."""
    found = hashlib.sha256()
    saved = release.save(folder / "release").folder
    for path in sorted(saved.iterdir()):
        if path.name != "manifest.json":
            found.update(path.name.encode() + b"\n".join(sorted(path.read_bytes().splitlines())))
    return found.hexdigest()


def releases() -> dict[str, str]:
    found = {}
    for name, cls in registry.classes("algorithm").items():
        if name in LEFT_OUT:
            continue
        spec = SEEDED.format(name=name) if "seed" in cls.model_fields else name
        with tempfile.TemporaryDirectory() as text, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folder = Path(text)
            make = {"transactions": of_sets, "history": lambda *given, at=folder: of_history(*given, at)}
            try:
                found[name] = checksum(make.get(cls.kind, of_table)(name, spec), folder)
            except krypsis.errors.KrypsisError as error:
                found[name] = f"refused: {error}"
        print(f"{name:<24} {found[name][:60]}", flush=True)
    return found


def main(command: str, file: str) -> None:
    found = releases()
    if command == "write":
        Path(file).write_text(json.dumps(found, indent=1), "utf-8")
        return
    before = json.loads(Path(file).read_text("utf-8"))
    differing = sorted(name for name in {*before, *found} if before.get(name) != found.get(name))
    print(f"{len(found)} methods; different: {', '.join(differing) or 'none'}")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main(*sys.argv[1:])
