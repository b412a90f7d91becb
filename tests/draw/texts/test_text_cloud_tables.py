import pandas as pd

from embspace.draw.texts.text_cloud_tables import TABLES, text_cloud_tables
from embspace.measure.texts.text_cloud_random import RANDOM_TEXTS
from embspace.measure.texts.text_clouds import TEXT_CLOUDS
from tests.analyses import as_drawn

KEYS = {"corpus": "posts", "other_corpus": "posts", "pooling": "mean"}


def test_tables_are_of_the_last_layer():
    results = {
        name: pd.DataFrame(
            [
                KEYS
                | dict.fromkeys(set(TEXT_CLOUDS.headings[name]) - KEYS.keys(), layer + 0.25)
                | {"layer": layer}
                for layer in range(3)
            ]
        )
        for name in TABLES
    }
    results["corpora"] = pd.DataFrame(
        [
            {"corpus": "posts", "n": 7, "left_out": float("nan")},
            {"corpus": "notes", "n": 3, "left_out": "too few"},
        ]
    )
    rows = [{"corpus": "posts", "layer": layer, "quantile_0.5": 0.875} for layer in range(2)]
    results["random"] = RANDOM_TEXTS.of(rows)
    text = text_cloud_tables(as_drawn(TEXT_CLOUDS, results), "a model", 2)
    assert text.startswith("# Clouds of texts in a model")
    assert "2.25" in text
    assert "1.25" not in text
    assert "| notes" in text
    assert "too few" in text
    assert "nan" not in text
    assert text.count("0.88") == 2  # at random weights, by layer
    for title, note, _ in TABLES.values():
        assert f"## {title}" in text
        assert note in text
