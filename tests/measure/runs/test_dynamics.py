"""Holds the geometry over training to what transformers makes of the held-out texts."""

from functools import cache
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.extract.checkpoints import checkpoint_model, form_of
from embspace.geometry import effective_rank, mean_cosine, two_nn
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.runs.dynamics import measure_dynamics
from embspace.models.tokenizer import load_tokenizer
from embspace.models.windows import cut_windows
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.analyses import settings_of
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import processes
from tests.train.runs import MASKED, WINDOW, small_run, some_texts

SLOW = ["partition_isotropy", "partition_isotropy_at_unit_norm", "correlation_dimension"]
FEW: dict[str, Any] = {
    "n_documents": 8,
    "changes": ["as_is", "ordinary_tokens"],
    "left_out": SLOW,
    "batch_size": 64,
    "tokens_per_batch": 40,
}
DECIDED_BY_SEED = ("value", SPREAD)  # of batches
RUN = small_run({"pretraining": {**MASKED, "n_steps": 6, "n_checkpoints": 2}})
TEXTS = some_texts()


@cache
def trained() -> str:
    folder = f"{mkdtemp()}/small"
    train_model("small", RUN, TEXTS, folder, "cpu")
    return folder


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {
        "name": "small",
        "run": RUN,
        "form": form_of("small", RUN),
        "texts": TEXTS,
        "checkpoints": [] if is_empty else all_checkpoints(trained(), RUN),
    }


@pytest.fixture(scope="module")
def root_of_run() -> str:
    return trained()


def measured(**given: Any) -> pd.DataFrame:
    with processes(1):
        settings = settings_of(measure_dynamics, **FEW | given)
        return measure_dynamics(**inputs(is_empty=False), **settings)["csv"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return measured()


def states(root_of_run: str, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the first held-out documents, by layer, and which tokens are ordinary ones."""
    [checkpoint] = [
        checkpoint for checkpoint in all_checkpoints(root_of_run, RUN) if checkpoint.step == step
    ]
    tokenizer = load_tokenizer("small", checkpoint_model(RUN, form_of("small", RUN), checkpoint))
    held_out = TEXTS[TEXTS["split"] == "test"]["text"].tolist()[:8]
    windows = cut_windows(held_out, tokenizer, WINDOW)
    module = transformers.AutoModel.from_pretrained(checkpoint.folder).eval()
    with torch.inference_mode():
        parts = [
            module(torch.from_numpy(window.ids)[None], output_hidden_states=True).hidden_states
            for window in windows
        ]
    layers = [torch.cat([part[layer][0] for part in parts]).numpy() for layer in range(3)]
    special = np.concatenate([window.special for window in windows])
    first = np.concatenate([np.arange(len(window.ids)) == 0 for window in windows])
    return np.stack(layers), ~special & ~first


def test_a_row_a_checkpoint_layer_change_and_measure(table: pd.DataFrame) -> None:
    measures = {
        measure.name
        for measure in profiled_measures().values()
        if measure.family in ("direction", "spectrum", "intrinsic_dimension")
    }
    keys = ["seed", "phase", "step", "layer", "change", "measure"]
    assert not table.duplicated(keys).any()
    expected = measures - {*SLOW, "iso_score_star"}  # which needs a second cloud
    assert set(table["measure"]) == expected
    assert len(table) == 2 * 3 * 2 * len(expected)
    assert table["step"].drop_duplicates().tolist() == [0, 6]
    assert set(table["seed"]) == {0} and set(table["phase"]) == {"pretraining"}


@pytest.mark.parametrize("step", [0, 6])
def test_values_are_of_the_states_that_transformers_gives(
    table: pd.DataFrame, root_of_run: str, step: int
) -> None:
    layers, ordinary = states(root_of_run, step)
    assert 0 < ordinary.sum() < len(ordinary)
    for layer, x in enumerate(layers):
        for change, rows in (("as_is", x), ("ordinary_tokens", x[ordinary])):
            query = f"step == {step} and layer == {layer} and change == '{change}'"
            by_measure = table.query(query).set_index("measure")
            for function in (mean_cosine, effective_rank):
                value = by_measure.loc[function.__name__, "value"]
                assert value == pytest.approx(function(rows.astype(float)), rel=1e-4)
            n = len(distinct_rows(rows))  # of each vector once
            assert set(by_measure["n"]) <= {len(rows), n if n <= 64 else n // 64 * 64}


def test_neighbors_are_those_of_batches(root_of_run: str) -> None:
    whole = measured(batch_size=4096).query("measure == 'two_nn'")
    x = states(root_of_run, 6)[0][2]
    x = x[distinct_rows(x)]
    row = whole.query("step == 6 and layer == 2 and change == 'as_is'").iloc[0]
    assert row["value"] == pytest.approx(two_nn(x.astype(float)).value, rel=1e-3)
    assert (row["n_batches"], row["n"]) == (1, len(x))


def test_batches_are_averaged(table: pd.DataFrame, root_of_run: str) -> None:
    rows = table.query("measure == 'two_nn' and change == 'as_is'")
    n = states(root_of_run, 6)[0].shape[1]
    several = rows[rows["n_batches"] > 1]
    assert len(several) and several["n_batches"].max() <= n // 64
    assert (several["n"] == 64 * several["n_batches"]).all()
    assert several["standard_deviation_over_batches"].gt(0).all()


def test_training_moves_the_layers_and_nothing_moves_the_tokens(table: pd.DataFrame) -> None:
    first, last = (table.query("step == @step").reset_index(drop=True) for step in (0, 6))
    assert first["n"].equals(last["n"])
    moved = first["value"].ne(last["value"]) & first["value"].notna()
    assert moved.mean() > 0.8


def test_only_held_out_documents_count(table: pd.DataFrame) -> None:
    fewer = measured(n_documents=4)
    assert fewer["n"].max() < table["n"].max()
    all_of_them = measured(n_documents=999, batch_size=4096)
    one = all_of_them.query("measure == 'mean_cosine' and change == 'as_is'")["n"].iloc[0]
    assert one == pytest.approx(table["n"].max() * 10 / 8, rel=0.1)


def test_too_few_documents_have_no_rows() -> None:
    assert measured(n_documents=3).empty


def test_the_settings_of_the_project_fit() -> None:
    settings = settings_of(measure_dynamics)
    del settings["seed"]
    table = measured(**settings)
    assert not set(settings["left_out"]) & set(table["measure"])
    assert set(settings["changes"]) == set(table["change"])
