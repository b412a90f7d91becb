import pandas as pd

from embspace.draw.texts.search import draw_search
from embspace.measure.texts.search import SEARCH
from embspace.prepare.sentences import FEWEST
from tests.analyses import as_drawn, settings_of

SETTINGS = settings_of(draw_search)


def drawn(table: pd.DataFrame):
    return draw_search(as_drawn(SEARCH, {"csv": table}), "a model of a long name", **SETTINGS)


def table(*corpora: str) -> pd.DataFrame:
    rows = []
    for corpus in corpora:
        keys = [("tf_idf", None, "as_is"), ("bm25", None, "as_is")]
        keys += [
            (pooling, layer, preparation)
            for pooling in ("cls", "mean", "max")
            for layer in range(3)
            for preparation in ("as_is", "centered")
        ]
        for embedding, layer, preparation in keys:
            value = 0.2 if layer is None else 0.1 + 0.3 * layer
            rows.append(
                [
                    corpus,
                    embedding,
                    layer,
                    preparation,
                    20,
                    20,
                    *[value] * 9,
                    0.18,
                    0.05,
                    0.5,
                    *[0.1] * 6,
                ]
            )
    return pd.DataFrame(rows, columns=[*SEARCH.tables["csv"].columns])


def test_the_finding_says_what_both_find():
    for corpus in ("articles", "notes_of_mine"):
        finding, _ = drawn(table(corpus))
        name = corpus.replace("_", " ")
        assert f"half of {name} at a mean reciprocal rank of 0.70, TF-IDF at 0.20" in finding


def test_the_table_names_the_best_layer_of_each_embedding():
    _, text = drawn(table("one"))
    lines = [line for line in text.splitlines() if line.startswith("| mean")]
    assert len(lines) == 1
    assert "0.70" in lines[0]
    assert FEWEST == 4
    assert "20 texts of four sentences or more, cut in two" in text


def test_without_halves_it_says_so():
    finding, text = drawn(table())
    assert finding == "No text to search for"
    assert "halves: true" in text
