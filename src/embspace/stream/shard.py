"""Reads the texts of a shard through a model, and keeps sums, a sample and what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from time import perf_counter

import numpy as np
from jaxtyping import Float

from embspace.models.tokens.unknown import count_unknown
from embspace.models.windows import Window
from embspace.stream.layers import LayerSums, Pilot, Rows
from embspace.stream.plan import Reading, Shard
from embspace.stream.reading import (
    Loaded,
    Quarantine,
    TokenStates,
    sound_states,
    windows_of_texts,
)
from embspace.stream.sources import Text, read_rows
from embspace.stream.states import chunks_of, token_states
from embspace.stream.sums import Sums
from embspace.stream.units.rows import rows_of

PILOT_TEXTS = 256
COUNTED = ("texts", "windows", "tokens", "unknown_tokens", "known_tokens")
SAMPLED = ("mean", "cls")  # spaces of which the vectors of some texts are kept


@dataclass(eq=False)
class ShardResult:
    """All numbers kept of a shard."""

    sums: list[dict[str, Sums]] = field(default_factory=list)
    """By layer and kind of rows; empty without a readable text."""
    shares: list[dict[str, Float[np.ndarray, " batch"]]] = field(default_factory=list)
    """By layer and space: see `BatchShares`."""
    sample: dict[str, Float[np.ndarray, "layer text dim"]] = field(default_factory=dict)
    """By space, the first window of each text of the sample."""
    sample_ids: list[str] = field(default_factory=list)
    sample_documents: list[str] = field(default_factory=list)
    quarantine: Quarantine = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """The numbers of texts, documents, windows and tokens read, and of known and unknown tokens."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Seconds of reading, of the forward passes alone, and of summing."""
    digest: str = ""
    """A hash of the read rows, to notice changed rows."""


def is_sampled(text_id: str, rate: float) -> bool:
    """Return whether a text is in the sample, by a hash of its id: the same in any shard."""
    digest = blake2b(text_id.encode(errors="surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest) < rate * 2.0**64


def digest_of(shard: Shard) -> str:
    """Return the hash of the rows of a shard as they are now; no model reads them."""
    digest = TextDigest()
    for _ in digest.seen(rows_of(shard)):
        pass
    return digest.value


class TextDigest:
    """Hashes rows as they pass."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def seen(self, texts: Iterator[Text]) -> Iterator[Text]:
        """Yield the texts, each hashed before it is used."""
        for text in texts:
            self._hash.update(repr(tuple(text)).encode(errors="surrogatepass"))
            yield text

    @property
    def value(self) -> str:
        """Return the hash of all texts that have passed."""
        return self._hash.hexdigest()


def pilot_of(shard: Shard, reading: Reading, loaded: Loaded) -> Pilot | None:
    """Return the mean vectors of the first texts of a shard; None without a readable text."""
    texts = read_rows(shard.source, shard.first, min(shard.n, PILOT_TEXTS))
    for group, windows in windows_of_texts(texts, loaded, []):
        if windows:  # once, whether a norm follows the last block that the model's file lacks
            token_states(loaded.module, windows[:1], reading.tokens_per_batch, loaded.final_norm)
        _, sound, states = sound_states(group, windows, loaded, reading.tokens_per_batch, [])
        if len(states):
            return Pilot.of(states, sound)
    return None


def embed_shard(shard: Shard, reading: Reading, loaded: Loaded, pilot: Pilot) -> ShardResult:
    """Return the sums over a shard; memory holds one chunk of texts at a time.

    `pilot` gives the origins of sums, and the directions for cosines.
    """
    result, collected = ShardResult(), _Collected(loaded.tokenizer.unk_token_id)
    layers: list[LayerSums] = []
    digest = TextDigest()
    texts = digest.seen(rows_of(shard))
    groups = windows_of_texts(texts, loaded, result.quarantine)
    for group, windows in chunks_of(groups, reading.tokens_per_chunk):
        start = perf_counter()
        sound, windows, states = sound_states(
            group, windows, loaded, reading.tokens_per_batch, result.quarantine
        )
        read = perf_counter()
        if len(states):
            layers = layers or [
                LayerSums(pilot.layer_means(layer), reading.spaces, reading.batch_size)
                for layer in range(len(states))
            ]
            collected.add(layers, states, sound, windows, reading.sample_rate)
        collected.seconds["reading"] += read - start
        collected.seconds["summing"] += perf_counter() - read
    result.sums = [layer.sums() for layer in layers]
    result.shares = [layer.shares() for layer in layers]
    collected.into(result)
    result.digest = digest.value
    return result


class _Collected:
    """Counts, times and the sample of a shard, chunk by chunk."""

    def __init__(self, unknown: int | None) -> None:
        """Take the number of the unknown token."""
        self.seconds = {"reading": 0.0, "summing": 0.0}
        self._unknown = unknown
        self._counts = dict.fromkeys(COUNTED, 0)
        self._documents: set[str] = set()
        self._sample: list[dict[str, np.ndarray]] = []
        self._sampled_texts: list[Text] = []

    def add(
        self,
        layers: Sequence[LayerSums],
        states: TokenStates,
        texts: Sequence[Text],
        windows: Sequence[Window],
        rate: float,
    ) -> None:
        """Add a chunk to the sums of all layers, and keep the vectors of sampled texts."""
        rows = Rows.of(windows)
        chosen = [
            number
            for number, window in enumerate(windows)
            if window.number == 0 and is_sampled(texts[window.text].id, rate)
        ]
        pooled = [layer.add(x, rows) for layer, x in zip(layers, states, strict=True)]
        self._sampled_texts += [texts[windows[number].text] for number in chosen]
        self._sample.append(
            {space: np.stack([vectors[space][chosen] for vectors in pooled]) for space in SAMPLED}
        )
        numbers = (
            len(texts),
            len(windows),
            states.shape[1],
            *count_unknown(windows, self._unknown),
        )
        for name, number in zip(COUNTED, numbers, strict=True):
            self._counts[name] += number
        self._documents.update(text.document for text in texts)

    def into(self, result: ShardResult) -> None:
        """Write the collected numbers into a result."""
        result.counts = {**self._counts, "documents": len(self._documents)}
        result.seconds = self.seconds
        result.sample_ids = [text.id for text in self._sampled_texts]
        result.sample_documents = [text.document for text in self._sampled_texts]
        if self._sample:
            result.sample = {
                space: np.concatenate([vectors[space] for vectors in self._sample], axis=1)
                for space in SAMPLED
            }
