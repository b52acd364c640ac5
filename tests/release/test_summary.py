"""The summary says in plain words what became of the data."""

from krypsis.release.release import Release
from release.sample import TABLE, changed, make_release


def test_the_summary_says_what_is_promised_achieved_lost_and_suppressed(release):
    text = release.checked().summary()
    assert "5 records are published; an attacker is assumed to know: age, zip" in text
    assert "k-anonymity:k=2: Kept: every record looks like at least 1 other in" in text
    assert "required at least 2, achieved 2" in text
    assert "age: level 1 of 3" in text
    assert "loss: 0.1235 (lower is better)" in text
    assert "other figures, in the report and in the manifest: discernibility" in text
    assert "1 of 6 records (16.7%), removed from the table" in text


def test_the_summary_says_when_nothing_is_left_of_an_attribute_or_all_of_it(release):
    text = changed(release, levels={"age": 3, "zip": 0}).summary()
    assert "age: level 3 of 3, nothing left of it" in text
    assert "zip: unchanged" in text


def test_the_summary_says_when_nothing_was_suppressed(release):
    assert "0 of 5 records (0.0%)" in changed(release, suppressed=0, rows_before=5).summary()


def test_suppressed_records_that_were_kept_are_named_so(release):
    text = changed(release, suppressed=2, suppression="keep", rows_before=5).summary()
    assert "2 of 5 records (40.0%), kept with every attribute an attacker may know at its most general value" in text


def test_the_summary_does_not_claim_what_was_not_checked(release):
    assert "not checked yet" in release.summary()
    assert "Kept" not in release.summary()


def test_the_summary_of_a_loaded_release_is_that_of_the_saved_one(release, tmp_path):
    saved = release.save(tmp_path / "release")
    summary = saved.release.summary().replace("csv /home/mary/age.csv", "csv age.csv")
    assert Release.load(saved.folder).summary() == summary


def test_a_bare_release_has_a_summary():
    bare = make_release(levels={}, heights={}, score=None, metrics={}, suppressed=0, rows_before=0, table=TABLE)
    assert "not measured" in bare.summary()


def test_attributes_without_a_level_of_their_own_are_named(release):
    release = changed(release, scheme="AG_CS")
    mixed = "zip: recoded differently from record to record"
    assert mixed in changed(release, levels={"age": 1}).summary()
    text = changed(release, levels={}).summary()
    assert mixed in text
    assert "age: recoded differently from record to record" in text
    assert mixed not in release.summary()


def test_a_value_that_always_becomes_the_same_label_is_not_called_recoded_differently(release):
    text = changed(release, levels={}, scheme="AG_TS").summary()
    assert "zip: recoded to labels of its own, the same value to the same label in every record" in text
    assert "from record to record" not in text
