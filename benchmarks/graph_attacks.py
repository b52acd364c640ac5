"""All attacks on a graph before and after each protection: which protection stops which attack."""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import polars as pl

import krypsis
from benchmarks.results import Results
from krypsis import registry
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.sequence import CandidateIntersectionAttack
from krypsis.data.graphs import Graph
from krypsis.report.charts import xml

PROTECTIONS = {
    "new numbers": None,
    "random edges, 5 %": {"models": (), "algorithm": "random-edges:share=0.05"},
    "switching": {"models": (), "algorithm": "edge-switching"},
    "k-degree, k=10": {"models": "k-degree-anonymity:k=10"},
    "k-neighborhood, k=5": {"models": "k-neighborhood-anonymity:k=5"},
    "groups, k=10": {"models": "supervertex-anonymity:k=10"},
    "ε = 1": {"models": "edge-differential-privacy:epsilon=1"},
}
IMAGES = Path(__file__).parents[1] / "docs" / "concepts" / "images"
WEEK = 7 * 24 * 3600


def graph_file(name: str) -> Path:
    """Return a file of the public graphs."""
    data = os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(data) / "graphs" / name


def attacks() -> list[GraphAttack]:
    """Return every attack on one published graph that needs nothing but the graph."""
    known = [cls for cls in registry.classes("attack").values() if issubclass(cls, GraphAttack)]
    return [cls() for cls in known if cls is not CandidateIntersectionAttack and cls.name != "vertex-homogeneity"]


def measure(results: Results, file: str = "Email-Enron.txt.xz", name: str = "graph-attacks") -> None:
    """Try all attacks on a graph under each protection, and draw what they find."""
    graph = Graph.read(graph_file(file))
    found: dict[str, dict[str, float | None]] = {}
    for protection, wanted in PROTECTIONS.items():
        start = time.perf_counter()
        target = GraphTarget.unprotected(graph, np.random.default_rng(1))
        if wanted is not None:
            target = krypsis.anonymize(graph, **wanted)
        seconds = time.perf_counter() - start
        for attack in attacks():
            begin = time.perf_counter()
            success = attack.run(target) if attack.aimed_at(target) else None
            found.setdefault(attack.title, {})[protection] = None if success is None else success.rate
            note = "cannot be tried"
            if success is not None:
                interval = f"[{success.low:.4f}, {success.high:.4f}]"
                note = (
                    f"rate {success.rate:.4f} {interval}, guess {success.baseline:.2g}, certain {success.certain:.0f}"
                )
            results.add(f"{protection}: {attack.spec}", time.perf_counter() - begin, note=note)
        results.add(f"{protection}: publishing", seconds)
    (IMAGES / f"{name}.svg").write_text(drawing(found, f"Success of attacks on {file.partition('.')[0]}"), "utf-8")
    measure_weeks(results)


