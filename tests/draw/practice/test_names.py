"""Names and tables that the figures of practice share."""

import pandas as pd

from embspace.draw.practice.names import said_of_words, words_alone


def test_words_alone_are_said_by_pair_and_nothing_of_none():
    table = pd.DataFrame(
        {
            "corpus": ["articles", "articles"],
            "other_corpus": ["posts", "posts"],
            "embedding": ["mean", "tf_idf"],
            "auc": [0.5, 0.97],
        }
    )
    alone = words_alone(table)
    assert alone == {("articles", "posts"): 0.97}
    assert said_of_words(alone) == "AUC of words alone: articles and posts 0.97"
    assert said_of_words({}) == ""
