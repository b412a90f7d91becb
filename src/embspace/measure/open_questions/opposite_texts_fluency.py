"""How likely a text is, a token: by pairs of words, a masked head or a language model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import regex
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import half_sample_interval
from embspace.models.encoder import padded
from embspace.models.parameters.masked_head import HeadTransform, read_masked_head
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model
from embspace.models.windows import cut_windows
from embspace.settings.model import Model, VectorsModel, describe_model, model_file
from embspace.settings.schema import read_yaml

PART = regex.compile(r"[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]")
EDGE = ""  # before the first word and after the last one
MOST_TOKENS = 256  # of a sentence that a judge reads
ROWS_AT_ONCE = 32


@runtime_checkable
class Fluency(Protocol):
    """Says how likely texts are."""

    def scores(self, texts: Sequence[str], without: str = "") -> Float[np.ndarray, " text"]:
        """Return the natural logarithm of the likelihood per token; larger is more fluent.

        `without` is a sentence to leave out of the counts, so that it does not vouch for itself.
        """
        ...


def rates_order(
    fluency: Fluency,
    texts: Sequence[str],
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> bool:
    """Return whether texts are surely likelier than the same words in random order, on average.

    An untrained model rates both alike, and judges no fluency.
    """
    words = (text.split() for text in texts)
    shuffled = [" ".join(generator.permutation(own)) for own in words]
    gains = np.array(
        [
            float(np.subtract(*fluency.scores([text, other], text)))
            for text, other in zip(texts, shuffled, strict=True)
        ]
    )
    interval = half_sample_interval(
        lambda units: np.nanmean(gains[units]),
        len(gains),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )
    return bool(interval.low > 0)


class WordPairs:
    """Counts of successive words, smoothed after Witten and Bell (1991)."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._pairs = Counter(pair for text in sentences for pair in _pairs(text))
        self._before, self._after = Counter[str](), Counter[str]()
        self._kinds = Counter(first for first, _ in self._pairs)
        for (first, second), n in self._pairs.items():
            self._before[first] += n
            self._after[second] += n
        self._total = self._after.total()

    def scores(self, texts: Sequence[str], without: str = "") -> Float[np.ndarray, " text"]:
        """Return the mean log-likelihood of a word after the word before; NaN without a word.

        The pairs of the sentence `without` are taken off the counts.
        """
        own = Counter(_pairs(without))
        before = Counter(first for first, _ in own.elements())
        after = Counter(second for _, second in own.elements())
        return np.array([self._score(text, own, before, after) for text in texts])

    def _score(
        self, text: str, own: Counter[Any], before: Counter[str], after: Counter[str]
    ) -> float:
        pairs = [*_pairs(text)]
        logs = []
        for first, second in pairs:
            n_first, n_kinds = self._before[first] - before[first], self._kinds[first]
            n_pair = self._pairs[first, second] - own[first, second]
            n_second = self._after[second] - after[second]
            alone = (n_second + 1) / (self._total - own.total() + len(self._after) + 1)
            logs.append(log((n_pair + n_kinds * alone) / (n_first + n_kinds) if n_kinds else alone))
        return sum(logs) / len(logs) if len(pairs) > 1 else float("nan")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield neighboring words and marks, in small letters, with both edges."""
    parts = [EDGE, *(part.lower() for part in PART.findall(text)), EDGE]
    if len(parts) > 2:  # noqa: PLR2004, both edges alone
        yield from zip(parts, parts[1:], strict=False)


@dataclass(frozen=True, eq=False)
class MaskedJudge:
    """The masked head of the model itself: pseudo-log-likelihood (Salazar et al. 2020)."""

    module: Any
    tokenizer: Any
    head: HeadTransform

    def scores(self, texts: Sequence[str], without: str = "") -> Float[np.ndarray, " text"]:
        """Return the mean over ordinary tokens, each hidden behind the mask token in turn."""
        return np.array([self._score(text) for text in texts])

    def _score(self, text: str) -> float:
        import torch

        (window,) = cut_windows([text], self.tokenizer, MOST_TOKENS)
        places = np.flatnonzero(~window.special)
        ids = np.tile(window.ids, (len(places), 1))
        ids[np.arange(len(places)), places] = self.tokenizer.mask_token_id
        with torch.inference_mode():
            states = self.module(input_ids=torch.from_numpy(ids)).last_hidden_state
        hidden = states[torch.arange(len(places)), torch.from_numpy(places)].float().numpy()
        scores = self.head(hidden) @ self.head.output.T
        if self.head.bias is not None:
            scores = scores + self.head.bias
        return float(_log_softmax_at(scores, window.ids[places]).mean())


@dataclass(frozen=True, eq=False)
class LanguageJudge:
    """A language model that reads from left to right, with tied weights and its own tokenizer."""

    module: Any
    tokenizer: Any

    def scores(self, texts: Sequence[str], without: str = "") -> Float[np.ndarray, " text"]:
        """Return the mean over all tokens but the first."""
        import torch

        windows = cut_windows(texts, self.tokenizer, MOST_TOKENS)
        table = self.module.get_input_embeddings().weight
        values = []
        for start in range(0, len(windows), ROWS_AT_ONCE):
            some = windows[start : start + ROWS_AT_ONCE]
            ids, mask = map(torch.from_numpy, padded([window.ids for window in some]))
            with torch.inference_mode():
                states = self.module(input_ids=ids, attention_mask=mask).last_hidden_state
                for window, row in zip(some, states, strict=True):
                    n = len(window.ids)
                    scores = (row[: n - 1] @ table.T).float().numpy()
                    values.append(float(_log_softmax_at(scores, window.ids[1:]).mean()))
        return np.array(values)


def _log_softmax_at(
    scores: Float[np.ndarray, "row token"], ids: Int[np.ndarray, " row"]
) -> Float[np.ndarray, " row"]:
    from scipy.special import logsumexp

    chosen: Float[np.ndarray, " row"] = scores[np.arange(len(ids)), ids].astype(np.float64)
    return chosen - logsumexp(scores.astype(np.float64), axis=1)


Judge = MaskedJudge | LanguageJudge


def load_judge(folder: str, name: str, model: Model, judge: str) -> Judge | None:
    """Return the masked head of a model, else the language model `judge`; None without both.

    `folder` has the pins of the models in params.yaml; a judge without a pin is not used. A judge
    has tied weights: its scores are products with its own token embeddings.
    """
    if isinstance(model, VectorsModel) or not tokenizer_files(model):
        return None
    head = getattr(model, "masked_head", None)
    if head is not None:
        module = load_model(name, model)
        table = module.get_input_embeddings().weight.detach().numpy()
        transform = read_masked_head(name, model, head, module.config, table)
        return MaskedJudge(module, load_tokenizer(name, model), transform)
    if not (Path(folder) / f"{judge}.json").is_file():
        return None
    own = describe_model(judge, read_yaml(Path(model_file(judge))))
    module = load_model(judge, own)
    return LanguageJudge(module, load_tokenizer(judge, own)) if _is_tied(module) else None


def _is_tied(module: Any) -> bool:
    return bool(getattr(module.config, "tie_word_embeddings", False))
