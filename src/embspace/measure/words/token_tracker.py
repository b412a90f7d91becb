"""Stage `measure_token_tracker`: how far tokens drift from their own embeddings, layer by layer.

Avery's token tracker (github.com/danavery/attention-encodings), of RoBERTa and single texts; here
of two groups of words in many texts, with intervals and random weights, and by the model's own
computation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.rows import load_rows
from embspace.measure.tables.columns import estimate, shown, with_bounds
from embspace.measure.words.token_tracker_attention import attention_of_words, attention_rows
from embspace.measure.words.token_tracker_source import PLACE as SOURCE_PLACE
from embspace.measure.words.token_tracker_source import source_table
from embspace.measure.words.token_tracker_tables import Halves, tables_of
from embspace.measure.words.token_tracker_texts import (
    CONTENT,
    FUNCTION,
    FollowedTexts,
    homonym_texts,
    running_texts,
)
from embspace.measure.words.token_tracker_tracks import SUM, Tracks, read_tracks
from embspace.measure.words.token_tracker_types import density_rows, types_of
from embspace.models.stream.tracked_states import Point, tracked_points
from embspace.models.stream.tracked_vocabulary import (
    Positions,
    TrackedVocabulary,
    tracked_vocabulary,
)
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, corpus_in_role
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True, eq=False)
class CorpusTexts:
    """A corpus as a model has read it."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    texts: pd.DataFrame


def load_corpora(states: str, texts: str, corpora: list[str]) -> dict[str, CorpusTexts]:
    """Return each corpus, from the folders of a model's states and of all texts."""
    return {
        corpus: CorpusTexts(
            load_rows(f"{states}/{corpus}.windows.parquet"),
            load_rows(f"{states}/{corpus}.tokens.parquet"),
            load_rows(f"{texts}/{corpus}.parquet"),
        )
        for corpus in corpora
    }


PLACE: dict[str, Column] = {"positions": "row", **shown("row", "layer", "point", "quantity")}
VALUE, SIZES = estimate("followed"), shown("count", "n_tokens", "n_units")
TOKEN_TRACKER = Analysis(
    noun="token_tracker",
    question=(
        "How far do tokens drift from their own embeddings, and is it content or function words? "
        "[The token tracker](token_tracker.md)"
    ),
    reads={
        "module": Source(load_model),
        "vocabulary_of": Source(lambda name, model: partial(tracked_vocabulary, name, model)),
        "tokenizer": Source(
            lambda name, model: load_tokenizer(name, model) if tokenizer_files(model) else None
        ),
        "corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"]),
        "homonyms": "data/prepared/stimuli/homonyms.parquet",
        "homonym_tokens": "data/extracted/stimuli/{model}/homonyms.tokens.parquet",
        "words": "data/prepared/stimuli/words.parquet",
        "function_words": "data/stimuli/function_words.csv",
    },
    tables={
        "layers": Table(shown("row", "group") | PLACE | VALUE | SIZES),
        "contrasts": Table(shown("row", "contrast") | PLACE | VALUE | SIZES),
        "movement": Table(shown("row", "group", "quantity", "layer") | VALUE | SIZES),
        "together": Table(shown("row", "quantity", "layer") | VALUE | {"n_units": "count"}),
        "summary": Table(
            shown("row", "statistic")
            | estimate("followed", "followed_bound")
            | with_bounds("dealt", "followed", "classes dealt anew", "followed_bound")
            | {"p_value": ("p_value", "p")}
            | SIZES
        ),
        "source_text": Table(
            dict.fromkeys(SOURCE_PLACE, "row")
            | {"rank": "followed_rank", "cosine": "cosine"}
            | {"nearest_token": "followed_choice", "nearest_cosine": "cosine"}
        ),
    },
    undrawn=["source_text", "together"],
)


