"""Releases of sets: the library call, the plan, the files, and what the checker says of them."""

import json
import pickle
from pathlib import Path

import polars as pl
import pytest

import krypsis
from krypsis.data.transactions import Disassociated
from krypsis.errors import DataError, PlanError, PromiseBroken, UsageError
from krypsis.io.item_sets import read_item_sets
from krypsis.plan import Plan

BASKETS = krypsis.Transactions.of_sets(
    [
        ["bread", "milk"],
        ["bread", "milk"],
        ["bread", "milk", "viagra"],
        ["wine", "milk"],
        ["wine"],
        ["wine", "salt, coarse"],
    ]
    * 3
)
PROMISES = {
    "disassociation": "km-anonymity:k=3,m=2",
    "km-suppression": "km-anonymity:k=3,m=2",
    "apriori": "km-anonymity:k=4,m=2",
    "cahd": "privacy-degree:p=2",
    "permutation-mondrian": "privacy-degree:p=2",
}
GOODS = krypsis.Hierarchy.from_rows(
    [[one, "food", "*"] for one in ("bread", "milk", "salt, coarse", "wine")] + [["viagra", "drugs", "*"]]
)


def released(name: str, seed: int = 1) -> krypsis.Release:
    return krypsis.anonymize(
        BASKETS,
        models=PROMISES[name],
        algorithm={"name": name, "seed": seed},
        hierarchies={"item": GOODS} if name == "apriori" else None,
        sensitive_items=["viagra"] if "p=" in PROMISES[name] else (),
    )


@pytest.mark.parametrize("name", sorted(PROMISES))
def test_a_saved_release_is_accepted_from_its_files_and_loads_as_it_was(name: str, tmp_path: Path) -> None:
    saved = released(name).save(tmp_path / "release")
    (verdict,) = krypsis.check(saved.folder)
    loaded = krypsis.Release.load(saved.folder)
    assert verdict.holds
    assert loaded.verdicts[0].achieved == verdict.achieved
    assert (loaded.kind, loaded.records, loaded.algorithm) == ("transactions", len(BASKETS), saved.release.algorithm)


@pytest.mark.parametrize("name", sorted(PROMISES))
def test_the_same_seed_gives_the_same_release_and_tells_nothing_of_it(name: str, tmp_path: Path) -> None:
    one, other = released(name), released(name)
    assert one.table.equals(other.table)
    saved = one.save(tmp_path / "release")
    assert "seed" not in (saved.folder / "manifest.json").read_text(encoding="utf-8")


def test_clusters_are_published_as_json_and_sets_as_a_table(tmp_path: Path) -> None:
    pieces = released("disassociation").save(tmp_path / "pieces").folder
    sets = released("apriori").save(tmp_path / "sets", formats=["csv", "parquet"]).folder
    assert sorted(path.name for path in pieces.iterdir()) == ["data.json", "manifest.json"]
    assert sorted(path.name for path in sets.iterdir()) == ["data.csv", "data.parquet", "manifest.json"]
    assert pl.read_csv(sets / "data.csv").columns == ["record", "item"]


def test_a_piece_that_somebody_takes_away_is_found(tmp_path: Path) -> None:
    folder = released("disassociation").save(tmp_path / "release").folder
    data, manifest = folder / "data.json", folder / "manifest.json"
    changed = data.read_bytes().replace(b'"size": ', b'"size": 1', 1)
    data.write_bytes(changed)
    with pytest.raises(PromiseBroken, match="changed after the release was made"):
        krypsis.check(folder)
    claims = json.loads(manifest.read_text(encoding="utf-8"))
    from krypsis.format.files import fingerprint  # noqa: PLC0415

    claims["files"] = [fingerprint(data).model_dump()]
    manifest.write_text(json.dumps(claims), encoding="utf-8")
    with pytest.raises(PromiseBroken, match="records, but its manifest says"):
        krypsis.check(folder)


