"""Reads the texts of a corpus anew: one by one, or with weights of another number type."""

import copy
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.practice.corpora import CorpusOfTexts
from embspace.errors import InputError, not_among
from embspace.geometry.practice.changes import Moments, weighted_moments

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference

NUMBER_TYPES = ("float32", "bfloat16", "float16")
ALONE = {"tokens_per_batch": 1}
MOST_READ = 2000  # texts whose tokens are read; of more, texts are drawn evenly


class CorpusReadAgain(CorpusOfTexts):
    """The texts of a corpus, read in different batches; nothing is taken from the cache."""

    def __init__(
        self, corpus: CorpusOfTexts, loaded: "LoadedModel", root: Path, settings: Mapping[str, Any]
    ) -> None:
        """Take the texts of a corpus, and settings to replace the settings of conf/."""
        super().__init__(corpus.corpus, corpus.texts, loaded, root)
        self._settings = settings

    @cached_property
    def read(self) -> "Reference":
        """Return the pooled states of the texts.

        Raises:
            InputError: if a text cannot be read.
        """
        from embspace.loaded.reference import Reference, with_ends
        from embspace.loaded.states import read_states

        names = self.texts["id"].to_numpy()
        texts = self.texts["text"].tolist()
        made = read_states(self._loaded, texts, self._root, self._settings, token_states=False)
        windows = with_ends(made.windows, made.tokens)
        windows["text"] = names[windows["text"].astype(int) - 1]
        return Reference(made.tensors, windows, made.tokens, self.texts)


def read_alone(corpus: CorpusOfTexts, n: int, root: Path) -> CorpusReadAgain:
    """Return n texts, drawn evenly, to be read singly: different sums, different rounding."""
    rows = np.unique(np.linspace(0, len(corpus.texts) - 1, min(n, len(corpus.texts))).astype(int))
    some = CorpusOfTexts(corpus.corpus, corpus.texts.iloc[rows], corpus.loaded, root)
    return CorpusReadAgain(some, corpus.loaded, root, ALONE)


def read_in(corpus: CorpusOfTexts, number_type: str, root: Path) -> CorpusReadAgain:
    """Return the texts of a corpus, to be read with weights of another number type.

    Raises:
        InputError: if the type does not exist.
    """
    if number_type not in NUMBER_TYPES:
        raise InputError(f"--number-type: {not_among(number_type, NUMBER_TYPES)}")
    import torch

    loaded = corpus.loaded
    # Padding shows in the coarse steps of such numbers, so texts are read beside equally long ones.
    description = loaded.description.model_copy(update={"batches": "equal_lengths"})
    module = copy.deepcopy(loaded.module).to(getattr(torch, number_type))
    other = replace(loaded, module=module, description=description, decides=None)
    return CorpusReadAgain(corpus, other, root, {})


def token_moments(
    corpus: CorpusOfTexts, layer: int, group_of_text: Mapping[str, bool], root: Path
) -> dict[bool, Moments]:
    """Return the moments of the tokens of texts at a layer, by group.

    All tokens of mean pooling, special tokens too, weigh 1: the weight of an entry of the
    vocabulary is its count in the texts.

    Raises:
        InputError: if a text cannot be read.
    """
    texts = corpus.texts[corpus.texts["id"].isin(list(group_of_text))]
    texts = texts.iloc[np.unique(np.linspace(0, len(texts) - 1, MOST_READ).astype(int))]
    dim = corpus.loaded.module.config.hidden_size
    moments = dict.fromkeys((False, True), weighted_moments(np.empty((0, dim))))
    for name, tokens in _tokens_of(corpus, texts, layer, root):
        moments[group_of_text[name]] += weighted_moments(tokens.astype(np.float64))
    return moments


def _tokens_of(
    corpus: CorpusOfTexts, texts: pd.DataFrame, layer: int, root: Path
) -> Iterator[tuple[str, Float[np.ndarray, "token dim"]]]:
    from embspace.extract.hidden_states import extract_hidden_states
    from embspace.loaded.given import reading
    from embspace.loaded.settings_read import settings_in
    from embspace.loaded.states import SETTINGS

    loaded = corpus.loaded
    settings = {**settings_in(root / SETTINGS), "device": loaded.device}
    with chdir(root), reading(loaded):
        states = extract_hidden_states(
            loaded.description, loaded.module, loaded.tokenizer, texts, False, **settings
        )
        text_of_window = states.windows["text"].tolist()
        for window in states.encoded:
            yield text_of_window[window.index], window.tokens[layer]
