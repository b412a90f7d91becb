"""Reads the texts of a corpus anew: one by one, or with weights of another number type."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embspace.app.practice.corpora import CorpusOfTexts
from embspace.errors import InputError, not_among

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference

NUMBER_TYPES = ("float32", "bfloat16", "float16")
ALONE = {"tokens_per_batch": 1}


class CorpusReadAgain(CorpusOfTexts):
    """The texts of a corpus, read in other batches; nothing is taken from the cache."""

    def __init__(
        self, corpus: CorpusOfTexts, loaded: "LoadedModel", root: Path, settings: Mapping[str, Any]
    ) -> None:
        """Take the texts of a corpus, and settings in the place of those of conf/."""
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
    """Return n texts, drawn evenly, to be read one by one: other sums, other rounding."""
    rows = np.unique(np.linspace(0, len(corpus.texts) - 1, min(n, len(corpus.texts))).astype(int))
    some = CorpusOfTexts(corpus.corpus, corpus.texts.iloc[rows], corpus.loaded, root)
    return CorpusReadAgain(some, corpus.loaded, root, ALONE)


def read_in(corpus: CorpusOfTexts, number_type: str, root: Path) -> CorpusReadAgain:
    """Return the texts of a corpus, to be read with weights of another number type.

    Raises:
        InputError: if there is no such type.
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
