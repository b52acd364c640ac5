"""``./dev bench [name …]``: run the benchmarks and write ``benchmarks/results/<name>.csv``."""

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.results import Results

ALL = tuple(
    sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef measure(" in path.read_text("utf-8"))
)


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"no benchmark named {', '.join(unknown)}; benchmarks: {', '.join(ALL)}")
    for name in names or ALL:
        print(f"\n{name}: {import_module(f'benchmarks.{name}').__doc__.splitlines()[0]}")
        with Results(name) as results:
            import_module(f"benchmarks.{name}").measure(results)


main(sys.argv[1:])
