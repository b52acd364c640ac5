"""A release as one file to hand on."""

from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import polars as pl

from krypsis.format.files import CSV, PARQUET, read_csv, read_parquet, verify_files
from krypsis.io.write import write_csv
from krypsis.release.manifest import Manifest

ABOUT = "README.txt"
READABLE = 0o100644
"""The mode of every file in a parcel, whatever the publisher's machine gives it."""
NEUTRAL = """\
The tables of a release, to be read with a spreadsheet: an apostrophe stands before every text that a spreadsheet could
take for a formula. They differ from the release in that, so its checksums do not apply; to verify or to publish, take
the release itself.
"""


def pack(folder: Path, target: Path, *, name: str = "release", neutral: bool = False) -> Path:
    """Write the files of a release into a zip file, in a folder of the given name.

    Parameters
    ----------
    folder
        of the release; its files must be those of its manifest.
    target
        the zip file to write.
    name
        of the folder in the zip file.
    neutral
        whether to put an apostrophe before every text that a spreadsheet would carry out as a formula. Then the zip
        file holds the tables as CSV and a word about that, and no manifest: it is no release that can be verified.

    Raises
    ------
    PromiseBroken
        if the files are not the ones that the manifest names.
    """
    files = Manifest.read(folder).files
    verify_files(folder, files)
    with ZipFile(target, "w", ZIP_DEFLATED) as parcel:
        if neutral:
            parcel.writestr(_entry(f"{name}/{ABOUT}"), NEUTRAL)
            _add_neutral(parcel, folder, [file.name for file in files], name)
        else:
            for path in sorted(folder.iterdir()):
                _add(parcel, path, name)
    return target


def _add(parcel: ZipFile, path: Path, name: str) -> None:
    packed = ZIP_STORED if path.suffix == PARQUET else ZIP_DEFLATED  # which is packed already
    with path.open("rb") as content, parcel.open(_entry(f"{name}/{path.name}", packed), "w") as target:
        copyfileobj(content, target)


def _entry(name: str, packed: int = ZIP_DEFLATED) -> ZipInfo:
    """Return an entry without the time of the file: the manifest names the day of a release and no more."""
    entry = ZipInfo(name)  # of 1980, as zip files begin
    entry.compress_type, entry.external_attr = packed, READABLE << 16
    return entry


def _add_neutral(parcel: ZipFile, folder: Path, files: list[str], name: str) -> None:
    """Add every table once, whatever formats it is published in; what is no table no spreadsheet opens."""
    with TemporaryDirectory() as workshop:
        for path in (folder / file for file in files):
            if path.suffix not in (CSV, PARQUET):
                _add(parcel, path, name)
            elif path.suffix == CSV or path.with_suffix(CSV).name not in files:
                with path.open("rb") as stream:
                    table = read_csv(stream, path) if path.suffix == CSV else read_parquet(stream, path)
                harmless = Path(workshop, path.stem + CSV)
                write_csv(without_formulas(table), harmless)
                _add(parcel, harmless, name)


FORMULA = r"^[\s\x00]*[=+\-@＝＋－＠]|^[\t\r\n]"
NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with an apostrophe before every text that a spreadsheet could carry out; numbers stay.

    References
    ----------
    OWASP, "CSV Injection".

    Examples
    --------
    >>> without_formulas(pl.DataFrame({"=a": ["=1+2", "-5", "-5 to 0", "@x", None, "plain"]})).to_dict(as_series=False)
    {"'=a": ["'=1+2", '-5', "'-5 to 0", "'@x", None, 'plain']}
    """
    cells = table.with_columns(_harmless(pl.col(pl.String)))
    harmless = pl.DataFrame({"name": table.columns}, schema={"name": pl.String}).select(_harmless(pl.col("name")))
    return cells.rename(dict(zip(table.columns, _distinct(harmless["name"].to_list()), strict=True)))


def _harmless(text: pl.Expr) -> pl.Expr:
    dangerous = text.str.contains(FORMULA) & ~text.str.contains(NUMBER)
    return pl.when(dangerous).then(pl.lit("'") + text).otherwise(text).name.keep()


def _distinct(names: list[str]) -> list[str]:
    """Return the names with more apostrophes where two have become one."""
    taken: dict[str, None] = {}
    for name in names:
        while name in taken:
            name = f"'{name}"  # noqa: PLW2901
        taken[name] = None
    return list(taken)
