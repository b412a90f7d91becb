"""Models of other fields and languages: what the page does not ask of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.app.page.ledger import Reader, reader_of
from embspace.app.page.texts_read import texts_told, unknown_shares
from tests.foreign_models import BUILDERS, N_CHEMICAL, build_tuned, chemical_tokens, reactions
from tests.tiny import tiny_description

STIMULI = {
    "words": ["algae", "army", "book"],
    "homonyms": ["The mouse ran under the boat.", "A mouse lay beside the keys."],
}


def tree_of(model: Path, folder: Path) -> Path:
    """A tree that has read reactions and two sets of stimuli by a model."""
    for place, text in {
        "params.yaml": "corpora: []\n",
        "conf/model/m.yaml": yaml.safe_dump(tiny_description(model) | {"language": "unknown"}),
        "conf/extract/stimuli.yaml": "largest_unknown_share: 0.2\n",
    }.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    (folder / "data/prepared/stimuli").mkdir(parents=True)
    for name, texts in STIMULI.items():
        file = folder / f"data/prepared/stimuli/{name}.parquet"
        pd.DataFrame({"text": texts}).to_parquet(file)
    return folder


@pytest.mark.parametrize("kind", [*BUILDERS])
def test_stimuli_that_a_tokenizer_does_not_know_are_one_sentence(kind: str, tmp_path: Path):
    tree = tree_of(BUILDERS[kind](tmp_path / "model"), tmp_path / "tree")
    shares = unknown_shares(tree, "m")
    assert all(share.share > 0.2 for share in shares) and len(shares) == len(STIMULI)
    (sentence,) = texts_told(tree, "m", shares)
    assert sentence.startswith("More than 20 % of the tokens are unknown to the tokenizer, ")
    assert all(f"'{name}'" in sentence for name in STIMULI)
    assert reader_of(tree, "m", shares) == Reader(is_decoder=False, knows_english=False)


def test_the_tokenizer_of_chemistry_knows_its_reactions(tmp_path: Path):
    tree = tree_of(BUILDERS["chemical_bert"](tmp_path / "model"), tmp_path / "tree")
    for name in STIMULI:
        table = pd.DataFrame({"text": [text for text, _ in reactions()]})
        table.to_parquet(tree / f"data/prepared/stimuli/{name}.parquet")
    assert [share.share for share in unknown_shares(tree, "m")] == [0.0, 0.0]
    assert len(set(chemical_tokens())) == N_CHEMICAL


def test_a_tuned_copy_differs_in_one_matrix_by_a_tenth(tmp_path: Path):
    from safetensors.numpy import load_file

    pretrained = BUILDERS["chemical_bert"](tmp_path / "a")
    tuned = build_tuned(pretrained, tmp_path / "b", layer=2, size=0.1)
    before, after = (load_file(folder / "model.safetensors") for folder in (pretrained, tuned))
    moved: dict[str, Any] = {
        name: after[name] - before[name]
        for name in before
        if not np.array_equal(before[name], after[name])
    }
    (name,) = moved
    assert "layer.1.attention.self.query.weight" in name
    relative = np.linalg.norm(moved[name]) / np.linalg.norm(before[name])
    assert relative == pytest.approx(0.1, rel=1e-4)
    assert np.linalg.matrix_rank(moved[name], tol=1e-4) == 1
