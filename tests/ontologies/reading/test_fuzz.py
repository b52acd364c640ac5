"""Damaged files: they are read, or refused with an error that says why; nothing else ever comes out."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.io.ontologies import looks_like_ontology, read_ontology
from ontologies.reading.test_syntaxes import TEXTS

PIECES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [b"(", b")", b"<", b">", b'"', b"&x;", b"_:b", b"[", b"]", b" .", b"\n", b"#", b"0", b":", b"<!--", b"\\"]
    ),
)


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
def test_damage_is_an_error_of_the_file(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    start = data.draw(st.integers(0, len(text)), label="start")
    end = data.draw(st.integers(start, min(len(text), start + 60)), label="end")
    damaged = text[:start] + data.draw(PIECES, label="instead") + text[end:]
    if data.draw(st.booleans(), label="cut"):
        damaged = damaged[: data.draw(st.integers(0, len(damaged)), label="length")]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder, name)
        file.write_bytes(damaged)
        looks_like_ontology(file)
        try:
            read_ontology(file, ignore_unsupported=True)
        except UsageError as error:
            assert str(error)  # noqa: PT017  either is right
