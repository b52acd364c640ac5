"""Completion of ontologies on disk: time, pages and memory of all engines, on public, copied and generated ontologies.

Each figure comes from a process of its own that has completed a small ontology before, so that the memory measured is
that of the completion: the highest resident set minus the one at its beginning. ``seconds`` is processor time.
"""

import json
import pickle
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.datasets import adult_folder
from benchmarks.plot import exponent, plot_curves
from benchmarks.results import FOLDER, Results
from krypsis.algorithms.ontologies.on_disk import BatchByType, BatchCompletion, RuleAtATime, SemiNaiveCompletion
from krypsis.data.ontologies.builder import OntologyBuilder
from krypsis.data.ontologies.normal_forms import FIRST_CLASS, FORMS, NormalForms, normalize
from krypsis.data.ontologies.ontology import Ontology

ENGINES = {engine.engine: engine for engine in (BatchCompletion, SemiNaiveCompletion, BatchByType, RuleAtATime)}
MEGABYTE = 2**20
BUDGET, SMALL_BUDGET = 40 * MEGABYTE, MEGABYTE
PUBLIC = {"GALEN-EL": "galen-el.nt.gz", "GO": "go-2019-01-27.obo.xz"}
FACTORS = (1, 2, 3, 4, 5)
COLUMNS = {"sub": "aa", "conjunction": "aaa", "some_right": "ara", "some_left": "raa", "self_right": "ar",
           "self_left": "ra", "role_sub": "rr", "role_chain": "rrr"}  # fmt: skip
"""Which columns of a table are atoms and which are roles."""


def measure(results: Results) -> None:
    """Measure everything; the factor by which the source enlarges its ontologies is that of its figures."""
    for name, file in PUBLIC.items():
        forms = public_forms(file, ignore_unsupported=True)  # GO states the inverse of one role
        for engine in ENGINES:
            record(results, f"{name}, {engine}", run(forms, engine, BUDGET))
    galen = public_forms(PUBLIC["GALEN-EL"])
    for kind, enlarged in (("copies", copied), ("roles", with_more_roles)):
        curves = {}
        for engine in ENGINES:
            seconds = {}
            for factor in FACTORS:
                figures = run(enlarged(galen, factor), engine, BUDGET)
                record(results, f"GALEN-EL, {kind} x{factor}, {engine}", figures)
                seconds[float(factor)] = figures["seconds"]
            curves[engine] = seconds
            print(f"  {kind}, {engine}: grows with the power {exponent(seconds):.2f}")
        plot_curves(FOLDER / f"ontology_on_disk_{kind}.svg", f"GALEN-EL, {kind}, 40 MB of memory", kind, curves)
    figures = run(hubs(), "bra", SMALL_BUDGET)
    record(results, "closure of more than 100 times the memory, bra", figures)


def record(results: Results, case: str, figures: dict[str, float]) -> None:
    """Write one row."""
    note = (
        f"{figures['axioms']:,} axioms, {figures['firings']:,} firings, {figures['rounds']} rounds, "
        f"{figures['pages_read']:,} pages read, {figures['pages_written']:,} written, "
        f"{figures['memory'] / MEGABYTE:.1f} MB above the interpreter"
    )
    results.add(case, figures["seconds"], note=note)


def public_forms(file: str, **reading: bool) -> NormalForms:
    """Return the normal forms of an ontology of the public data."""
    return normalize(Ontology.read(adult_folder().parents[1] / "ontologies" / file, **reading))


def copied(forms: NormalForms, factor: int) -> NormalForms:
    """Return disjoint copies of an ontology, with the same roles."""
    own = forms.atoms - FIRST_CLASS

    def atoms(column: np.ndarray, place: int) -> np.ndarray:
        return np.where(column < FIRST_CLASS, column, column + place * own)

    return _enlarged(forms, factor, atoms=atoms, roles=lambda column, _: column, atom_count=FIRST_CLASS + factor * own)


