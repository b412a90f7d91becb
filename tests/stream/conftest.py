"""A tree with the tiny model, built once for the tests of this folder."""

from pathlib import Path

import pytest

from embspace.stream.reading import Loaded
from tests.stream.trees import loaded_tiny, streaming_tree, write_texts


@pytest.fixture(scope="session")
def tiny_tree(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of the model `tiny` with 60 texts; treat it as read-only."""
    tree = streaming_tree(root, tmp_path_factory.mktemp("stream"))
    write_texts(tree / "texts/a.jsonl", 60)
    return tree


@pytest.fixture(scope="session")
def tiny_loaded(tiny_tree: Path) -> Loaded:
    """The model `tiny`, ready to read."""
    return loaded_tiny(tiny_tree)
