"""Known models stand beside a model's own lines, on texts that both have read."""

import pandas as pd
import pytest

from embspace.draw.layers.layer_profiles_reference import (
    OF_NEIGHBORS,
    known_profiles,
    profiles_beside,
    tokens_per_text,
)
from embspace.geometry.measures.registry import definitions


def known(*rows: tuple[str, float, str]) -> pd.DataFrame:
    """Each a corpus, its tokens per text and a model of three layers."""
    table = pd.DataFrame(rows, columns=["corpus", "tokens_per_text", "model"])
    table = table.merge(pd.DataFrame({"layer": [0, 1, 2], "value": [0.1, 0.2, 0.3]}), how="cross")
    return table.assign(space="token", measure="mean_cosine")


def profiles(corpus: str, tokens: int = 30, last: int = 12) -> pd.DataFrame:
    rows = {"space": "token", "layer": [0, last], "n": 10 * tokens, "n_texts": 10}
    return pd.DataFrame({"corpus": corpus, **rows})


SHORT, LONG = ("posts", 25.0), ("articles", 340.0)
KNOWN = known((*SHORT, "A"), (*SHORT, "random A"), (*LONG, "A"), (*LONG, "B"), (*LONG, "C"))


def test_the_same_texts_come_first_and_layers_are_shares_of_depth():
    beside = profiles_beside(profiles("posts", 900), "mine", KNOWN)
    assert {*beside["corpus"]} == {"posts"}
    assert beside.groupby("model")["layer"].agg(list).to_dict() == {
        "A": [0, 6, 12],
        "random A": [0, 6, 12],
    }


@pytest.mark.parametrize(("tokens", "corpus"), [(20, "posts"), (60, "posts"), (200, "articles")])
def test_ones_own_texts_stand_beside_texts_of_similar_length(tokens: int, corpus: str):
    own = profiles("my_texts", tokens)
    assert tokens_per_text(own, "my_texts") == tokens
    assert {*profiles_beside(own, "mine", KNOWN)["corpus"]} == {corpus}


def test_measures_of_neighbors_stand_beside_known_models_on_the_same_texts_alone():
    neighbors = KNOWN.assign(measure="two_nn")
    assert profiles_beside(profiles("my_texts"), "mine", neighbors).empty
    assert not profiles_beside(profiles("posts"), "mine", neighbors).empty
    measured = {*known_profiles()["measure"]}
    assert {*OF_NEIGHBORS} == {
        name for name in measured if definitions()[name].family in ("intrinsic_dimension", "hubs")
    }


def test_no_model_stands_beside_itself():
    assert {*profiles_beside(profiles("articles"), "A", KNOWN)["model"]} == {"B", "C"}
    assert profiles_beside(profiles("articles"), "A", known((*LONG, "A"))).empty
    on_posts = known((*SHORT, "random A"), (*SHORT, "B"))  # its random weights are a null
    assert {*profiles_beside(profiles("posts"), "A", on_posts)["model"]} == {"B"}
    assert profiles_beside(profiles("articles")[:0], "mine", KNOWN).empty


def test_the_table_has_trained_models_and_random_weights():
    table = known_profiles()
    assert len({*table["model"]}) >= 3
    assert any(name.startswith("random ") for name in table["model"].unique())
    assert table["value"].notna().all()
    cosines = table[table["measure"] == "mean_cosine"]
    assert cosines["value"].between(-1, 1).all()
    per_line = ["corpus", "model", "space", "measure", "layer"]
    assert not table.duplicated(per_line).any()
