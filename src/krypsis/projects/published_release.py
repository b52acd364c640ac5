"""A release that lies in a project, with everything that belongs to it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from krypsis.arrays import IntArray
from krypsis.checker.disclosure import Disclosure
from krypsis.errors import UsageError
from krypsis.format.claims import MANIFEST
from krypsis.format.files import CSV, DATA, PARQUET
from krypsis.projects.project import TABLE, Project
from krypsis.release.manifest import Manifest
from krypsis.release.order import origins, private_record_of
from krypsis.release.release import Release
from krypsis.release.workshop import private_path
from krypsis.report import is_report_on, report_paths


@dataclass(frozen=True, eq=False)
class PublishedRelease:
    """One release of a project: what is published, the report about it and the record that stays private."""

    project: Project
    number: int

    @classmethod
    def of(cls, project: Project, number: int) -> "PublishedRelease":
        """Return a release of a project by its number.

        Raises
        ------
        UsageError
            if the project has none of this number.
        """
        if number not in project.releases:
            known = ", ".join(map(str, sorted(project.releases))) or "none yet"
            raise UsageError(f"there is no release {number} in project {project.name}; releases: {known}")
        return cls(project, number)

    @property
    def folder(self) -> Path:
        """The folder to publish."""
        return self.project.release_folder(self.number)

    @cached_property
    def manifest(self) -> Manifest:
        """What the release states about itself."""
        return Manifest.read(self.folder)

    @cached_property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """What groups of the release disclose; for the publisher only."""
        return Release.load(self.folder).disclosures

    @cached_property
    def score(self) -> float | None:
        """What the search kept low; from the private record where the manifest does not say it."""
        if self.manifest.score is not None or self.private_record is None:
            return self.manifest.score
        found = private_record_of(self.folder).get("figures", {}).get("score")
        return None if found is None else float(found)

    @property
    def report(self) -> Path | None:
        """The page of the report, where there is one about this release."""
        page, _ = report_paths(self.folder)
        return page if is_report_on(page, self.manifest.release_id) else None

    @property
    def report_data(self) -> Path | None:
        """The JSON of the report, where there is one about this release."""
        _, data = report_paths(self.folder)
        return data if is_report_on(data, self.manifest.release_id) else None

    @property
    def private_record(self) -> Path | None:
        """The file that must never be published."""
        record = private_path(self.folder, self.manifest.release_id)
        return record if record.is_file() else None

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the published table."""
        return [column.name for column in self.manifest.columns]

    def after(self, start: int, count: int) -> pl.DataFrame:
        """Return a page of the published table as text, without keeping the rest."""
        names = {file.name for file in self.manifest.files}
        if DATA + PARQUET in names:
            page = pl.scan_parquet(self.folder / (DATA + PARQUET), glob=False).slice(start, count)
            return page.select(pl.all().cast(pl.String)).collect()
        if DATA + CSV not in names:
            raise UsageError("this release publishes no table of records; download it to look at its files")
        page = pl.scan_csv(self.folder / (DATA + CSV), has_header=False, infer_schema=False, glob=False)
        page = page.slice(start + 1, count)  # the first row holds the names, which polars reads badly
        return page.rename(dict(zip(page.collect_schema(), self.columns, strict=True))).collect()

    @property
    def is_of_this_data(self) -> bool:
        """Whether the data of the project is still what the release was made of."""
        return self.project.read_at <= (self.folder / MANIFEST).stat().st_mtime_ns

    def before(self, start: int, count: int) -> pl.DataFrame | None:
        """Return the original records of a page of the published table, in its order; nothing if nobody knows them."""
        if self._origins is None or not self.is_of_this_data:
            return None
        rows = pl.Series(self._origins[start : start + count], dtype=pl.Int64)
        table = pl.scan_parquet(self.project.folder / TABLE, glob=False)
        kept = [name for name in self.columns if name in table.collect_schema()]
        return table.select(by_name(*kept).gather(rows)).collect()

    @cached_property
    def _origins(self) -> IntArray | None:
        return origins(self.folder)
