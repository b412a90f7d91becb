"""Command `embspace cosine`: ranks the cosine of two texts among the cosines of all pairs."""

from dataclasses import dataclass
from math import floor, isnan, log10
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.app.queries.corpus_space import (
    CorpusSpace,
    check_query,
    reference_space,
)
from embspace.app.queries.default_pooling import WITHOUT_LAYER
from embspace.app.queries.shown import ShownAsText
from embspace.errors import counted
from embspace.geometry.inference.pair_percentile import PairPercentile, percentile_among_pairs
from embspace.geometry.pairs.directions import cosine_matrix
from embspace.settings.own import called

N_HALF_SAMPLES = 1000
LEVEL = 0.95
TOKEN_BINS = 2**20  # of the cosines of all pairs of tokens: 466 million have a few hundred in each
MOST_TIMES = 3  # if one is longer by more than this factor, both lengths are told
ROUNDING = 2e-7  # of the cosine of two tokens in float32


@dataclass(frozen=True)
class TokenPair:
    """The cosine of the input vectors of two tokens, and where it stands in the vocabulary."""

    cosine: float
    low: float
    """The least percentile, if all pairs with the same cosine to six digits were higher."""
    high: float
    """The largest percentile, if all these pairs were lower."""
    n_pairs: int


@dataclass(frozen=True)
class Comparison(ShownAsText):
    """Two texts at a layer and pooling of a model, beside the pairs of texts of a corpus."""

    model: str
    corpus: str
    layer: int
    last_layer: int
    pooling: str
    as_is: PairPercentile
    centered: PairPercentile
    """The same with the mean of all these texts, the two included, taken off."""
    tokens: TokenPair | None
    """Set if both texts are single tokens of the vocabulary."""
    lengths: tuple[int, int]
    """Tokens of both texts, special tokens included."""
    usual_length: float
    """The median length of the windows with which the texts are compared."""

    def __str__(self) -> str:
        """Return a line per cosine."""
        named = {"as it is": self.as_is, "centered": self.centered}
        layer = f"layer {self.layer} of {self.last_layer}, "
        place = f"{'' if self.pooling in WITHOUT_LAYER else layer}{self.pooling}"
        lines = [
            f"{self.model}, {place}, among {counted(self.as_is.n_pairs, 'pair')} "
            f"of {counted(self.as_is.n_documents, 'document')} of {self.corpus}",
            f"{'':13} {'cosine':>7}  {'percentile':>10}  {'95 % interval':>17}  {'z':>6}  pairs",
            *(f"{name:13} {_line(pair)}" for name, pair in named.items()),
        ]
        if self.tokens:
            lines.append(f"{'input vectors':13} {_token_line(self.tokens)}")
        if isnan(self.as_is.z) or isnan(self.centered.z):
            lines.append(
                "none: the pairs are too few, or all of one cosine; compare with more texts"
            )
        shorter, longer = sorted([max(self.lengths), self.usual_length])
        if longer > MOST_TIMES * shorter:
            lines.append(
                f"The two texts have {self.lengths[0]} and {self.lengths[1]} tokens, those of "
                f"{self.corpus} about {self.usual_length:.0f}: cosines of longer texts are others, "
                "so compare with texts of about this length"
            )
        return "\n".join(lines)


def compare_texts(
    model_name: str, corpus: str, first: str, second: str, *, layer: int, pooling: str | None
) -> Comparison:
    """Return the cosine of two texts, and its place among all pairs of texts of a corpus.

    Raises:
        InputError: naming anything unknown, not extracted, out of range, or too long, and if a text
            of the corpus cannot be read.
    """
    from embspace.settings.params import read_params

    for text in (first, second):
        check_query(text)
    space = reference_space(model_name, corpus, layer, pooling)
    return compare_within(space, corpus, first, second, read_params().seed)


