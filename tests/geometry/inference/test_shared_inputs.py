"""Holds measures computed together to each alone, and to what each needs."""

from typing import Any

import numpy as np
import pytest

import embspace.geometry.measures.declaration as declared
from embspace.geometry.inference.shared_inputs import (
    N_NEIGHBORS,
    applicable,
    inputs_of,
    n_neighbors,
    results_of,
)
from embspace.geometry.measures.declaration import Definition, measure, value_of
from embspace.geometry.measures.direction_sums import DirectionSums
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.pairs.moments import Moments
from embspace.geometry.pairs.neighbors import NeighborGraph
from tests.geometry.clouds import CLOUD, LARGER, WORDS, N

KNOWN = profiled_measures()
GROUPS = {"word": WORDS, "text": np.arange(N) // 10}
STAR: dict[str, dict[str, Any]] = {"iso_score_star": {"larger": LARGER, "zeta": 0.3}}
OF_TEXT = {"intra_sentence_similarity", "text_curvature", "text_entropy"}


def names(measures: list[Definition]) -> set[str]:
    return {definition.name for definition in measures}


def test_together_is_as_good_as_alone() -> None:
    measures = applicable(KNOWN.values(), GROUPS, STAR)
    outcomes = results_of(measures, inputs_of(CLOUD, measures, GROUPS, STAR), GROUPS, STAR)
    assert list(outcomes) == list(KNOWN)
    for definition in measures:
        group = {} if definition.grouped_by is None else {"group": GROUPS[definition.grouped_by]}
        alone = value_of(definition.function(CLOUD, **group, **STAR.get(definition.name, {})))
        assert value_of(outcomes[definition.name]) == pytest.approx(alone, rel=1e-9, nan_ok=True), (
            definition.name
        )


def test_a_measure_is_left_out_where_something_lacks() -> None:
    word_measures = {
        definition.name for definition in KNOWN.values() if definition.grouped_by == "word"
    }
    assert len(word_measures) > 3
    assert names(applicable(KNOWN.values(), GROUPS, STAR)) == set(KNOWN)
    assert names(applicable(KNOWN.values(), GROUPS, {})) == set(KNOWN) - set(STAR)
    only_text = {"text": GROUPS["text"]}
    assert names(applicable(KNOWN.values(), only_text, STAR)) == set(KNOWN) - word_measures
    assert names(applicable(KNOWN.values(), {}, STAR)) == set(KNOWN) - word_measures - OF_TEXT
    half_of_it = {"iso_score_star": {"zeta": 0.3}}
    assert "iso_score_star" not in names(applicable(KNOWN.values(), GROUPS, half_of_it))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mean_cosine", DirectionSums),
        ("stable_rank", Moments),
        ("hubness", NeighborGraph),
        ("partition_isotropy", None),
    ],
)
def test_nothing_is_computed_that_no_measure_takes(name: str, kind: type | None) -> None:
    inputs = inputs_of(CLOUD, [KNOWN[name]], GROUPS, {})
    assert inputs[None] is CLOUD
    made = {key: entry for key, entry in inputs.items() if key}
    made.pop("vectors_and_neighbors", None)  # what is there already, together
    assert [type(entry) for entry in made.values()] == ([kind] if kind else [])


def test_options_reach_their_measure_alone() -> None:
    measures = [KNOWN["hubness"], KNOWN["reciprocity"], KNOWN["gride"]]
    options = {"hubness": {"k": 3}, "gride": {"k": 30}}
    outcomes = results_of(measures, inputs_of(CLOUD, measures, {}, options), {}, options)
    for definition in measures:
        alone = definition.function(CLOUD, **options.get(definition.name, {}))
        assert value_of(outcomes[definition.name]) == pytest.approx(value_of(alone))
    assert value_of(outcomes["hubness"]) != value_of(KNOWN["hubness"].function(CLOUD))


def test_as_many_neighbors_as_the_measures_ask_for() -> None:
    wide = {"abide": 100, "gride_plateau": 64}
    measures = [definition for definition in KNOWN.values() if definition.name not in wide]
    assert n_neighbors(measures, {}) == N_NEIGHBORS
    for name, expected in wide.items():
        assert n_neighbors([*measures, KNOWN[name]], {}) == expected
    assert n_neighbors(measures, {"abide": {"max_k": 50}, "gride_plateau": {"largest_k": 16}}) == 50
    assert n_neighbors(measures, {"gride_plateau": {"largest_k": 32}}) == 64
    assert n_neighbors(measures, {"hubness": {"k": 3}}) == N_NEIGHBORS
    assert n_neighbors(measures, {"gride": {"k": 30}, "hubness": {"k": 12}}) == 60
    assert inputs_of(CLOUD[:9], [KNOWN["hubness"]], {}, {})["neighbors"].k == 8


def test_a_measure_of_ones_own_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "DEFINED", {})
    facts: dict[str, Any] = {"formula": "x", "range": "x", "source": "x", "bias": "x"}

    @measure("hubs", **facts, invariant_to=[], shared="neighbors")
    def farthest(x: NeighborGraph, *, k: int = 33) -> float:
        """Farthest of the neighbors."""
        return float(x.first(k).distances.max())

    @measure("context", **facts, invariant_to=[], grouped_by="word")
    def n_words(x: np.ndarray, *, group: np.ndarray, **ignored: Any) -> float:
        """Number of words."""
        return float(len(np.unique(group)))

    @measure("direction", **facts, invariant_to=[])
    def powered(x: np.ndarray, power: float) -> float:
        """Mean of a power of all coordinates."""
        return float((np.abs(x) ** power).mean())

    measures = list(declared.DEFINED.values())
    assert names(applicable(measures, {}, {})) == {"farthest"}
    assert names(applicable(measures, GROUPS, {})) == {"farthest", "n_words"}
    options = {"powered": {"power": 2.0}}
    assert names(applicable(measures, GROUPS, options)) == names(measures)
    outcomes = results_of(measures, inputs_of(CLOUD, measures, GROUPS, options), GROUPS, options)
    assert outcomes["n_words"] == 20
    assert outcomes["powered"] == pytest.approx((CLOUD**2).mean())
    distances = np.linalg.norm(CLOUD[:, None] - CLOUD[None], axis=2)
    assert outcomes["farthest"] == pytest.approx(np.sort(distances, axis=1)[:, 33].max(), rel=1e-5)


def test_an_error_names_its_measure() -> None:
    measures = [KNOWN["mean_cosine"], KNOWN["mle_dimension"]]
    inputs = inputs_of(CLOUD[:9], measures, {}, {})
    with pytest.raises(ValueError, match="mle_dimension: k: expected 1 to 8, found 20"):
        results_of(measures, inputs, {}, {})
