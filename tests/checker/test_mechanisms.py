"""What a release states about its record is examined: forged figures and tables of the wrong form are found out."""

import json

import polars as pl
import pytest

import krypsis
from krypsis.errors import DataError, PromiseBroken
from krypsis.format.files import fingerprint

DATA = pl.DataFrame({"sex": ["f", "m", "m"], "town": ["x", "y", "x"]})
HIERARCHIES = {"sex": {"*": ["f", "m"]}, "town": {"*": ["x", "y", "z"]}}
PROMISES = {"counts": "differential-privacy:epsilon=1", "tuples": "d-gamma-privacy:d=0.1,gamma=0.5"}


def saved(tmp_path, publishes="counts", promise=None, **parameters):
    release = krypsis.anonymize(
        DATA,
        {"sex": "QI", "town": "sensitive"},
        hierarchies=HIERARCHIES,
        models=promise or PROMISES[publishes],
        **({"algorithm": {"name": "dp-histogram", **parameters}} if parameters else {}),
    )
    return release.save(tmp_path / "release").folder


def forge(folder, change=None, lines=None):
    """Change the manifest, or the lines of the table together with their fingerprint."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    if lines is not None:
        data = folder / "data.csv"
        header, *rows = data.read_text("utf-8").splitlines()
        data.write_text("\n".join([header, *lines(rows)]) + "\n", "utf-8")
        manifest["files"] = [fingerprint(data).model_dump()]
        manifest["rows"] = len(lines(rows))
    if change is not None:
        change(manifest["mechanism_record"], manifest)
    path.write_text(json.dumps(manifest), "utf-8")
    return folder


def refusal(folder):
    verdicts = krypsis.check(
        folder, [claim["promise"] for claim in json.loads((folder / "manifest.json").read_text())["promises"]]
    )
    assert verdicts[0].holds is False
    return verdicts[0].sentence


def test_an_honest_release_is_not_contradicted_and_not_called_kept(tmp_path):
    (verdict,) = krypsis.check(saved(tmp_path))
    assert (verdict.holds, verdict.achieved) == (None, 1.0)
    assert "one count for each of the 12 combinations" in verdict.sentence
    assert "The publisher's word, which no file shows: that the noise was drawn by chance" in verdict.sentence


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda record, _: record["spent"][0].update(epsilon=2.0),
            "adds up to epsilon=2, more than 1",
        ),
        (
            lambda record, _: record["spent"].append(record["spent"][0]),
            "adds up to epsilon=2",
        ),
        (
            lambda record, _: record["spent"][0].update(scale=0.1),
            "keeps epsilon=10, not the 1 that is stated",
        ),
        (lambda record, _: record["spent"][0].update(sensitivity=3), "keeps epsilon=3, not the 1"),
        (
            lambda record, _: record["spent"][0].update(sensitivity=0.01, scale=0.01),
            "a record changes it by 1",
        ),
        (
            lambda record, _: record["spent"][0].update(noise="discrete Gaussian"),
            "keeps epsilon=inf",
        ),
        (lambda record, _: record.update(publishes="tuples"), "they carry no noise"),
        (
            lambda record, _: record["spent"][0].update(delta=0.1),
            "adds up to delta=0.1, more than 0",
        ),
        (lambda record, _: record.update(spent=[]), "no budget is stated"),
        (
            lambda record, _: record["domains"].update(town=["x", "y", None]),
            "not declared, such as 'z'",
        ),
        (
            lambda record, _: record["domains"]["town"].append("w"),
            "combinations of declared values are missing",
        ),
        (lambda record, _: record.update(count_column=None), "the columns must be sex, town"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(tmp_path, change, words):
    assert words in refusal(forge(saved(tmp_path), change))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            lambda rows: [row for row in rows if not row.startswith("f,z")],
            "combinations of declared values are missing",
        ),
        (lambda rows: [*rows[:-1], rows[0]], "there twice"),
        (lambda rows: [*rows[:-1], "q,z,5"], "not declared"),
    ],
)
def test_a_table_of_the_wrong_form_is_refused(tmp_path, lines, words):
    assert words in refusal(forge(saved(tmp_path), lines=lines))


def test_a_count_that_is_no_whole_number_is_refused(tmp_path):
    forged = forge(saved(tmp_path), lines=lambda rows: [*rows[:-1], rows[-1].rpartition(",")[0] + ",0.5"])
    with pytest.raises(PromiseBroken, match="does not hold values of its type"):
        krypsis.check(forged)


def test_a_count_below_0_is_refused_where_none_should_be(tmp_path):
    folder = saved(tmp_path, nonnegative=True)
    below = forge(folder, lines=lambda rows: [rows[0].rpartition(",")[0] + ",-1", *rows[1:]])
    assert "below 0" in refusal(below)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record, _: record["chances"].update(beta=0.001), "a belief of 0.1 can become"),
        (lambda record, _: record["chances"].update(alpha=0.99), "can become"),
        (
            lambda record, _: record.update(chances={}),
            "alpha must be a chance between 0 and 1, stated is nothing",
        ),
        (lambda record, _: record.update(publishes="records"), "records are stated"),
    ],
)
def test_chances_that_do_not_keep_the_promise_are_refused(tmp_path, change, words):
    assert words in refusal(forge(saved(tmp_path, "tuples"), change))


def test_a_manifest_that_claims_less_than_it_states_is_not_trusted(tmp_path):
    def claim(_, manifest):
        manifest["promises"][0]["achieved"] = 0.1

    with pytest.raises(PromiseBroken, match=r"claims 0\.1 for differential-privacy"):
        krypsis.check(forge(saved(tmp_path), claim))


def test_a_manifest_without_the_record_of_its_mechanism_decides_nothing(tmp_path):
    (verdict,) = krypsis.check(forge(saved(tmp_path), lambda _, manifest: manifest.update(mechanism_record=None)))
    assert verdict.holds is None
    assert "how a table was made" in verdict.sentence


def test_a_manifest_cannot_claim_that_a_promise_of_chances_is_proven(tmp_path):
    forged = forge(saved(tmp_path), lambda _, manifest: manifest["promises"][0].update(proven=True))
    with pytest.raises(PromiseBroken, match=r"claims that differential-privacy:.* is proven"):
        krypsis.check(forged)


def test_a_manifest_with_figures_that_are_none_is_not_read(tmp_path):
    with pytest.raises(DataError, match="mechanism_record"):
        krypsis.check(forge(saved(tmp_path), lambda record, _: record["spent"][0].update(scale=-1)))


@pytest.mark.parametrize("publish", ["counts", "records"])
def test_a_single_column_with_missing_values_is_read_back(tmp_path, publish):
    release = krypsis.anonymize(
        pl.DataFrame({"sex": ["f", None, None]}),
        {"sex": "QI"},
        hierarchies={"sex": {"*": ["f", "m"]}},
        models="differential-privacy:epsilon=1000",
        algorithm={"name": "dp-histogram", "publish": publish},
    )
    assert [verdict.holds for verdict in krypsis.check(release.save(tmp_path / "release").folder)] == [None]