def with_more_roles(forms: NormalForms, factor: int) -> NormalForms:
    """Return the same classes with so many times the roles, and all that is said with them."""
    return _enlarged(
        forms, factor, atoms=lambda column, _: column, roles=lambda column, place: column + place * forms.roles,
        atom_count=forms.atoms, role_count=factor * forms.roles,
    )  # fmt: skip


def _enlarged(forms: NormalForms, factor: int, *, atoms, roles, atom_count: int, role_count: int = 0) -> NormalForms:  # noqa: ANN001
    tables = {}
    for name, kinds in COLUMNS.items():
        rows = getattr(forms, name)
        blocks = [
            np.stack([(atoms if kind == "a" else roles)(rows[:, at], place) for at, kind in enumerate(kinds)], axis=1)
            for place in range(factor)
        ]
        tables[name] = np.concatenate(blocks).astype(np.int32)
    sources = {name: np.tile(source, factor) for name, source in forms.sources.items()}
    return replace(forms, atoms=atom_count, roles=role_count or forms.roles, sources=sources, **tables)


def hubs(below: int = 4000, above: int = 3500) -> NormalForms:
    """Return an ontology whose closure has a row for each of many classes below a hub with each above it."""
    builder = OntologyBuilder()
    for place in range(below + above + 1):
        builder.class_named(f"{place}")
    builder.role("r")
    hub = FIRST_CLASS + below
    lower, upper = np.arange(FIRST_CLASS, hub), np.arange(hub + 1, hub + 1 + above)
    half = above // 2
    tables = {name: np.empty((0, width), dtype=np.int32) for name, width in FORMS.items()}
    sub = [np.stack([lower, np.full(below, hub)], axis=1), np.stack([np.full(half, hub), upper[:half]], axis=1)]
    tables["sub"] = np.concatenate(sub).astype(np.int32)
    some = [np.full(above - half, hub), np.zeros(above - half), upper[half:]]
    tables["some_right"] = np.stack(some, axis=1).astype(np.int32)
    sources = {name: np.zeros(len(rows), dtype=np.int64) for name, rows in tables.items()}
    atoms = FIRST_CLASS + below + above + 1
    return NormalForms(builder.build(), atoms, 1, **tables, sources=sources, meanings=np.arange(atoms, dtype=np.int32))


def run(forms: NormalForms, engine: str, memory: int) -> dict[str, float]:
    """Complete an ontology in a process of its own, and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forms"
        path.write_bytes(pickle.dumps(forms))
        command = [sys.executable, "-m", "benchmarks.ontology_on_disk", str(path), engine, str(memory)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(answer.stdout)
    return figures


def child(path: str, name: str, memory: int) -> None:
    """Complete the ontology of a file, and print the figures."""
    forms: NormalForms = pickle.loads(Path(path).read_bytes())
    engine = ENGINES[name](memory=memory)
    few = {table: getattr(forms, table)[:2] for table in FORMS}
    engine.complete(replace(forms, sources={table: np.zeros(len(rows)) for table, rows in few.items()}, **few))
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest resident set begins anew
    before, start = _status("VmRSS"), time.process_time()
    with engine.derive(forms) as found:
        seconds = time.process_time() - start
        kept = ("firings", "rounds", "pages_read", "pages_written", "peak_memory")
        figures = {key: found.figures[key] for key in kept}
        figures |= {"axioms": len(found), "seconds": seconds, "memory": _status("VmHWM") - before}
        figures["pairs"] = sum(_between_classes(forms, sub) for sub, _, _ in found.blocks())
    print(json.dumps(figures))


def _between_classes(forms: NormalForms, sub: np.ndarray) -> int:
    """Return how many rows are between two classes with names, as the counts of other reasoners are."""
    is_named = (sub >= FIRST_CLASS) & (sub < forms.first_individual)
    return int(is_named.all(axis=1).sum())


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2], int(sys.argv[3]))
