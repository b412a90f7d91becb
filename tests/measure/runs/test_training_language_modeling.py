"""Holds the rows of a checkpoint to its own predictions, and intervals to their definition."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.runs.training_language_modeling import (
    Targets,
    _losses_by_counts,
    _positions_of_words,
    agreement_rows,
    count_tokens,
    counts_row,
    held_out_row,
    load_asker,
    mean_with_interval,
)
from embspace.settings.run import Run
from embspace.train.batches import Windows
from embspace.train.checkpoints import Checkpoint, all_checkpoints
from embspace.train.model import train_model
from tests.train.runs import CAUSAL, MASKED, PAIRED, as_texts, small_run, some_texts

OPTIONS: dict[str, Any] = {"n_resamples": 100, "level": 0.95, "seed": 0}
ROTARY = {
    "model_type": "modernbert",
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 16,
    "initializer_range": 0.1,
}
ROTARY_MATRICES = {
    "input": "embeddings.tok_embeddings.weight",
    "positional": None,
    "segment": None,
}
LONG = {"n_steps": 80, "n_checkpoints": 2, "learning_rate": 0.02}


def pairs_of_words(n_texts: int) -> pd.DataFrame:
    """Texts in which `x<n>` is always followed by `y<n>`: a bigram knows every second word."""
    generator = np.random.default_rng(0)
    numbers = generator.integers(6, size=(n_texts, 6))
    texts = [" ".join(f"x{n} y{n}" for n in row) for row in numbers]
    return as_texts(texts, [""] * n_texts)


@pytest.fixture(scope="module", params=[CAUSAL, MASKED], ids=["causal", "masked"])
def learned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, Checkpoint, pd.DataFrame, pd.DataFrame]:
    """A model that has learned the pairs; a masked one finds its neighbors by rotary positions."""
    masked = request.param is MASKED
    form = {"architecture": ROTARY, "matrices": ROTARY_MATRICES} if masked else {}
    longer = {"n_steps": 250, "batch_size": 32, "masked_share": 0.3} if masked else {}
    run = small_run({"pretraining": {**request.param, **LONG, **longer}}, **form)
    texts = pairs_of_words(100)
    root = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", run, texts, root, "cpu")
    split = {name: rows.reset_index(drop=True) for name, rows in texts.groupby("split")}
    return run, all_checkpoints(root, run)[-1], split["train"], split["test"]


def test_a_model_beats_single_words_where_words_come_in_pairs(learned: Any) -> None:
    run, checkpoint, trained, tested = learned
    counts = counts_row(run, checkpoint, trained, tested)
    row = held_out_row(load_asker(run, checkpoint, tested), counts, **OPTIONS)
    assert row["step"] == run.phases["pretraining"].n_steps
    assert row["n_documents"] == 20
    assert row["loss"] < 0.75 * row["unigram_loss"]
    assert row["bigram_loss"] < 0.75 * row["unigram_loss"]
    assert row["accuracy"] > row["unigram_accuracy"] + 0.2
    assert row["loss_low"] < row["loss"] < row["loss_high"]
    assert row["unigram_entropy"] == pytest.approx(np.log(12), abs=0.05)


def test_a_model_that_was_asked_which_sentence_follows_is_scored_on_it(tmp_path: Path) -> None:
    run, texts = small_run({"pretraining": PAIRED}), some_texts()
    train_model("small", run, texts, str(tmp_path), "cpu")
    split = {name: rows.reset_index(drop=True) for name, rows in texts.groupby("split")}
    first = all_checkpoints(str(tmp_path), run)[0]
    counts = counts_row(run, first, split["train"], split["test"])
    row = held_out_row(load_asker(run, first, split["test"]), counts, **OPTIONS)
    score = row["next_sentence_accuracy"]
    assert (
        0 <= row["next_sentence_accuracy_low"] <= score <= row["next_sentence_accuracy_high"] <= 1
    )


def test_texts_that_are_near_copies_follow_from_the_place(tmp_path: Path) -> None:
    run = small_run({"pretraining": CAUSAL})
    words = [[f"w{place}" for place in range(10)] for _ in range(50)]
    for number, text in enumerate(words):
        text[number % 10] = "changed"
    texts = as_texts([" ".join(text) for text in words], [""] * 50)
    train_model("small", run, texts, str(tmp_path), "cpu")
    split = {name: rows.reset_index(drop=True) for name, rows in texts.groupby("split")}
    row = counts_row(run, all_checkpoints(str(tmp_path), run)[0], split["train"], split["test"])
    assert row["place_accuracy"] == pytest.approx(0.9)
    assert row["place_loss"] < 0.4 * row["unigram_loss"]


def test_a_tokenizer_that_splits_words_cannot_be_asked(learned: Any) -> None:
    run, checkpoint, _, tested = learned
    items = pd.DataFrame(
        {
            "id": tested["id"],
            "sentence": 0,
            "noun_index": 1,
            "verb_index": 3,
            "right": "x0",  # stands elsewhere
            "wrong": "x1",
            "n_attractors": 0,
            "clause": "main",
        }
    )
    with pytest.raises(InputError, match="one token a word"):
        agreement_rows(load_asker(run, checkpoint, tested), items, **OPTIONS)


def test_the_right_second_word_is_preferred_to_a_wrong_one(learned: Any) -> None:
    run, checkpoint, _, tested = learned
    words = tested["text"].str.split()
    other = {f"y{n}": f"y{(n + 1) % 6}" for n in range(6)}
    items = pd.DataFrame(
        {
            "id": tested["id"],
            "sentence": 0,
            "noun_index": 4,
            "verb_index": 5,
            "right": words.str[5],
            "wrong": words.str[5].map(other),
            "n_attractors": np.arange(len(tested)) % 2,
            "clause": "main",
        }
    )
    rows = agreement_rows(load_asker(run, checkpoint, tested), items, **OPTIONS)
    assert [(row["clause"], row["attractors"]) for row in rows] == [
        ("all", "all"),
        ("main", "none"),
        ("main", "some"),
    ]
    assert [row["n"] for row in rows] == [20, 10, 10]
    assert min(row["accuracy"] for row in rows) > 0.8
    turned = items.rename(columns={"right": "wrong", "wrong": "right"})
    worse = agreement_rows(load_asker(run, checkpoint, tested), turned, **OPTIONS)
    for row, opposite in zip(rows, worse, strict=True):
        assert row["accuracy"] + opposite["accuracy"] == pytest.approx(1)


def test_a_verb_whose_subject_is_in_another_window_is_not_asked_for(learned: Any) -> None:
    run, checkpoint, _, tested = learned
    words = tested["text"][:2].str.split().str[1]
    items = pd.DataFrame(
        {
            "id": tested["id"][:2],
            "sentence": 0,
            "noun_index": [0, 0],
            "verb_index": [1, 1],
            "right": words,
            "wrong": words.map({f"y{n}": f"y{(n + 1) % 6}" for n in range(6)}),
            "n_attractors": 0,
            "clause": "main",
        }
    )
    far = items.assign(noun_index=[0, 40])
    rows = agreement_rows(load_asker(run, checkpoint, tested), far, **OPTIONS)
    assert [row["n"] for row in rows] == [1, 1]
    assert agreement_rows(load_asker(run, checkpoint, tested), far.iloc[1:], **OPTIONS) == []
    unheard = items.assign(wrong="y9")
    assert agreement_rows(load_asker(run, checkpoint, tested), unheard, **OPTIONS) == []


def test_the_interval_is_over_documents_not_over_tokens() -> None:
    values = np.repeat(np.random.default_rng(0).normal(size=40), 50)
    by_document = mean_with_interval("x", values, np.repeat(np.arange(40), 50), **OPTIONS)
    by_token = mean_with_interval("x", values, np.arange(2000), **OPTIONS)
    width = {"document": by_document, "token": by_token}
    widths = {name: bounds["x_high"] - bounds["x_low"] for name, bounds in width.items()}
    assert widths["document"] > 4 * widths["token"]
    assert by_document["x"] == pytest.approx(values.mean())
    # 95 % of a mean of 40 standard normal values.
    assert widths["document"] == pytest.approx(2 * 1.96 * values.std() / np.sqrt(40), rel=0.25)


def test_a_words_place_is_where_its_token_stands() -> None:
    ids = np.array([[1, 10, 11, 12, 2], [1, 13, 14, 15, 2], [1, 16, 2, 0, 0], [1, 20, 21, 2, 0]])
    windows = Windows(ids, n_tokens=np.array([5, 5, 3, 4]), text=np.array([0, 0, 0, 1]), label=None)
    text, word = np.repeat([0, 1], [7, 2]), np.append(np.arange(7), np.arange(2))
    places = ids[_positions_of_words(windows)(text, word)]
    assert places.tolist() == [*range(10, 17), 20, 21]


def test_a_mean_and_its_bounds_by_hand() -> None:
    unit = np.array([7, 7, 7, 2, 5, 5, 9])  # documents of 3, 1, 2 and 1 tokens
    alike = mean_with_interval("accuracy", np.full(7, 0.25), unit, **OPTIONS)
    assert alike == {"accuracy": 0.25, "accuracy_low": 0.25, "accuracy_high": 0.25}
    values = np.array([1.0, 1, 1, 0, 0, 0, 0])
    row = mean_with_interval("accuracy", values, unit, **OPTIONS)
    assert row["accuracy"] == pytest.approx(3 / 7)
    # The halves with the first document have 3 of 4 or 3 of 5, those without it none.
    assert row["accuracy_low"] == pytest.approx(2 * 3 / 7 - 3 / 4)
    assert row["accuracy_high"] == pytest.approx(2 * 3 / 7)
    # A loss may be beyond what a share can be.
    loss = mean_with_interval("loss", 7 * values - 2, unit, **OPTIONS)
    assert (loss["loss"], loss["loss_low"]) == pytest.approx((1, 4 - 21 / 4))
    assert loss["loss_high"] == pytest.approx(4)


def test_what_counting_gives_by_hand() -> None:
    # Token 0 is special; 1 follows the start, 2 follows 1 twice of three times.
    ids = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 3]])
    models = count_tokens(ids, np.array([3, 3, 3]), 4, [0])
    targets = Targets(
        np.array([0, 1, 2]), np.array([2, 1, 2]), np.array([2, 1, 3]), np.array([1, 0, 1])
    )
    losses = _losses_by_counts(models, targets)
    p = np.array([4, 3, 2]) / 9  # of 1, 2 and 3: a count more of each
    assert losses["unigram_entropy"] == pytest.approx(-(p * np.log(p)).sum())
    assert losses["unigram_loss"] == pytest.approx(-np.log(p[[1, 0, 2]]).mean())
    assert losses["unigram_accuracy"] == pytest.approx(1 / 3)
    # Witten and Bell: after 1 there are 3 counts of 2 kinds, at the start 3 of 1 kind.
    likely = np.array([(2 + 2 * p[1]) / 5, (3 + p[0]) / 4, (1 + 2 * p[2]) / 5])
    for name in ("bigram", "place"):
        assert losses[f"{name}_loss"] == pytest.approx(-np.log(likely).mean())
        assert losses[f"{name}_accuracy"] == pytest.approx(2 / 3)
