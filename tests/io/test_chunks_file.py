"""The file of disassociated sets: round trip, its schema, and files that somebody wrote by hand."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.transactions.clusters import canonical, clusters

from krypsis.errors import DataError
from krypsis.format.chunks_file import HEAD, TAIL, read_chunks, write_chunks

FIGURE_33 = clusters(
    [
        (0, [["itunes", "flu", "madonna"], ["madonna", "flu"], ["itunes", "madonna"], ["itunes", "flu"]]),
        (0, [["audi a4", "sony tv"]] * 3),
        (1, [["madonna", "digital camera"], ["iphone sdk", "madonna"], ["iphone sdk", "digital camera"]]),
        (2, [["ikea", "ruby"], ["ruby"], ["ikea"], ['say "hi", twice\n']]),
    ],
    [5, 5],
    [2, 2, -1],
    [["viagra"], ["panic disorder", "γάλα"]],
)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "data.json"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_what_is_read_back_is_what_was_written(tmp_path: Path) -> None:
    write_chunks(FIGURE_33, tmp_path / "data.json")
    assert canonical(read_chunks(tmp_path / "data.json")) == canonical(FIGURE_33)


def test_shuffling_changes_nothing_but_the_order() -> None:
    shuffled = [FIGURE_33.shuffled(np.random.default_rng(seed)) for seed in range(20)]
    assert {canonical(one) for one in shuffled} == {canonical(FIGURE_33)}
    assert len({tuple(map(tuple, map(sorted, one.pieces.sets()))) for one in shuffled}) > 10


def test_where_a_piece_stands_tells_nothing_about_the_other_piece_of_its_record() -> None:
    both = [(0, [[f"a{record}"] for record in range(4)]), (0, [[f"b{record}"] for record in range(4)])]
    cluster = clusters(both, [4], [-1], [[]])
    found = [cluster.shuffled(np.random.default_rng(seed)).pieces.sets() for seed in range(800)]
    # In every fourth release a piece of the first record comes first, and in every sixteenth both do.
    first = [(frozenset(["a0"]) in (one[0], one[4]), frozenset(["b0"]) in (one[0], one[4])) for one in found]
    assert sum(a for a, _ in first) == pytest.approx(200, abs=50)
    assert sum(a and b for a, b in first) == pytest.approx(50, abs=25)


def test_the_file_is_json_and_follows_its_schema(tmp_path: Path) -> None:
    write_chunks(FIGURE_33, tmp_path / "data.json")
    schema = json.loads(files("krypsis.io").joinpath("disassociation.schema.json").read_text(encoding="utf-8"))
    content = json.loads((tmp_path / "data.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(content)
    assert [node["type"] for node in content["nodes"]] == ["simple", "simple", "joint"]
    content["nodes"][0]["owner"] = "Ann"
    assert not jsonschema.Draft202012Validator(schema).is_valid(content)


SIMPLE = '{"id": 0, "type": "simple", "size": 3, "record_chunks": [], "term_chunk": ["a"]}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["[]"], "line 1: expected"),
        ([HEAD, SIMPLE], "cut off"),
        ([HEAD, SIMPLE, TAIL, "{}"], "line 4: expected nothing more"),
        ([HEAD, SIMPLE[:-1], TAIL], "line 2: it is not JSON"),
        ([HEAD, SIMPLE.replace('"id": 0', '"id": 7'), TAIL], "its id"),
        ([HEAD, SIMPLE.replace('"size": 3', '"size": true'), TAIL], "a simple cluster has"),
        ([HEAD, SIMPLE.replace('"size": 3', '"size": "3"'), TAIL], "expected a simple cluster"),
        ([HEAD, SIMPLE.replace('"size": 3', '"size": -3'), TAIL], "at least one record"),
        ([HEAD, SIMPLE.replace('["a"]', '["a", "a"]'), TAIL], "stands twice"),
        ([HEAD, SIMPLE.replace('["a"]', "[1]"), TAIL], "which are texts"),
        ([HEAD, SIMPLE.replace('"size": 3', '"size": 3, "name": "Ann"'), TAIL], "a simple cluster has"),
        ([HEAD, SIMPLE.replace("[]", '[{"domain": ["b"], "subrecords": [["c"]]}]'), TAIL], "domain of a chunk"),
        ([HEAD, SIMPLE.replace("[]", '[{"domain": [], "subrecords": [[]]}]'), TAIL], "a piece without items"),
        ([HEAD, SIMPLE.replace("[]", "[7]"), TAIL], "a chunk has a domain"),
        (
            [HEAD, SIMPLE + ",", '{"id": 1, "type": "joint", "children": [0, 0], "shared_chunks": []}', TAIL],
            "two joint",
        ),
        ([HEAD, SIMPLE + ",", '{"id": 1, "type": "joint", "children": [9], "shared_chunks": []}', TAIL], "not there"),
        ([HEAD, SIMPLE + ",", '{"id": 1, "type": "joint", "children": [1], "shared_chunks": []}', TAIL], "after it"),
    ],
)
def test_a_file_of_another_form_is_refused_with_the_reason(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_chunks(written(tmp_path, *lines))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        read_chunks(tmp_path / "data.json")
