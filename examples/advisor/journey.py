"""The way that every program of this folder goes: answers, advice, plan, release, independent check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import yaml

import krypsis
from krypsis.advisor import Advice, DataEvidence, advise
from krypsis.advisor.promise import proposal
from krypsis.kinds.base import kind_named
from krypsis.models.base import Verdict
from krypsis.plan.plan_text import PlanText
from krypsis.release.writer import Saved

AGE = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "width": 5}}
SEX = {"role": "quasi-identifier", "hierarchy": {"kind": "flat"}}
ZIP = {"role": "quasi-identifier", "hierarchy": {"kind": "masking", "side": "right"}}


class _InFull(yaml.SafeDumper):
    """Writes what two columns have in common twice, as a person would."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def write_plan(name: str, columns: Mapping[str, Any], files: Mapping[str, pl.DataFrame], **more: Any) -> Path:
    """Write tables, the one to publish first, into a folder of that name, and a plan with the promise of a beginner."""
    folder = Path(name)
    folder.mkdir(exist_ok=True)
    for file, table in files.items():
        table.write_csv(folder / file)
    content = {"data": next(iter(files)), "columns": dict(columns), **more, "promises": ["k-anonymity:k=5"]}
    plan = folder / "plan.yaml"
    plan.write_text(yaml.dump(content, Dumper=_InFull, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return plan


def ask(answers: str, *, folder: str | Path, evidence: DataEvidence | None = None, **values: str) -> Advice:
    """Answer the questions of the original tree, as ``--answers`` does, and keep the advice as a file."""
    words = [{"y": "yes", "n": "no"}[letter] for letter in answers.split(",")]
    advice = advise(words, tree="seed", evidence=evidence).with_values(values)
    print(f"answers {answers}: {advice.title}")
    print(f"advice: {advice.spec} - {advice.promise}")
    for warning in advice.warnings:
        print(f"warning: {warning}")
    Path(folder).mkdir(exist_ok=True)
    advice.save(Path(folder) / "advice.json")
    return advice


def ask_about(plan: Path, answers: str, **values: str) -> Advice:
    """Answer the questions about the table of a plan, which tells some parameters."""
    loaded = krypsis.Plan.load(plan)
    return ask(answers, folder=plan.parent, evidence=kind_named(loaded.kind).facts(loaded).evidence, **values)


def publish(plan: Path, advice: Advice) -> Saved:
    """Write the advice into the plan, run the plan, save the release; return where it lies."""
    proposed = proposal(advice, krypsis.Plan.load(plan).schema_of_columns)
    if proposed is None:
        raise SystemExit(f"{advice.spec} cannot be promised by a plan")
    before = plan.read_text("utf-8")
    after = PlanText(before).set_choice(proposed.promises, proposed.algorithm)
    plan.write_text(str(after), encoding="utf-8")
    print(f"plan: {', '.join(proposed.promises)} by {proposed.algorithm}")
    release = krypsis.Plan.load(plan).run()
    print(f"published: {release.table.height} rows; {release.suppressed} records suppressed")
    return release.save(plan.parent / "release")


def verify(saved: Saved, **context: Any) -> Sequence[Verdict]:
    """Check a release from its published files; ``context`` is what else the promise is about."""
    return told(krypsis.check(saved.folder, **context))


def told(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Print what the checker says; end with the exit code 1 if a promise is broken."""
    for verdict in verdicts:
        print(f"checked: {verdict.promise}: {verdict.sentence}")
    if not verdicts or any(verdict.holds is False for verdict in verdicts):
        raise SystemExit(1)
    return verdicts
