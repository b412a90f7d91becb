import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.texts.text_classification import (
    Reader,
    _accuracies,
    _pooled,
    _sentences,
    _states,
    measure_text_classification,
)
from embspace.models.sentence.vectors import sentence_modules, sentence_vectors
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.analyses import settings_of
from tests.models.sentence.folders import dense, pooling, write_modules
from tests.tiny import LAYERS, build_tiny_bert, tiny_description
from tests.zoo import build_animal, describe_animal

IDENTITY = "torch.nn.modules.linear.Identity"
SUBJECTS = ["boats", "bells", "maps", "bread", "clocks", "wool"]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return cached_reader()


def written(path: Path, told_by_words: bool) -> str:
    """Eight texts of each subject, four of each label, which their words may tell."""
    rows = []
    for subject in SUBJECTS:
        for number in range(8):
            label = ("good", "bad")[number % 2]
            word = {"good": "sun", "bad": "rain"}[label] if told_by_words else "tide"
            text = f"the {word} on the {subject} " + "a " * (number // 2)
            name = f"{subject}{number}"
            rows.append({"id": name, "text": text, "label": label, "subject": subject})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


FEW: dict[str, Any] = {"label_column": "label", "group_column": "subject", "n_folds": 3}
FEW |= {"copy_similarity": None, "n_permutations": 2, "tokens_per_batch": 60, "n_resamples": 50}
SETTINGS = settings_of(
    measure_text_classification,
    **FEW,
    inverse_regularization=1.0,
    inverse_regularization_of_words=10.0,
    largest_unknown_share=0.2,
)
del SETTINGS["texts"]
FEW |= {"texts": written(Path(mkdtemp()) / "texts.jsonl", told_by_words=True)}
DECIDED_BY_SEED = ("accuracy", "less_bag_of_words", "permuted_accuracy")
DECIDED_BY_SEED += ("permuted_accuracy_smallest", "permuted_accuracy_largest")


@cache
def cached_reader() -> Reader:
    folder = build_tiny_bert(Path(mkdtemp()) / "tiny")
    model = describe_model("tiny", tiny_description(folder))
    return Reader(model, load_model("tiny", model), load_tokenizer("tiny", model))


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"reader": None if is_empty else cached_reader()}


def classified(reader: Reader | None, **change: Any) -> pd.DataFrame:
    table: pd.DataFrame = measure_text_classification(reader, **SETTINGS | change)["csv"]
    return table


def test_what_words_tell_is_read_off_words_and_the_mean_and_permuted_labels_are_not(
    reader: Reader, tmp_path: Path
):
    texts = written(tmp_path / "x.jsonl", told_by_words=True)
    table = classified(reader, texts=texts)
    assert len(table) == 1 + 2 * 2 * (LAYERS + 1)
    by_features = table.set_index(["features", "layer", "weights"])
    words = table.iloc[0]
    assert words["accuracy"] == words["accuracy_low"] == words["accuracy_high"] == 1
    mean = by_features.loc[("mean", 0, "trained")]
    assert mean["accuracy"] > 0.9
    assert mean["less_bag_of_words"] == mean["accuracy"] - 1
    # All texts begin with one token at one place, of which layer 0 knows nothing else.
    assert by_features.loc[("cls", 0, "trained"), "accuracy"] == 0.5
    assert (table["permuted_accuracy_smallest"] < table["permuted_accuracy"]).all()
    assert (table["permuted_accuracy"] < table["permuted_accuracy_largest"]).all()
    assert table["permuted_accuracy"].mean() < 0.65
    assert set(table["n"]) == {48}
    assert set(table["n_groups"]) == {6}


def test_a_word_of_each_group_alone_helps_with_no_other_group(tmp_path: Path):
    texts = written(tmp_path / "x.jsonl", told_by_words=False)
    rows = [json.loads(line) for line in Path(texts).read_text().splitlines()]
    for row in rows:
        row["text"] = f"{row['subject']}{row['label']}"  # tells the label within its group alone
    Path(texts).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    table = classified(None, texts=texts)
    assert len(table) == 1
    assert table["accuracy"].iloc[0] == 0.5
    copies = classified(None, texts=texts, group_column="id")
    assert copies["accuracy"].iloc[0] == 0.5  # equal texts are one group, whatever the column says
    for number, row in enumerate(rows):
        row["text"] += f" and {number}"
    Path(texts).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    within = classified(None, texts=texts, group_column="id")
    assert within["accuracy"].iloc[0] == 1


def test_a_decoder_with_a_norm_after_its_last_block_is_read(tmp_path: Path):
    model = describe_animal("gpt2", build_animal("gpt2", tmp_path))
    decoder = Reader(model, load_model("gpt2", model), load_tokenizer("gpt2", model))
    pooled = _pooled(decoder, decoder.module, ["the cat sat", "a dog ran"], 60, "cpu")
    n_layers = decoder.module.config.num_hidden_layers + 1
    assert {kind: x.shape[:2] for kind, x in pooled.items()} == dict.fromkeys(
        ("cls", "mean", "last"), (n_layers, 2)
    )


