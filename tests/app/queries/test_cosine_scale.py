import shutil
from pathlib import Path

import pytest

from embspace.app.queries.cosine_scale import scale_of
from embspace.files.tables import load_table

TEXTS = "results/text_clouds/distributions/minilm.csv"
TOKENS = "results/similarity/summary/minilm.csv"


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    for file in (TEXTS, TOKENS):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(root / file, tmp_path / file)
    return tmp_path


def test_the_scale_has_tokens_and_texts_of_each_corpus_at_the_last_layer(tree: Path) -> None:
    head, _, *rows = scale_of(tree, "minilm", ["similarity", "text_clouds"]).splitlines()
    assert [cell.strip() for cell in head.strip("|").split("|")][:4] == [
        "pairs of",
        "pairs",
        "5 % are below",
        "25 % are below",
    ]
    assert rows[0].startswith("| tokens of the vocabulary, learned vectors")
    table = load_table(str(tree / TEXTS))
    same = table[(table["corpus"] == table["other_corpus"]) & (table["quantity"] == "cosine")]
    last = same[same["layer"] == table["layer"].max()]
    assert len(rows) == 1 + len(last)
    (row,) = (row for row in rows if "posts, mean pooling, layer 6" in row)
    (values,) = last[(last["corpus"] == "posts") & (last["pooling"] == "mean")].to_dict("records")
    assert f"{values['quantile_0.95']:.3f}" in row and f"{values['n']:,}" in row


def test_what_was_not_measured_is_left_out(tree: Path) -> None:
    (tree / TOKENS).unlink()
    assert "vocabulary" not in scale_of(tree, "minilm", ["similarity", "text_clouds"])
    (tree / TEXTS).unlink()
    assert scale_of(tree, "minilm", ["similarity", "text_clouds"]) == ""
