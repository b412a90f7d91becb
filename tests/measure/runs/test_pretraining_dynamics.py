"""Holds the geometry over a published training to what transformers makes of its checkpoints."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from huggingface_hub import constants

from embspace.app.fetch import fetch_models
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import load_table, save_table
from embspace.geometry import effective_rank, mean_cosine, two_nn
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.runs import pretraining_dynamics as stage
from embspace.measure.runs.pretraining_dynamics import main, measure_pretraining_dynamics
from embspace.measure.runs.training_claims_rows import CLAIMED_OF
from embspace.models.checkpoints import published_checkpoints
from embspace.models.lock import LockedFile, read_lock, write_lock
from embspace.settings.model import HubModel
from embspace.settings.stage import StageConfig
from tests.analyses import settings_of
from tests.hub_server import Hub, serving_hub
from tests.lazy import torch, transformers
from tests.loopback import closed_address
from tests.published_training import (
    bert_content,
    build_neox,
    choose,
    describe,
    neox_content,
    push_bert,
    push_neox,
    training_in_folders,
)
from tests.tiny import WORDS
from tests.zoo import texts

N, WINDOW = 12, 24
FEW: dict[str, Any] = {
    "corpus": "posts",
    "n_documents": N,
    "window_length": WINDOW,
    "changes": ["as_is"],
    "left_out": ["partition_isotropy", "partition_isotropy_at_unit_norm", "correlation_dimension"],
    "batch_size": 64,
    "tokens_per_batch": 96,
}
DECIDED_BY_SEED = ("value", SPREAD, "second_value")  # of batches


def table_of(documents: list[str]) -> pd.DataFrame:
    """One text a document."""
    names = [f"post_{number}" for number in range(len(documents))]
    return pd.DataFrame({"id": names, "document": names, "text": documents})


POSTS = table_of(list(texts())[:N])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The GPT-NeoX by step; treat them as read-only."""
    return build_neox(tmp_path_factory.mktemp("makers"))