def measure_weeks(results: Results, k: int = 10, weeks: int = 8) -> None:
    """Publish the messages of a college week by week, everybody under the same number, and intersect the candidates."""
    messages = pl.read_csv(
        graph_file("CollegeMsg.txt"), separator=" ", has_header=False, new_columns=["one", "other", "time"]
    )
    people = pl.concat([messages["one"], messages["other"]]).unique().sort()
    number = dict(zip(people.to_list(), range(len(people)), strict=True))
    ends = messages.select(pl.col("one", "other").replace_strict(number)).to_numpy()
    week = ((messages["time"] - messages["time"].min()) // WEEK).to_numpy()
    order = np.random.default_rng(1).permutation(len(people))
    before, after = [], []
    certain: dict[str, list[float]] = {}
    for one in range(weeks):
        graph = Graph.of_codes(ends[week == one], len(people))
        made = krypsis.anonymize(graph, models=f"k-degree-anonymity:k={k}")
        # Everybody keeps the same number in all weeks, as analysts of changes want it.
        kept = made.publication.graph.renumbered(made.before.places[order])
        after.append(GraphTarget(graph, kept, np.argsort(order)))
        before.append(GraphTarget(graph, graph.renumbered(order), np.argsort(order)))
        for name, targets in (("new numbers", before), (f"k-degree, k={k}", after)):
            found = CandidateIntersectionAttack(sample=5000).find(targets)
            active = np.isin(found.targets, np.flatnonzero(sum(target.original.degrees for target in targets)))
            rate, sure = found.chances[active].mean(), int(((found.counts == 1) & (found.found == 1) & active).sum())
            note = f"{int(active.sum())} people, found {rate:.4f}, certain {sure}"
            results.add(f"CollegeMsg, {name}: {one + 1} week(s)", 0.0, note=note)
            certain.setdefault(name, []).append(sure / max(int(active.sum()), 1))
    title = "Share of the people of a college who are found with certainty, by weeks published"
    (IMAGES / "graph-weeks.svg").write_text(lines(certain, title), "utf-8")


def drawing(found: dict[str, dict[str, float | None]], title: str) -> str:
    """Return a table of shades: the darker, the more often an attack succeeds."""
    names = list(PROTECTIONS)
    left, top, width, height = 190, 40, 118, 34
    parts = []
    for place, name in enumerate(names):
        x = left + place * width + width / 2
        parts.append(f'<text x="{x}" y="{top - 14}" text-anchor="middle" font-size="12">{xml(name)}</text>')
    for row, (attack, rates) in enumerate(found.items()):
        y = top + row * height
        parts.append(f'<text x="{left - 10}" y="{y + 22}" text-anchor="end" font-size="13">{xml(attack)}</text>')
        for place, name in enumerate(names):
            x, rate = left + place * width, rates.get(name)
            shade = "none" if rate is None else "#b91c1c"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{width - 3}" height="{height - 3}" fill="{shade}" '
                f'fill-opacity="{0.05 + 0.8 * (rate or 0):.3f}" stroke="#999" stroke-width="0.5"/>'
            )
            shown = "–" if rate is None else f"{100 * rate:.3g} %"
            dark = rate is not None and rate > 0.6
            parts.append(
                f'<text x="{x + width / 2 - 1}" y="{y + 21}" text-anchor="middle" font-size="12" '
                f'fill="{"#fff" if dark else "#111"}">{shown}</text>'
            )
    size = f'viewBox="0 0 {left + len(names) * width + 10} {top + len(found) * height + 10}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'
        f"<title>{xml(title)}</title>{''.join(parts)}</svg>\n"
    )


def lines(series: dict[str, list[float]], title: str) -> str:
    """Return a chart of shares over weeks, a line for each series."""
    left, top, width, height = 50, 16, 520, 220
    parts = []
    for share in (0, 0.2, 0.4, 0.6):
        y = top + height * (1 - share / 0.7)
        parts.append(
            f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc" stroke-width="0.5"/>'
        )
        parts.append(
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" font-size="12">{100 * share:.0f} %</text>'
        )
    for color, (name, shares) in zip(("#b91c1c", "#1d4ed8"), series.items(), strict=True):
        places = [
            (left + width * week / max(len(shares), 1), top + height * (1 - share / 0.7))
            for week, share in enumerate(shares, start=1)
        ]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        x, y = places[-1]
        parts.append(
            f'<text x="{x - 6:.1f}" y="{y - 8:.1f}" text-anchor="end" font-size="12" fill="{color}">{xml(name)}</text>'
        )
    for week in range(1, 1 + max(map(len, series.values()))):
        x = left + width * week / max(map(len, series.values()))
        parts.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle" font-size="12">{week}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {top + height + 28}" role="img" '
        f'font-family="sans-serif"><title>{xml(title)}</title>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", default="Email-Enron.txt.xz", help="a file of the public graphs")
    chosen = parser.parse_args()
    with Results("graph_attacks") as kept:
        measure(kept, chosen.graph)
