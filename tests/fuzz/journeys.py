"""Folders with everything a command reads, and the commands that read it; the fuzzer damages one file of them."""

import gzip
import hashlib
import io
import json
import random
import shutil
from contextlib import chdir
from pathlib import Path

import polars as pl
import xlsxwriter
from typer.testing import CliRunner

from fuzz.mutation import mutated
from krypsis.cli.main import app

AGES = ["31", "32", "33", "34", "45", "46", "47", "48"] * 2
TABLE = pl.DataFrame(
    {"age": AGES, "zip": ["1234", "1235", "1244", "1245"] * 4, "ill": ["flu", "cold", "ache", "flu"] * 4}
)
PLAN = """data: {data}
columns:
  age: {{role: QI, hierarchy: {{kind: intervals, width: 10}}}}
  zip: {{role: QI, hierarchy: {{kind: csv, file: zip.csv}}}}
  ill: sensitive
promises: ['k-anonymity:k=2', 'distinct-l-diversity:l=2']
algorithm: {algorithm}
suppression: 10%
output: {{report: false, formats: [csv, parquet]}}
"""
SETS = """data: sets.dat
kind: transactions
promises: ['km-anonymity:k=2,m=2']
algorithm: {algorithm}
output: {{report: false}}
"""
HIERARCHY = "1234;123*;12**\n1235;123*;12**\n1244;124*;12**\n1245;124*;12**\n"
VERSION = "id,age,ill\n" + "".join(f"{n},{30 + n},{'abcd'[n % 4]}\n" for n in range(8))
HISTORY = """data: first.csv
columns: {id: identifier, age: {role: QI, hierarchy: {kind: intervals, width: 5}}, ill: sensitive}
promises: ['m-invariance:m=2']
algorithm: m-invariant
"""


def workbook():
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([TABLE.columns, *TABLE.rows()]):
            sheet.write_row(place, 0, row)
    return stream.getvalue()


def build(folder: Path) -> None:
    """Write every kind of file that a command reads."""
    TABLE.write_csv(folder / "data.csv")
    TABLE.write_parquet(folder / "data.parquet")
    (folder / "data.xlsx").write_bytes(workbook())
    (folder / "data.csv.gz").write_bytes(gzip.compress((folder / "data.csv").read_bytes()))
    (folder / "zip.csv").write_text(HIERARCHY)
    (folder / "sets.dat").write_text("1 2 3\n1 2\n2 3\n1 2 3\n1 3\n")
    (folder / "sets.jsonl").write_text('["a", "b"]\n["a"]\n{"items": ["b", "c"]}\n')
    for name in ("csv", "parquet", "xlsx", "csv.gz"):
        (folder / f"plan-{name}.yaml").write_text(PLAN.format(data=f"data.{name}", algorithm="datafly"))
    (folder / "plan.yaml").write_text(PLAN.format(data="data.csv", algorithm="optimal"))
    (folder / "sets.yaml").write_text(SETS.format(algorithm="disassociation"))
    (folder / "first.csv").write_text(VERSION)
    (folder / "history.yaml").write_text(HISTORY)
    (folder / "out").mkdir()
    started = [
        ["run", "plan.yaml", "--output", "release", "--quiet"],
        ["run", "sets.yaml", "--output", "sets-release", "--quiet"],
        ["dossier", "init", "dossier.yaml"],
        ["history", "init", "first.csv", "--plan", "history.yaml", "--folder", "history", "--no-report", "--quiet"],
    ]
    for words in started:
        result = invoke(folder, words)
        assert result.exit_code == 0, (words, result.output)
    private = next(folder.glob("release.*.private.json"))
    shutil.move(private, folder / "release.private.json")


def invoke(folder: Path, words: list[str]):
    """Run a command in a folder."""
    with chdir(folder):
        return CliRunner().invoke(app, words)


READ = {
    "data.csv": [
        ["init", "data.csv", "-o", "out/plan.yaml"],
        ["run", "plan.yaml", "--output", "out/release", "--quiet"],
        ["check", "data.csv", "--promise", "k-anonymity:k=2", "--qi", "age,zip"],
        ["apply", "release", "data.csv", "--output", "out/release", "--quiet", "--no-report"],
        ["init", "data.csv", "--kind", "transactions", "-o", "out/plan.yaml"],
        ["init", "data.csv", "--kind", "history", "-o", "out/plan.yaml"],
    ],
    "data.parquet": [
        ["init", "data.parquet", "-o", "out/plan.yaml"],
        ["run", "plan-parquet.yaml", "--output", "out/release", "--quiet"],
        ["check", "data.parquet", "--promise", "k-anonymity:k=2", "--qi", "age,zip"],
    ],
    "data.xlsx": [
        ["init", "data.xlsx", "-o", "out/plan.yaml"],
        ["run", "plan-xlsx.yaml", "--output", "out/r", "--quiet"],
    ],
    "data.csv.gz": [["init", "data.csv.gz", "-o", "out/plan.yaml"]],
    "zip.csv": [["run", "plan.yaml", "--output", "out/release", "--quiet"]],
    "sets.dat": [
        ["init", "sets.dat", "--kind", "transactions", "-o", "out/plan.yaml"],
        ["run", "sets.yaml", "--output", "out/release", "--quiet"],
        ["check", "sets.dat", "--promise", "km-anonymity:k=2,m=2"],
    ],
    "sets.jsonl": [["init", "sets.jsonl", "--kind", "transactions", "-o", "out/plan.yaml"]],
    "plan.yaml": [
        ["run", "plan.yaml", "--output", "out/release", "--quiet"],
        ["advise", "plan.yaml", "--yes"],
        ["explore", "plan.yaml", "--output", "out/nodes.csv"],
        ["check", "release", "--plan", "plan.yaml"],
    ],
    "sets.yaml": [["run", "sets.yaml", "--output", "out/release", "--quiet"]],
    "dossier.yaml": [["dossier", "check", "dossier.yaml"]],
    "release/manifest.json": [["check", "release"], ["apply", "release", "data.csv", "--output", "out/r", "--quiet"]],
    "release/data.csv": [["check", "release"]],
    "release/data.parquet": [["check", "release"]],
    "sets-release/manifest.json": [["check", "sets-release"], ["reconstruct", "sets-release", "-o", "out/sets.dat"]],
    "sets-release/data.json": [["check", "sets-release"], ["reconstruct", "sets-release", "-o", "out/sets.dat"]],
    "release.private.json": [
        ["apply", "release.private.json", "data.csv", "--output", "out/r", "--quiet", "--no-report"]
    ],
    "first.csv": [["history", "simulate", "first.csv", "--folder", "history"]],
    "history.yaml": [["history", "init", "first.csv", "--plan", "history.yaml", "--folder", "out/h", "--no-report"]],
}
"""Files, and the commands that read them."""


def damage(folder: Path, name: str, chance: random.Random) -> None:
    """Damage a file; data of a release sometimes together with what its manifest says of it."""
    path = folder / name
    path.write_bytes(mutated(path.read_bytes(), chance))
    manifest = path.parent / "manifest.json"
    if manifest.exists() and manifest != path and chance.random() < 0.8:
        content = json.loads(manifest.read_text())
        for file in content["files"]:
            if file["name"] == path.name:
                found = path.read_bytes()
                file.update(sha256=hashlib.sha256(found).hexdigest(), bytes=len(found))
        manifest.write_text(json.dumps(content))
