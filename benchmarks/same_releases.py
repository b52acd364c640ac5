"""Whether two trees make the same releases: the published rows of every method, as checksums.

    PYTHONPATH=old/src python benchmarks/same_releases.py write old.json
    PYTHONPATH=src python benchmarks/same_releases.py compare old.json

A structural change must not change an answer. Rows are compared in sorted order, because the published order is random;
methods that draw random numbers get a seed. Mechanisms take their chance from the operating system, which is replaced
here by numbers that can be repeated.
"""

import argparse
import hashlib
import json
import os
import random
import secrets
import sys
import tempfile
import warnings
from pathlib import Path

import polars as pl

SEED = 7
draws = random.Random(SEED)


def repeatable_bits(width: int) -> int:
    """Return bits instead of those of the operating system: a mechanism draws them one after the other."""
    # A seed that is drawn where none is given stays the same, so that it does not shift what a mechanism draws.
    return draws.getrandbits(width) if sys._getframe(1).f_code.co_name == "below" else SEED  # noqa: SLF001


secrets.randbits = repeatable_bits  # before anything takes it as a default

import krypsis  # noqa: E402
from krypsis import registry  # noqa: E402

ROWS = 2_000
SEEDED = f"{{name}}:seed={SEED}"
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
    "correlation": ["em-correlation:e=2,m=2"],
    "frequency-aware": ["em-correlation:e=2,m=2"],
    "alpha-beta": ["d-gamma-privacy:d=0.1,gamma=0.5"],
    "dp-histogram": ["differential-privacy:epsilon=1"],
    "dp-sampling": ["differential-privacy:epsilon=1,delta=0.001"],
    "recursive-histogram": ["ct-isolation:c=3,t=4,share=0.3"],
    "multirelational": ["multirelational-k-anonymity:k=3"],
    "sa-generalization": ["personalized-privacy:p=0.5,guarding=guard"],
    "ff-suppression": [f'ff-anonymity:theta=0.5,lmax=2,observable="sex,race",sensitive={HIDDEN}=Sales'],
}
SPECS: dict[str, object] = {
    "fixed": 'fixed:levels="sex=1,age=4,race=1,marital-status=2,education=3"',
    "k-optimize": "k-optimize:nodes=5000",  # a limit in seconds would depend on the machine
    "dp-sampling": "dp-sampling:columns=sex",
    "correlation": f"correlation:seed={SEED},on_ineligible=counterfeits",
    "frequency-aware": {
        "name": "frequency-aware",
        "seed": SEED,
        "on_ineligible": "counterfeits",
        "probabilities": {"Sales": "9/10", "Craft-repair": "9/10", "Nontechnical": "1/100", "Technical": "1/100"},
    },
}


def data_folder() -> Path:
    return Path(os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def adult() -> pl.DataFrame:
    table = pl.read_csv(data_folder() / "relational" / "adult" / "adult.csv", separator=";", infer_schema=False)
    return table.head(ROWS).select(*KNOWN, HIDDEN)


def baskets() -> krypsis.Transactions:
    lines = (data_folder() / "transactions" / "foodmart.dat").read_text("utf-8").splitlines()
    return krypsis.Transactions.of_sets([line.split() for line in lines[:ROWS] if line.strip()])


def of_graph(name: str, spec: str) -> krypsis.Release:
    promises = {
        "k-degree": "k-degree-anonymity:k=3",
        "k-neighborhood": "k-neighborhood-anonymity:k=3",
        "private-degrees": "edge-differential-privacy:epsilon=1",
        "vertex-clustering": "supervertex-anonymity:k=3",
    }
    graph = krypsis.Graph.read(data_folder() / "graphs" / "karate.gml")
    return krypsis.anonymize(graph, models=promises.get(name, ()), algorithm=spec)


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
        algorithm=spec,
    )


def of_mechanism(name: str, spec: str) -> krypsis.Release:
    declared = {"kind": "intervals", "cuts": [20, 40, 60]}
    table = adult().select("sex", pl.col("age").cast(pl.Int64))
    if name == "recursive-histogram":  # of numbers
        return krypsis.anonymize(table, {"age": "quasi-identifier"}, models=OTHER_PROMISES[name], algorithm=spec)
    sexes = data_folder() / "relational" / "adult" / "adult_hierarchy_sex.csv"
    return krypsis.anonymize(
        table,
        dict.fromkeys(table.columns, "quasi-identifier"),
        models=OTHER_PROMISES[name],
        hierarchies={"age": declared, "sex": sexes},
        algorithm=spec,
    )


