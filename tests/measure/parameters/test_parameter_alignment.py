"""Holds the matching of seeds by their parameters to models of which the answer is known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.parameters.parameter_alignment import measure_parameter_alignment
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from embspace.train.checkpoints import Checkpoint
from tests.analyses import settings_of
from tests.models.parameters.known import DIM, known_parameters

N_LAYERS = 6
SAME, EXCHANGED = [0, 1, 2, 3, 4, 5], [0, 2, 1, 3, 4, 5]
FEW: dict[str, Any] = {
    "n_shuffles": 30,
    "level": 0.9,
    "noise": [0.0, 50.0],
    "n_copies": 5,
    "n_copied_rows": 8,
}
DECIDED_BY_SEED = ("p_value", "is_aligned", "found", "smallest_margin", "n_aligned", "verdict")
DECIDED_BY_SEED += ("smallest_holm_p_value", "verdict_untrained")
Models = list[tuple[Checkpoint, ModelParameters]]


def at(seed: int, step: int = 9) -> Checkpoint:
    return Checkpoint("runs", seed, "pretraining", step)


def turned(parameters: ModelParameters, order: list[int]) -> ModelParameters:
    """The same model in another basis, with its layers in another order."""
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(DIM, DIM)))[0].astype(np.float32)

    def turned_layer(layer: LayerParameters) -> LayerParameters:
        return replace(
            layer,
            **{name: getattr(layer, name) @ turn for name in ("query", "key", "value", "output")},
            ff_keys={name: rows @ turn for name, rows in layer.ff_keys.items()},
            ff_values=layer.ff_values @ turn,
        )

    return replace(
        parameters,
        layers=[turned_layer(parameters.layers[number]) for number in order],
        output_embedding=parameters.output_embedding @ turn,
    )


def inputs(*, is_empty: bool) -> dict[str, Any]:
    """Seed 1 is seed 0 turned, seed 2 that with two layers exchanged; before, all are unlike."""
    model = known_parameters(0, n_layers=N_LAYERS)
    models = [
        (at(0), model),
        (at(0, 0), known_parameters(10, n_layers=N_LAYERS)),
        (at(1), turned(model, SAME)),
        (at(1, 0), known_parameters(11, n_layers=N_LAYERS)),
        (at(2), turned(model, EXCHANGED)),
    ]
    return {"models": models[:1] if is_empty else models, "base": None}


def measured(models: Models, base: str | None = None) -> Outcome:
    settings = settings_of(measure_parameter_alignment, **FEW)
    return measure_parameter_alignment(models, base, **settings)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured(inputs(is_empty=False)["models"])


def rows_of_pair(table: pd.DataFrame, space: str, other_seed: int, step: int = 9) -> pd.DataFrame:
    return table.query(
        f"space == {space!r} and seed == 0 and other_seed == {other_seed} and step == {step}"
    )


def test_every_two_seeds_of_a_step_have_a_row_a_group_and_space(outcome: Outcome) -> None:
    keys = ["step", "seed", "other_seed", "group", "space"]
    assert not outcome["assignments"].duplicated(keys).any()
    pairs = outcome["assignments"][["step", "seed", "other_seed"]].drop_duplicates().to_numpy()
    assert sorted(map(tuple, pairs)) == [(0, 0, 1), (9, 0, 1), (9, 0, 2), (9, 1, 2)]
    assert len(outcome["assignments"]) == 4 * 6 * 2
    assert len(outcome["similarity"]) == 3 * 6 * 2 * N_LAYERS**2
    assert set(outcome["similarity"]["step"]) == {9}


def test_a_turned_copy_is_aligned_through_the_vocabulary(outcome: Outcome) -> None:
    rows = rows_of_pair(outcome["assignments"], "vocabulary", 1)
    assert (rows["on_diagonal"] == 1).all()
    assert rows["is_aligned"].all()
    assert (rows["p_value"] < 0.2).all()
    assert rows["diagonal_total"].to_numpy() == pytest.approx(rows["total"].to_numpy())
    assert (rows_of_pair(outcome["assignments"], "raw", 1)["on_diagonal"] < 1).any()


def test_exchanged_layers_are_told(outcome: Outcome) -> None:
    assert rows_of_pair(outcome["assignments"], "vocabulary", 2)[
        "on_diagonal"
    ].to_numpy() == pytest.approx(4 / 6)
    cells = rows_of_pair(outcome["similarity"], "vocabulary", 2).query("is_assigned")
    order = cells.groupby("group")["other_layer"].agg(list)
    assert all(assigned == [1, 3, 2, 4, 5, 6] for assigned in order)


def test_unlike_models_are_on_the_diagonal_as_the_null_is(outcome: Outcome) -> None:
    rows = rows_of_pair(outcome["assignments"], "vocabulary", 1, step=0)
    assert rows["null_on_diagonal"].mean() == pytest.approx(1 / N_LAYERS, abs=0.1)
    assert rows["on_diagonal"].mean() < 0.6
    assert (rows["margin"] >= 0).all()


def test_disguised_copies_are_found_without_noise_alone(outcome: Outcome) -> None:
    share = outcome["planted"].groupby(["space", "noise"])["found"].mean()
    assert share["vocabulary", 0.0] > 0.95  # of ten rows, two layers may be more alike than copies
    assert share["vocabulary", 50.0] < 0.6
    assert share["raw", 0.0] < 0.6
    assert outcome["planted"]["chance"].to_numpy() == pytest.approx(1 / N_LAYERS)
    assert set(outcome["planted"]["step"]) == {9}


def test_other_seeds_do_not_move_the_null(outcome: Outcome) -> None:
    model = known_parameters(0, n_layers=N_LAYERS)
    alone = [(at(0), model), (at(2), turned(model, EXCHANGED))]
    again = measured(alone)["assignments"]
    rows = outcome["assignments"].query("step == 9 and seed == 0 and other_seed == 2")
    pd.testing.assert_frame_equal(again, rows.reset_index(drop=True))


def test_a_single_seed_has_copies_alone() -> None:
    tables = measured([(at(0), known_parameters(0, n_layers=3))])
    assert tables["assignments"].empty and tables["claims"].empty
    assert len(tables["planted"]) == 6 * 2 * 2


def test_seeds_of_one_base_have_no_claims() -> None:
    model = known_parameters(0, n_layers=3)
    models = [(at(seed, step), model) for seed in (0, 1) for step in (0, 9)]
    assert len(measured(models)["claims"]) == 2 and measured(models, "mine")["claims"].empty


def test_another_vocabulary_of_equal_size_is_refused() -> None:
    one, other = known_parameters(0), known_parameters(1)
    other.tokens[3], other.tokens[4] = other.tokens[4], other.tokens[3]
    with pytest.raises(InputError, match="token 3 is 'token_3' and 'token_4'"):
        measured([(at(0), one), (at(1), other)])
