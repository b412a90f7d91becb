from typing import Any

import numpy as np
import pandas as pd

from embspace.compare.model_changes import STATES, TOKENS, WORDS
from embspace.draw.compare.model_changes_tables import (
    changes_table,
    place_of,
    states_table,
    tokens_table,
    words_table,
)
from tests.draw.compare.test_model_changes import all_of, row, table


def test_the_largest_change_stands_first_and_what_is_identical_behind_the_fold() -> None:
    small, large = (row("norm", layer, "moved", size) for layer, size in ((1, 0.02), (3, 0.3)))
    first, _, rest = changes_table(
        table(small, large, whole=all_of("moved", 0.01)), 2, 3
    ).partition("<details>")
    assert first.index("Norms of layer 3") < first.index("Norms of layer 1")
    assert "Token embeddings" not in first and "Token embeddings" in rest


def test_a_block_of_several_layers_has_a_plural() -> None:
    block = pd.Series({"group": "norm", "layer": 1.0, "layers": "1-12"})
    assert place_of(block) == "norms of layers 1-12"
    assert place_of(pd.Series({**block, "layer": np.nan})) == "norms"


def test_without_rows_there_is_no_table() -> None:
    assert words_table(WORDS.of(), 12, 3) == ""
    assert tokens_table(TOKENS.of()) == ""
    assert states_table(STATES.of(), 3) == ""


def test_words_that_are_alike_stand_first() -> None:
    def words(tokens: str, *, is_coherent: bool) -> dict[str, Any]:
        return {
            "group": "attention_query",
            "layer": 2,
            "layers": 2,
            "direction": 1,
            "share": 0.5,
            "side": "reads",
            "reading": "word_embeddings",
            "coherence": 0.3,
            "random_coherence_high": 0.2,
            "is_coherent": is_coherent,
            "tokens": tokens,
            "opposite_tokens": "x",
        }

    rows = [words("apple tax", is_coherent=False), words("doctor nurse", is_coherent=True)]
    text = words_table(WORDS.of(rows), 12, 3)
    assert text.index("doctor nurse") < text.index("apple tax")
    assert "Queries of layer 2, direction 1" in text
