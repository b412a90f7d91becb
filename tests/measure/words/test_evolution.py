from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.words.evolution import (
    TokenStates,
    measure_evolution,
    one_token_a_text,
)
from tests.analyses import settings_of
from tests.lazy import transformers

BLOCKS, DIM = 3, 16
FEW: dict[str, Any] = {"followed": [["mouse"], ["mouse", "cat"]], "n_texts": 50, "n_draws": 10}
FEW |= {"n_resamples": 10, "roles": {"short_texts": "some"}}
SETTINGS = settings_of(measure_evolution, **FEW, level=0.9, seed=3)
# The seed draws the texts and tokens of a corpus.
DECIDED_BY_SEED = ("mean", "minimum", "maximum")
DECIDED_BY_SEED += ("shared_energy", "mean_pair_cosine", "previous_shared_cosine")
TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["the mouse . the cat", "the mouse . the box"]})
IDS = [[1, 5, 6, 7, 5, 8, 2], [1, 5, 6, 7, 5, 9, 2]]


def token_rows(window: int, words: list[str], ids: list[int]) -> list[tuple]:
    rows, end = [(window, 0, ids[0], "[CLS]", True, False, 0, 0)], -1
    for position, (word, number) in enumerate(zip(words, ids[1:-1], strict=True), 1):
        start, end = end + 1, end + 1 + len(word)
        rows.append((window, position, number, word, False, False, start, end))
    return [*rows, (window, len(words) + 1, ids[-1], "[SEP]", True, False, 0, 0)]


def token_frame(rows: list[tuple]) -> pd.DataFrame:
    columns = ["window", "position", "id", "token", "special", "repeated", "start", "end"]
    return pd.DataFrame(rows, columns=columns)


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def stimuli_of(common: float = 0.0, seed: int = 0) -> TokenStates:
    """Two texts that differ in a word. Steps of noise, and a part of them for all."""
    words = [text.split() for text in TEXTS["text"]]
    rows = [row for n in (0, 1) for row in token_rows(n, words[n], IDS[n])]
    steps = noise(BLOCKS + 1, len(rows), DIM, seed=seed) + common * np.eye(DIM)[0]
    x = steps.cumsum(axis=0).astype(np.float32)
    x[0, 7:] = np.where((np.arange(7) == 5)[:, None], x[0, 7:], x[0, :7])
    random = noise(*x.shape, seed=seed + 100)
    return TokenStates(TEXTS, token_frame(rows), {"token": x, "random_token": random})


def corpus_of(n_texts: int = 30) -> TokenStates:
    """Texts of three words each, and one in two windows that overlap by a word."""
    rows = []
    for window in range(n_texts + 1):
        words = [f"w{window}x", f"w{window}y", f"w{window}z"]
        rows += token_rows(window, words, [1, *range(10 + 3 * window, 13 + 3 * window), 2])
    tokens = token_frame(rows)
    last = tokens["window"] == n_texts
    tokens.loc[last & (tokens["position"] == 1), "repeated"] = True
    names = [*(f"t{n}" for n in range(n_texts)), f"t{n_texts - 1}"]
    windows = pd.DataFrame({"text": names, "window": [0] * n_texts + [1]})
    return TokenStates(
        windows, tokens, {"token": noise(BLOCKS + 1, len(tokens), DIM).cumsum(axis=0)}
    )


@cache
def bert() -> Any:
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=12,
        hidden_size=DIM,
        num_hidden_layers=BLOCKS,
        num_attention_heads=2,
        intermediate_size=8,
    )
    return transformers.BertModel(config).eval()


@pytest.fixture(scope="module")
def module() -> Any:
    return bert()


def inputs(*, is_empty: bool) -> dict[str, Any]:
    stimuli = stimuli_of()
    if is_empty:
        empty = {name: x[:, :0] for name, x in stimuli.states.items()}
        stimuli = TokenStates(TEXTS, token_frame([]), empty)
    return vars(stimuli) | {"corpora": {"some": corpus_of}, "module": bert(), "final_norm": None}


def measured(module: Any, stimuli: TokenStates | None = None, **change: Any) -> Outcome:
    given = {**vars(stimuli or stimuli_of()), "corpora": {"some": corpus_of}}
    return measure_evolution(**given, module=module, final_norm=None, **SETTINGS | change)


@pytest.fixture(scope="module")
def outcome(module) -> Outcome:
    return measured(module)


def test_each_table_has_its_rows(outcome: Outcome):
    assert len(outcome["path"]) == 14 * (4 + 3) + 2 * 4 + 3 * 4
    assert outcome["path"]["view"].unique().tolist() == [
        "all_layers",
        "without_last",
        "mouse",
        "mouse+cat",
    ]
    assert len(outcome["steps"]) == 14 * 4
    assert len(outcome["shared_steps"]) == 3 * 5
    assert len(outcome["drift"]) == 6 * 4
    assert outcome["layers"]["tokens"].unique().tolist() == ["a", "b", "some"]


def test_layer_norm_of_a_new_model_sets_the_root_of_the_dimension(outcome: Outcome):
    for column in ("layer_norm_scale", "random_weights_layer_norm_scale"):
        assert outcome["steps"][column].to_numpy() == pytest.approx(4)


