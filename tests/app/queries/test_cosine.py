from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.queries.cosine import Comparison, compare_texts, token_pair
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.files.tensors import load_tensors, save_tensors
from embspace.geometry.inference.pair_percentile import PairPercentile
from embspace.geometry.pairs.directions import cosine_matrix
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame(
    {
        "id": ["sea", "bakery", "long", "cat", "dog"],
        "document": ["sea", "bakery", "long", "pets", "pets"],
        "text": [
            "the boat and the tide",
            "salt and bread",
            "rain on the mat . " * 20,
            "a cat",
            "a dog",
        ],
    }
)
WHERE = {"layer": -1, "pooling": "mean"}


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_extracted(tmp_path_factory.mktemp("cosine"), TEXTS)
    weights = load_tensors(str(folder / "models/tiny/model.safetensors"))
    matrices = {"input": weights["embeddings.word_embeddings.weight"]}
    save_tensors(matrices, str(folder / "data/extracted/embeddings/tiny.safetensors"))
    return folder


@pytest.fixture(autouse=True)
def there(extracted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(extracted)


@pytest.mark.parametrize(("layer", "pooling"), [(0, "mean"), (1, "max"), (-1, "cls")])
def test_texts_of_the_corpus_have_the_cosine_of_their_states(layer: int, pooling: str):
    comparison = compare_texts(
        "tiny", "one", "the boat and the tide", "salt and bread", layer=layer, pooling=pooling
    )
    path = "data/extracted/hidden_states/tiny/one"
    x = load_tensors(f"{path}.safetensors", (pooling,))[pooling][layer].astype(np.float64)
    rows = [
        load_rows(f"{path}.windows.parquet")["text"].tolist().index(name)
        for name in ("sea", "bakery")
    ]
    assert comparison.as_is.cosine == pytest.approx(cosine_matrix(x[rows])[0, 1], abs=1e-6)
    assert comparison.layer == layer % 3
    assert comparison.tokens is None
    assert comparison.as_is.n_documents == 4


def test_windows_of_one_document_are_no_pair():
    n = load_rows("data/extracted/hidden_states/tiny/one.windows.parquet")["text"].value_counts()
    comparison = compare_texts("tiny", "one", "a cat", "a dog", **WHERE)
    long = n["long"]
    assert comparison.as_is.n_pairs == 1 + 2 * 2 + long * 4


def test_two_tokens_are_compared_in_the_vocabulary(extracted: Path):
    comparison = compare_texts("tiny", "one", "cat", "dog", **WHERE)
    x = load_tensors("data/extracted/embeddings/tiny.safetensors")["input"]
    assert comparison.tokens is not None
    n = len(x) - 1  # but for [PAD], which is zero and has no cosine
    assert comparison.tokens.n_pairs == n * (n - 1) // 2
    assert "input vectors" in str(comparison)
    assert compare_texts("tiny", "one", "cat", "a dog", **WHERE).tokens is None


def test_the_percentile_of_a_pair_of_tokens_is_exact():
    x = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
    i, j = np.triu_indices(300, k=1)
    cosines = cosine_matrix(x)[i, j]
    for first, second in ((0, 1), (2, 250)):
        place = token_pair(x, first, second)
        assert place is not None
        assert place.low <= 100 * np.mean(cosines < place.cosine) <= place.high
        assert place.high - place.low < 0.01
    same = token_pair(x, 3, 3)
    assert same is not None
    assert (same.low, same.high) == (100, 100)
    assert token_pair(np.concatenate([x, np.zeros((1, 8), np.float32)]), 0, 300) is None


def test_what_is_nearly_all_pairs_does_not_look_like_all(extracted: Path):
    shown = str(compare_texts("tiny", "one", "cat", "cat", **WHERE))
    assert shown.startswith("tiny, layer 2 of 2, mean, among ")
    from embspace.app.queries.cosine import _percent

    assert [_percent(share) for share in (100, 99.9996, 50.04, 0.02, 0.0)] == [
        *("100.0", "99.9996", "50.0", "0.02", "0.0")
    ]


@pytest.mark.parametrize(
    ("second", "message"),
    [(" ", "the text is empty"), ("\ua66e", "holds no token that tiny knows")],
)
def test_a_text_that_is_none_is_told(second: str, message: str):
    with pytest.raises(InputError, match=message):
        compare_texts("tiny", "one", "a cat", second, **WHERE)


def test_too_few_documents_have_no_interval():
    few = PairPercentile(0.5, 50.0, *[float("nan")] * 2, 0.1, 0.2, 1.0, 3, 3)
    comparison = Comparison("m", "c", 0, 1, "mean", few, few, None, (9, 9), 9.0)
    assert str(comparison).count("none: too few") == 2 and "nan" not in str(comparison)


@pytest.mark.parametrize("texts", [["a boat", "the tide"], ["a boat"] * 2])
def test_pairs_that_have_no_deviation_are_told(tmp_path: Path, texts: list[str]):
    file = tmp_path / "my.txt"
    file.write_text("\n".join(texts) + "\n")
    shown = str(compare_texts("tiny", str(file), "cat", "dog", **WHERE))
    assert "nan" not in shown and "none: the pairs are too few, or all of one cosine" in shown


def test_texts_of_another_length_are_told():
    like = PairPercentile(0.5, 50.0, 40.0, 60.0, 0.1, 0.2, 1.0, 3, 3)
    short = str(Comparison("m", "articles", 0, 1, "mean", like, like, None, (4, 5), 340.0))
    assert "The two texts have 4 and 5 tokens, those of articles about 340" in short
    alike = Comparison("m", "posts", 0, 1, "mean", like, like, None, (9, 30), 22.0)
    assert "tokens" not in str(alike)


def test_texts_are_held_against_those_of_a_file(tmp_path: Path):
    file = tmp_path / "my.csv"
    file.write_text("text\n" + "".join(f"the cat and the dog {n}\n" for n in range(25)))
    comparison = compare_texts("tiny", str(file), "a cat", "a dog", **WHERE)
    assert comparison.as_is.n_pairs == 25 * 24 // 2 and comparison.as_is.n_documents == 25
