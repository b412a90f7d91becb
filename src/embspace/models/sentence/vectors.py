"""The vectors that a sentence model makes of texts, one per text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError, RefusedModel
from embspace.models.encoder import EncodedWindow, batches_by_length, device_of, encode
from embspace.models.final_norm import final_norm_dim
from embspace.models.locate import locate_root
from embspace.models.sentence.modules import SentenceModules, known_modules, read_modules
from embspace.models.windows import (
    LONGEST,
    TOKENIZER_KEY,
    Window,
    check_window,
    cut_windows,
    largest_window,
    tokenizer_bound,
)
from embspace.settings.model import Network, RandomModel, model_file


def check_sentences(name: str, model: Network, module: Any, tokenizer: Any) -> None:
    """Stop at a sentence model whose vectors cannot be made.

    Raises:
        RefusedModel: as `sentence_modules` does, or if the model has no room for a text.
    """
    modules = sentence_modules(name, model, module)
    if modules is not None:
        tokens_at_once(modules, tokenizer, LONGEST, "")


def sentence_modules(name: str, model: Network, module: Any) -> SentenceModules | None:
    """Return what follows the transformer of a model; None where modules.json does not say.

    Raises:
        RefusedModel: if modules.json names something unknown, or something that does not fit the
            model.
    """
    if isinstance(model, RandomModel):
        return None
    root = locate_root(name, model)
    if not known_modules(root):
        return None
    dim = module.config.hidden_size
    if model.final_norm is not None:
        dim = final_norm_dim(module, model.final_norm)
    return read_modules(root, dim)


class SentenceTexts:
    """Texts as a sentence model reads them, with vectors added up window by window.

    A text within one window has the vector of sentence-transformers' `encode`; a longer text, where
    `encode` reads only the start, has the mean over windows.
    """

    def __init__(
        self,
        modules: SentenceModules,
        texts: Sequence[str],
        tokenizer: Any,
        most: int,
        *,
        length_key: str,
        cut: Sequence[Window] = (),
    ) -> None:
        """Cut texts into windows of at most `most` tokens, without overlap.

        Windows of `cut` that hold a whole text are taken unchanged.
        """
        length, length_key = tokens_at_once(modules, tokenizer, most, length_key)
        self._modules = modules
        read = [modules.read(text) for text in texts]
        whole = {window.text: window for window in cut if len(window.ids) <= length}
        for window in cut:
            if window.number or read[window.text] != texts[window.text]:
                whole.pop(window.text, None)
        others = [number for number in range(len(texts)) if number not in whole]
        new = cut_windows([read[n] for n in others], tokenizer, length, length_key=length_key)
        both = [*whole.values(), *(replace(window, text=others[window.text]) for window in new)]
        self.windows = sorted(both, key=lambda window: (window.text, window.number))
        self._n_prompt = _n_tokens_of(modules.prompt, tokenizer)
        self._sums = np.zeros((len(texts), modules.dimension))
        self._counts = np.zeros(len(texts))

    def add(self, number: int, encoded: EncodedWindow) -> None:
        """Take what the model makes of the window `number` of `windows`."""
        window = self.windows[number]
        states = encoded.tokens[-1] if encoded.final_norm is None else encoded.final_norm[0]
        n_prompt = 0 if window.number else self._n_prompt
        self._sums[window.text] += self._modules.vector(states, n_prompt)
        self._counts[window.text] += 1

    def vectors(self) -> Float[np.ndarray, "text dim"]:
        """Return the mean of each text's windows, after all were added.

        Raises:
            RefusedModel: if a vector holds NaN or infinities.
        """
        made = (self._sums / self._counts[:, None]).astype(np.float32)
        bad = np.flatnonzero(~np.isfinite(made).all(axis=1))
        if len(bad):
            raise RefusedModel(
                f"the sentence vector of text {bad[0] + 1:,} holds NaN or infinities, as do "
                f"{len(bad):,} of {len(made):,}; the states of the model, or what follows its "
                "transformer, are too large"
            )
        return made


def tokens_at_once(
    modules: SentenceModules, tokenizer: Any, most: int, length_key: str
) -> tuple[int, str]:
    """Return how many tokens a sentence model reads at once, and the key behind this number.

    `most` is the value of `length_key`.

    Raises:
        RefusedModel: if a file of the model leaves no room beside the special tokens.
    """
    bounds = {length_key: most, TOKENIZER_KEY: tokenizer_bound(tokenizer)}
    bounds["key 'max_seq_length' of the sentence model"] = modules.length
    known = [(bound, key) for key, bound in bounds.items() if bound is not None]
    length, key = min(known, key=lambda bound: bound[0])
    try:
        check_window(tokenizer, length, 0, length_key=key)
    except InputError as error:
        raise RefusedModel(str(error)) from None
    return length, key


def same_windows(windows: Sequence[Window], others: Sequence[Window]) -> dict[int, list[int]]:
    """Return, by the number of a window, the `others` that are the same tokens of the same text."""
    numbers: dict[tuple[int, bytes], int] = {}
    for number, window in enumerate(windows):
        numbers.setdefault((window.text, window.ids.tobytes()), number)
    same: dict[int, list[int]] = {}
    for number, window in enumerate(others):
        known = numbers.get((window.text, window.ids.tobytes()))
        if known is not None:
            same.setdefault(known, []).append(number)
    return same


def sentence_vectors(
    name: str,
    model: Network,
    module: Any,
    modules: SentenceModules,
    tokenizer: Any,
    texts: Sequence[str],
) -> Float[np.ndarray, "text dim"]:
    """Return the vectors that a loaded model makes of a few texts; every window is read alone."""
    key = f"{model_file(name)}: key 'window'"
    most = largest_window(model, module)
    read = SentenceTexts(modules, texts, tokenizer, most, length_key=key)
    batches = batches_by_length([len(window.ids) for window in read.windows], 1)
    for encoded in encode(module, read.windows, batches, device_of(module), model.final_norm):
        read.add(encoded.index, encoded)
    return read.vectors()


def _n_tokens_of(prompt: str, tokenizer: Any) -> int:
    """Return how many tokens of a window are the prompt's, including those that open a text."""
    if not prompt:
        return 0
    encoded = tokenizer(prompt, return_special_tokens_mask=True)
    closes = bool(encoded["special_tokens_mask"]) and encoded["special_tokens_mask"][-1]
    return len(encoded["input_ids"]) - int(closes)
