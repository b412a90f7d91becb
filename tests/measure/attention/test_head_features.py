from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.attention.head_features import ESTIMATE, measure_head_features
from embspace.measure.attention.head_features_names import ALL_FEATURES, WITHOUT_FIRST
from tests.analyses import ROOT, settings_of
from tests.measure.attention.reading import (
    ARTICLES,
    NOUNS,
    TEXTS,
    cached_reader,
    tiny_reader,
    write_nouns,
    write_texts,
)
from tests.tiny import LAYERS

N_HEADS = 4
FEW: dict[str, Any] = {"n_texts": 6, "most_tokens": 20, "farthest_offset": 3, "n_seeds": 2}
FEW |= {"n_texts_at_random_weights": 3, "n_divergence_rows": 5, "n_half_samples": 20}
SETTINGS = settings_of(measure_head_features, **FEW, articles=["the", "A"], longest_gap=2)
SETTINGS |= {"example": "the cat sat on the mat.", "entries_per_batch": 1000}
del SETTINGS["texts"], SETTINGS["nouns"]
FEW |= ARTICLES | {"nouns": str(ROOT / "data/stimuli/words.jsonl")}
# The seed draws queries, halves of the texts and random weights.
DECIDED_BY_SEED = ("divergence", "plane_share", "x", "y", "random_weights")
DECIDED_BY_SEED += ("nearest_layer", "nearest_head", "nearest_divergence")
DECIDED_BY_SEED += tuple(f"random_weights_{end}" for end in ("smallest", "largest"))
DECIDED_BY_SEED += tuple(f"{name}{WITHOUT_FIRST}" for name in (*ALL_FEATURES, *[*ESTIMATE][1:]))
DECIDED_BY_SEED += ALL_FEATURES


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"reader": None if is_empty else cached_reader()}


def measured(folder: Path, tmp_path: Path, texts: list[str], **change: Any) -> Outcome:
    return measure_head_features(
        tiny_reader(folder),
        texts=write_texts(tmp_path / "texts.jsonl", texts),
        nouns=write_nouns(tmp_path / "nouns.jsonl", NOUNS),
        **{**SETTINGS, **change},
    )


@pytest.fixture(scope="module")
def outcome(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return measured(tiny_folder, tmp_path_factory.mktemp("features"), TEXTS)


def by_feature(outcome: Outcome, column: str = "value") -> pd.DataFrame:
    return outcome["heads"].pivot_table(
        index=["layer", "head"], columns="feature", values=column, dropna=False
    )


def test_every_head_has_every_feature_with_an_interval_and_random_weights(outcome: Outcome):
    assert len(outcome["heads"]) == LAYERS * N_HEADS * len(ALL_FEATURES)
    assert outcome["heads"]["layer"].min() == outcome["heads"]["head"].min() == 1
    assert outcome["heads"]["n_texts"].max() == 6
    undefined = outcome["heads"].columns[outcome["heads"].isna().any()]
    assert all(name.endswith("_without_first_key") for name in undefined)
    lacking = outcome["heads"].loc[outcome["heads"]["value_without_first_key"].isna(), "feature"]
    assert set(lacking) == {"first_token_mass"}
    ordered = outcome["heads"]["value_low"] <= outcome["heads"]["value_high"]
    assert ordered.all()
    random_weights = outcome["heads"][
        ["random_weights_low", "random_weights", "random_weights_high"]
    ]
    assert (random_weights.diff(axis=1).iloc[:, 1:] >= -1e-12).all(axis=None)
    assert len(outcome["heads"].drop_duplicates(["layer", "feature", "random_weights"])) == (
        LAYERS * len(ALL_FEATURES)
    )


def test_an_untrained_model_is_uniform(outcome: Outcome):
    features = by_feature(outcome)
    assert (features["row_entropy"] > 0.99).all()
    assert (features["backward_mass"] - features["forward_mass"]).abs().max() < 0.02
    rest = by_feature(outcome, "value_without_first_key")
    assert (rest["backward_mass"] - rest["forward_mass"]).abs().max() < 0.02
    assert features["article_excess"].abs().max() < 0.01
    assert (outcome["divergence"]["divergence"].abs() < 0.01).all()


def test_tables_and_tensors_fit_each_other(outcome: Outcome):
    assert len(outcome["offsets"]) == LAYERS * N_HEADS * 7
    assert len(outcome["divergence"]) == (LAYERS + 1) * 3
    assert len(outcome["plane"]) == LAYERS * N_HEADS
    assert outcome["examples"]["token"].tolist() == (
        ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]
    )
    example = outcome["safetensors"]["example"]
    assert example.shape == (LAYERS, N_HEADS, 9, 9)
    np.testing.assert_allclose(example.sum(axis=-1), 1, rtol=1e-5)
    assert outcome["safetensors"]["half.self_mass"].shape == (20, LAYERS, N_HEADS)
    assert outcome["safetensors"]["random.self_mass"].shape == (2, LAYERS, N_HEADS)
    offset = outcome["offsets"][outcome["offsets"]["offset"] == -1].set_index(["layer", "head"])[
        "mass"
    ]
    previous = by_feature(outcome)["previous_mass"]
    np.testing.assert_allclose(offset, previous, rtol=1e-6)
    assert outcome["json"]["n_texts"] == outcome["json"]["n_texts_with_punctuation"] == 6
    assert outcome["json"]["n_nouns_with_article"] > 6


