"""Holds what classifiers read, and how tokens are hidden."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.sequences.sequence_classifiers import (
    encode_sequences,
    last_checkpoints,
    load_classifier,
    logits_of,
    probabilities,
    random_classifier,
    with_hidden,
)


def test_the_last_checkpoint_of_each_seed_is_read(learned: Any) -> None:
    (checkpoint,) = last_checkpoints(learned.root, learned.run, "classification")
    assert checkpoint.step == learned.run.phases["classification"].n_steps
    module = load_classifier(learned.run, checkpoint)
    encoded = encode_sequences(learned.run, checkpoint, learned.placed.sequences.texts)
    assert encoded.places.tolist() == list(range(1, 12))
    logits = logits_of(module, encoded.ids)
    assert logits.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert probabilities(logits).sum(axis=1) == pytest.approx(1)
    others = logits_of(random_classifier(module, 0), encoded.ids)
    assert others.shape == logits.shape
    assert not np.allclose(others, logits)
    again = logits_of(random_classifier(module, 0), encoded.ids)
    assert (again == others).all()


def test_a_hidden_place_has_the_mask_and_no_other_changes(learned: Any) -> None:
    (checkpoint,) = last_checkpoints(learned.root, learned.run, "classification")
    encoded = encode_sequences(learned.run, checkpoint, learned.placed.sequences.texts)
    hidden = np.zeros((len(encoded.ids), len(encoded.places)), dtype=bool)
    hidden[0, 3] = True
    ids = with_hidden(encoded, hidden)
    assert ids[0, 4] == encoded.mask_id
    assert (ids != encoded.ids).sum() == 1
    assert (encoded.ids != encoded.mask_id).all()  # what was given stays


def test_sequences_of_different_length_are_refused(learned: Any) -> None:
    (checkpoint,) = last_checkpoints(learned.root, learned.run, "classification")
    texts = learned.placed.sequences.texts
    with pytest.raises(InputError, match="expected one of the same length for each"):
        encode_sequences(learned.run, checkpoint, [texts[0], texts[1].rsplit(" ", 1)[0]])
    with pytest.raises(InputError, match="expected one of the same length for each"):
        encode_sequences(learned.run, checkpoint, [" ".join([texts[0]] * 3)])


def test_a_checkpoint_that_is_not_there_is_told_of(learned: Any, tmp_path: Path) -> None:
    (checkpoint,) = last_checkpoints(str(tmp_path), learned.run, "classification")
    with pytest.raises(InputError, match="dvc repro"):
        load_classifier(learned.run, checkpoint)
