"""Reads changes of which it is known what words they write."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from embspace.analysis import Outcome
from embspace.compare.model_tuning_words import (
    compare_model_tuning_words,
    load_vocabulary,
    load_weights,
)
from embspace.errors import InputError
from embspace.measure.parameters.tuning_words_runs import Vocabulary
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from tests.analyses import settings_of
from tests.compare.test_model_changes_words import as_weights
from tests.measure.parameters.known_tuning import EMBEDDING, N_LISTED, known_vocabulary
from tests.models.parameters.known import DIM, known_parameters
from tests.tiny import write_tiny_model

NAMES = ("one", "other")
FEW: dict[str, Any] = {"n_tokens": 20, "n_random_vectors": 500, "n_lists": 40, "n_turns": 40}
FEW |= {"n_nearest": 20, "n_shown": 5}
DECIDED_BY_SEED = ("least_listed", "share", "p_value_lists", "p_value_turned")
N_LAYERS = 8
MINE = "conf/model/mine.yaml"
Values = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def before() -> ModelParameters:
    """Return a model of 400 tokens, of which the first thirty lie at both ends of an axis."""
    table = np.ascontiguousarray(EMBEDDING[:, :DIM])
    tokens = known_vocabulary().tokens
    parts = {"input_embedding": table, "output_embedding": table, "tokens": tokens}
    return replace(known_parameters(0, n_layers=N_LAYERS), **parts)


def toward(words: np.ndarray) -> Values:
    """Return a change that moves every value toward the embedding of a word."""

    def move(rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        return np.asarray(rows + 0.1 * EMBEDDING[generator.choice(words, len(rows)), :DIM])

    return move


def at_random(rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return values moved in random directions."""
    return np.asarray(rows + 0.1 * generator.normal(size=rows.shape))


def after(values: Values, seed: int = 0) -> ModelParameters:
    """Return the model with moved values of the MLPs, in all layers but the first."""
    generator = np.random.default_rng(seed)

    def changed_layer(layer: LayerParameters) -> LayerParameters:
        if layer.layer == 1:
            return layer
        return replace(layer, ff_values=values(layer.ff_values, generator).astype(np.float32))

    model = before()
    return replace(model, layers=[changed_layer(layer) for layer in model.layers])


LISTED, OTHERS = np.arange(N_LISTED), np.arange(N_LISTED, 399)


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return a model and a copy that writes the list; if empty, vectors in place of the copy."""
    other = None if is_empty else as_weights(after(toward(LISTED)))
    pair = {"weights": as_weights(before()), "other_weights": other, "names": NAMES}
    return pair | {"vocabulary": known_vocabulary()}


def compared(values: Values, seed: int = 0, **change: Any) -> Outcome:
    settings = settings_of(compare_model_tuning_words, **FEW)
    given = inputs() | {"other_weights": as_weights(after(values, seed))} | change
    return compare_model_tuning_words(**given, **settings)


def test_values_moved_toward_listed_words_are_read_as_these() -> None:
    tables = compared(toward(LISTED))
    table, layers = tables["csv"], tables["layers"]
    assert table["group"].tolist() == ["feed_forward_value"]
    assert table["verdict"].tolist() == ["present"]
    assert (table["n_layers"][0], table["n_listed_tokens"][0]) == (N_LAYERS - 1, N_LISTED)
    assert layers["layer"].tolist() == [*range(2, N_LAYERS + 1)]
    listed = {f"w{number}" for number in LISTED}
    assert all(len(listed & set(words.split())) >= 3 for words in layers["tokens"])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("values", [at_random, toward(OTHERS)])
def test_other_changes_are_not(values: Values, seed: int) -> None:
    assert compared(values, seed)["csv"]["verdict"].tolist() != ["present"]


def test_all_rows_in_one_random_direction_are_one_chance() -> None:
    def one_way(rows: np.ndarray, _: np.random.Generator) -> np.ndarray:
        return np.asarray(rows + 0.1 * np.random.default_rng(9).normal(size=DIM))

    assert compared(one_way)["csv"]["verdict"].tolist() != ["present"]


def test_rows_at_equal_distances_are_read() -> None:
    settings = settings_of(compare_model_tuning_words, **FEW, n_rows=4)
    layers = compare_model_tuning_words(**inputs(), **settings)["layers"]
    assert (layers["n_vectors"] == 4).all() and (layers["n_rows"] == 10).all()


def test_what_did_not_move_or_is_unrelated_has_no_words() -> None:
    same = compared(lambda rows, _: rows)
    assert same["csv"]["reason"].tolist() == ["no matrix of a layer moved"]
    assert same["layers"].empty
    stranger = replace(known_parameters(1, n_layers=N_LAYERS), tokens=before().tokens)
    table = before().input_embedding
    stranger = replace(stranger, input_embedding=table, output_embedding=table)
    unrelated = compared(at_random, other_weights=as_weights(stranger))
    assert unrelated["csv"]["reason"].tolist() == ["no matrix of a layer moved"]


def no_tokens() -> Vocabulary:
    return Vocabulary([], [], [], 3, ["a", "b", "c"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"weights": None}, "one: vectors without a model"),
        ({"other_weights": None}, "other: vectors without a model"),
        ({"weights": replace(as_weights(before()), parameters=None)}, "one: Net has no blocks"),
        ({"other_weights": replace(as_weights(before()), n_layers=3)}, "has 2 layers"),
        ({"vocabulary": no_tokens()}, "one: has no tokenizer"),
        (
            {"vocabulary": known_vocabulary(5)},
            "sentiment_words.csv: 5 of 6 words are tokens",
        ),
    ],
)
def test_what_cannot_be_read_is_told(change: Any, reason: str) -> None:
    table = compared(at_random, **change)["csv"]
    assert len(table) == 1 and reason in table["reason"][0]


def test_too_few_tokens_are_refused_by_the_key() -> None:
    settings = settings_of(compare_model_tuning_words, **FEW | {"n_tokens": 200})
    with pytest.raises(InputError, match="model_tuning_words.yaml: key 'n_tokens'"):
        compare_model_tuning_words(**inputs(), **settings)


def test_a_list_of_ones_own_needs_words_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_tiny_model(Path("models/mine"), Path("conf"), "mine")
    Path("list.csv").write_text("word\nCat\nzebra\n")
    vocabulary = load_vocabulary("list.csv", MINE, "")
    assert vocabulary.missing == ["zebra"]
    assert [vocabulary.tokens[at] for at in np.flatnonzero(vocabulary.is_listed)] == ["cat"]
    weights = load_weights(MINE, "")
    assert weights is not None and weights.tokens == vocabulary.tokens
    Path("list.csv").write_text("words\ncat\n")
    with pytest.raises(InputError, match="expected the columns word, value"):
        load_vocabulary("list.csv", MINE, "")


def test_vectors_alone_have_no_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vectors.csv").write_text("a,b\n1,2\n")
    described = {"label": "v", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    Path("words.yaml").write_text(yaml.safe_dump(described | {"path": "vectors.csv"}))
    Path("list.csv").write_text("word,value\ncat,animal\n")
    assert load_vocabulary("list.csv", "words.yaml", "").tokens == []
    assert load_weights("words.yaml", "") is None
