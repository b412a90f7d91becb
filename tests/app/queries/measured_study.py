"""A study with a tiny model and texts, for analyses in this process."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import embspace
from embspace.app.api import CORPUS, Spaces
from embspace.app.queries.texts_asked import as_json_lines
from embspace.app.working_tree import OwnTexts, add_texts
from tests.loaded.folders import tree
from tests.tiny import WORDS

__all__ = ["tree"]
DRAWN = np.random.default_rng(0).choice(WORDS, size=(30, 4, 5))  # no two texts are near copies
TEXTS = [" ".join(f"{' '.join(words)}.".capitalize() for words in text) for text in DRAWN]


@pytest.fixture(scope="module")
def study(root: Path, tree: Path) -> Path:
    """The tree with the settings of all analyses, of fewer draws, and with the texts."""
    shutil.copytree(root / "conf", tree / "conf", dirs_exist_ok=True)
    shutil.copytree(root / "pipeline", tree / "pipeline")
    shutil.copy(root / "CITATION.cff", tree)
    add_texts(tree, OwnTexts(CORPUS, CORPUS, ".jsonl", as_json_lines(TEXTS)))
    return tree


@pytest.fixture(scope="module")
def s(study: Path) -> Spaces:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        return embspace.spaces("tiny", TEXTS)
