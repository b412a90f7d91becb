from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.measure.words.probing import (
    CLASSES,
    ProbedWords,
    _interval,
    first_of_each,
    measure_probing,
    probed_words,
    single_tokens,
)
from tests.analyses import settings_of

FEW = {"n_folds": 3, "inverse_regularization": 0.1, "hidden_units": 4, "n_epochs": 20}
FEW |= {"n_trees": 5, "longest_n_gram": 2, "shown_tokens": ["w0", "w3", "absent"]}
SETTINGS = settings_of(measure_probing, **FEW, n_resamples=50)
DECIDED_BY_SEED = ("accuracy", *CLASSES)
N = 90


def words(n: int = N) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"i{number}" for number in range(n)],
            "text": [f"w{number}" for number in range(n)],
            "word": [f"w{number}" for number in range(n)],
            "lemma": [f"l{number // 6}_{number % 3}" for number in range(n)],
            "part_of_speech": [CLASSES[number % 3] for number in range(n)],
            "source": "wordnet",
        }
    )


def token_table(n: int = N, split: tuple[int, ...] = ()) -> pd.DataFrame:
    """[CLS] w [SEP] of each word; those in `split` have two ordinary tokens."""
    rows = []
    for window in range(n):
        body = [window] * (2 if window in split else 1)
        for token in [1000, *body, 1001]:
            rows.append((window, token, token >= 1000))
    return pd.DataFrame(rows, columns=["window", "id", "special"])


def planted(noise: float, n: int = N) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    base = np.eye(3)[np.arange(n) % 3] @ rng.normal(size=(3, 10))
    tokens = token_table(n)
    states = {
        "token": rng.normal(size=(2, len(tokens), 10)),
        "random_token": rng.normal(size=(2, len(tokens), 10)),
    }
    return {
        "words": words(n),
        "tokens": tokens,
        "states": states,
        "vocabulary": pd.DataFrame({"id": range(n), "token": words(n)["word"]}),
        "embeddings": {"input": base + noise * rng.normal(size=(n, 10))},
    }


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return planted(0.5, n=6 if is_empty else N)


def probed(noise: float, n: int = N) -> ProbedWords:
    given = planted(noise, n)
    return probed_words(
        given["words"], given["tokens"], given["states"], given["embeddings"]["input"]
    )


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measure_probing(**planted(0.05), **SETTINGS)


def accuracy(table: pd.DataFrame, features: str, task: str = "part_of_speech") -> pd.Series:
    chosen = (table["features"] == features) & (table["task"] == task)
    return table.loc[chosen & (table["probe"] == "logistic_regression"), "accuracy"]


def test_a_planted_class_is_read_off_the_input_and_nowhere_else(outcome):
    assert (accuracy(outcome["accuracy"], "input") == 1).all()
    assert (accuracy(outcome["accuracy"], "hidden_state") < 0.6).all()
    assert (accuracy(outcome["accuracy"], "spelling") < 0.6).all()


def test_the_control_task_is_not_read(outcome):
    controls = outcome["accuracy"][outcome["accuracy"]["task"] == "control"]
    assert (controls["accuracy"] < 0.65).all()
    assert set(controls["weights"]) == {"none", "trained"}


def test_every_space_has_every_probe(outcome):
    table = outcome["accuracy"]
    spaces = table[table["task"] == "part_of_speech"].groupby(["features", "weights"]).size()
    assert spaces.to_dict() == {
        ("hidden_state", "random"): 6,
        ("hidden_state", "trained"): 6,
        ("input", "trained"): 3,
        ("spelling", "none"): 1,
    }
    assert (table["null_accuracy"] >= 1 / 3).all()
    assert (table["n_words"] == N).all()
    assert (table["source"] == "wordnet").all()
    inside = (table["accuracy_low"] <= table["accuracy"]) & (
        table["accuracy"] <= table["accuracy_high"]
    )
    assert inside.all()


def test_the_null_always_says_the_commonest_class(outcome):
    null = outcome["accuracy"].groupby("task")["null_accuracy"].unique()
    assert null["part_of_speech"].tolist() == pytest.approx([1 / 3])  # as many words of each
    assert len(null["control"]) == 1 and 1 / 3 < null["control"][0] < 2 / 3


