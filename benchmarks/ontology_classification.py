"""Classification of GALEN-EL, GO and HPO, the whole process and its parts; next to py-whelk where it is installed.

Set ``WHELK_PYTHON`` to an interpreter that has ``py-whelk`` 0.4.0 and ``py-horned-owl`` 1.4.0, for it crashes with
1.4.1, to measure both side by side. What it cannot read is given to it in functional syntax.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.results import Results
from benchmarks.unit import child
from krypsis.algorithms.ontologies.taxonomy import classify
from krypsis.data.ontologies import Ontology, normalize

DATA = Path(os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
FILES = {"GALEN-EL": "galen-el.nt.gz", "GO": "go-2019-01-27.obo.xz", "HPO": "hp-pyhpo4.obo.xz"}
PEERS = {"GALEN-EL": "ELK 4.6 s", "GO": "ELK 5.3 s", "HPO": "ELK 2.1 s"}
"""On another machine."""
OURS = """
import sys, warnings
from krypsis.data.ontologies import Ontology
warnings.simplefilter("ignore")
Ontology.read(sys.argv[1], ignore_unsupported=True).classify()
"""
WHELK = """
import sys
from time import process_time
import pyhornedowl, pywhelk
begin = process_time()
ontology = pyhornedowl.open_ontology(sys.argv[1])
parsed = process_time()
reasoner = pywhelk.create_reasoner(ontology)
len(reasoner.inferred_axioms())
print(parsed - begin, process_time() - parsed)
"""
REPEATS = 3


def measure(results: Results) -> None:
    whelk = os.environ.get("WHELK_PYTHON")
    for name, file in FILES.items():
        path = DATA / "ontologies" / file
        begin = process_time()
        ontology = Ontology.read(path, ignore_unsupported=True)
        read = process_time()
        normalize(ontology)
        normal = process_time()
        classify(ontology)  # loads the machine code
        loaded = process_time()
        found = classify(ontology)
        done = process_time()
        results.add(f"{name}: read", read - begin)
        results.add(f"{name}: complete and classify", done - loaded, note=f"{found.inclusions} inclusions")
        results.add(f"{name}: of that, normal forms", normal - read)
        seconds, peak = min(child([sys.executable, "-c", OURS, str(path)]) for _ in range(REPEATS))
        results.add(f"{name}: whole process", seconds, peer=PEERS[name], note=f"{peak:.0f} MB")
        if whelk is not None:
            _measure_whelk(results, name, ontology, whelk, seconds)
    _measure_first_run(results, DATA / "ontologies" / FILES["HPO"])


def _measure_whelk(results: Results, name: str, ontology: Ontology, python: str, ours: float) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "ontology.ofn")
        _write(ontology, path)
        command = [python, "-W", "ignore", "-c", WHELK, str(path)]
        parts = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, peak = min(child(command) for _ in range(REPEATS))
    results.add(f"{name}: py-whelk, parsing", float(parts[0]))
    results.add(f"{name}: py-whelk, reasoning", float(parts[1]))
    note = f"{peak:.0f} MB, {seconds / ours:.1f} × ours"
    results.add(f"{name}: py-whelk, whole process", seconds, note=note)


def _write(ontology: Ontology, path: Path) -> None:
    """Write an ontology in functional syntax, as far as it is in the language."""
    with path.open("w", encoding="utf-8") as file:
        file.write("Prefix(owl:=<http://www.w3.org/2002/07/owl#>)\nOntology(<urn:ontology>\n")
        file.writelines(f"Declaration(Class(<{name}>))\n" for name in ontology.classes)
        file.writelines(f"Declaration(ObjectProperty(<{name}>))\n" for name in ontology.roles)
        file.writelines(f"{ontology.functional(axiom)}\n" for axiom in range(len(ontology)))
        file.write(")\n")


def _measure_first_run(results: Results, path: Path) -> None:
    """Measure a run that has to compile the loops."""
    with TemporaryDirectory() as folder:
        before = os.environ.get("NUMBA_CACHE_DIR")
        os.environ["NUMBA_CACHE_DIR"] = folder
        try:
            seconds, _ = child([sys.executable, "-c", OURS, str(path)])
        finally:
            if before is None:
                del os.environ["NUMBA_CACHE_DIR"]
            else:
                os.environ["NUMBA_CACHE_DIR"] = before
    results.add("HPO: whole process, first run with compiling", seconds)
