import numpy as np
import pandas as pd

from embspace.measure.open_questions.features.tokens import Shown, described


def tokens() -> pd.DataFrame:
    names = ["[CLS]", "the", "cat", "sat", "[SEP]", "[CLS]", "a", "cat", "ran", "off", "[SEP]"]
    window = np.repeat([0, 1], [5, 6])
    kept = [name not in ("[CLS]", "[SEP]") for name in names]
    return pd.DataFrame({"token": names, "window": window, "document": window, "kept": kept})


def test_a_feature_has_the_token_and_the_texts_that_light_it():
    kept = tokens()["token"][tokens()["kept"]]
    activations = np.where(kept == "cat", 2.0, 0.0)
    row = described(activations, tokens(), Shown(n_top=5, n_examples=2))
    assert (row["token"], row["token_share"], row["n_texts"]) == ("cat", 1.0, 2)
    assert row["examples"] == "[CLS] the [cat] sat [SEP] … [CLS] a [cat] ran off [SEP]"


def test_examples_are_of_different_documents_first():
    kept = tokens()["token"][tokens()["kept"]]
    activations = np.arange(len(kept), 0, -1, dtype=np.float64)
    row = described(activations, tokens(), Shown(n_top=7, n_examples=2))
    assert row["examples"].split(" … ")[1].startswith("[CLS] [a]")
