"""Stitches turned copies of a model, and the seeds of a small run."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.geometry.parameters.planted_copies import random_turn
from embspace.measure.sequences.sequence_classifiers import last_checkpoints
from embspace.measure.sequences.stitching_models import stitched_texts
from embspace.measure.sequences.stitching_pairs import (
    FREQUENT,
    IDENTITY,
    SHUFFLED,
    TRAINED,
    TURNED,
    VOCABULARY,
    StitchedPair,
    Stitching,
    first_of_each,
    frequent_tokens,
    pairs_of_seed,
    right_answers,
    zero_shot_stitches,
)
from embspace.models.stream.entered import TokenIds, logits_above, states_of
from tests.models.stream.test_entered import classifier, logits_of

READ_BY = ("query", "key", "value", "intermediate", "pooler")
RNG = np.random.default_rng(0)
TOKENS = TokenIds(RNG.integers(1, 20, size=(24, 9)), np.ones((24, 9), dtype=bool))


def turned_copy(turn: np.ndarray) -> Any:
    """The classifier with its residual stream turned: it says the same."""
    return turned(classifier(), turn)


def turned(module: Any, turn: np.ndarray) -> Any:
    """Turn the residual stream of a model, weights and norms."""
    import torch

    by = torch.tensor(turn, dtype=torch.float32)

    class TurnedNorm(torch.nn.Module):
        def __init__(self, norm: Any) -> None:
            super().__init__()
            self.norm = norm

        def forward(self, x: Any) -> Any:
            return self.norm(x @ by.T) @ by

    with torch.no_grad():
        for path, submodule in list(module.named_modules()):
            reads = isinstance(submodule, torch.nn.Linear) and any(name in path for name in READ_BY)
            if reads or isinstance(submodule, torch.nn.Embedding):
                submodule.weight.copy_(submodule.weight @ by)
            elif isinstance(submodule, torch.nn.Linear) and path.endswith("output.dense"):
                submodule.weight.copy_(by.T @ submodule.weight)
                submodule.bias.copy_(submodule.bias @ by)
            elif isinstance(submodule, torch.nn.LayerNorm):
                holder, _, name = path.rpartition(".")
                setattr(module.get_submodule(holder), name, TurnedNorm(submodule))
    return module.eval()


def centered(*modules: Any) -> None:
    import torch

    mean = torch.tensor(logits_of(modules[0], TOKENS).mean(axis=0))
    with torch.no_grad():
        for module in modules:
            module.classifier.bias -= mean


def embedding_of(module: Any) -> np.ndarray:
    return np.asarray(module.base_model.get_input_embeddings().weight.detach().numpy())


def test_a_turned_copy_is_stitched_through_the_vocabulary_and_not_as_it_is() -> None:
    upper = classifier()
    lower = turned_copy(random_turn(8, np.random.default_rng(1)))
    centered(upper, lower)  # else one class alone is said
    whole = logits_of(upper, TOKENS)
    assert logits_of(lower, TOKENS) == pytest.approx(whole, abs=1e-4)
    label = whole.argmax(axis=1)
    assert len(set(label)) > 1
    states = states_of(lower, TOKENS, None)
    stitches, null = zero_shot_stitches(
        embedding_of(lower), embedding_of(upper), np.arange(10), len(states), 3,
        np.random.default_rng(2),
    )  # fmt: skip
    # Ten tokens are more than the eight dimensions, so that they give the whole turn.
    for name in (VOCABULARY, FREQUENT):
        assert right_answers(upper, states, stitches[name], TOKENS, label, range(len(states))).all()
    assert {name: len(draws) for name, draws in null.items()} == {TURNED: 3, SHUFFLED: 3}
    for layer, vectors in enumerate(states):
        stitched = stitches[VOCABULARY][layer](vectors)
        assert logits_above(upper, layer, stitched, TOKENS) == pytest.approx(whole, abs=1e-3)


def test_with_all_signs_changed_no_answer_is_right_as_it_is_and_all_are_by_the_vocabulary() -> None:
    upper, lower = classifier(), turned_copy(-np.eye(8))
    label = logits_of(upper, TOKENS).argmax(axis=1)
    states = states_of(lower, TOKENS, None)
    embeddings = embedding_of(lower), embedding_of(upper)
    n_draws = 100
    stitches, null = zero_shot_stitches(
        *embeddings, np.arange(20), len(states), n_draws, np.random.default_rng(2)
    )

    def right_at_last(stitch: Any) -> np.ndarray:
        return right_answers(upper, states, stitch, TOKENS, label, range(len(states)))[-1]

    last = {name: right_at_last(stitch) for name, stitch in stitches.items()}
    assert last[VOCABULARY].all() and last[FREQUENT].all()
    # At layer L only a tanh and a head without offset are above: the logits change their signs.
    assert not last[IDENTITY].any()
    # Of a turn and its negative, equally likely, at most one is right: 1/2 is the largest mean.
    random = [right_at_last(stitch).mean() for stitch in null[TURNED]]
    error = np.std(random) / np.sqrt(n_draws)
    assert np.mean(random) < 0.5 + 3 * error and error < 0.05


def test_frequent_tokens_are_those_that_are_read_often_enough() -> None:
    mask = np.array([[True, True, True], [True, True, False]])
    read = TokenIds(np.array([[1, 3, 3], [1, 4, 0]]), mask)  # what is filled up, 0, is not read
    assert frequent_tokens(read, 6, 1).tolist() == [1, 3, 4]
    assert frequent_tokens(read, 6, 2).tolist() == [1, 3]
    with pytest.raises(InputError, match="key 'least_count': found 3, but 0 of 6 tokens"):
        frequent_tokens(read, 6, 3)


@pytest.fixture(scope="module")
def pairs(two_seeds: Any) -> list[StitchedPair]:
    return stitched(two_seeds)


def stitched(learned: Any, **given: Any) -> list[StitchedPair]:
    options = {"strength": 1e-3, "n_draws": 2, "least_count": 2, "seed": 0, **given}
    return pairs_of_seed(learned.run, learned.root, 0, learned.texts, None, Stitching(**options))


def test_a_seed_is_below_every_seed_and_itself(pairs: list[StitchedPair], two_seeds: Any) -> None:
    assert [(pair.upper_seed, pair.lower, pair.is_control) for pair in pairs] == [
        (0, 0, True),
        (1, 0, False),
    ]
    control, other = pairs
    assert set(control.right) == {VOCABULARY, IDENTITY, FREQUENT} and not control.null
    assert set(other.right) == {VOCABULARY, IDENTITY, FREQUENT, TRAINED}
    n = len(two_seeds.texts.held_out.texts)
    assert all(right.shape == (3, n) for right in other.right.values())
    documents = two_seeds.texts.held_out.document.max() + 1
    assert {kind: len(draws) for kind, draws in other.null.items()} == {TURNED: 2, SHUFFLED: 2}
    assert all(
        answers.shape == (3, documents) for draws in other.null.values() for answers in draws
    )
    assert other.explained.share <= 1 and control.explained.share > other.explained.share
    assert 2 <= other.frequent_explained.n_tokens < other.explained.n_tokens
    assert control.frequent_explained.share > other.frequent_explained.shuffled


def test_the_same_seed_gives_the_same(pairs: list[StitchedPair], two_seeds: Any) -> None:
    again, other = stitched(two_seeds)[1], stitched(two_seeds, seed=1)[1]
    assert all((again.right[name] == pairs[1].right[name]).all() for name in again.right)
    assert again.explained == pairs[1].explained
    assert other.explained.shuffled != pairs[1].explained.shuffled
    assert other.explained.share == pairs[1].explained.share


def test_other_tokens_are_refused(two_seeds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = str(last_checkpoints(two_seeds.root, two_seeds.run, "classification")[1].folder)

    def read(folder: Path) -> Any:
        tokenizer = reader(folder)
        if str(folder) == changed:
            tokenizer.add_tokens(["new"])
        return tokenizer

    from embspace.measure.sequences import stitching_models

    reader = stitching_models.read_tokenizer
    monkeypatch.setattr(stitching_models, "read_tokenizer", read)
    with pytest.raises(InputError, match="expected the same"):
        stitched(two_seeds)


def test_training_texts_are_the_first_of_each_document(two_seeds: Any) -> None:
    texts = pd.DataFrame({"split": ["train", "test", "train", "train"], "document": [7, 8, 7, 9],
                          "text": ["a", "b", "c", "d"]})  # fmt: skip
    held_out = two_seeds.texts.held_out
    chosen = stitched_texts(held_out, texts)
    assert chosen is not None and chosen.training == ["a", "d"] and chosen.held_out is held_out
    assert chosen.read == ["a", "c", "d"]
    assert stitched_texts(None, texts) is None
    assert first_of_each(np.array([1, 0, 1, 0])).tolist() == [1, 0]