def test_batches_and_padding_change_nothing(outcome: Outcome, tiny_folder: Path, tmp_path: Path):
    alone = measured(tiny_folder, tmp_path, TEXTS, entries_per_batch=1, n_seeds=0)
    np.testing.assert_allclose(alone["heads"]["value"], outcome["heads"]["value"], atol=1e-5)
    assert alone["heads"]["random_weights"].isna().all()
    assert alone["safetensors"]["random.self_mass"].shape == (0, LAYERS, N_HEADS)


def test_texts_without_punctuation_or_articles_leave_these_undefined(
    tiny_folder: Path, tmp_path: Path
):
    outcome = measured(tiny_folder, tmp_path, ["cat dog", "dog cat sat"] * 3, n_seeds=0)
    rows = outcome["heads"].groupby("feature")
    undefined = {name for name, feature_rows in rows if feature_rows["value"].isna().all()}
    assert undefined == {
        "punctuation_mass",
        "article_mass",
        "article_mass_elsewhere",
        "article_excess",
    }
    assert (outcome["heads"].loc[outcome["heads"]["value"].isna(), "n_texts"] == 0).all()


class _WithoutSpecialTokens:
    """A tokenizer that frames no text, as those of decoders."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._tokenizer(*arguments, **options, add_special_tokens=False)


def test_a_text_of_one_token_is_left_out(tiny_folder: Path, tmp_path: Path):
    reader = tiny_reader(tiny_folder)
    object.__setattr__(reader, "tokenizer", _WithoutSpecialTokens(reader.tokenizer))
    paths = {
        "texts": write_texts(tmp_path / "x.jsonl", ["cat", *TEXTS[:5]]),
        "nouns": write_nouns(tmp_path / "n.jsonl", NOUNS),
    }
    outcome = measure_head_features(reader, **paths, **SETTINGS)
    assert outcome["json"]["n_texts"] == 5
    assert by_feature(outcome)["separator_mass"].isna().all()
    assert not by_feature(outcome)["self_mass"].isna().any()
    paths["texts"] = write_texts(tmp_path / "y.jsonl", ["cat", "dog"])
    nothing = measure_head_features(reader, **paths, **SETTINGS)
    assert nothing["heads"]["value"].isna().all()
    assert nothing["plane"].empty


def test_a_model_without_attention_of_every_layer_has_empty_tables(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    reader = tiny_reader(tiny_folder)
    monkeypatch.setattr(type(reader.module), "set_attn_implementation", lambda *_: None)
    reader.module.config._attn_implementation = "sdpa"
    paths = {
        "texts": write_texts(tmp_path / "x.jsonl", TEXTS),
        "nouns": write_nouns(tmp_path / "n.jsonl", NOUNS),
    }
    outcome = measure_head_features(reader, **paths, **SETTINGS)
    assert outcome["heads"].empty
    assert outcome["json"] == {"n_texts": 0}
