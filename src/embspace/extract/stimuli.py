"""Stage `extract_stimuli`: the stimuli's hidden states, trained and at random weights.

Writes, per set, tensors `token`, `cls`, `mean`, `max`, `last`, `weightedmean`, all (layer, row,
dim), the same at random weights as `random_token` and so on, and the table of tokens. The rows of
pooled tensors are the rows of the set's table in data/prepared/stimuli. A model with a norm after
the last block has the same after the norm: `final_norm_token`, `random_final_norm_token` and so on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.pooling import EXTRACTED
from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.rows import load_rows, save_rows
from embspace.files.tensors import writing_tensors
from embspace.models.encoder import UNREAD, EncodedWindow, batches_by_length, encode, tensor_shapes
from embspace.models.probe.probe import check_batches, tokens_of
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.tokens.unknown import is_known
from embspace.models.weights import load_model, with_random_weights
from embspace.models.windows import Window, cut_windows, largest_window, no_tokens, token_table
from embspace.settings.model import Model, Network, VectorsModel, describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

SETS = ("evolution", "homonyms", "synonyms", "paraphrases", "controls", "differences", "words")
SINGLE_WORDS = "words"  # the set whose texts are a word each


@dataclass(frozen=True)
class StimulusStates:
    """Hidden states of a set, computed on reading, by prefix of the tensor."""

    tokens: pd.DataFrame
    shapes: dict[str, tuple[int, int, int]]  # of the tensors by name
    encoded: dict[str, Iterator[EncodedWindow]]


def extract_stimuli(
    model: Model,
    module: Any,
    tokenizer: Any,
    sets: dict[str, pd.DataFrame],
    *,
    tokens_per_batch: PositiveInt,
    largest_unknown_share: Share,
    device: Device,
    seed: NonNegativeInt,
) -> dict[str, StimulusStates]:
    """The hidden states of the sets' texts, layers 0..L; none without a tokenizer.

    No states of a set with a larger share of unknown tokens either: no result would be checkable.

    Vectors without a module have only layer 0, without a row.

    Raises:
        InputError: if a stimulus is longer than the model's window, windows in one batch would
            change each other, or a state is not finite.
    """
    if isinstance(model, VectorsModel):
        return dict.fromkeys(sets, _no_states())
    modules = {"": module, "random_": with_random_weights(module, seed)}
    states: dict[str, StimulusStates] = {}
    for name, table in sets.items():
        windows = [] if tokenizer is None else _windows(model, module, tokenizer, name, table)
        if windows and not is_known(
            windows,
            tokenizer,
            largest_unknown_share=largest_unknown_share,
            texts=f"stimuli '{name}'",
        ):
            windows = []
        if windows and all(made.tokens.empty for made in states.values()):  # the first tell
            check_batches(module, tokens_of(windows), model.batches)
        tokens = token_table(windows, tokenizer) if windows else no_tokens()
        batches = batches_by_length([len(window.ids) for window in windows], tokens_per_batch)
        n_rows = {"token": len(tokens)} | dict.fromkeys(EXTRACTED, len(windows))
        states[name] = StimulusStates(
            tokens=tokens,
            shapes={
                f"{prefix}{kind}": shape
                for prefix, network in modules.items()
                for kind, shape in tensor_shapes(network, model.final_norm, n_rows).items()
            },
            encoded={
                prefix: encode(network, windows, batches, choose_device(device), model.final_norm)
                for prefix, network in modules.items()
            },
        )
    return states


def _no_states() -> StimulusStates:
    kinds = [f"{prefix}{kind}" for prefix in ("", "random_") for kind in ("token", *EXTRACTED)]
    return StimulusStates(no_tokens(), dict.fromkeys(kinds, UNREAD), {})


def _windows(
    model: Network, module: Any, tokenizer: Any, name: str, table: pd.DataFrame
) -> list[Window]:
    """One window a text: a stimulus is read whole or not at all."""
    length = largest_window(model, module)
    texts = table["text"].tolist()
    if name == SINGLE_WORDS and model.word_prefix:
        texts = within_a_text(texts, tokenizer, model.word_prefix)
    windows = cut_windows(texts, tokenizer, length, length_key=f"{model.label}: key 'window'")
    for window in windows:
        if window.number:
            text = table["id"].iloc[window.text]
            raise InputError(
                f"stimuli '{name}': '{text}' has more tokens than the {length} that the model reads"
            )
    return windows


def within_a_text(words: Sequence[str], tokenizer: Any, word_prefix: str) -> list[str]:
    """Return words as spelled behind a second word, if a tokenizer marks starts by the space.

    At the start of a text such a tokenizer has no space to mark, and spells a word by pieces from
    inside words. A tokenizer that adds the space gets the words unchanged.
    """
    if not words:
        return []
    ids = tokenizer(words[0], add_special_tokens=False)["input_ids"]
    first = "".join(tokenizer.convert_ids_to_tokens(ids))
    return list(words) if first.startswith(word_prefix) else [f" {word}" for word in words]


def save_stimuli(states: StimulusStates, path: str) -> None:
    """Write `path`.safetensors and `path`.tokens.parquet."""
    first_token = states.tokens.groupby("window").head(1).index.to_list()
    with writing_tensors(f"{path}.safetensors", states.shapes) as writer:
        for prefix, encoded in states.encoded.items():
            for window in encoded:
                for kind, layers in window.tensors().items():
                    is_token = kind.endswith("token")
                    first = first_token[window.index] if is_token else window.index
                    for layer, rows in enumerate(layers):
                        writer.write(f"{prefix}{kind}", layer, first, rows)
    save_rows(states.tokens, f"{path}.tokens.parquet")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    states = extract_stimuli(
        model,
        load_model(name, model),
        load_tokenizer(name, model) if tokenizer_files(model) else None,
        {set_name: load_rows(f"data/prepared/stimuli/{set_name}.parquet") for set_name in SETS},
        **config.settings,
    )
    for set_name, extracted in states.items():
        save_stimuli(extracted, f"data/extracted/stimuli/{name}/{set_name}")


if __name__ == "__main__":
    run_stage(main, extract_stimuli)
