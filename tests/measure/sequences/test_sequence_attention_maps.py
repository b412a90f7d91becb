"""Holds attention by region to a model that is built to look at three sites."""

from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.geometry.measures.mean_direction import cone_index
from embspace.measure.sequences.sequence_attention_maps import (
    ANY,
    OF_ATTENTION,
    OWN,
    region_places,
    summed_up,
)
from embspace.models.final_norm import layer_states
from tests.lazy import torch, transformers
from tests.measure.sequences.small import (
    N_PLACES,
    SITES,
    planted_classifier,
    planted_sequences,
)


def planted(module: Any) -> Any:
    placed, encoded = planted_sequences(8)
    regions = region_places(placed, {"first two": [1, 2]})
    return summed_up(module.base_model, encoded, regions, None, "trained", 0)


def test_the_planted_first_token_looks_at_the_sites_alone() -> None:
    attention = planted(planted_classifier())
    first = attention.inside[ANY][0, 0, 0], attention.outside[ANY][0, 0, 0]
    assert first[0] == pytest.approx(1 / len(SITES), abs=1e-4)
    assert first[1] == pytest.approx(0, abs=1e-4)
    # All other tokens have no query, and look at all tokens alike.
    even = 1 / (N_PLACES + 2)
    assert attention.inside[ANY][1] == pytest.approx(even, abs=1e-6)
    assert attention.outside["first two"][1] == pytest.approx(even, abs=1e-6)
    places = np.zeros(N_PLACES)
    places[list(SITES)] = 1 / 3
    assert attention.places[0, 0] == pytest.approx(places, abs=1e-4)


def test_documents_without_a_site_of_their_own_have_no_such_region() -> None:
    attention = planted(planted_classifier())
    is_planted = np.arange(8) % 2 == 1
    assert (np.isnan(attention.inside[OWN][0, 0, 0]) == ~is_planted).all()
    assert not np.isnan(attention.inside[ANY]).any()


def test_what_a_norm_after_the_last_block_makes_is_no_state_of_a_layer() -> None:
    config = transformers.GPT2Config(
        n_layer=2, n_embd=16, n_head=2, vocab_size=9, n_positions=N_PLACES + 2
    )
    module = transformers.GPT2Model(config).eval()
    placed, encoded = planted_sequences(4)
    regions = region_places(placed, {})
    attention = summed_up(module, encoded, regions, "ln_f", "trained", 0)
    ids, mask = torch.from_numpy(encoded.ids), torch.ones(encoded.ids.shape, dtype=torch.long)
    last = layer_states(module, ids, mask, "ln_f").layers[-1].numpy()
    expected = [cone_index(text) for text in last]
    assert attention.states[0, -1] == pytest.approx(expected, rel=1e-5)
    with pytest.raises(InputError, match="final_norm: ln_f"):
        summed_up(module, encoded, regions, None, "trained", 0)


def test_even_attention_has_full_row_entropy_and_no_spread_of_values() -> None:
    module = planted_classifier()
    with torch.no_grad():
        module.bert.encoder.layer[0].attention.self.query.weight.fill_(0)
    attention = planted(module)
    named = dict(zip(OF_ATTENTION, attention.attention[:, 0], strict=True))
    assert named["row_entropy"] == pytest.approx(1)
    assert named["to_first_token"] == pytest.approx(1 / (N_PLACES + 2))
    assert named["to_separator"] == pytest.approx(1 / (N_PLACES + 2))
    assert attention.inside[ANY] == pytest.approx(attention.outside[ANY], rel=1e-5)


def test_a_region_may_be_one_codon_at_either_end_or_reach_beyond_it() -> None:
    placed, _ = planted_sequences(4)
    for codons, places in (([1, 1], [0]), ([N_PLACES, 99], [N_PLACES - 1]), ([-5, 1], [0])):
        (within,) = {*map(tuple, region_places(placed, {"x": codons})["x"].tolist())}
        assert np.flatnonzero(within).tolist() == places
    for codons in ([2, 1], [N_PLACES + 1, 99], [-5, 0], [1], [1, 2, 3]):
        with pytest.raises(InputError, match="key 'regions.x'"):
            region_places(placed, {"x": codons})