def test_shown_tokens_are_judged_without_having_been_seen(outcome):
    assert outcome["tokens"]["token"].unique().tolist() == ["w0", "w3"]
    shares = outcome["tokens"][list(CLASSES)].to_numpy()
    assert np.allclose(shares.sum(axis=1), 1)
    linear = outcome["tokens"]["probe"] == "logistic_regression"
    assert (outcome["tokens"].loc[linear, "noun"] > 0.6).all()


def test_words_of_several_tokens_are_left_out():
    rows = single_tokens(words(4), token_table(4, split=(1, 3)))
    tokens = token_table(4, split=(1, 3))
    assert list(rows >= 0) == [True, False, True, False]
    assert tokens.loc[rows[rows >= 0], "id"].tolist() == [0, 2]


def test_unknown_words_are_not_asked():
    """As of a model of chemistry, to which all words of a list are [UNK]."""
    tokens = token_table(4).assign(special=True)
    assert (single_tokens(words(4), tokens) == -1).all()


def test_a_word_may_be_the_very_first_token():
    tokens = pd.DataFrame({"window": range(3), "id": range(3), "special": False})
    states = {name: np.zeros((2, 3, 4)) for name in ("token", "random_token")}
    x = np.arange(12.0).reshape(3, 4)
    kept = probed_words(words(3).assign(source="file"), tokens, states, x)
    assert np.array_equal(np.asarray(kept.features["input", None, "trained"]), x)


def test_of_drawn_words_as_many_of_each_class_as_the_rarest_has_come_first():
    labels = pd.Series(["noun", "verb", "noun", "noun", "adjective", "verb", "adjective", "noun"])
    assert first_of_each(labels).tolist() == [True, True, True, False, True, True, True, False]
    assert not first_of_each(labels[:4]).any()


@pytest.mark.parametrize(("source", "counts"), [("wordnet", [3, 3, 3]), ("file", [3, 4, 5])])
def test_words_of_a_file_are_all_probed_and_drawn_ones_evenly(source: str, counts: list[int]):
    tokens = token_table(15, split=(0, 3, 4))
    rng = np.random.default_rng(0)
    states = {name: rng.normal(size=(2, len(tokens), 10)) for name in ("token", "random_token")}
    x = rng.normal(size=(15, 10))
    kept = probed_words(words(15).assign(source=source), tokens, states, x)
    n_by_class = kept.words["part_of_speech"].value_counts()
    assert [n_by_class[name] for name in CLASSES] == counts
    numbers = [int(word[1:]) for word in kept.words["word"]]
    assert np.array_equal(np.asarray(kept.features["input", None, "trained"]), x[numbers])
    at = [tokens.index[(tokens["window"] == number) & ~tokens["special"]][0] for number in numbers]
    layer = np.asarray(kept.features["hidden_state", 1, "random"])
    assert np.array_equal(layer, states["random_token"][1][at])


def test_a_vector_is_that_of_its_word():
    states = np.asarray(probed(0.0).features["hidden_state", 1, "random"])
    assert states.shape == (N, 10)
    assert len({row.tobytes() for row in states}) == N


def test_an_interval_of_an_accuracy_ends_at_one():
    # One of 90 words is wrong: the bound would be 1.0002.
    table = measure_probing(**planted(0.8), **SETTINGS)["accuracy"]
    row = table[(table["features"] == "input") & (table["probe"] == "logistic_regression")].iloc[0]
    assert 0.98 < row["accuracy"] < row["accuracy_high"] == 1


def test_the_interval_of_an_accuracy_is_that_of_lemmas_of_several_words():
    lemma = np.array([0, 0, 1, 2, 3, 3])
    correct = np.array([[True, False, True, True, False, True], [False] * 6])
    options = {"n_resamples": 40, "level": 0.8}
    interval = _interval(correct, lemma, *options.values(), np.random.default_rng(0))

    def accuracy_of(chosen: np.ndarray) -> np.ndarray:
        inside = np.isin(lemma, chosen)
        return correct[:, inside].mean(axis=1)

    expected = half_sample_interval(accuracy_of, 4, **options, generator=np.random.default_rng(0))
    assert interval.low == pytest.approx(expected.low) and interval.high == pytest.approx(
        expected.high
    )
    assert interval.low[0] < 4 / 6 < interval.high[0] and interval.high[1] == 0


def test_lemmas_and_words_are_counted(outcome):
    assert (outcome["accuracy"]["n_lemmas"] == words()["lemma"].nunique()).all()
    assert outcome["accuracy"]["layer"].dropna().unique().tolist() == [0, 1]
