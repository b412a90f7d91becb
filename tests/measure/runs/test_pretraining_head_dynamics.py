"""Holds the heads over a published training to those of the checkpoints that a hub served."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from huggingface_hub import constants

from embspace.app.fetch import fetch_models
from embspace.measure.runs.head_dynamics_rows import HeadFeature, head_rows
from embspace.measure.runs.pretraining_head_dynamics import measure_pretraining_head_dynamics
from embspace.models.checkpoints import published_checkpoints
from tests.analyses import settings_of
from tests.hub_server import serving_hub
from tests.lazy import transformers
from tests.loopback import closed_address
from tests.published_training import (
    build_neox,
    choose,
    describe,
    neox_content,
    push_neox,
    training_in_folders,
)
from tests.zoo import texts

WINDOW = 12
FEATURES: list[HeadFeature] = ["previous_mass", "row_entropy"]
FEW: dict[str, Any] = {
    "corpus": "posts",
    "n_documents": 4,
    "window_length": WINDOW,
    "features": FEATURES,
}
POSTS = pd.DataFrame({"text": [*texts()][:4]}).assign(document=[*"abcd"])


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return training_in_folders(is_empty=is_empty)


def test_values_are_those_of_each_branch_that_was_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = build_neox(tmp_path / "makers")
    choose(3)
    with serving_hub() as hub:
        hub.connect(tmp_path / "cache", monkeypatch)
        push_neox(hub, folders)
        model = describe("neox", neox_content())
        list(fetch_models(["neox"], update=False, checkpoints=True))
        monkeypatch.setattr(constants, "ENDPOINT", closed_address())
        checkpoints = published_checkpoints("neox", model)
        table = measure_pretraining_head_dynamics(
            "neox",
            model,
            checkpoints,
            {"posts": POSTS},
            **settings_of(measure_pretraining_head_dynamics, **FEW),
        )["csv"]
    assert table["step"].drop_duplicates().tolist() == [0, 1, 4]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders[4])
    for step, folder in folders.items():
        module = transformers.AutoModel.from_pretrained(folder).eval()
        expected = pd.DataFrame(head_rows(module, tokenizer, WINDOW, POSTS, FEATURES))
        rows = table[table["step"] == step]
        assert rows["value"].to_numpy() == pytest.approx(expected["value"].to_numpy())
