from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.aligned_positions import Positions
from embspace.compare.alignment import compare_alignment
from embspace.compare.model_states import STIMULI, CorpusStates, ModelStates
from tests.analyses import settings_of

FEW = {
    "word_corpora": ["news"],
    "smallest_n": 8,
    "largest_n": 100,
    "n_neighbors": 3,
    "n_permutations": 5,
    "n_procrustes_permutations": 2,
    "n_surrogates": 5,
}
# Of the words that are drawn.
DECIDED_BY_SEED = ("value", "layer", "other_layer", "is_above_null")
N_TEXTS, N_WORDS = 16, 3
TEXTS = pd.DataFrame(
    {
        "id": [f"t{i}" for i in range(N_TEXTS)],
        "document": [f"d{i}" for i in range(N_TEXTS)],
        "text": ["aaaa bbbb cccc"] * N_TEXTS,
    }
)
SENTENCES = {
    name: pd.DataFrame({"text": [f"{name} {i % 9}" for i in range(10)]}) for name in STIMULI
}


def corpus(hidden: np.ndarray, pieces: int, seed: int) -> CorpusStates:
    """States of texts whose words are cut into `pieces`: what is `hidden` of a word, turned.

    Each text is read in two windows: two words, then one.
    """
    rng = np.random.default_rng(seed)
    length = 4 // pieces
    rows = [
        (2 * text + word // 2, 5 * word + length * piece, 5 * word + length * (piece + 1), text)
        for text in range(N_TEXTS)
        for word in range(N_WORDS)
        for piece in range(pieces)
    ]
    tokens = pd.DataFrame(rows, columns=["window", "start", "end", "of"])
    turn = np.linalg.qr(rng.normal(size=(hidden.shape[-1], hidden.shape[-1])))[0]
    word = tokens["start"] // 5
    noise = rng.normal(size=(len(tokens), hidden.shape[-1]))
    noise -= noise.reshape(-1, pieces, noise.shape[1]).mean(axis=1).repeat(pieces, axis=0)
    states = np.stack([hidden[layer, tokens["of"], word] @ turn + noise for layer in range(2)])
    windows = pd.DataFrame(
        {"text": np.repeat(TEXTS["id"], 2), "n_tokens": [2 * pieces, pieces] * 16}
    )
    windows = windows.reset_index(drop=True)
    window_rows = tokens.groupby("window").indices
    mean = np.stack([states[:, window_rows[w]].mean(axis=1) for w in range(len(windows))], axis=1)
    marks = {"special": False, "repeated": False}
    return CorpusStates(windows, tokens.assign(**marks), {"token": states, "mean": mean})


def model(pieces: int, seed: int, *, stimuli: int = 10) -> ModelStates:
    hidden = np.random.default_rng(0).normal(size=(2, N_TEXTS, N_WORDS, 6))
    rng = np.random.default_rng(seed)
    states = {
        name: {kind: rng.normal(size=(2, stimuli, 6)) for kind in ("mean", "random_mean")}
        for name in STIMULI
    }
    return ModelStates({"news": corpus(hidden, pieces, seed)}, states)


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return two models that cut words differently, or two that have read nothing."""
    both = silent(model(1, 1)), silent(model(4, 3))
    states, other_states = both if is_empty else (model(1, 1), model(4, 3))
    return {
        "texts": {"news": TEXTS},
        "stimuli": SENTENCES,
        "states": states,
        "other_states": other_states,
        "positions": positions(is_empty=is_empty),
        "other_positions": positions(is_empty=is_empty),
    }


def positions(*, is_empty: bool = False) -> Positions:
    """Return a random walk as position embeddings, or a model without any."""
    n = 0 if is_empty else 40
    marks = {"position": np.arange(n), "outlying": False, "unstructured": False}
    walk = np.random.default_rng(0).normal(size=(n, 6)).cumsum(axis=0)
    return Positions(None if is_empty else walk, pd.DataFrame(marks))


def silent(states: ModelStates) -> ModelStates:
    """Return the same model, which has read nothing."""
    news = states.corpora["news"]
    nothing = {kind: x[:, :0] for kind, x in news.states.items()}
    corpora = {"news": CorpusStates(news.windows[:0], news.tokens[:0], nothing)}
    return ModelStates(corpora, model(1, 1, stimuli=0).stimuli)


def compared(
    states: ModelStates,
    other_states: ModelStates,
    texts: dict[str, pd.DataFrame] | None = None,
    **change: Any,
) -> pd.DataFrame:
    few = {"n_resamples": 20, "level": 0.9, **FEW, **change}
    both = {"states": states, "other_states": other_states, "texts": texts or {"news": TEXTS}}
    settings = settings_of(compare_alignment, **few)
    return compare_alignment(**inputs() | both, **settings)["csv"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return compared(model(1, 1), model(4, 3))


def test_texts_words_and_stimuli_are_compared(table: pd.DataFrame):
    sets = table[["corpus", "unit", "n"]].drop_duplicates().to_numpy().tolist()
    # Of the stimuli, nine texts of each set are different.
    expected = [["news", "text", 16], ["news", "word", 16], ["stimuli", "text", 45]]
    assert sets == expected


@pytest.mark.parametrize("unit", ["text", "word"])
def test_tokenizers_that_cut_otherwise_are_no_hindrance(table: pd.DataFrame, unit: str):
    # All that differs between these models is a rotation, and noise that leaves the words.
    same = table[(table["unit"] == unit) & (table["corpus"] == "news")]
    same = same[same["layer"] == same["other_layer"]]
    assert same["value"].to_numpy() == pytest.approx(1)


def test_another_layer_is_independent(table: pd.DataFrame):
    cka = table[(table["unit"] == "word") & (table["measure"] == "debiased_linear_cka")]
    assert cka.loc[cka["layer"] != cka["other_layer"], "value"].abs().max() < 0.5


def test_stimuli_alone_stand_beside_random_weights_and_have_no_interval(table: pd.DataFrame):
    stimuli = table["corpus"] == "stimuli"
    assert table.loc[stimuli, "random_weights_value"].notna().all()
    assert table.loc[~stimuli, "random_weights_value"].isna().all()
    assert table.loc[stimuli, ["low", "high"]].isna().all(axis=None)


def test_the_same_random_weights_say_nothing():
    one = model(1, 1)
    table = compared(one, ModelStates(model(2, 2).corpora, one.stimuli))
    assert table["random_weights_value"].isna().all()
    stimuli = table[(table["corpus"] == "stimuli") & (table["layer"] == table["other_layer"])]
    assert stimuli["value"].to_numpy() == pytest.approx(1)


def test_models_that_change_places_change_layers_alone(table: pd.DataFrame):
    turned = compared(model(4, 3), model(1, 1))
    renamed = turned.rename(columns={"layer": "other_layer", "other_layer": "layer"})
    keys = ["corpus", "unit", "measure", "layer", "other_layer"]
    both = table.merge(renamed, on=keys, suffixes=("", "_turned"))
    assert len(both) == len(table)
    assert both["value_turned"].to_numpy() == pytest.approx(both["value"].to_numpy())


def test_of_many_points_some_are_drawn():
    table = compared(model(1, 1), model(2, 2), largest_n=10)
    assert (table["n"] == 10).all()


def test_fewer_than_the_smallest_are_not_compared():
    assert compared(model(1, 1), model(2, 2), smallest_n=46, word_corpora=[]).empty


def test_with_a_model_that_read_nothing_there_is_nothing_to_compare():
    assert compared(model(1, 1), silent(model(2, 2))).empty


PER_DOCUMENT, N_DOCUMENTS = 5, 100


def clustered(seed: int) -> ModelStates:
    """A model by itself, in which documents have half of the variance; a word a text."""
    rng = np.random.default_rng(seed)
    n = PER_DOCUMENT * N_DOCUMENTS
    centers = rng.normal(size=(1, N_DOCUMENTS, 20)).repeat(PER_DOCUMENT, axis=1)
    states = centers + rng.normal(size=(1, n, 20))
    windows = pd.DataFrame({"text": [f"s{i}" for i in range(n)], "n_tokens": 1})
    tokens = pd.DataFrame({"window": range(n), "start": 0, "end": 4})
    tokens = tokens.assign(special=False, repeated=False)
    read = CorpusStates(windows, tokens, {"mean": states, "token": states})
    return ModelStates({"news": read}, model(1, 0, stimuli=0).stimuli)


def test_points_of_one_document_do_not_make_independent_models_alike():
    n = PER_DOCUMENT * N_DOCUMENTS
    texts = pd.DataFrame({"id": [f"s{i}" for i in range(n)], "text": "aaaa"})
    texts["document"] = [f"d{i // PER_DOCUMENT}" for i in range(n)]
    many = {"largest_n": 500, "n_permutations": 40, "n_resamples": 40}
    parts = []
    for seed in range(30):
        pair = (clustered(2 * seed), clustered(2 * seed + 1))
        parts.append(compared(*pair, {"news": texts}, **many))
    table = pd.concat(parts)
    assert (table["n"] == N_DOCUMENTS).all()
    cka = table[table["measure"] == "debiased_linear_cka"]
    assert abs(cka["value"].mean()) < 0.01
    assert ((cka["low"] <= 0) & (cka["high"] >= 0)).mean() > 0.8
    assert (cka["value"] > cka["null_high"]).mean() < 0.25
    near = table[table["measure"] == "mutual_nearest_neighbors"]
    chance = 3 / (N_DOCUMENTS - 1)
    assert near["value"].mean() == pytest.approx(chance, abs=0.005)
    # With the candidates fixed they are too narrow: of 0.9 about 0.7.
    assert ((near["low"] <= chance) & (chance <= near["high"])).mean() > 0.55
    assert (near["value"] > near["null_high"]).mean() < 0.25


def test_the_numbers_of_a_corpus_do_not_hang_on_others(table: pd.DataFrame):
    pair = (model(1, 1), model(4, 3))
    for states in pair:
        states.corpora["blog"] = states.corpora["news"]
    texts = {"blog": TEXTS, "news": TEXTS}
    with_blog = compared(*pair, texts)
    rest = with_blog[with_blog["corpus"] != "blog"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, table)


def test_words_of_a_corpus_without_states_of_tokens_are_left_out(caplog: pytest.LogCaptureFixture):
    pair = (model(1, 1), model(2, 2))
    for states in pair:
        news = states.corpora["news"]
        mean = {"mean": news.states["mean"]}
        states.corpora["news"] = CorpusStates(news.windows, news.tokens, mean)
    assert set(compared(*pair)["unit"]) == {"text"}
    assert "conf/corpus/news.yaml: key 'token_states'" in caplog.text


def test_the_same_positions_are_alike_as_curves():
    settings = settings_of(compare_alignment, **{"n_resamples": 2, **FEW})
    curves = compare_alignment(**inputs(is_empty=True) | {"positions": positions()}, **settings)
    assert curves["positions"].empty
    both = {"positions": positions(), "other_positions": positions()}
    curves = compare_alignment(**inputs(is_empty=True) | both, **settings)["positions"]
    assert list(curves["space"]) == ["full", "components"]
    assert set(curves["are_alike"]) == {"yes"}
