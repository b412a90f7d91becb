"""Holds what tuning has changed to a run that was trained, and the list to its vocabulary."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.parameters.tuning_words_runs import (
    POLARITIES,
    Vocabulary,
    listed_vocabulary,
    load_sentiment_words,
    load_tuned,
    load_vocabulary,
    tuned_phase,
)
from embspace.models.tokenizer import load_tokenizer
from embspace.settings.model import VectorsModel, describe_model
from embspace.train.model import train_model
from tests.tiny import tiny_description
from tests.train.runs import CLASSIFIED, MASKED, small_run, some_texts

PRETRAINED = small_run({"pretraining": MASKED, "classification": CLASSIFIED}, seeds=[0, 3])
TUNED = PRETRAINED.model_copy(update={"base": "minilm"})  # as if its first phase were a base's
WORDS = pd.DataFrame({"word": ["the", "ing", "unheardof"], "value": ["positive"] * 3})


def test_a_run_that_tunes_no_base_has_no_changes() -> None:
    assert tuned_phase(PRETRAINED) is None
    assert tuned_phase(TUNED) == "classification"
    assert load_tuned("nowhere", PRETRAINED, None) == []
    known = load_vocabulary("nowhere", PRETRAINED, WORDS)
    assert known.tokens == [] and known.missing == ["the", "ing", "unheardof"]


@pytest.mark.slow
def test_changes_are_those_of_the_layers_that_were_trained(tmp_path: Path) -> None:
    root = str(tmp_path / "small")
    train_model("small", PRETRAINED, some_texts(), root, "cpu")
    tunings = load_tuned(root, TUNED, None)
    assert [tuned.seed for tuned in tunings] == [0, 3]
    for tuned in tunings:
        assert tuned.phase == "classification" and tuned.embedding.shape[1] == 16
        for group, layers in tuned.before.items():
            changed = [
                bool((after != before).any())
                for before, after in zip(layers, tuned.after[group], strict=True)
            ]
            assert changed == [False, True], group
        assert tuned.head_after.labels == ["0", "1"]
        assert tuned.head_after.through is not None
        assert (tuned.head_after.rows != tuned.head_before.rows).any()
        # Of two classes the one gains what the other loses.
        gained, lost = tuned.head_after.rows - tuned.head_before.rows
        assert np.corrcoef(gained, lost)[0, 1] < -0.99


@pytest.fixture
def vocabulary(tiny_folder: Path) -> Vocabulary:
    model = describe_model("tiny", tiny_description(tiny_folder))
    assert not isinstance(model, VectorsModel)
    return listed_vocabulary("tiny", load_tokenizer("tiny", model), model, WORDS)


def test_a_listed_token_is_a_whole_word(vocabulary: Vocabulary) -> None:
    listed = np.flatnonzero(vocabulary.of(*POLARITIES))
    assert [vocabulary.tokens[token] for token in listed] == ["the"]  # ##ing goes on inside a word
    assert vocabulary.missing == ["ing", "unheardof"] and vocabulary.n_words == 3
    assert not vocabulary.of("negative").any()


def test_kinds_that_are_left_out_are_not_read(vocabulary: Vocabulary) -> None:
    kept = vocabulary.not_of(["special", "unused"])
    names = {vocabulary.tokens[token] for token in np.flatnonzero(~kept)}
    assert {"[CLS]", "[unused0]"} <= names and "the" not in names
    assert vocabulary.not_of([]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word\ngood\n", "expected the columns word, value, found \\['word'\\]"),
        ("word,value\ngood,\n", "a word or a value is empty"),
        ("word,value\ngood,nice\n", "key 'value': found 'nice', allowed: positive, negative"),
        ("word,value\ngood,positive\nGood,positive\n", "the word 'good' stands there twice"),
    ],
)
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "words.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"{file}: {message}"):
        load_sentiment_words(str(file))


def test_the_list_of_the_project_has_both_polarities(root: Path) -> None:
    words = load_sentiment_words(str(root / "data/stimuli/sentiment_words.csv"))
    assert min(words["value"].value_counts().reindex(POLARITIES)) > 50
