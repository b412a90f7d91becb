from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.queries.search import nearest_windows, search
from embspace.errors import InputError
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame(
    {
        "id": ["sea", "bakery", "long"],
        "text": ["the boat and the tide", "salt and bread", "rain on the mat . " * 20],
    }
)
FIND = {"layer": -1, "pooling": "mean", "n_hits": 3}


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_extracted(tmp_path_factory.mktemp("search"), TEXTS)


@pytest.fixture(autouse=True)
def there(extracted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(extracted)


@pytest.mark.parametrize("layer", [0, 1, -1])
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_a_text_of_the_corpus_finds_itself(layer: int, pooling: str):
    for name in ("sea", "bakery"):
        query = TEXTS.set_index("id").loc[name, "text"]
        best = search("tiny", "one", query, layer=layer, pooling=pooling, n_hits=9)[0]
        assert best.cosine == pytest.approx(1, abs=1e-6)
        if (layer, pooling) != (0, "cls"):  # there, [CLS] is one vector in all texts
            assert best.text == name
            assert best.snippet == query


def test_a_window_of_a_long_text_is_shown_by_its_own_words():
    hits = search("tiny", "one", "rain on the mat", layer=-1, pooling="mean", n_hits=9)
    windows = [hit for hit in hits if hit.text == "long"]
    assert sorted(hit.window for hit in windows) == list(range(len(windows)))
    assert len(windows) > 1
    assert all(len(hit.snippet) <= 160 for hit in windows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"pooling": "median"},
            "--pooling: found 'median'; did you mean 'mean'. allowed: cls, mean, max",
        ),
        ({"layer": 3}, "--layer: found 3, allowed: 0 to 2"),
        ({"pooling": "men"}, "--pooling: found 'men'; did you mean 'mean'"),
        (
            {"corpus": "on"},
            "--corpus: found 'on'; did you mean 'one'. allowed: one",
        ),
        ({"model_name": "bret"}, "conf/model/bret.yaml: not found; .*models. lists$"),
        ({"model_name": "tny"}, "tny.yaml: not found; did you mean 'tiny'"),
        ({"query": "  "}, "the text is empty"),
        ({"query": "caf\udce9"}, "the text is not UTF-8"),
        ({"query": "\ua66e \ua66e"}, "the text '.*' holds no token that tiny knows"),
        ({"query": "\u200b"}, "the text '.*' holds no token that tiny knows"),
        ({"query": "\x01"}, "the text '.*' holds no token that tiny knows"),
        (
            {"query": "the cat sat " * 30},
            "the text 'the cat sat the cat sat the c…' has 90 tokens, more than a window of 40",
        ),
    ],
)
def test_a_wrong_wish_is_answered(change: dict[str, object], message: str):
    wish = {"model_name": "tiny", "corpus": "one", "query": "a cat", **FIND, **change}
    with pytest.raises(InputError, match=message):
        search(**wish)


def test_texts_that_are_changed_are_read_anew(extracted: Path):
    path = extracted / "data/texts/one.jsonl"
    before = path.read_text()
    path.write_text(before.replace("salt and bread", "salt and light"))
    try:
        hits = search("tiny", "one", "a cat", **{**FIND, "n_hits": 99})
        assert "salt and light" in [hit.snippet for hit in hits]
    finally:
        path.write_text(before)


def test_a_vector_of_zeros_comes_last_and_ties_keep_their_order():
    vectors = np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]])
    names = ["zero", "a", "b", "c"]
    windows = pd.DataFrame({"text": names, "window": 0, "start": 0, "end": 1})
    texts = pd.DataFrame({"id": names, "text": "xy"})
    hits = nearest_windows(np.array([1.0, 0]), vectors, windows, texts, 4)
    assert [hit.text for hit in hits] == ["a", "b", "c", "zero"]
    assert {hit.snippet for hit in hits} == {"x"}
