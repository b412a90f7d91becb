"""Searches for texts unlike a sentence, word by word."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.layers.layer_states import window_states
from embspace.measure.open_questions.opposite_texts_sentences import Sentence, Words
from embspace.measure.open_questions.rounding_states import TextReader
from embspace.models.windows import cut_windows

Passes = Callable[[Sequence[str]], np.ndarray]
"""Says of every text whether the search may take it."""


def all_pass(texts: Sequence[str]) -> np.ndarray:
    """Take any text."""
    return np.ones(len(texts), dtype=bool)


@dataclass(frozen=True, eq=False)
class TextSpace:
    """Vectors of texts: the mean of the last layer's tokens, at unit length."""

    reader: TextReader
    tokens_per_batch: int
    device: str

    def vectors(self, texts: Sequence[str]) -> Float[np.ndarray, "text dim"]:
        """Return a unit vector per text; every text must fit into a single window."""
        reader = self.reader
        windows = cut_windows(texts, reader.tokenizer, reader.window)
        states = window_states(
            reader.module, windows, reader.final_norm, self.tokens_per_batch, self.device
        )
        return unit_rows(states["mean"][-1].astype(np.float64))

    def gradients(
        self, sentence: Sentence, open_words: Sequence[int], unit: np.ndarray, start: np.ndarray
    ) -> Float[np.ndarray, "word dim"]:
        """Return the gradient of the cosine with `unit` by the embedding of every open word.

        It is taken with the word's embedding at `start`, because at the sentence itself the cosine
        is largest and all gradients are 0. For a model with a final norm, it is the gradient of the
        normed state.
        """
        import torch

        module = self.reader.module.to(self.device)
        rows = torch.arange(len(open_words))
        places = torch.tensor([sentence.places[number] for number in open_words])
        planted = torch.from_numpy(np.tile(start, (len(open_words), 1))).to(self.device)
        planted.requires_grad_()

        def plant(_: Any, __: Any, output: Any) -> Any:
            planted_in = output.clone()
            planted_in[rows, places] = planted
            return planted_in

        ids = torch.from_numpy(np.tile(sentence.ids, (len(open_words), 1))).to(self.device)
        hook = module.get_input_embeddings().register_forward_hook(plant)
        try:
            states = module(
                input_ids=ids, attention_mask=torch.ones_like(ids)
            ).last_hidden_state.mean(dim=1)
        finally:
            hook.remove()
        target = torch.from_numpy(unit.astype(np.float32)).to(self.device)
        cosines = torch.nn.functional.cosine_similarity(states, target[None])
        (gradient,) = torch.autograd.grad(cosines.sum(), planted)
        values: Float[np.ndarray, "word dim"] = gradient.cpu().numpy()
        return values


@dataclass(frozen=True, eq=False)
class Search:
    """A search that tries `n_tried` words per place, and checks texts in portions."""

    space: TextSpace
    words: Words
    n_changes: int
    n_tried: int
    n_checked: int
    """The largest number of texts to check per step."""

    def descend(self, sentence: Sentence, passes: Passes) -> list[tuple[Sentence, float]]:
        """Return the sentence, then the text after every change, with the cosine to the sentence.

        Every change takes the smallest cosine among the texts that pass; the search ends when no
        text lowers the cosine.
        """
        (unit,) = self.space.vectors([sentence.text])
        steps = [(sentence, 1.0)]
        open_words = [*range(len(sentence.places))]
        while len(steps) <= self.n_changes and open_words:
            now, cosine = steps[-1]
            tried = [*self._tried(now, open_words, unit)]
            cosines = self.space.vectors([text.text for _, text in tried]) @ unit
            order = [int(row) for row in np.argsort(cosines, kind="stable")]
            better = [row for row in order if cosines[row] < cosine][: self.n_checked]
            row = _first(better, [text.text for _, text in tried], passes)
            if row is None:
                break
            number, text = tried[row]
            open_words.remove(number)
            steps.append((text, float(cosines[row])))
        return steps

    def _tried(
        self, now: Sentence, open_words: Sequence[int], unit: np.ndarray
    ) -> Iterator[tuple[int, Sentence]]:
        table = self._table()
        gradients = self.space.gradients(now, open_words, unit, table.mean(axis=0))
        slopes = gradients.astype(np.float64) @ table.T.astype(np.float64)
        for number, slope in zip(open_words, slopes, strict=True):
            for row in np.argsort(slope, kind="stable")[: self.n_tried]:
                word, token = self.words.texts[row], int(self.words.ids[row])
                if token != now.ids[now.places[number]]:
                    yield number, now.with_word(number, word, token)

    def _table(self) -> Float[np.ndarray, "word dim"]:
        """Return the token embeddings of the words."""
        weight = self.space.reader.module.get_input_embeddings().weight
        table: Float[np.ndarray, "word dim"] = weight.detach().float().cpu().numpy()
        return table[self.words.ids]

    def random_cosines(
        self, sentence: Sentence, n_draws: int, generator: np.random.Generator
    ) -> Float[np.ndarray, " change"]:
        """Return the mean cosine after 0, 1, … replacements, by random words at random places."""
        n_changes = min(self.n_changes, len(sentence.places))
        texts = []
        for _ in range(n_draws):
            order = generator.permutation(len(sentence.places))[:n_changes]
            now = sentence
            for number, row in zip(order, self._rows(n_changes, generator), strict=True):
                now = now.with_word(int(number), self.words.texts[row], int(self.words.ids[row]))
                texts.append(now.text)
        (unit,) = self.space.vectors([sentence.text])
        cosines = (self.space.vectors(texts) @ unit).reshape(n_draws, n_changes)
        return np.concatenate([[1.0], cosines.mean(axis=0)])

    def _rows(self, n: int, generator: np.random.Generator) -> Int[np.ndarray, " change"]:
        return generator.integers(len(self.words.texts), size=n)


def _first(order: Sequence[int], texts: Sequence[str], passes: Passes) -> int | None:
    """Return the first row whose text passes; texts are checked in growing portions."""
    start, size = 0, 4
    while start < len(order):
        some = order[start : start + size]
        taken = passes([texts[row] for row in some])
        if taken.any():
            return some[int(np.argmax(taken))]
        start, size = start + size, 2 * size
    return None
