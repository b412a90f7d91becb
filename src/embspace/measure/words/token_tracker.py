"""Stage `measure_token_tracker`: how far tokens drift from their own embeddings, layer by layer.

Avery's token tracker (github.com/danavery/attention-encodings), of RoBERTa and single texts; here
of two groups of words in many texts, with intervals and random weights, and by the model's own
computation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.measure.words.token_tracker_attention import attention_of_words, attention_rows
from embspace.measure.words.token_tracker_source import COLUMNS as SOURCE_COLUMNS
from embspace.measure.words.token_tracker_source import source_table
from embspace.measure.words.token_tracker_tables import COLUMNS, Halves, tables_of
from embspace.measure.words.token_tracker_texts import (
    CONTENT,
    FUNCTION,
    FollowedTexts,
    homonym_texts,
    running_texts,
)
from embspace.measure.words.token_tracker_tracks import SUM, Tracks, read_tracks
from embspace.measure.words.token_tracker_types import density_rows, types_of
from embspace.models.stream.adapters import knows
from embspace.models.stream.tracked_states import POINTS, Point
from embspace.models.stream.tracked_vocabulary import (
    Positions,
    TrackedVocabulary,
    tracked_vocabulary,
)
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, corpus_in_role
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True, eq=False)
class CorpusTexts:
    """A corpus as a model has read it."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    texts: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Stimuli:
    """Sentences of homonyms with their tokens, and the lists of words."""

    homonyms: pd.DataFrame
    tokens: pd.DataFrame
    words: pd.DataFrame
    """`word` and `part_of_speech` of content words."""
    function_words: pd.DataFrame


@dataclass(frozen=True, eq=False)
class TokenTracker:
    """The tables of the stage; all empty where a model has no text or an unknown architecture."""

    layers: pd.DataFrame
    contrasts: pd.DataFrame
    movement: pd.DataFrame
    together: pd.DataFrame
    summary: pd.DataFrame
    source_text: pd.DataFrame


def measure_token_tracker(
    module: Any,
    vocabulary_of: Callable[[Any], TrackedVocabulary],
    tokenizer: Any,
    corpora: Mapping[str, CorpusTexts],
    stimuli: Stimuli,
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
) -> TokenTracker:
    """Ranks of tokens in the vocabulary by nearness to the states, for two groups of words.

    The rank is the number of tokens with an input embedding nearer to the state, by cosine, than
    the token's own; 0 = none. Texts are of `corpus` or, if not read, of the first read corpus.
    Homonyms are compared with the other nouns of the list in their sentences. Intervals are by
    half-samples of the documents, for homonyms of the words. Random weights are measured likewise,
    against their own vocabulary. Beside the tracks stands the attention received by all words of
    both groups in the same texts, against `n_dealt` draws of the classes.
    """
    chosen = corpora.get(corpus_in_role(corpus, roles), next(iter(corpora.values()), None))
    if not knows(module) or tokenizer is None or chosen is None:
        return nothing()
    groups = dict.fromkeys(stimuli.function_words["word"], FUNCTION)
    groups |= dict.fromkeys(stimuli.words["word"].str.lower(), CONTENT)
    nouns = {*stimuli.words.loc[stimuli.words["part_of_speech"] == "noun", "word"].str.lower()}
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
    homonyms = homonym_texts(stimuli.homonyms, stimuli.tokens, nouns)
    if not running.ids:
        return nothing()
    halves = Halves(n_half_samples, level, np.random.default_rng(seed))
    vocabulary = vocabulary_of(module)
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        at_random = with_random_weights(module, seed)
        vocabularies = vocabulary, vocabulary_of(at_random)
        trained, random = (
            _tracks(each, own, (running, homonyms))
            for each, own in zip((module, at_random), vocabularies, strict=True)
        )
        types = density_rows(
            types_of(groups, tokenizer), *vocabularies, halves, n_neighbors=n_neighbors
        )
        received, received_at_random = (
            attention_of_words(each, every_word) for each in (module, at_random)
        )
        attention = attention_rows(
            every_word, received, received_at_random, halves, n_dealt=n_dealt
        )
        more = chain(types, attention)
        tables = tables_of(trained, random, halves, more, n_listed=n_listed, apart=apart)
        source = source_table(module, vocabulary, tokenizer, source_text)
    return TokenTracker(**tables, source_text=source)


def _tracks(
    module: Any,
    vocabulary: TrackedVocabulary,
    texts: tuple[FollowedTexts, FollowedTexts],
) -> tuple[Tracks, Tracks | None]:
    """The tracks in running texts, at all points, and in sentences of homonyms, at the source's."""
    running, homonyms = texts
    positions: tuple[Positions, ...] = ("none", "own", "first")
    reading: list[tuple[FollowedTexts, tuple[Point, ...], tuple[Positions, ...]]] = [
        (running, POINTS, positions if vocabulary.positional is not None else ("none",)),
        (homonyms, (SUM,), ("none",)),
    ]
    first, second = (
        read_tracks(module, vocabulary, each, points=points, positions=added) if each.ids else None
        for each, points, added in reading
    )
    assert first is not None  # as running texts were found
    return first, second


def nothing() -> TokenTracker:
    """The tables without a row."""
    columns = {**COLUMNS, "source_text": SOURCE_COLUMNS}
    return TokenTracker(
        **{each.name: pd.DataFrame(columns=columns[each.name]) for each in fields(TokenTracker)}
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    extracted = f"data/extracted/hidden_states/{name}"
    corpora = {
        corpus: CorpusTexts(
            load_rows(f"{extracted}/{corpus}.windows.parquet"),
            load_rows(f"{extracted}/{corpus}.tokens.parquet"),
            load_rows(f"data/prepared/texts/{corpus}.parquet"),
        )
        for corpus in config.corpora
    }
    stimuli = Stimuli(
        load_rows("data/prepared/stimuli/homonyms.parquet"),
        load_rows(f"data/extracted/stimuli/{name}/homonyms.tokens.parquet"),
        load_rows("data/prepared/stimuli/words.parquet"),
        load_table("data/stimuli/function_words.csv"),
    )
    found = measure_token_tracker(
        load_model(name, model),
        partial(tracked_vocabulary, name, model),
        None if tokenizer_files(model) is None else load_tokenizer(name, model),
        corpora,
        stimuli,
        **config.settings,
    )
    save_table(found.layers, f"results/token_tracker/layers/{name}.csv")
    save_table(found.contrasts, f"results/token_tracker/contrasts/{name}.csv")
    save_table(found.movement, f"results/token_tracker/movement/{name}.csv")
    save_table(found.together, f"results/token_tracker/together/{name}.csv")
    save_table(found.summary, f"results/token_tracker/summary/{name}.csv")
    save_table(found.source_text, f"results/token_tracker/source_text/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_token_tracker)
