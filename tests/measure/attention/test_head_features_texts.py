from types import SimpleNamespace

import numpy as np
import pytest

from embspace.measure.attention import head_features_texts
from embspace.measure.attention.head_features_names import ALL_FEATURES
from embspace.measure.attention.head_features_texts import (
    FeatureOptions,
    FeaturesOfTexts,
    ReadText,
    _by_layer,
    _profile,
    features_of_texts,
)
from embspace.measure.attention.head_features_tokens import TokensOfText
from embspace.models.windows import Window
from tests.geometry.attention.heads import previous, sink, uniform

OPTIONS = FeatureOptions(farthest_offset=5, mass_share=0.9, n_columns=2, entries_per_batch=200)


class Built:
    """A model whose heads look as they are built to: two layers of two heads."""

    config = SimpleNamespace()

    def to(self, _: str) -> "Built":
        return self


def text(n: int) -> ReadText:
    place = np.arange(n)
    special = (place == 0) | (place == n - 1)
    window = Window(0, 0, place + 1, special, special & False, place, place + 1)
    tokens = TokensOfText(
        place == n - 1,
        place % 5 == 4,
        ~special,
        np.array([3] * (n > 4), int),
        np.array([2] * (n > 4), int),
    )
    return ReadText(window, tokens, place[: min(4, n)])


@pytest.fixture
def text_features(monkeypatch: pytest.MonkeyPatch) -> FeaturesOfTexts:
    import torch

    def built(_: Built, ids: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
        rows, n = ids.shape
        layers = [[previous(n), uniform(n)], [sink(n), uniform(n)]]
        maps = [torch.tensor(np.stack([layer] * rows)) for layer in layers]
        for row, length in enumerate(mask.sum(dim=1).tolist()):  # padding gets no attention
            for layer_maps in maps:
                layer_maps[row, :, :, length:] = 0
                layer_maps[row] /= layer_maps[row].sum(dim=-1, keepdim=True)
        return maps

    monkeypatch.setattr(head_features_texts, "attention_maps", built)
    return features_of_texts(Built(), [text(9), text(14), text(1), text(6)], OPTIONS, "cpu")


def test_heads_built_by_hand_are_found_whatever_the_padding(text_features: FeaturesOfTexts):
    values = dict(zip(ALL_FEATURES, np.moveaxis(text_features.features, -1, 0), strict=True))
    several = [0, 1, 3]
    assert values["previous_mass"][several, 0, 0] == pytest.approx(1)
    assert values["first_token_mass"][several, 1, 0] == pytest.approx(1)
    assert values["row_entropy"][several, :, 1] == pytest.approx(1)
    assert values["article_mass"][several, 0, 0] == pytest.approx(1)
    assert values["article_excess"][several] == pytest.approx(0, abs=1e-6)


def test_without_the_first_key_a_head_that_rests_there_has_nothing(text_features: FeaturesOfTexts):
    rest = dict(zip(ALL_FEATURES, np.moveaxis(text_features.without_first_key, -1, 0), strict=True))
    several = [0, 1, 3]
    assert np.isnan(text_features.without_first_key[:, 1, 0]).all()  # a pure sink
    assert rest["row_entropy"][several, :, 1] == pytest.approx(1)
    assert rest["article_mass"][several, 0, 0] == pytest.approx(1)
    assert rest["previous_mass"][several, 0, 0] == pytest.approx(1)
    assert rest["separator_mass"][several, 0, 1] == pytest.approx([1 / 8, 1 / 13, 1 / 5])
    assert np.isnan(rest["first_token_mass"]).all()


def test_a_text_of_one_token_has_no_features(text_features: FeaturesOfTexts):
    assert np.isnan(text_features.features[2]).all()
    assert np.isnan(text_features.without_first_key[2]).all()
    assert np.isnan(text_features.by_layer[2]).all()


def test_offsets_that_a_text_does_not_reach_are_not_defined(text_features: FeaturesOfTexts):
    assert text_features.profiles.shape == (4, 2, 2, 11)
    assert text_features.profiles[3, 0, 0, 4] == 1  # offset -1
    assert np.isnan(text_features.profiles[2, 0, 0, :5]).all()


def test_divergences_are_means_over_texts(text_features: FeaturesOfTexts):
    assert text_features.divergences.shape == (4, 4)
    assert text_features.divergences[1, 3] == pytest.approx(0, abs=1e-6)  # both are uniform
    assert text_features.divergences[0, 2] > 0.4
    own, others = text_features.by_layer[0, 0]
    assert own > 0.3
    assert others > 0.3


def test_divergences_by_layer_by_hand():
    # Heads 1 and 2 of layers 1 and 2: within these 1 and 2, between them 3 to 6.
    divergences = np.array([[0, 1.0, 3, 4], [1, 0, 5, 6], [3, 5, 0, 2], [4, 6, 2, 0]])
    assert _by_layer(divergences, 2).tolist() == [[1, 4.5], [2, 4.5]]
    three = np.ones((6, 6)) - np.eye(6)
    assert _by_layer(three, 3).tolist() == [[1, 1]] * 3
    alone = _by_layer(np.array([[0, 1.0], [1, 0]]), 1)
    assert alone[0, 0] == 1 and np.isnan(alone[0, 1])
    single = _by_layer(np.array([[0, 7.0], [7, 0]]), 2)
    assert np.isnan(single[:, 0]).all() and single[:, 1].tolist() == [7, 7]


def test_profiles_by_hand():
    maps = np.array([[[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]])
    assert _profile(maps, 1)[0] == pytest.approx([0.4, 2 / 3, 0])
    assert _profile(maps, 3)[0] == pytest.approx(
        [np.nan, 0.2, 0.4, 2 / 3, 0, 0, np.nan], nan_ok=True
    )
