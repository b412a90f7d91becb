"""Small models of a hub whose training was published: a branch a step, or a repository a step."""

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import yaml
from safetensors.numpy import load_file, save_file

from embspace.models.checkpoints import PublishedCheckpoint
from embspace.settings.model import FolderModel, HubModel, Model, describe_model
from embspace.settings.schema import read_yaml
from tests.hub_server import Hub
from tests.tiny import WORDS, build_tiny_bert, tiny_description
from tests.whole_pipeline import POSITIONS
from tests.zoo import build_animal

ROOT = Path(__file__).parent.parent
NUMBERS = (0, 1, 4)
"""As the files of the models have them."""
THOUSAND = 1000
"""Steps that a number of the BERT stands for."""


def build_neox(folder: Path) -> dict[int, Path]:
    """A GPT-NeoX by step; with each, its weights are other ones."""
    first = build_animal("gpt_neox", folder / "0", POSITIONS)
    return {0: first} | {
        step: _moved(first, folder / str(step), seed=step) for step in NUMBERS if step
    }


def push_neox(hub: Hub, folders: dict[int, Path]) -> None:
    """maker/neox, a branch a step; the last one is main."""
    hub.push("maker/neox", folders[NUMBERS[-1]])
    for step, folder in folders.items():
        hub.push("maker/neox", folder, branch=f"step{step}")


def push_bert(hub: Hub, folder: Path) -> dict[int, Path]:
    """maker/bert, and a repository a step, in thousands; where each was made."""
    folders = {number: build_tiny_bert(folder / str(number), seed=number) for number in NUMBERS}
    hub.push("maker/bert", folders[NUMBERS[-1]])
    for number, checkpoint in folders.items():
        hub.push(f"maker/bert-step_{number}k", checkpoint)
    return {number * THOUSAND: checkpoint for number, checkpoint in folders.items()}


def neox_content() -> dict[str, Any]:
    """What conf/model/neox.yaml says: all that Pythia's does, but for what is larger there."""
    content = read_yaml(ROOT / "conf/model/pythia_70m.yaml")
    del content["parameters"], content["padding_rows"], content["matrices"]["output"]
    checkpoints = {"revision": "step{step}", "steps": list(NUMBERS)}
    return content | {"repository": "maker/neox", "checkpoints": checkpoints}


def bert_content() -> dict[str, Any]:
    """What conf/model/bert.yaml says, as those of MultiBERTs do."""
    content = tiny_description(Path()) | {"source": "hub", "repository": "maker/bert"}
    del content["path"]
    checkpoints = {
        "repository": "maker/bert-step_{step}k",
        "unit": THOUSAND,
        "steps": list(NUMBERS),
    }
    return content | {"checkpoints": checkpoints}


def describe(name: str, content: dict[str, Any]) -> HubModel:
    """Write conf/model/<name>.yaml, and what it says."""
    path = Path(f"conf/model/{name}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    model: Model = describe_model(name, content)
    assert isinstance(model, HubModel)
    return model


def training_in_folders(*, is_empty: bool) -> dict[str, Any]:
    """Return what analyses of a published training read, of models in folders, or of none."""
    folder = Path(mkdtemp())
    models = {
        number: describe_model(
            "tiny", tiny_description(build_tiny_bert(folder / f"{number}", number))
        )
        for number in NUMBERS
    }
    checkpoints = [
        PublishedCheckpoint("tiny", number, model)
        for number, model in models.items()
        if isinstance(model, FolderModel)
    ]
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(WORDS, 20)) for _ in range(24)]
    return {
        "name": "tiny",
        "model": models[0],
        "checkpoints": [] if is_empty else checkpoints,
        "texts": {"posts": pd.DataFrame({"text": texts}).assign(document=range(24))},
    }


def choose(n_checkpoints: int) -> None:
    """Write conf/prepare/checkpoints.yaml."""
    path = Path("conf/prepare/checkpoints.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"n_checkpoints: {n_checkpoints}\n", encoding="utf-8")


def _moved(source: Path, target: Path, seed: int) -> Path:
    shutil.copytree(source, target)
    rng = np.random.default_rng(seed)
    weights = {
        name: (values + 0.1 * rng.normal(size=values.shape)).astype(np.float32)
        for name, values in load_file(source / "model.safetensors").items()
    }
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    return target
