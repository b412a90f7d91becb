"""The stream of one text at a time through every block, for texts that a model has read before."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.clouds.layers import CorpusStates
from embspace.models.encoder import batches_by_length
from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.rebuild import rebuild_stream

FEWEST_TOKENS = 2  # of which two vectors can differ
TokenIds = Int[np.ndarray, " _"]  # texts differ in length


def chosen_corpus(corpora: Mapping[str, CorpusStates], asked: str) -> str | None:
    """Return the wanted corpus or, if missing, the corpus with most tokens.

    None without a corpus.
    """
    having = {name: each for name, each in corpora.items() if each.n_documents}
    if asked in having or not having:
        return asked if having else None
    return max(having, key=lambda name: len(having[name].tokens))


def texts_of(corpus: CorpusStates, n_texts: int) -> list[TokenIds]:
    """The tokens of the first window of `n_texts` documents at most, evenly over the corpus.

    One window a document, so that texts are independent; windows of a single token are left out.
    """
    windows = [part["id"].to_numpy() for _, part in corpus.tokens.groupby("window", sort=True)]
    first: dict[int, TokenIds] = {}
    for document, ids in zip(corpus.document.tolist(), windows, strict=True):
        if len(ids) >= FEWEST_TOKENS:
            first.setdefault(document, ids)
    found = list(first.values())
    if len(found) <= n_texts:
        return found
    kept = np.linspace(0, len(found) - 1, n_texts).round().astype(int)
    return [found[number] for number in kept]


def text_streams(
    module: Any, texts: Sequence[TokenIds], tokens_per_batch: int, device: str
) -> Iterator[tuple[int, LayerStream]]:
    """The number of a text and its stream through a layer, for each layer and text.

    Texts are read in batches of like length, layer by layer; the stream is without padding and
    without the batch's axis.
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
                yield number, stream.of_text(row, lengths[number])
