"""The stream through every block, one text at a time, for texts that a model has read before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.clouds.layers import CorpusStates
from embspace.files.tables import Row
from embspace.measure.tables.columns import BESIDE_RANDOM_WEIGHTS
from embspace.models.encoder import batches_by_length
from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.rebuild import rebuild_stream

FEWEST_TOKENS = 2  # of which two vectors can differ
TokenIds = Int[np.ndarray, " _"]  # texts differ in length


@dataclass(frozen=True, eq=False)
class ChosenTexts:
    """Some texts of a corpus."""

    corpus: str | None
    tokens: list[TokenIds]

    @property
    def facts(self) -> Row:
        """Return the table columns that say what was read: corpus, number of texts and tokens."""
        n_tokens = sum(len(ids) for ids in self.tokens)
        return {"corpus": self.corpus, "n_texts": len(self.tokens), "n_tokens": n_tokens}


def chosen_corpus(corpora: Mapping[str, CorpusStates], wanted: str) -> str | None:
    """Return the wanted corpus or, if missing, the corpus with most tokens.

    None if no corpus has tokens.
    """
    sizes = {name: n for name, corpus in corpora.items() if (n := len(corpus.tokens))}
    return wanted if wanted in sizes else max(sizes, key=sizes.__getitem__, default=None)


def chosen_texts(corpora: Mapping[str, CorpusStates], wanted: str, n_texts: int) -> ChosenTexts:
    """Return the first window of at most `n_texts` documents, evenly over the chosen corpus.

    With one window a document, texts are independent. Windows of a single token are left out.
    """
    name = chosen_corpus(corpora, wanted)
    if name is None:
        return ChosenTexts(None, [])
    tokens = corpora[name].tokens.groupby("window", sort=True)["id"]
    first: dict[int, TokenIds] = {}
    for document, (_, ids) in zip(corpora[name].document.tolist(), tokens, strict=True):
        if len(ids) >= FEWEST_TOKENS:
            first.setdefault(document, ids.to_numpy())
    texts = list(first.values())
    if len(texts) > n_texts:
        kept = np.linspace(0, len(texts) - 1, n_texts).round().astype(int)
        texts = [texts[number] for number in kept]
    return ChosenTexts(name, texts)


def estimate_row(value: float, low: float, high: float, random: Float[np.ndarray, " seed"]) -> Row:
    """Return a value, its interval, and mean and range over models with random weights, if any."""
    numbers = [value, low, high]
    if len(random):
        numbers += [random.mean(), random.min(), random.max()]
    return dict(zip(BESIDE_RANDOM_WEIGHTS, map(float, numbers), strict=False))


def text_streams(
    module: Any, texts: Sequence[TokenIds], tokens_per_batch: int, device: str
) -> Iterator[tuple[int, LayerStream]]:
    """Yield the number of a text and its stream through a layer, for all layers and texts.

    Texts are read in batches of similar length, layer by layer; the stream has no padding and no
    axis of the batch.
    """
    module = module.to(device)
    lengths = [len(ids) for ids in texts]
    for batch in batches_by_length(lengths, tokens_per_batch):
        longest = max(lengths[number] for number in batch)
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, number in enumerate(batch):
            ids[row, : lengths[number]] = texts[number]
            mask[row, : lengths[number]] = 1
        for stream in rebuild_stream(module, ids, mask):
            for row, number in enumerate(batch):
                yield number, stream.without_padding(row, lengths[number])
