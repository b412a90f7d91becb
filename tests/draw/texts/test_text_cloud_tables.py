import pandas as pd

from embspace.draw.texts.text_cloud_tables import TABLES, text_cloud_tables

KEYS = {"corpus": "posts", "other_corpus": "posts", "pooling": "mean"}


def test_tables_are_of_the_last_layer():
    results = {
        name: pd.DataFrame(
            [
                {**KEYS, "layer": layer, **{c: layer + 0.25 for c in columns if c not in KEYS}}
                for layer in range(3)
            ]
        )
        for name, (_, _, columns) in TABLES.items()
    }
    results["corpora"] = pd.DataFrame(
        [
            {"corpus": "posts", "n": 7, "left_out": float("nan")},
            {"corpus": "notes", "n": 3, "left_out": "too few"},
        ]
    )
    text = text_cloud_tables(results, "a model", 2)
    assert text.startswith("# Clouds of texts in a model")
    assert "2.25" in text
    assert "1.25" not in text
    assert "| notes" in text
    assert "too few" in text
    assert "nan" not in text
    for title, note, _ in TABLES.values():
        assert f"## {title}" in text
        assert note in text