def of_several_tables(name: str, spec: str) -> krypsis.Release:
    """Persons in one table, with two jobs of each in another."""
    people = adult().head(ROWS // 4).with_row_index("person")
    jobs = pl.concat([people.select("person", HIDDEN), people.select(pl.col("person"), pl.col(HIDDEN).shuffle(SEED))])
    files = {one: data_folder() / "relational" / "adult" / f"adult_hierarchy_{one}.csv" for one in (*KNOWN, HIDDEN)}
    second = {"data": jobs, "roles": {HIDDEN: "quasi-identifier"}, "hierarchies": {HIDDEN: files[HIDDEN]}}
    return krypsis.anonymize(
        people,
        dict.fromkeys(KNOWN, "quasi-identifier"),
        models=OTHER_PROMISES[name],
        hierarchies={one: files[one] for one in KNOWN},
        algorithm=spec,
        suppression=0.5,
        key="person",
        tables={"jobs": second},
    )


def of_guarded_values(name: str, spec: str) -> krypsis.Release:
    """Every third person guards the occupation, every ninth everything above it."""
    row = pl.int_range(pl.len())
    guard = pl.when(row % 9 == 0).then(pl.lit("*")).when(row % 3 == 0).then(pl.col(HIDDEN))
    table = adult().with_columns(guard=guard)
    if name == "ff-suppression":
        table = table.drop("guard")
    roles = {**dict.fromkeys(KNOWN, "quasi-identifier"), HIDDEN: "sensitive"}
    files = {one: data_folder() / "relational" / "adult" / f"adult_hierarchy_{one}.csv" for one in (*KNOWN, HIDDEN)}
    return krypsis.anonymize(
        table,
        {**roles, **({"guard": "identifier"} if "guard" in table.columns else {})},
        models=OTHER_PROMISES[name],
        hierarchies=files,
        algorithm=spec,
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


def of_history(name: str, spec: object, folder: Path) -> krypsis.Release:
    table = adult().with_row_index("id")
    history = krypsis.History.init(
        folder / "history",
        id="id",
        roles={**dict.fromkeys(KNOWN, "quasi-identifier"), HIDDEN: "sensitive"},
        models=OTHER_PROMISES[name],
        hierarchies={HIDDEN: data_folder() / "relational" / "adult" / f"adult_hierarchy_{HIDDEN}.csv"}
        if name != "m-invariant"
        else {},
        algorithm=spec,
    )
    history.publish(table.head(ROWS // 2))
    return history.publish(table.slice(100, ROWS // 2)).release


def subjects(release: krypsis.Release) -> list[str]:
    """Return what linked tables show of each subject: the numbers of subjects are random."""
    seen: dict[int, list[str]] = {}
    for name, table in release.tables.items():
        for row in table.iter_rows(named=True):
            seen.setdefault(row.pop("subject"), []).append(f"{name} {row}")
    return sorted(str(sorted(rows)) for rows in seen.values())


def checksum(release: krypsis.Release, folder: Path) -> str:
    """Return what identifies the published rows, whatever their order."""
    found = hashlib.sha256()
    if len(release.tables) > 1 and "subject" in release.table.columns:
        return hashlib.sha256(repr(subjects(release)).encode()).hexdigest()
    saved = release.save(folder / "release").folder
    for path in sorted(saved.iterdir()):
        if path.name != "manifest.json":
            found.update(path.name.encode() + b"\n".join(sorted(path.read_bytes().splitlines())))
    return found.hexdigest()


FAMILIES = {
    **dict.fromkeys(("alpha-beta", "dp-histogram", "dp-sampling", "recursive-histogram"), of_mechanism),
    "multirelational": of_several_tables,
    **dict.fromkeys(("sa-generalization", "ff-suppression"), of_guarded_values),
}


def releases(methods: list[str]) -> dict[str, str]:
    found = {}
    for name, cls in registry.classes("algorithm").items():
        if methods and name not in methods:
            continue
        draws.seed(SEED)
        spec = SPECS.get(name, SEEDED.format(name=name) if "seed" in cls.model_fields else name)
        with tempfile.TemporaryDirectory() as text, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folder = Path(text)
            make = {
                "graph": of_graph,
                "transactions": of_sets,
                "history": lambda *given, at=folder: of_history(*given, at),
            }
            try:
                found[name] = checksum(FAMILIES.get(name, make.get(cls.kind, of_table))(name, spec), folder)
            except krypsis.errors.KrypsisError as error:
                found[name] = f"refused: {error}"
        print(f"{name:<24} {found[name][:200]}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["write", "compare"], help="write checksums, or compare with those written")
    parser.add_argument("file", type=Path, help="the checksums, as JSON")
    parser.add_argument("methods", nargs="*", help="names of algorithms; all unless given")
    given = parser.parse_args()
    found = releases(given.methods)
    if given.command == "write":
        given.file.write_text(json.dumps(found, indent=1), "utf-8")
        return
    before = json.loads(given.file.read_text("utf-8"))
    names = {*before, *found} if not given.methods else set(found)
    differing = sorted(name for name in names if before.get(name) != found.get(name))
    refused = sorted(name for name, text in found.items() if text.startswith("refused"))
    print(f"{len(found)} methods; different: {', '.join(differing) or 'none'}; refused: {', '.join(refused) or 'none'}")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
