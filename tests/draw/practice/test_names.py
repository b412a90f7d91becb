"""Names and tables that the figures of practice share."""

import pandas as pd

from embspace.draw.practice.names import words_alone


def test_words_alone_have_an_auc_by_pair():
    table = pd.DataFrame(
        {
            "corpus": ["articles", "articles"],
            "other_corpus": ["posts", "posts"],
            "embedding": ["mean", "tf_idf"],
            "auc": [0.5, 0.97],
        }
    )
    assert words_alone(table) == {("articles", "posts"): 0.97}
