"""Stage `extract_hidden_states`: the hidden states of the tokens of a corpus at all layers.

Writes tensors `token` (if the corpus says so), `cls`, `mean`, `max`, `last`, `weightedmean`, all
(layer, row, dim), and two tables of rows: tokens for `token`, windows for the rest. A model with a
norm after the last block has the same after the norm: `final_norm_token` and so on, (1, row, dim).
A sentence model has `sentence` (1, text, dim), a row a text, the output of the makers' modules. If
the corpus says so, everything except `token` also for halves of the texts.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.documents import some_documents
from embspace.clouds.pooling import EXTRACTED, SENTENCE
from embspace.device import Device, choose_device
from embspace.errors import counted
from embspace.files.rows import load_rows, save_rows
from embspace.files.tensors import writing_tensors
from embspace.models.encoder import (
    UNREAD,
    EncodedWindow,
    batches_by_length,
    encode,
    tensor_shapes,
)
from embspace.models.probe.probe import check_batches, tokens_of
from embspace.models.sentence.modules import SentenceModules
from embspace.models.sentence.vectors import SentenceTexts, same_windows, sentence_modules
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.tokens.unknown import is_known
from embspace.models.weights import load_model
from embspace.models.windows import (
    LENGTH_KEY,
    TextRows,
    cut_windows,
    first_tokens,
    largest_window,
)
from embspace.prepare.sentences import split_halves
from embspace.settings.corpus import Corpus, describe_corpus
from embspace.settings.model import Model, Network, VectorsModel, describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

LISTED = 5  # texts that are named where there are more of a kind


@dataclass(frozen=True)
class HiddenStates:
    """Hidden states that are computed while they are read."""

    rows: TextRows
    shapes: dict[str, tuple[int, int, int]]  # of the tensors by name
    encoded: Iterator[EncodedWindow]
    sentences: "ReadSentences | None" = None  # of a sentence model

    @property
    def windows(self) -> pd.DataFrame:
        """Return the rows of pooled states."""
        return self.rows.windows

    @property
    def tokens(self) -> pd.DataFrame:
        """Return the rows of the states of tokens."""
        return self.rows.tokens

    @property
    def unknown(self) -> list[str]:
        """Return the ids of the texts whose only tokens, if any, are special or unknown."""
        known = self.tokens[~self.tokens["special"]]
        texts = set(self.windows["text"].iloc[known["window"].unique()])
        return [name for name in self.windows["text"].unique() if name not in texts]


@dataclass(frozen=True)
class ReadSentences:
    """The texts as a sentence model reads them, and how its windows are come by."""

    texts: SentenceTexts
    known: dict[int, list[int]]  # windows that are read anyway -> those of the sentence model
    others: Iterator[tuple[int, EncodedWindow]]  # of the other windows: number, states


def extract_hidden_states(
    model: Model,
    module: Any,
    tokenizer: Any,
    texts: pd.DataFrame,
    token_states: bool,
    *,
    window_length: PositiveInt,
    overlap: NonNegativeInt,
    tokens_per_batch: PositiveInt,
    largest_unknown_share: Share,
    device: Device,
) -> HiddenStates:
    """The hidden states of all windows of all texts, for layers 0..L; none without a tokenizer.

    No states of texts with a larger share of unknown tokens either: no result would be checkable.

    Vectors without a module have only layer 0, without a row.

    `texts` has the columns `id` and `text`. Without `token_states` only pooled states are kept.

    Memory is bounded by one batch; windows do not come in the order of the texts,
    `EncodedWindow.index` gives the place. A model with fewer positions than `window_length` takes
    windows of the model's length, and an overlap in proportion.

    Raises:
        InputError: if the overlap leaves no room in a window, windows in one batch would change
            each other, or a hidden state is not finite.
    """
    kinds = ("token", *EXTRACTED) if token_states else EXTRACTED
    if isinstance(model, VectorsModel):
        return _no_states(dict.fromkeys(kinds, UNREAD))
    if tokenizer is None or texts.empty:
        return _no_states(tensor_shapes(module, model.final_norm, dict.fromkeys(kinds, 0)))
    length = min(window_length, largest_window(model, module))
    windows = cut_windows(
        texts["text"].tolist(), tokenizer, length, overlap * length // window_length
    )
    if not is_known(
        windows, tokenizer, largest_unknown_share=largest_unknown_share, texts="the texts"
    ):
        return _no_states(tensor_shapes(module, model.final_norm, dict.fromkeys(kinds, 0)))
    check_batches(module, tokens_of(windows), model.batches)
    lengths = [len(window.ids) for window in windows]
    batches = batches_by_length(lengths, tokens_per_batch)
    n_rows = {kind: sum(lengths) if kind == "token" else len(windows) for kind in kinds}
    return HiddenStates(
        rows=TextRows(windows, texts["id"].tolist(), tokenizer),
        shapes=tensor_shapes(module, model.final_norm, n_rows),
        encoded=encode(module, windows, batches, choose_device(device), model.final_norm),
    )


def with_sentences(
    states: HiddenStates,
    modules: SentenceModules | None,
    model: Network,
    module: Any,
    tokenizer: Any,
    texts: list[str],
    settings: Mapping[str, Any],
) -> HiddenStates:
    """Add a sentence model's vectors of texts to the states; without modules, return `states`.

    Inputs of the modules missing from `states` are read separately. `settings` are the stage's.
    """
    if modules is None:
        return states
    if not states.rows.cut:
        return replace(states, shapes=states.shapes | {SENTENCE: (1, 0, modules.dimension)})
    most, cut = largest_window(model, module), states.rows.cut
    read = SentenceTexts(modules, texts, tokenizer, most, length_key=LENGTH_KEY, cut=cut)
    known = same_windows(cut, read.windows)
    seen = {number for numbers in known.values() for number in numbers}
    rest = [number for number in range(len(read.windows)) if number not in seen]
    others = [read.windows[number] for number in rest]
    encoded: Iterator[EncodedWindow] = iter(())
    if others:
        lengths = [len(window.ids) for window in others]
        batches = batches_by_length(lengths, settings["tokens_per_batch"])
        device = choose_device(settings["device"])
        encoded = encode(module, others, batches, device, model.final_norm)
    return replace(
        states,
        shapes=states.shapes | {SENTENCE: (1, len(texts), modules.dimension)},
        sentences=ReadSentences(read, known, ((rest[window.index], window) for window in encoded)),
    )


def _no_states(shapes: dict[str, tuple[int, int, int]]) -> HiddenStates:
    """Return the empty states of a model without a tokenizer, or of a corpus without texts."""
    return HiddenStates(rows=TextRows([], [], None), shapes=shapes, encoded=iter(()))


def _tell_unknown(states: HiddenStates, model: str, corpus: str) -> None:
    """Tell of texts in which the tokenizer knows no token."""
    n_unknown, n_texts = len(states.unknown), states.windows["text"].nunique()
    if not n_unknown:
        return
    listed = ", ".join(states.unknown[:LISTED]) + ", …" * (n_unknown > LISTED)
    logging.getLogger(__name__).warning(
        "corpus '%s': the tokenizer of '%s' knows no token of %s of %s: %s",
        *(corpus, model, f"{n_unknown:,}", counted(n_texts, "text"), listed),
    )


def written_rows(
    states: HiddenStates, *, delay: float = 0
) -> Iterator[tuple[str, int, np.ndarray]]:
    """Read the windows, and yield the name of a tensor, the first row, and rows (layer, row, dim).

    Progress is shown on a terminal, after `delay` seconds.
    """
    from tqdm import tqdm

    cut = states.rows.cut
    n_windows, first_token = len(cut), first_tokens(cut).tolist()
    progress = tqdm(
        states.encoded, total=n_windows, desc="hidden states", disable=None, delay=delay
    )
    sentences = states.sentences
    for window in progress:
        for kind, layers in window.tensors().items():
            if kind in states.shapes:
                is_token = kind.endswith("token")
                yield kind, first_token[window.index] if is_token else window.index, layers
        if sentences is not None:
            for number in sentences.known.get(window.index, ()):
                sentences.texts.add(number, window)
    if sentences is not None:
        for number, window in sentences.others:
            sentences.texts.add(number, window)
        yield SENTENCE, 0, sentences.texts.vectors()[None]


def save_hidden_states(states: HiddenStates, path: str) -> None:
    """Write `path`.safetensors and the tables `path`.tokens.parquet, `path`.windows.parquet."""
    with writing_tensors(f"{path}.safetensors", states.shapes) as writer:
        for kind, first, layers in written_rows(states):
            for layer, rows in enumerate(layers):
                writer.write(kind, layer, first, rows)
    save_rows(states.tokens, f"{path}.tokens.parquet")
    save_rows(states.windows, f"{path}.windows.parquet")


def states_by_part(
    model: Model,
    module: Any,
    tokenizer: Any,
    modules: SentenceModules | None,
    texts: pd.DataFrame,
    corpus: Corpus,
    settings: Mapping[str, Any],
) -> Iterator[tuple[str, HiddenStates]]:
    """Yield the states of the texts of a corpus under "", and of their halves under ".halves".

    Without `halves` in the description of the corpus, those are empty. `settings` are the stage's.
    """
    is_read = True
    for part, rows, token_states in (
        ("", texts, corpus.token_states),
        (".halves", split_halves(texts) if corpus.halves else texts[:0], False),
    ):
        rows = rows if is_read else rows[:0]
        states = extract_hidden_states(model, module, tokenizer, rows, token_states, **settings)
        is_read = bool(states.rows.cut)  # halves of texts of which too little is known are none
        if not isinstance(model, VectorsModel):
            wanted = rows["text"].tolist()
            states = with_sentences(states, modules, model, module, tokenizer, wanted, settings)
        yield part, states


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    corpus = describe_corpus(config.corpus_name, config.corpus)
    texts = some_documents(
        load_rows(f"data/prepared/texts/{config.corpus_name}.parquet"),
        None if isinstance(model, VectorsModel) else model.most_documents,
    )
    module = load_model(name, model)
    tokenizer = load_tokenizer(name, model) if tokenizer_files(model) else None
    if tokenizer is None:
        logging.getLogger(__name__).warning("the model has no tokenizer: no text is read")
    modules = None if isinstance(model, VectorsModel) else sentence_modules(name, model, module)
    path = f"data/extracted/hidden_states/{name}/{config.corpus_name}"
    parts = states_by_part(model, module, tokenizer, modules, texts, corpus, config.settings)
    for part, states in parts:
        _tell_unknown(states, name, config.corpus_name)
        save_hidden_states(states, f"{path}{part}")


if __name__ == "__main__":
    run_stage(main, extract_hidden_states, groups=("model", "corpus"))