def test_a_plan_about_sets_is_run_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "sales.dat").write_text("1 2\n1 2\n1 2\n3\n3\n3\n", encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(
        "kind: transactions\ndata: sales.dat\npromises: ['km-anonymity:k=3,m=2']\nalgorithm: disassociation\n",
        encoding="utf-8",
    )
    release = Plan.load(tmp_path / "plan.yaml").run().checked()
    assert isinstance(release.publication.chunks, Disassociated)
    assert release.verdicts[0].achieved == 3
    assert release.private["input"] == "sales.dat"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "transactions", "columns": {"age": "QI"}}, "columns: has no meaning for kind: transactions"),
        ({"kind": "transactions", "suppression": "2%"}, "suppression: has no meaning for kind: transactions"),
        ({"kind": "table", "columns": {"age": "QI"}, "items": {}}, "items: has no meaning for kind: table"),
        ({"columns": {"age": "QI"}, "read": {"key": "id"}}, "read.key: has no meaning for kind: table"),
        ({}, "columns: must name at least one column"),
        ({"kind": "tree"}, "kind"),
    ],
)
def test_a_plan_says_what_its_kind_needs(content: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Plan.of({"data": "sales.dat", "promises": ["km-anonymity:k=3,m=2"], **content})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": "k-anonymity:k=2"}, "is about a table, and these are sets"),
        ({"algorithm": "optimal"}, "optimal is for tables"),
        ({"algorithm": "cahd"}, "cahd cannot keep km-anonymity"),
        ({"algorithm": "apriori"}, "needs their hierarchy"),
        ({"roles": {"age": "sensitive"}}, "leave out the roles"),
        ({"suppression": 0.1}, "leave out the suppression"),
        ({"metric": "entropy"}, "leave out the metric"),
        ({"hierarchies": {"items": {}}}, "is called 'item', got 'items'"),
        ({"sensitive_items": ["viagre"]}, "Did you mean 'viagra'"),
        ({"sensitive_items": "viagra"}, "must be a list of items"),
        ({"models": ()}, "no promise is given"),
    ],
)
def test_what_does_not_fit_sets_is_refused_with_the_reason(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        krypsis.anonymize(BASKETS, **{"models": "km-anonymity:k=3,m=2", **options})  # type: ignore[arg-type]


def test_a_table_without_roles_is_refused() -> None:
    with pytest.raises(UsageError, match="needs the role of each column"):
        krypsis.anonymize(pl.DataFrame({"age": [1]}), models="k-anonymity:k=1")


def test_the_summary_says_in_which_form_sets_are_published() -> None:
    pieces, groups, sets = (released(name).summary() for name in ("disassociation", "cahd", "km-suppression"))
    assert "18 records" in pieces
    assert "clusters of pieces" in pieces
    assert "1 sensitive items: who has which, in" in groups
    assert "each as one set" in sets


FIGURES = {
    "disassociation": {"items-lost"},
    "km-suppression": {"items-lost", "set-ncp"},
    "apriori": {"items-lost", "set-ncp"},
    "cahd": {"items-lost", "group-by-kl"},
    "permutation-mondrian": {"items-lost", "group-by-kl"},
}


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_release_is_measured_by_what_suits_its_form(name: str) -> None:
    release = released(name)
    assert set(release.metrics) == FIGURES[name]
    assert release.metrics == released(name).metrics


def test_items_that_are_left_out_are_counted_as_lost() -> None:
    release = krypsis.anonymize(BASKETS, models="km-anonymity:k=4,m=1", algorithm="km-suppression")
    assert release.metrics["items-lost"] == 2 / 5  # three baskets hold viagra, three salt


def test_figures_that_tell_how_often_listed_items_occur_stay_with_the_publisher(tmp_path: Path) -> None:
    saved = released("disassociation").save(tmp_path / "release")
    manifest = json.loads((saved.folder / "manifest.json").read_text())
    assert manifest["metrics"] == {}
    assert saved.private is not None
    kept = json.loads(saved.private.read_text())["metrics"]
    chunks = saved.release.publication.chunks
    assert chunks is not None
    assert kept["listed-share"] == pytest.approx(1 - len(chunks.pieces.codes) / len(BASKETS.codes))
    assert kept["tlost"] == 0  # every item that three baskets hold is in a piece


def public_files(sets: list[list[str]], folder: Path, **options: object) -> str:
    """All that is published of sets, but for what is drawn at random for each release."""
    folder = krypsis.anonymize(krypsis.Transactions.of_sets(sets), **options).save(folder).folder  # type: ignore[arg-type]
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for drawn in ("release_id", "created", "files"):
        manifest.pop(drawn)
    published = krypsis.Release.load(folder)
    items = [sorted(pl.read_csv(folder / "data.csv").get_column("item").drop_nulls())]
    return json.dumps([manifest, items, [] if published.sensitive_table is None else published.sensitive_table.rows()])


@pytest.mark.parametrize("name", ["cahd", "permutation-mondrian"])
def test_no_figure_tells_who_holds_the_sensitive_item_of_a_group(name: str, tmp_path: Path) -> None:
    harmless = [["wine"], ["cream"], ["cream"]]
    worlds = [[[*one, "viagra"] if place == who else one for place, one in enumerate(harmless)] for who in range(3)]
    options = {"models": "privacy-degree:p=3", "algorithm": name, "sensitive_items": ["viagra"]}
    seen = {public_files(world, tmp_path / str(who), **options) for who, world in enumerate(worlds)}
    assert len(seen) == 1


def test_no_figure_tells_how_many_items_were_left_out_of_a_record(tmp_path: Path) -> None:
    worlds = [[["milk"], ["milk"], ["milk", *rare]] for rare in ([], ["hiv"], ["hiv", "flu"])]
    options = {"models": "km-anonymity:k=2,m=2", "algorithm": "km-suppression"}
    assert len({public_files(world, tmp_path / str(place), **options) for place, world in enumerate(worlds)}) == 1


def test_no_figure_tells_how_many_items_of_a_record_became_one(tmp_path: Path) -> None:
    worlds = [[["bread"], ["milk"], ["wine", *more], *[["viagra"]] * 3] for more in ([], ["milk"], ["milk", "bread"])]
    options = {"models": "km-anonymity:k=3,m=2", "algorithm": "apriori", "hierarchies": {"item": GOODS}}
    assert len({public_files(world, tmp_path / str(place), **options) for place, world in enumerate(worlds)}) == 1


def test_figures_of_sets_are_in_the_private_record_and_not_in_a_pickle(tmp_path: Path) -> None:
    release = released("cahd")
    record = json.loads(release.save(tmp_path / "release").private.read_text("utf-8"))
    assert record["figures"]["metrics"] == release.metrics
    assert not pickle.loads(pickle.dumps(release)).metrics


def test_constraints_come_from_a_file_and_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "sales.dat").write_text("a b\na b\na b\nc d\nc d\nc d\n" * 9, encoding="utf-8")
    (tmp_path / "together.csv").write_text("a,b\nc,d\n", encoding="utf-8")
    plan = {
        "kind": "transactions",
        "data": "sales.dat",
        "items": {"constraints": "together.csv"},
        "promises": ["km-anonymity:k=3,m=2"],
    }
    release = Plan.of(plan, folder=tmp_path).run()
    assert release.algorithm == "disassociation"
    assert Plan.of(plan, folder=tmp_path).method().constraints == (("a", "b"), ("c", "d"))
    with pytest.raises(UsageError, match="knows no utility constraints"):
        Plan.of({**plan, "algorithm": "km-suppression"}, folder=tmp_path).run()
    with pytest.raises(DataError, match=r"wrong\.csv not found"):
        Plan.of({**plan, "items": {"constraints": "wrong.csv"}}, folder=tmp_path).run()


@pytest.mark.data
def test_public_constraints_are_read_in_all_their_forms(data_folder: Path) -> None:
    assert len(read_item_sets(data_folder / "ehr" / "utility-constraints.json")) == 374
    sets = read_item_sets(data_folder / "ehr" / "utility-similarity-sim5.csv")
    assert len(sets) == 17
    assert {len(one) for one in sets} == {5}


def test_sets_are_shown_without_their_items() -> None:
    assert repr(BASKETS) == "Transactions(18 records; 5 items)"


@pytest.mark.parametrize("name", ["cahd", "permutation-mondrian", "disassociation"])
def test_a_release_of_sets_says_that_knowing_the_method_may_tell_more(name: str, tmp_path: Path) -> None:
    manifest = json.loads((released(name).save(tmp_path / "release").folder / "manifest.json").read_text("utf-8"))
    assert "somebody who knows how" in manifest["guarantee"]
    assert "rule out" in manifest["guarantee"]