def compare_within(
    space: CorpusSpace,
    corpus: str,
    first: str,
    second: str,
    seed: int,
) -> Comparison:
    """Return the cosine of two texts among the pairs of a corpus that was read.

    Raises:
        InputError: if a text is empty, too long, or without a known token.
    """
    for text in (first, second):
        check_query(text)
    tokenizer = space.loaded.tokenizer
    documents = _text_numbers(space)
    pair = space.encode([first, second])
    as_is, centered = (
        percentile_among_pairs(
            pair,
            space.vectors,
            documents,
            centered=centered,
            n_half_samples=N_HALF_SAMPLES,
            level=LEVEL,
            rng=np.random.default_rng(seed),
        )
        for centered in (False, True)
    )
    one, other = (_only_token(given, tokenizer) for given in (first, second))
    tokens = None
    if one is not None and other is not None:
        from embspace.clouds.learned import one_space

        matrix = one_space(space.loaded.learned()[0])["input"]
        tokens = token_pair(matrix, one, other)
    return Comparison(
        model=called(space.loaded.name, space.loaded.description.model_dump()),
        corpus=Path(corpus).name,
        layer=space.layer,
        last_layer=space.last_layer,
        pooling=space.pooling,
        as_is=as_is,
        centered=centered,
        tokens=tokens,
        lengths=(len(tokenizer(first)["input_ids"]), len(tokenizer(second)["input_ids"])),
        usual_length=float(space.rows["n_tokens"].median()),
    )


def token_pair(x: Float[np.ndarray, "token dim"], first: int, second: int) -> TokenPair | None:
    """Return the place of the cosine of two rows among all pairs of rows; None without a cosine.

    Every pair is counted. The bounds are the bounds of the cosine's narrow bin.
    """
    from embspace.geometry.pairs.pairs import scan_pairs

    cosine = float(cosine_matrix(x[[first]], x[[second]])[0, 0])
    if np.isnan(cosine):
        return None
    distribution = scan_pairs(x, n_bins=TOKEN_BINS, metrics=["cosine"]).distributions["cosine"]
    lowest, highest = cosine - ROUNDING, cosine + ROUNDING
    below = np.append(0, distribution.counts.cumsum())
    start, end = np.searchsorted(distribution.edges, [lowest, highest], side="right") - [1, 0]
    low, high = 100 * below[[max(start, 0), min(end, TOKEN_BINS)]] / distribution.n
    return TokenPair(cosine, float(low), float(high), distribution.n)


def _text_numbers(space: CorpusSpace) -> Int[np.ndarray, " window"]:
    """Return the number of the document by window; documents are the independent units."""
    import pandas as pd

    document = space.rows["text"].map(space.texts.set_index("id")["document"])
    return np.asarray(pd.factorize(document)[0], dtype=np.int64)


def _only_token(text: str, tokenizer: Any) -> int | None:
    """Return the number of a text's only token; None for several tokens, or an unknown token."""
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids[0] if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None


def _line(pair: PairPercentile) -> str:
    interval = f"{_percent(pair.low)} to {_percent(pair.high)}"
    if isnan(pair.low):
        interval = "none: too few"
    return (
        f"{_number(pair.cosine):>7}  {_percent(pair.percentile):>10}  {interval:>17}  "
        f"{_number(pair.z, 2):>6}  mean {_number(pair.mean)}, standard deviation "
        f"{_number(pair.standard_deviation)}"
    )


def _number(value: float, digits: int = 3) -> str:
    return "none" if isnan(value) else f"{value:.{digits}f}"


def _token_line(pair: TokenPair) -> str:
    shown = [_percent(bound) for bound in (pair.low, pair.high)]
    percentile = shown[0] if shown[0] == shown[1] else " to ".join(shown)
    return f"{pair.cosine:7.3f}  {percentile:>10}  of all {pair.n_pairs:,} pairs of tokens"


def _percent(value: float) -> str:
    """Return a percentage with enough digits to tell values near 100 or 0 from 100 and 0."""
    if isnan(value):
        return "none"
    apart = min(value, 100 - value)
    digits = 1 if not 0 < apart < 1 else -floor(log10(apart))
    return f"{value:.{digits}f}"
