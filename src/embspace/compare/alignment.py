"""Stage `compare_alignment`: how alike the layers of two models hold the same texts and words."""

import logging
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.compare.aligned_words import one_of_each, tokens_of_words, words_of
from embspace.compare.alignment_table import COLUMNS as OF_LAYERS
from embspace.compare.alignment_table import Views, alignment_rows, alignment_values
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import map_tensors
from embspace.settings.params import models_of
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

STIMULI = ("homonyms", "synonyms", "paraphrases", "controls", "differences")
COLUMNS = ["corpus", "unit", *OF_LAYERS, "random_weights_value"]


@dataclass(frozen=True, eq=False)
class AlignedCorpus:
    """Holds the hidden states of a model on the texts of a corpus."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    states: Mapping[str, Float[np.ndarray, "layer row dim"]]
    """`mean`, a row a window; `token`, a row a token, where those were kept."""


@dataclass(frozen=True, eq=False)
class ReadModel:
    """Holds the hidden states of a model on all corpora and stimuli."""

    corpora: dict[str, AlignedCorpus]
    stimuli: Mapping[str, Mapping[str, Float[np.ndarray, "layer sentence dim"]]]
    """By set, `mean` and the same at random weights, `random_mean`."""


def compare_alignment(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    pair: tuple[ReadModel, ReadModel],
    *,
    word_corpora: list[str],
    smallest_n: PositiveInt,
    largest_n: PositiveInt,
    n_neighbors: PositiveInt,
    n_resamples: PositiveInt,
    n_permutations: PositiveInt,
    n_procrustes_permutations: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """Return the alignment of every layer of a model with every layer of a second model.

    `unit` is the kind of a point: a text, as the mean of all tokens, windows weighted by length;
    or, in `word_corpora`, a word in a text, as the mean of the word's tokens, found by characters,
    whatever the tokenizers. Per document (the article, for sentences of an article) a single text
    or word is drawn, among texts read by both models or words held whole, for independent points;
    at most `largest_n` documents. The draw depends only on the name of the corpus; `n` is the
    number of points. Fewer than `smallest_n` are not compared; words of a corpus without states of
    tokens are left out, with a warning. The corpus `stimuli` are the sentences of `STIMULI`,
    distinct texts; only these have `random_weights_value`, the same before any training, and no
    interval, for the sentences were not sampled. Random weights are of one seed: two models of
    equal architecture and vocabulary have equal random weights, and the trivial value is left out.
    Layer 0 is the embedding output.
    """
    parts = []
    with_tokens = _with_token_states(pair, word_corpora)
    sets = views_of_all(texts, stimuli, pair, with_tokens, largest_n, seed)
    for corpus, unit, views, random in sets:
        if views is None or views.n < max(smallest_n, n_neighbors + 1):
            continue
        table = alignment_rows(
            views,
            n_neighbors=n_neighbors,
            n_resamples=n_resamples,
            n_permutations=n_permutations,
            n_procrustes_permutations=n_procrustes_permutations,
            level=level,
            generator=_stream(seed, corpus, unit, "permuted"),
        )
        table["random_weights_value"] = _random_values(table, random, n_neighbors)
        parts.append(table.assign(corpus=corpus, unit=unit))
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def _stream(seed: int, *names: str) -> np.random.Generator:
    """Random numbers by purpose, independent of all further draws."""
    return np.random.default_rng([seed, zlib.crc32("/".join(names).encode())])


def _with_token_states(pair: tuple[ReadModel, ReadModel], word_corpora: list[str]) -> list[str]:
    """Return the corpora with stored states of tokens; log the rest."""
    kept = []
    for corpus in word_corpora:
        read = [model.corpora[corpus] for model in pair if corpus in model.corpora]
        if all("token" in each.states for each in read):
            kept.append(corpus)
        else:
            logging.getLogger(__name__).warning(
                "words of corpus '%s' are left out: conf/corpus/%s.yaml: key 'token_states': "
                "found False, needed of `word_corpora` in conf/compare/alignment.yaml: True",
                corpus,
                corpus,
            )
    return kept


Set = tuple[str, str, Views | None, Views | None]  # corpus, unit, of both models, at random weights


def views_of_all(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    pair: tuple[ReadModel, ReadModel],
    word_corpora: list[str],
    largest_n: int,
    seed: int,
) -> Iterator[Set]:
    """Yield the points of every corpus, texts and words, and the points of the stimuli.

    Equal for equal corpus and seed, whatever else exists.
    """
    for corpus, table in texts.items():
        one, other = (model.corpora[corpus] for model in pair)
        stream = _stream(seed, corpus, "text")
        yield corpus, "text", _of_texts(table, one, other, largest_n, stream), None
        if corpus in word_corpora:
            stream = _stream(seed, corpus, "word")
            yield corpus, "word", _of_words(table, one, other, largest_n, stream), None
    if not stimuli:
        return
    stream = _stream(seed, "stimuli", "text")
    yield "stimuli", "text", *_of_stimuli(stimuli, pair, largest_n, stream)


def _of_texts(
    texts: pd.DataFrame,
    one: AlignedCorpus,
    other: AlignedCorpus,
    largest_n: int,
    generator: np.random.Generator,
) -> Views | None:
    """The mean states of texts that both models have read, one text a document."""
    read: Bool[np.ndarray, " text"] = (
        texts["id"].isin(one.windows["text"]) & texts["id"].isin(other.windows["text"])
    ).to_numpy(dtype=bool)
    rows = one_of_each(_documents(texts), read, largest_n=largest_n, generator=generator)
    if not len(rows):
        return None
    chosen = texts["id"].iloc[rows]
    x, y = (_means_of_windows(each, chosen) for each in (one, other))
    return Views(x, y, is_sample=True)


def _documents(texts: pd.DataFrame) -> Int[np.ndarray, " text"]:
    return pd.factorize(texts["document"])[0].astype(np.int64)


def _means_of_windows(
    corpus: AlignedCorpus, texts: "pd.Series[str]"
) -> Float[np.ndarray, "layer text dim"]:
    """The mean states of the windows of texts, each window by its number of tokens."""
    place = pd.Series(np.arange(len(texts)), texts)
    windows = corpus.windows[corpus.windows["text"].isin(texts)]
    number = windows["text"].map(place).to_numpy(dtype=np.int64)
    order = np.argsort(number, kind="stable")
    number, rows = number[order], windows.index.to_numpy()[order]
    weight = windows["n_tokens"].to_numpy(dtype=np.float64)[order]
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    total = np.add.reduceat(weight, first)[:, np.newaxis]
    return np.stack(
        [
            np.add.reduceat(layer[rows] * weight[:, np.newaxis], first) / total
            for layer in corpus.states["mean"]
        ]
    )


def _of_words(
    texts: pd.DataFrame,
    one: AlignedCorpus,
    other: AlignedCorpus,
    largest_n: int,
    generator: np.random.Generator,
) -> Views | None:
    """The mean states of words in the tokens of both models, one word a document."""
    if one.tokens.empty or other.tokens.empty:
        return None
    words = words_of(texts)
    of_one, of_other = (tokens_of_words(words, each.tokens, each.windows) for each in (one, other))
    chosen = one_of_each(
        _documents(texts)[words.text],
        of_one.is_whole & of_other.is_whole,
        largest_n=largest_n,
        generator=generator,
    )
    if not len(chosen):
        return None
    return Views(
        of_one.means(one.states["token"], chosen),
        of_other.means(other.states["token"], chosen),
        is_sample=True,
    )


def _of_stimuli(
    stimuli: dict[str, pd.DataFrame],
    pair: tuple[ReadModel, ReadModel],
    largest_n: int,
    generator: np.random.Generator,
) -> tuple[Views | None, Views | None]:
    """Both models, and both architectures at random weights, on sentences made for other stages."""
    if any(not model.stimuli[name]["mean"].shape[1] for model in pair for name in stimuli):
        return None, None
    sentences = pd.concat([table["text"] for table in stimuli.values()], ignore_index=True)
    different = np.flatnonzero(~sentences.duplicated())
    rows = np.sort(generator.permutation(different)[:largest_n])

    def views(kind: str) -> Views:
        stacked = [
            np.concatenate([model.stimuli[name][kind] for name in stimuli], axis=1)[:, rows]
            for model in pair
        ]
        return Views(stacked[0], stacked[1], is_sample=False)

    return views("mean"), views("random_mean")


def _random_values(
    table: pd.DataFrame, random: Views | None, n_neighbors: int
) -> "pd.Series[float]":
    """The values at random weights, in the order of the table; NaN where there are none."""
    keys = ["layer", "other_layer", "measure"]
    if random is None or np.array_equal(random.x, random.y):
        return pd.Series(np.nan, table.index)
    values = alignment_values(random, n_neighbors=n_neighbors)
    return table[keys].merge(values, how="left", on=keys)["value"]


def load_read_model(name: str, corpora: list[str], word_corpora: list[str]) -> ReadModel:
    """Return what was extracted of a model; the states of tokens of `word_corpora`, if kept."""
    read, seen = f"data/extracted/hidden_states/{name}", f"data/extracted/stimuli/{name}"
    return ReadModel(
        corpora={
            corpus: AlignedCorpus(
                load_rows(f"{read}/{corpus}.windows.parquet"),
                load_rows(f"{read}/{corpus}.tokens.parquet"),
                _states(f"{read}/{corpus}.safetensors", with_tokens=corpus in word_corpora),
            )
            for corpus in corpora
        },
        stimuli={
            each: map_tensors(f"{seen}/{each}.safetensors", ["mean", "random_mean"])
            for each in STIMULI
        },
    )


def _states(path: str, *, with_tokens: bool) -> Mapping[str, Float[np.ndarray, "layer row dim"]]:
    """`mean`, and `token` if wanted and there."""
    if with_tokens:
        try:
            return map_tensors(path, ["mean", "token"])
        except InputError:  # not kept, or a broken file, which is so without them too
            pass
    return map_tensors(path, ["mean"])


def main(config: StageConfig) -> None:
    """Load, call, save."""
    settings: dict[str, Any] = config.settings
    one, other = (
        load_read_model(name, config.corpora, settings["word_corpora"])
        for name in models_of(config.pair)
    )
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        table = compare_alignment(
            {name: load_rows(f"data/prepared/texts/{name}.parquet") for name in config.corpora},
            {name: load_rows(f"data/prepared/stimuli/{name}.parquet") for name in STIMULI},
            (one, other),
            **settings,
        )
    save_table(table, f"results/alignment/{config.pair}.csv")


if __name__ == "__main__":
    run_stage(main, compare_alignment, groups=("pair",))