def test_a_decoder_has_the_last_token_and_an_encoder_has_not(tmp_path: Path, reader: Reader):
    model = describe_animal("gpt2", build_animal("gpt2", tmp_path / "gpt2"))
    decoder = Reader(model, load_model("gpt2", model), load_tokenizer("gpt2", model))
    texts = ["the cat sat", "the dog ran", "the rain"]
    for one, has_last in ((decoder, True), (reader, False)):
        states = dict(_states(one, texts, 60, "cpu", 0))
        assert {kind for kind, _, _ in states} == {"cls", "mean", *(["last"] if has_last else [])}
        assert {weights for _, _, weights in states} == {"trained", "random"}


def test_the_vector_of_a_sentence_model_has_a_row_and_moves_no_other(
    tmp_path: Path, reader: Reader
):
    folder = write_modules(
        build_tiny_bert(tmp_path / "mine"),
        [pooling("mean"), dense(32, 8, activation_function=IDENTITY), ("Normalize", {})],
    )
    model = describe_model("mine", tiny_description(folder))
    module, tokenizer = load_model("mine", model), load_tokenizer("mine", model)
    modules = sentence_modules("mine", model, module)
    assert modules is not None
    texts = written(tmp_path / "x.jsonl", told_by_words=True)
    with_own, without = (
        classified(Reader(model, module, tokenizer, pooling_modules), texts=texts)
        for pooling_modules in (modules, None)
    )
    pd.testing.assert_frame_equal(with_own.iloc[:-1], without)
    row = with_own.iloc[-1]
    assert (row["features"], row["weights"]) == ("sentence", "trained") and np.isnan(row["layer"])
    content = [json.loads(line)["text"] for line in Path(texts).read_text().splitlines()]
    vectors = _sentences(Reader(model, module, tokenizer, modules), content, 60, "cpu")
    expected = sentence_vectors("mine", model, module, modules, tokenizer, content)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_text_that_is_too_long_counts_by_its_first_window(reader: Reader):
    short, long = "the cat sat on the mat", "the cat " * 40
    pooled = _pooled(reader, reader.module, [long, short], 60, "cpu")
    assert pooled["mean"].shape[:2] == (LAYERS + 1, 2)
    alone = _pooled(reader, reader.module, [short], 60, "cpu")
    np.testing.assert_allclose(pooled["mean"][:, 1], alone["mean"][:, 0], atol=1e-6)


@pytest.mark.parametrize("column", ["group_column", "label_column"])
def test_a_column_that_is_not_there_or_says_nothing_is_named(tmp_path: Path, column: str):
    texts = written(tmp_path / "x.jsonl", told_by_words=True)
    with pytest.raises(InputError, match=rf"key '{column}': found 'mood', allowed: .*id, text"):
        classified(None, texts=texts, **{column: "mood"})
    rows = [{**json.loads(line), "mood": "one"} for line in Path(texts).read_text().splitlines()]
    Path(texts).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(
        InputError, match="column 'mood': found 1 value, 0 empty cells, allowed: two"
    ):
        classified(None, texts=texts, **{column: "mood"})


def test_more_folds_than_groups_are_refused(tmp_path: Path):
    texts = written(tmp_path / "x.jsonl", told_by_words=True)
    with pytest.raises(InputError, match="key 'n_folds': found 7, allowed: 2 to 6, the groups of"):
        classified(None, texts=texts, n_folds=7)


def test_the_difference_from_words_is_taken_on_the_same_texts():
    """Equal answers differ by nothing, however wide the interval of each is."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 5)
    words = rng.random(100) < 0.7
    always_more = words | (np.arange(100) % 5 == 0)  # a text of each group at most
    accuracies = _accuracies(np.stack([words, words, always_more]), groups, 200, 0.95, rng)
    assert (accuracies["accuracy_high"] > accuracies["accuracy_low"]).all()
    columns = ["less_bag_of_words", "less_bag_of_words_low", "less_bag_of_words_high"]
    assert accuracies.loc[:1, columns].to_numpy() == pytest.approx(0)
    gained = accuracies.loc[2, columns].astype(float)
    assert gained.iloc[0] == pytest.approx((always_more & ~words).mean())
    assert 0 < gained.iloc[1] < gained.iloc[0] < gained.iloc[2] < 0.2
    own_width = accuracies.loc[2, "accuracy_high"] - accuracies.loc[2, "accuracy_low"]
    assert gained.iloc[2] - gained.iloc[1] < own_width


def test_bounds_of_an_accuracy_are_shares():
    """A small group that is all wrong makes halves far worse than the whole, or far better."""
    groups = np.repeat([0, 1, 2, 3], [2, 16, 1, 1])
    right = groups > 0
    accuracies = _accuracies(np.stack([right, ~right]), groups, 50, 0.95, np.random.default_rng(0))
    assert accuracies["accuracy"].tolist() == [0.9, 0.1]
    assert accuracies["accuracy_high"][0] == 1
    assert accuracies["accuracy_low"][1] == 0
