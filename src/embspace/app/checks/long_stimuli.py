"""Finds stimuli that a model cannot read whole, before any stage runs."""

from collections.abc import Collection
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from embspace.errors import InputError
from embspace.files.remote import is_address
from embspace.files.tensors import listed_shapes
from embspace.models.architecture import empty_model, load_config, reading_part
from embspace.models.locate import locate_files, weight_files
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.windows import largest_window
from embspace.prepare.stimuli import prepare_stimuli
from embspace.settings.model import Model, RandomModel, VectorsModel, describe_model, model_file
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = CONF / "prepare/stimuli.yaml"
STAGE = "extract_stimuli"
# No more tokens than bytes, twice over for what a tokenizer may write apart, and special tokens.
TOKENS_PER_BYTE, MANY_SPECIAL_TOKENS = 2, 8


@dataclass(frozen=True)
class Stimulus:
    """A stimulus, and its number of tokens, special tokens included."""

    group: str
    name: str
    n_tokens: int


def local_stimuli() -> "dict[str, pd.DataFrame] | None":
    """Return the tables of all sets; None if one is at an address, for no network is used.

    Raises:
        InputError: if a set is missing or does not fit.
    """
    settings = checked_settings(prepare_stimuli, read_yaml(SETTINGS), {}, str(SETTINGS))
    if any(isinstance(setting, str) and is_address(setting) for setting in settings.values()):
        return None
    return prepare_stimuli(**settings)


def check_lengths(name: str, model: Model, stimuli: "dict[str, pd.DataFrame]") -> None:
    """Stop if a model reads fewer tokens at once than a stimulus has.

    Raises:
        InputError: saying how many stimuli are too long, the longest, and the ways out.
    """
    if isinstance(model, VectorsModel) or tokenizer_files(model) is None:
        return
    n_bytes = max(len(text.encode()) for table in stimuli.values() for text in table["text"])
    enough = TOKENS_PER_BYTE * n_bytes + MANY_SPECIAL_TOKENS
    listed = _listed_window(name, model)
    # Seen without loading a library for it; that an offset leaves none is told elsewhere.
    if listed is not None and (listed >= enough or listed < 1):
        return
    length = largest_window(model, reading_part(empty_model(load_config(name, model))))
    if length < enough and (too_long := _longer_than(length, name, model, stimuli)):
        raise InputError(_complaint(name, length, too_long, is_set=length == model.window))


def check_stimuli(folder: Path, stages: Collection[str]) -> None:
    """Stop if stages of the tree in `folder` would read stimuli that are too long for a model.

    Raises:
        InputError: as `check_lengths`.
    """
    models = sorted(stage.partition("@")[2] for stage in stages if stage.startswith(f"{STAGE}@"))
    with chdir(folder):
        stimuli = local_stimuli() if models else None
        for name in models if stimuli else ():
            model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
            check_lengths(name, model, stimuli or {})


def listed_positions(model: Model, folder: Path) -> int | None:
    """Return the rows of the positional table, from the heads of a model's files.

    None without a positional table, and for pickles. A checkpoint may have a prefix before the
    names of the parameters, as `bert.`.
    """
    if isinstance(model, VectorsModel) or model.matrices.positional is None:
        return None
    table = model.matrices.positional
    for file in weight_files(folder):
        for parameter, shape in listed_shapes(str(file)).items():
            if parameter == table or parameter.endswith(f".{table}"):
                return shape[0]
    return None


def _listed_window(name: str, model: Model) -> int | None:
    """Return the window from the heads of the files; None if the heads do not give a window."""
    if isinstance(model, VectorsModel | RandomModel):
        return None
    n_rows = listed_positions(model, locate_files(name, model))
    return None if n_rows is None else min(n_rows - model.position_offset, model.window or n_rows)


def _longer_than(
    length: int, name: str, model: Model, stimuli: "dict[str, pd.DataFrame]"
) -> list[Stimulus]:
    """Return the stimuli of more tokens, the longest first."""
    tokenizer = load_tokenizer(name, model)
    longer = []
    for group, table in stimuli.items():
        encoded = tokenizer(table["text"].tolist(), verbose=False)["input_ids"]
        for stimulus_name, ids in zip(table["id"], encoded, strict=True):
            if len(ids) > length:
                longer.append(Stimulus(group, stimulus_name, len(ids)))
    return sorted(longer, key=lambda stimulus: -stimulus.n_tokens)


def _complaint(name: str, length: int, stimuli: list[Stimulus], *, is_set: bool) -> str:
    groups = [stimulus.group for stimulus in stimuli]
    counts = ", ".join(f"{groups.count(group)} of {group}" for group in dict.fromkeys(groups))
    longest = stimuli[0]
    key = f"key 'window': found {length}, " if is_set else ""
    more = "a window" if is_set else "a model"
    return (
        f"{model_file(name)}: {key}the model reads {length} tokens at once, and "
        f"{len(stimuli)} of the stimuli have more: {counts}; the longest is '{longest.name}' of "
        f"{longest.group}, of {longest.n_tokens} tokens\n"
        f"  `{STAGE}` reads them whole, for the chapters words and sentences and the ledger, and "
        "so for a whole report\n"
        f"  ways out: {more} of {longest.n_tokens} tokens or more; other stimuli, in the files "
        f"that {SETTINGS} names; `embspace report <model> --quick`, or of a model in params.yaml "
        "`embspace run learned` and positional, texts, layers, which read none"
    )
