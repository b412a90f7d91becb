"""Words of texts are found with their characters; those that tokens do not make up are left out."""

import numpy as np
import pandas as pd

from embspace.app.queries.words_read import read_words


def test_words_are_those_that_tokens_cover():
    texts = ["a boat, again", "sea"]
    tokens = pd.DataFrame(
        [
            (0, "[CLS]", True, 0, 0),
            (0, "a", False, 0, 1),
            (0, "bo", False, 2, 4),
            (0, "##at", False, 4, 6),
            (0, ",", False, 6, 7),
            (1, "sea", False, 0, 3),
        ],
        columns=["window", "token", "special", "start", "end"],
    ).assign(repeated=False, id=np.arange(6), position=np.arange(6))
    windows = pd.DataFrame(
        {"text": ["1", "2"], "window": [0, 0], "n_tokens": [5, 1], "first_token": [0, 5]}
    )
    table, parts, whole = read_words(texts, tokens, windows)
    assert table["word"].tolist() == ["a", "boat", "sea"]  # and `again` has no token
    assert table["text"].tolist() == ["1", "1", "2"]
    assert table[["start", "end", "n_tokens"]].to_numpy().tolist() == [
        [0, 1, 1],
        [2, 6, 2],
        [0, 3, 1],
    ]
    states = np.arange(6.0)[None, :, None]
    assert parts.means(states, whole)[0, :, 0].tolist() == [1.0, 2.5, 5.0]
