"""Holds the rows of a checkpoint to its own predictions, and intervals to their definition."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.language_modelling import (
    agreement_rows,
    held_out_rows,
    mean_with_interval,
)
from embspace.train.checkpoints import Checkpoint, all_checkpoints
from embspace.train.model import train_model
from embspace.training_run import Run
from tests.train.runs import CAUSAL, MASKED, as_texts, small_run

OPTIONS: dict[str, Any] = {"n_resamples": 100, "level": 0.95, "seed": 0}
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
    """A model that has learned the pairs; of a masked one's steps a seventh of the tokens count."""
    longer = {"n_steps": 400, "batch_size": 32} if request.param is MASKED else {}
    run, texts = (
        small_run({"pretraining": {**request.param, **LONG, **longer}}),
        pairs_of_words(100),
    )
    root = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", run, texts, root, "cpu")
    split = {name: rows.reset_index(drop=True) for name, rows in texts.groupby("split")}
    return run, all_checkpoints(root, run)[-1], split["train"], split["test"]


def test_a_model_beats_single_words_where_words_come_in_pairs(learned: Any) -> None:
    run, checkpoint, trained, tested = learned
    row = held_out_rows(run, checkpoint, trained, tested, **OPTIONS)
    assert row["step"] == run.phases["pretraining"].n_steps
    assert row["n_documents"] == 20
    assert row["loss"] < 0.75 * row["unigram_loss"]
    assert row["bigram_loss"] < 0.75 * row["unigram_loss"]
    assert row["accuracy"] > row["unigram_accuracy"] + 0.2
    assert row["loss_low"] < row["loss"] < row["loss_high"]
    assert row["unigram_entropy"] == pytest.approx(np.log(12), abs=0.05)


def test_the_right_second_word_is_preferred_to_a_wrong_one(learned: Any) -> None:
    run, checkpoint, _, tested = learned
    words = tested["text"].str.split()
    other = {f"y{n}": f"y{(n + 1) % 6}" for n in range(6)}
    items = pd.DataFrame(
        {
            "id": tested["id"],
            "noun_index": 4,
            "verb_index": 5,
            "right": words.str[5],
            "wrong": words.str[5].map(other),
            "n_attractors": np.arange(len(tested)) % 2,
        }
    )
    rows = agreement_rows(run, checkpoint, tested, items, **OPTIONS)
    assert [row["n_attractors"] for row in rows] == [0, 1]
    assert sum(row["n"] for row in rows) == len(tested)
    assert min(row["accuracy"] for row in rows) > 0.8
    turned = items.rename(columns={"right": "wrong", "wrong": "right"})
    worse = agreement_rows(run, checkpoint, tested, turned, **OPTIONS)
    for row, opposite in zip(rows, worse, strict=True):
        assert row["accuracy"] + opposite["accuracy"] == pytest.approx(1)


def test_a_verb_whose_subject_is_in_another_window_is_not_asked_for(learned: Any) -> None:
    run, checkpoint, _, tested = learned
    items = pd.DataFrame(
        {
            "id": tested["id"][:2],
            "noun_index": [0, 0],
            "verb_index": [1, 1],
            "right": "y0",
            "wrong": "y1",
            "n_attractors": 0,
        }
    )
    far = items.assign(noun_index=[0, 40])
    [row] = agreement_rows(run, checkpoint, tested, far, **OPTIONS)
    assert row["n"] == 1


def test_the_interval_is_over_documents_not_over_tokens() -> None:
    values = np.repeat(np.random.default_rng(0).normal(size=40), 50)
    by_document = mean_with_interval("x", values, np.repeat(np.arange(40), 50), **OPTIONS)
    by_token = mean_with_interval("x", values, np.arange(2000), **OPTIONS)
    width = {"document": by_document, "token": by_token}
    widths = {name: each["x_high"] - each["x_low"] for name, each in width.items()}
    assert widths["document"] > 4 * widths["token"]
    assert by_document["x"] == pytest.approx(values.mean())
    # 95 % of a mean of 40 standard normal values.
    assert widths["document"] == pytest.approx(2 * 1.96 * values.std() / np.sqrt(40), rel=0.25)