@pytest.fixture
def hub(folders: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with the GPT-NeoX, an empty cache, a tree that reads all three checkpoints."""
    monkeypatch.chdir(tmp_path)
    choose(3)
    with serving_hub() as running:
        running.connect(tmp_path / "cache", monkeypatch)
        push_neox(running, folders)
        yield running


@pytest.fixture
def neox(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> HubModel:
    """The model, fetched with its checkpoints; from there on the hub is out of reach."""
    model = describe("neox", neox_content())
    list(fetch_models(["neox"], update=False, checkpoints=True))
    monkeypatch.setattr(constants, "ENDPOINT", closed_address())
    return model


def measured(name: str, model: HubModel, posts: pd.DataFrame = POSTS, **given: Any) -> pd.DataFrame:
    settings = settings_of(measure_pretraining_dynamics, **FEW | {"batch_size": 4096} | given)
    checkpoints, texts = published_checkpoints(name, model), {"posts": posts}
    outcome = measure_pretraining_dynamics(name, model, checkpoints, texts, "decoder", **settings)
    return outcome["csv"]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return training_in_folders(is_empty=is_empty) | {"kind": "encoder"}


def states_of_neox(folder: Path, tokenizer_of: Path) -> np.ndarray:
    """(layer, token, dim) of all posts in windows; the last layer before the norm that follows."""
    module, layers = transformers.AutoModel.from_pretrained(folder).eval(), []
    last: list[torch.Tensor] = []
    module.layers[-1].register_forward_hook(lambda *given: last.append(given[2]))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_of)
    for text in POSTS["text"]:
        ids = tokenizer(text).input_ids
        for first in range(0, len(ids), WINDOW):
            window = torch.tensor(ids[first : first + WINDOW])[None]
            with torch.inference_mode():
                states = module(window, output_hidden_states=True).hidden_states
            raw = last.pop() if torch.is_tensor(last[-1]) else last.pop()[0]
            layers.append(torch.cat([*states[:-1], raw]).numpy())
    return np.concatenate(layers, axis=1)


def assert_geometry(rows: pd.DataFrame, x: np.ndarray) -> None:
    """Three measures of a layer at a step, which the geometry functions give of its vectors."""
    by_measure = rows.set_index("measure")
    for function in (mean_cosine, effective_rank):
        value = by_measure.loc[function.__name__, "value"]
        assert value == pytest.approx(function(x.astype(float)), rel=1e-4, abs=1e-6)
        assert by_measure.loc[function.__name__, "n"] == len(x)
    distinct = x[distinct_rows(x)].astype(float)
    assert by_measure.loc["two_nn", "value"] == pytest.approx(two_nn(distinct).value, rel=1e-3)


def test_values_are_of_the_states_that_transformers_gives_of_each_branch(
    neox: HubModel, folders: dict[int, Path]
) -> None:
    table = measured("neox", neox)
    assert table["step"].drop_duplicates().tolist() == [0, 1, 4]
    assert set(table["seed"]) == {0} and set(table["phase"]) == {"pretraining"}
    assert not table.duplicated(["step", "layer", "change", "measure"]).any()
    for step, folder in folders.items():
        states = states_of_neox(folder, folders[4])
        rows = table[table["step"] == step]
        assert rows["layer"].drop_duplicates().tolist() == list(range(len(states)))
        for layer, x in enumerate(states):
            assert_geometry(rows[rows["layer"] == layer], x)
    first, last = (table.query("step == @step").reset_index(drop=True) for step in (0, 4))
    assert first["value"].ne(last["value"]).mean() > 0.8


def test_a_repository_a_step_is_read_with_the_tokenizer_of_the_model(
    hub: Hub, tmp_path: Path
) -> None:
    folders = push_bert(hub, tmp_path / "makers")
    model = describe("bert", bert_content())
    list(fetch_models(["bert"], update=False, checkpoints=True))
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(WORDS, 9)) for _ in range(8)]
    table = measured("bert", model, table_of(documents))
    assert table["step"].drop_duplicates().tolist() == [0, 1000, 4000]
    for step, folder in folders.items():
        tokenizer = transformers.AutoTokenizer.from_pretrained(folders[4000])
        module = transformers.AutoModel.from_pretrained(folder).eval()
        given = tokenizer(documents, return_tensors="pt")  # all of one length
        with torch.inference_mode():
            states = module(**given, output_hidden_states=True).hidden_states
        for layer, x in enumerate(states):
            rows = table[(table["step"] == step) & (table["layer"] == layer)]
            assert_geometry(rows, x.flatten(0, 1).numpy())


def test_one_checkpoint_at_a_time_is_in_memory(
    neox: HubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[Any] = []
    load_model = stage.load_model

    def load(name: str, model: HubModel) -> Any:
        assert all(reference() is None for reference in alive), name
        module = load_model(name, model)
        alive.append(weakref.ref(module))
        return module

    monkeypatch.setattr(stage, "load_model", load)
    gc.disable()
    try:
        measured("neox", neox, n_documents=4)
    finally:
        gc.enable()
    assert len(alive) == 3


def test_a_checkpoint_that_was_not_fetched_is_named_with_what_fetches_it(neox: HubModel) -> None:
    lock = read_lock()
    assert {"neox", "neox@step0", "neox@step1", "neox@step4"} == lock.keys()
    write_lock({name: pin for name, pin in lock.items() if name != "neox@step1"})
    with pytest.raises(InputError) as caught:
        measured("neox", neox)
    assert str(caught.value) == (
        "neox@step1: not fetched, models.lock does not have it; get it with\n"
        "  embspace fetch neox --checkpoints"
    )
    write_lock(lock)
    cached = Path(constants.HF_HUB_CACHE) / "models--maker--neox/snapshots"
    (cached / lock["neox@step1"].commit / "model.safetensors").unlink()
    with pytest.raises(InputError) as caught:
        measured("neox", neox)
    assert str(caught.value) == (
        "neox@step1: not fetched, the hub's cache on this machine lacks model.safetensors; get it "
        "with\n  embspace fetch neox --checkpoints"
    )


def test_a_checkpoint_that_is_another_than_was_fetched_is_refused(neox: HubModel) -> None:
    lock = read_lock()
    entry = lock["neox@step4"]
    wrong = LockedFile(sha256="0" * 64, size=entry.files["model.safetensors"].size)
    files = {**entry.files, "model.safetensors": wrong}
    write_lock(lock | {"neox@step4": entry.model_copy(update={"files": files})})
    again = r"get it again with\n  embspace fetch neox --checkpoints"
    with pytest.raises(InputError, match=rf"(?s)sha256 differs from models\.lock.*{again}"):
        measured("neox", neox)
    content = neox_content()
    content["checkpoints"]["revision"] = "v1.step{step}"
    moved = describe("neox", content)
    with pytest.raises(InputError, match=r"at step0, its file asks for maker/neox at v1\.step0"):
        measured("neox", moved)


def test_windows_of_another_length_are_refused(
    neox: HubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = iter([WINDOW, WINDOW - 4])
    monkeypatch.setattr(stage, "largest_window", lambda *_: next(lengths))
    with pytest.raises(InputError, match="different tokens: neox@step0 24, neox@step1 20"):
        measured("neox", neox)


def test_too_few_documents_have_no_rows(neox: HubModel) -> None:
    nothing = measured("neox", neox, n_documents=3)
    assert nothing.empty


def test_the_stage_reads_the_checkpoints_that_are_pinned(neox: HubModel) -> None:
    settings = settings_of(measure_pretraining_dynamics, corpus="posts", n_documents=4)
    save_rows(POSTS, "data/prepared/texts/posts.parquet")
    save_table(pd.DataFrame({"module": ["GPTNeoXModel"]}), "results/architecture/neox.csv")
    save_scalars({"0": {}, "4": {}}, "data/prepared/checkpoints/neox.json")
    content = yaml.safe_load(Path("conf/model/neox.yaml").read_text())
    main(StageConfig("neox", content, "", {}, ["neox"], ["posts"], settings))
    table = load_table("results/pretraining_dynamics/neox.csv")
    assert set(table["step"]) == {0, 4}
    assert not set(settings["left_out"]) & set(table["measure"])
    claims = load_table("results/pretraining_dynamics/claims/neox.csv")
    assert list(claims["claim"]) == list(CLAIMED_OF) and set(claims["kind"]) == {"decoder"}