def test_equal_tokens_start_from_one_place(outcome: Outcome):
    start = outcome["drift"][outcome["drift"]["layer"] == 0]
    assert (start["euclidean_distance"] == 0).all()
    assert not (outcome["drift"]["token"] == "cat").any()
    assert (outcome["drift"].loc[outcome["drift"]["layer"] > 0, "euclidean_distance"] > 0).all()


def test_the_texts_do_not_depend_on_how_a_model_cuts_them():
    whole = corpus_of()
    kept = (whole.tokens["position"] != 2).to_numpy()  # another tokenizer makes fewer tokens
    other = TokenStates(
        whole.windows,
        whole.tokens[kept].reset_index(drop=True),
        {"token": whole.states["token"][:, kept]},
    )
    one, two = (one_token_a_text(read, 9, np.random.default_rng(0)) for read in (whole, other))
    assert one.tokens["text"].tolist() == two.tokens["text"].tolist()
    assert one.tokens["token"].tolist() != two.tokens["token"].tolist()


def test_means_over_independent_texts_keep_their_halves(outcome: Outcome):
    halves = outcome["parquet"]
    assert set(halves["table"]) == {"layers", "shared_steps"}
    about = outcome["layers"].iloc[halves.loc[halves["table"] == "layers", "row"]]
    assert set(about["tokens"]) == {"some"}
    assert len(about) == (outcome["layers"]["tokens"] == "some").sum()
    assert set(halves["n_units"]) == {30}
    assert halves["units"].nunique() == 1
    assert {len(deviations) for deviations in halves["deviations"]} == {SETTINGS["n_resamples"]}


def test_one_ordinary_token_of_each_text(module, outcome: Outcome):
    layers = outcome["layers"]
    rows = layers[(layers["tokens"] == "some") & (layers["quantity"] == "norm")]
    assert (rows["n"] == 30).all()
    assert rows["random_weights_mean"].isna().all()
    few = measured(module, n_texts=4, followed=[])["shared_steps"]
    assert (few.loc[few["tokens"] == "some", "n_tokens"] == 4).all()


def test_drawn_tokens_are_neither_special_nor_repeated_and_all_may_be_drawn():
    from embspace.measure.words.evolution import one_token_a_text

    corpus, drawn = corpus_of(3), set()
    for seed in range(60):
        tokens = one_token_a_text(corpus, 50, np.random.default_rng(seed)).tokens
        assert sorted(tokens["text"]) == ["t0", "t1", "t2"]
        drawn |= set(tokens["token"])
    ordinary = corpus.tokens[~corpus.tokens["special"] & ~corpus.tokens["repeated"]]
    assert drawn == set(ordinary["token"])


def test_a_common_step_is_told_from_steps_of_their_own(module):
    for common, stands_out in ((0.0, False), (3.0, True)):
        table = measured(module, stimuli_of(common), followed=[])["shared_steps"]
        rows = table[(table["tokens"] == "a") & (table["last_layer"] - table["first_layer"] == 1)]
        # |m|^2 / (|m|^2 + dim)
        expected = common**2 / (common**2 + DIM)
        assert rows["shared_energy"].to_numpy() == pytest.approx(expected, abs=0.25)
        assert (rows["p_value"] < 0.1).all() == stands_out
        assert rows["null_shared_energy"].to_numpy() == pytest.approx(0, abs=0.05)
        at_large = table[table["tokens"] == "some"]
        assert at_large["p_value"].isna().all()
        assert (at_large["shared_energy_low"] < at_large["shared_energy_high"]).all()


def test_means_of_independent_tokens_have_intervals_and_those_of_one_text_none(outcome: Outcome):
    steps = outcome["layers"].query("quantity == 'euclidean_distance'").set_index("tokens")
    bounds = ["mean_low", "mean_high"]
    assert steps.loc[["a", "b"], bounds].isna().all(axis=None)
    at_large = steps.drop(["a", "b"])
    assert not at_large.empty
    assert (at_large["mean_low"] < at_large["mean"]).all()
    assert (at_large["mean"] < at_large["mean_high"]).all()


def test_one_token_in_two_texts_has_no_null(outcome: Outcome):
    views = outcome["views"].set_index("view")
    columns = ["null_value", "null_value_low", "null_value_high", "p_value"]
    assert views.loc["mouse", columns].isna().all(axis=None)
    assert views.loc["mouse+cat", columns].notna().all(axis=None)


def test_a_corpus_that_is_not_there_is_left_out(module):
    given = inputs(is_empty=False) | {"corpora": {}}
    table = measure_evolution(**given, **SETTINGS)["layers"]
    assert table["tokens"].unique().tolist() == ["a", "b"]


def test_one_text_does_not_drift(module):
    both = stimuli_of()
    states = {name: x[:, :7] for name, x in both.states.items()}
    one = measured(module, TokenStates(TEXTS[:1], both.tokens[:7], states))
    assert one["drift"].empty
    assert set(one["steps"]["text"]) == {"a"}


def test_a_word_that_no_text_has_is_named(module):
    with pytest.raises(InputError, match="no text has the word 'keyboard'"):
        measured(module, followed=[["keyboard"]])
