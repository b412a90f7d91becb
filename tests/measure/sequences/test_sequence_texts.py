"""Holds what is taken of held-out sequences, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.sequences.sequence_texts import (
    classification_of,
    held_out_sequences,
    placed_sequences,
)
from embspace.settings.corpus import describe_corpus
from embspace.settings.schema import read_yaml
from tests.measure.sequences.small import sequence_run, sequence_texts, small_corpus
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, small_run


@pytest.fixture(autouse=True)
def in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_one_sequence_stands_for_an_ancestor(learned: Any) -> None:
    tested = learned.texts[learned.texts["split"] == "test"]
    assert len(learned.sequences.texts) == len(tested)
    placed = learned.placed.sequences
    assert len(placed.texts) == tested["document"].nunique()
    assert placed.stratum.tolist() == placed.label.tolist()
    names = np.array(placed.classes)[placed.label]
    own = learned.placed.gene.changes["class"].to_numpy()
    assert not (learned.placed.has & (own != names[:, np.newaxis])).any()
    assert learned.placed.true_places[names == "omicron"].sum(axis=1).min() > 4
    assert not learned.placed.true_places[names == "gh"].any()


def test_runs_that_classify_no_sequences_have_none() -> None:
    run, corpus = sequence_run(), small_corpus()
    texts = sequence_texts(run, corpus)
    language = small_run({"pretraining": MASKED})
    decoder = small_run({"pretraining": CAUSAL, "classification": CLASSIFIED})
    assert classification_of(run) == "classification"
    assert held_out_sequences("small", language, corpus, texts) is None
    assert held_out_sequences("small", decoder, corpus, texts) is None
    other = describe_corpus("reviews", read_yaml(Path("conf/corpus/reviews.yaml")))
    assert held_out_sequences("small", run, other, texts) is None
    assert placed_sequences("small", None, corpus) is None


def test_a_run_without_held_out_texts_or_of_one_class_is_refused() -> None:
    run, corpus = sequence_run(), small_corpus()
    texts = sequence_texts(run, corpus)
    with pytest.raises(InputError, match="key 'test_share'.*no text is held out"):
        held_out_sequences("small", run, corpus, texts.assign(split="train"))
    one = texts[(texts["split"] == "train") | (texts["label"] == "alpha")]
    with pytest.raises(InputError, match="all held-out texts are of one class, 'alpha'"):
        held_out_sequences("small", run, corpus, one)


def test_sequences_of_another_length_are_left_out_and_none_at_all_is_refused() -> None:
    run, corpus = sequence_run(), small_corpus()
    texts = sequence_texts(run, corpus)
    sequences = held_out_sequences("small", run, corpus, texts)
    whole = placed_sequences("small", sequences, corpus)
    is_gamma = texts["label"] == "gamma"
    texts.loc[is_gamma, "text"] = texts.loc[is_gamma, "text"].str.rsplit(" ", n=1).str[0]
    shorter = held_out_sequences("small", run, corpus, texts)
    placed = placed_sequences("small", shorter, corpus)
    assert whole is not None and placed is not None
    gamma = placed.sequences.classes.index("gamma")
    assert gamma in whole.sequences.label
    assert gamma not in placed.sequences.label
    assert len(placed.sequences.texts) < len(whole.sequences.texts)
    texts["text"] = "acgtacgtacgt"
    with pytest.raises(InputError, match="0 have the 11 k-mers"):
        placed_sequences("small", held_out_sequences("small", run, corpus, texts), corpus)
