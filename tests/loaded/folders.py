"""A tree with the settings of reading alone, and a tiny model that it knows."""

from pathlib import Path

import pytest

from tests.tiny import write_tiny_model

COPIED = ("params.yaml", "dvc.yaml", "conf/extract/hidden_states.yaml")
TEXTS = ["the cat sat on the mat", "a dog", "the sun\nand the rain", "rain on the mat . " * 20]


def write_tree(root: Path, folder: Path) -> Path:
    """Write what `embspace.spaces` reads, with the model `tiny` in it."""
    for name in COPIED:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((root / name).read_bytes())
    write_tiny_model(folder / "models/tiny", folder / "conf", "tiny")
    text = (folder / "conf/model/tiny.yaml").read_text()
    (folder / "conf/model/tiny.yaml").write_text(text.replace(f"{folder}/", ""))
    return folder


@pytest.fixture(scope="module")
def tree(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of such a tree."""
    return write_tree(root, tmp_path_factory.mktemp("tree"))
