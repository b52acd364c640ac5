"""``krypsis check --private-columns``: promises about columns that are not published."""

import polars as pl
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_publisher_checks_with_the_private_record_and_others_are_told_why_they_cannot(tmp_path):
    visits = pl.DataFrame({"patient": ["p1", "p1", "p2", "p2"], "sex": ["f", "f", "m", "m"]})
    roles = {"patient": "identifier", "sex": "quasi-identifier"}
    saved = krypsis.anonymize(visits, roles, models="xy-anonymity:y=patient,k=2").save(tmp_path / "release")
    checked = run("check", saved.folder, "--private-columns", saved.private)
    assert checked.exit_code == 0
    assert "Kept: every group of records that look alike has at least 2 different values of patient" in checked.stdout
    undecided = run("check", saved.folder)
    assert undecided.exit_code == 3
    assert "--private-columns" in undecided.stdout
