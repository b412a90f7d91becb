"""What a sentence model says about how texts are read and how long its vectors are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel, not_among, shortened
from embspace.files.json_keys import read_keys
from embspace.models.sentence.files import PROMPTS, READING, is_switched

LENGTH, LOWER, TRUNCATED = "max_seq_length", "do_lower_case", "truncate_dim"
# What today's releases write of a transformer that reads texts, and whose tokens are pooled.
AS_PLAIN = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}
MODALITIES = "modality_config"
TEXT = {"method": "forward", "method_output_name": "last_hidden_state"}
# Saves time alone: whether texts of a batch are padded.
HARMLESS = ("unpad_inputs",)


@dataclass(frozen=True)
class Reading:
    """How the transformer reads texts."""

    length: int | None
    """The number of tokens read at once; None: as many as the transformer reads."""
    is_lowered: bool


def read_reading(folder: Path) -> Reading:
    """Return how a folder's transformer reads texts, by sentence_bert_config.json or an older name.

    Raises:
        RefusedModel: naming a key that is not known, or whose value is not.
    """
    file = next(
        (file for file in sorted(folder.glob("*.json")) if READING.fullmatch(file.name)), None
    )
    if file is None:
        return Reading(None, is_lowered=False)
    content = read_keys(file)
    for key, value in content.items():
        if key not in (LENGTH, LOWER, *HARMLESS) and not _is_plain(key, value):
            allowed = AS_PLAIN.get(key, f"{{'text': {TEXT}}}" if key == MODALITIES else "nothing")
            raise RefusedModel(
                f"{file}: key '{key}': found {shortened(value)}, allowed: {allowed}; with others "
                "the vectors of its makers cannot be made"
            )
    return Reading(_whole(file, content, LENGTH), is_switched(file, content, LOWER, default=False))


def shortened_to(folder: Path) -> int | None:
    """Return how many of the first dimensions of a vector are kept, after all modules; None: all.

    Raises:
        RefusedModel: if the value is no number of dimensions.
    """
    return _whole(folder / PROMPTS, _prompts(folder), TRUNCATED)


def default_prompt(folder: Path) -> str:
    """Return the prompt that stands before every text; "" where no prompt is the default.

    Raises:
        RefusedModel: if the default is not among the prompts, or these are no texts by name.
    """
    file, content = folder / PROMPTS, _prompts(folder)
    name, prompts = content.get("default_prompt_name"), content.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise RefusedModel(
            f"{file}: key 'prompts': found {shortened(prompts)}, allowed: texts by name"
        )
    if name is None:
        return ""
    if not isinstance(name, str) or name not in prompts:
        raise RefusedModel(f"{file}: key 'default_prompt_name': {not_among(name, prompts)}")
    prompt = prompts[name]
    if prompt is not None and not isinstance(prompt, str):
        raise RefusedModel(
            f"{file}: key 'prompts.{name}': found {shortened(prompt)}, allowed: a text"
        )
    return prompt or ""


def _prompts(folder: Path) -> dict[str, Any]:
    file = folder / PROMPTS
    return read_keys(file) if file.is_file() else {}


def _is_plain(key: str, value: Any) -> bool:
    """Return whether a value leaves the transformer as it is without the key."""
    if value is None or value is False or value == {}:
        return True
    if key == MODALITIES:  # others than texts are not read here
        return isinstance(value, dict) and value.get("text") == TEXT
    return bool(value == AS_PLAIN.get(key))


def _whole(file: Path, content: dict[str, Any], key: str) -> int | None:
    value = content.get(key)
    if value is not None and (type(value) is not int or value < 1):
        raise RefusedModel(
            f"{file}: key '{key}': found {shortened(value)}, allowed: a whole number from 1"
        )
    return value