def measure_token_tracker(
    module: Any,
    vocabulary_of: Callable[[Any], TrackedVocabulary],
    tokenizer: Any,
    corpora: Mapping[str, CorpusTexts],
    homonyms: pd.DataFrame,
    homonym_tokens: pd.DataFrame,
    words: pd.DataFrame,
    function_words: pd.DataFrame,
    *,
    corpus: str,
    n_texts: PositiveInt,
    n_words_of_text: PositiveInt,
    n_neighbors: PositiveInt,
    n_listed: PositiveInt,
    apart: Probability,
    n_dealt: PositiveInt,
    source_text: str,
    n_half_samples: PositiveInt,
    level: Probability,
    roles: dict[Role, CorpusName],
    seed: NonNegativeInt,
) -> Outcome:
    """Rank tokens of two groups of words in the vocabulary, by nearness to their states.

    The rank is the number of tokens with an input embedding nearer to the state, by cosine, than
    the token's own; 0 = none. Texts are of `corpus` or, if not read, of the first read corpus.
    Homonyms are compared with the other nouns of the list in their sentences. Intervals are by
    half-samples of the documents, for homonyms of the words. Random weights are measured likewise,
    against their own vocabulary. Beside the tracks stands the attention received by all words of
    both groups in the same texts, against `n_dealt` draws of the classes. A model whose blocks
    cannot be rebuilt is read at the layers' outputs; the summary, whose claims are on the sum after
    attention, and the example are empty.
    """
    chosen = corpora.get(corpus_in_role(corpus, roles), next(iter(corpora.values()), None))
    if module is None or tokenizer is None or chosen is None:
        return TOKEN_TRACKER.empty()
    groups = dict.fromkeys(function_words["word"], FUNCTION)
    groups |= dict.fromkeys(words["word"].str.lower(), CONTENT)
    nouns = {*words.loc[words["part_of_speech"] == "noun", "word"].str.lower()}
    running, every_word = (
        running_texts(
            chosen.windows,
            chosen.tokens,
            chosen.texts,
            groups,
            n_texts=n_texts,
            n_words_of_text=most,
        )
        for most in (n_words_of_text, len(chosen.tokens))
    )
    sentences = homonym_texts(homonyms, homonym_tokens, nouns)
    if not running.ids:
        return TOKEN_TRACKER.empty()
    halves = Halves(n_half_samples, level, np.random.default_rng(seed))
    vocabulary = vocabulary_of(module)
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        at_random = with_random_weights(module, seed)
        vocabularies = vocabulary, vocabulary_of(at_random)
        trained, random = (
            _tracks(*read, (running, sentences))
            for read in zip((module, at_random), vocabularies, strict=True)
        )
        types = density_rows(
            types_of(groups, tokenizer), *vocabularies, halves, n_neighbors=n_neighbors
        )
        received, received_at_random = (
            attention_of_words(read, every_word) for read in (module, at_random)
        )
        attention = attention_rows(
            every_word, received, received_at_random, halves, n_dealt=n_dealt
        )
        more = chain(types, attention)
        tables = tables_of(trained, random, halves, more, n_listed=n_listed, apart=apart)
    if SUM not in tracked_points(module):
        return TOKEN_TRACKER.empty() | {name: tables[name] for name in tables if name != "summary"}
    return {**tables, "source_text": source_table(module, vocabulary, tokenizer, source_text)}


def _tracks(
    module: Any,
    vocabulary: TrackedVocabulary,
    texts: tuple[FollowedTexts, FollowedTexts],
) -> tuple[Tracks, Tracks | None]:
    """Return the tracks in running texts, at all points, and of homonyms, at one."""
    running, homonyms = texts
    points = tracked_points(module)
    at_sum: Point = SUM if SUM in points else "output"
    positions: tuple[Positions, ...] = ("none", "own", "first")
    reading: list[tuple[FollowedTexts, tuple[Point, ...], tuple[Positions, ...]]] = [
        (running, points, positions if vocabulary.positional is not None else ("none",)),
        (homonyms, (at_sum,), ("none",)),
    ]
    first, second = (
        read_tracks(module, vocabulary, own, points=points, positions=added) if own.ids else None
        for own, points, added in reading
    )
    assert first is not None  # as running texts were found
    return first, second


main = TOKEN_TRACKER.main(measure_token_tracker)

if __name__ == "__main__":
    run_stage(main, measure_token_tracker)
