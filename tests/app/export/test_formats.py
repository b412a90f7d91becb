"""What is written for a tool is read back to the bit, hostile labels included."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.export.formats import FORMATS, export_space, flat
from embspace.app.export.spaces import ExportedSpace
from embspace.errors import InputError
from embspace.geometry.maps.pca import principal_components

LABELS = ["plain", 'a\tb\nc"<script>', "שלום 😀", ""]


@pytest.fixture
def space() -> ExportedSpace:
    x = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32) / 3
    rows = pd.DataFrame({"label": LABELS, "group": ["g", "g", "h", ""], "id": range(4)})
    return ExportedSpace("m-input", x, rows)


def test_parquet_is_read_back(space: ExportedSpace, tmp_path: Path):
    path, then = export_space(space, "parquet", tmp_path)
    table = pd.read_parquet(path)
    assert np.array_equal(np.stack(table.pop("vector").to_list()), space.vectors)
    assert table["label"].tolist() == LABELS and table["id"].tolist() == [0, 1, 2, 3]
    assert path in then


def test_an_atlas_has_a_map_beside_the_vectors(space: ExportedSpace, tmp_path: Path):
    path, then = export_space(space, "embedding-atlas", tmp_path)
    table = pd.read_parquet(path)
    expected = principal_components(space.vectors, n_components=2).coordinates
    assert np.allclose(table[["x", "y"]], expected, atol=1e-6)
    assert np.array_equal(np.stack(table["vector"].to_list()), space.vectors)
    assert "--text label" in then
    texts = ExportedSpace("m", space.vectors, space.rows.assign(words="w"))
    assert "--text words" in export_space(texts, "embedding-atlas", tmp_path)[1]


def test_a_projector_has_a_line_a_row(space: ExportedSpace, tmp_path: Path):
    folder = Path(export_space(space, "projector", tmp_path)[0])
    x = np.loadtxt(folder / "tensors.tsv", delimiter="\t", dtype=np.float32)
    assert np.array_equal(x, space.vectors)
    lines = (folder / "metadata.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "label\tgroup\tid" and len(lines) == 5
    assert lines[2] == 'a b c"<script>\tg\t1' and lines[3].startswith("שלום 😀\th")
    config = (folder / "projector_config.pbtxt").read_text()
    assert 'tensor_name: "m-input"' in config and 'metadata_path: "metadata.tsv"' in config


def test_a_data_map_needs_no_pickle(space: ExportedSpace, tmp_path: Path):
    with np.load(export_space(space, "datamapplot", tmp_path)[0], allow_pickle=False) as arrays:
        assert np.array_equal(arrays["coordinates"], flat(space.vectors))
        assert arrays["labels"].tolist() == ["g", "g", "h", ""]
        assert arrays["hover_text"].tolist() == LABELS


@pytest.mark.parametrize("to", FORMATS)
def test_a_second_export_has_the_same_bytes(space: ExportedSpace, tmp_path: Path, to: str):
    def content(folder: Path) -> list[bytes]:
        export_space(space, to, folder)
        return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]

    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_vectors_of_one_dimension_lie_on_a_line():
    x = np.array([[1], [2], [4]], dtype=np.float32)
    assert flat(x)[:, 1].tolist() == [0, 0, 0] and np.ptp(flat(x)[:, 0]) == pytest.approx(3)


def test_few_vectors_of_many_dimensions_have_the_map_of_their_components():
    x = np.random.default_rng(0).normal(size=(6, 300)).astype(np.float32)
    expected = principal_components(x, n_components=2).coordinates
    wide = np.zeros((6, 100_000), np.float32)  # whose covariance would take 80 GB
    wide[:, :300] = x
    assert np.allclose(np.abs(flat(wide)), np.abs(expected), atol=1e-4)


def test_an_unknown_tool_is_refused(space: ExportedSpace, tmp_path: Path):
    with pytest.raises(InputError, match="--to: found 'projectr'; did you mean 'projector'"):
        export_space(space, "projectr", tmp_path)


def test_a_full_disk_leaves_a_projector_as_it_was(
    space: ExportedSpace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = Path(export_space(space, "projector", tmp_path)[0])
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    write = Path.write_text

    def full(path: Path, text: str, **options: str) -> int:
        if "metadata" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    other = ExportedSpace(space.name, -space.vectors, space.rows.iloc[::-1])
    with pytest.raises(InputError, match=r"m-input-projector: cannot be written: No space left"):
        export_space(other, "projector", tmp_path)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
