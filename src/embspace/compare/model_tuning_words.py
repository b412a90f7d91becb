"""Stage `compare_model_tuning_words`: which words of a list the changes of weights write."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from jaxtyping import Bool
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.compare.both_models import NAMES, WEIGHTS, both_models
from embspace.compare.model_changes_rows import Rules, is_moved, mismatch, paired_weights
from embspace.files.tables import Row
from embspace.measure.parameters.tuning_words_rows import (
    COUNTED,
    OPEN,
    PRESENT,
    Counted,
    Lists,
    Protocol,
    card_row,
    counted_change,
    lists_of,
    pooled_row,
    presence,
    reduced,
    require_enough,
    share_row,
    word_null,
)
from embspace.measure.parameters.tuning_words_runs import (
    Vocabulary,
    listed_vocabulary,
    load_listed_words,
)
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.all_weights import AllWeights, load_all_weights
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SETTINGS = "conf/compare/model_tuning_words.yaml"


def load_weights(described: str, _: str) -> AllWeights | None:
    """Return the weights of a model of conf/model; None for vectors alone."""
    name = Path(described).stem
    return load_all_weights(name, describe_model(name, read_yaml(Path(described))))


def load_vocabulary(words: str, described: str, _: str) -> Vocabulary:
    """Return the vocabulary of a model of conf/model; without tokens, of one without a tokenizer.

    Raises:
        InputError: as `load_listed_words`.
    """
    name, listed = Path(described).stem, load_listed_words(words)
    model = describe_model(name, read_yaml(Path(described)))
    if isinstance(model, VectorsModel) or not tokenizer_files(model):
        return Vocabulary([], [], [], len(listed), list(listed["word"]))
    return listed_vocabulary(name, load_tokenizer(name, model), model, listed)


MODEL_TUNING_WORDS = Analysis(
    noun="model_tuning_words",
    question="Do the changes from a model to another, as by tuning, write words of a list?",
    reads={
        **both_models("weights", load_weights, *WEIGHTS),
        "names": NAMES,
        "vocabulary": Source(load_vocabulary, ("{words}", *WEIGHTS)),
    },
    tables={
        # A row a group of parameters, over all layers that moved.
        "csv": Table(
            {"group": "row", "n_listed_tokens": "count", "n_list": "count"}
            | {"n_read_tokens": "count", "n_layers": "count", "n_vectors": "count", **COUNTED}
            | with_bounds("null_words", "trained_geometry")
            | {"verdict": "trained_verdict", "reason": "name"}
        ),
        # A row a group and layer that moved, with the change of the most listed words.
        "layers": Table(
            {"group": "row", "layer": "row", "n_vectors": "count", "n_rows": "count"}
            | {"relative_change": "trained_geometry", "least_listed": "trained_statistic"}
            | {"null_vectors": "trained_statistic", **COUNTED}
            | dict.fromkeys(("vector", "n_listed", "sign", "tokens"), "trained_verdict")
        ),
    },
    verb="compare",
    over="compared",
)


def compare_model_tuning_words(
    weights: AllWeights | None,
    other_weights: AllWeights | None,
    names: tuple[str, str],
    vocabulary: Vocabulary,
    *,
    words: str,
    n_rows: PositiveInt,
    n_tokens: PositiveInt,
    n_random_vectors: PositiveInt,
    level: Share,
    n_lists: PositiveInt,
    n_turns: PositiveInt,
    n_nearest: PositiveInt,
    n_words: PositiveInt,
    least_words: Annotated[int, Field(ge=1)],
    least_rows: Annotated[int, Field(ge=2)],
    least_deviations: PositiveFloat,
    left_out: list[str],
    n_shown: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Count words of a list among the readings of the changes from the first model to the second.

    As `measure_tuning_words`, for any two models with weights that match, and any list: a change
    is a row of a matrix of the second model less the same row of the first, read by the token
    embeddings of the first. Matrices count whose rows moved, as `compare_model_changes` says. A
    third null, `word_null`, has changes that write other words. In a group, words are `present`,
    `absent` or `open` by the rule beside the settings. Parameters are a whole population: no
    interval. Else a single row has the `reason`.

    Args:
        weights: The weights of the first model; None for vectors alone.
        other_weights: The weights of the second model.
        names: The names of both models.
        vocabulary: The tokens of the first model, with the value of listed ones.
        words: The file of the list.
        n_rows: Largest number of rows of a layer and group, at equal distances.
        n_tokens: Words of a change, and of the negation.
        n_random_vectors: Random vectors for the bound.
        level: Of the bound and of the ranges.
        n_lists: Draws of the null of lists.
        n_turns: Draws of the null of turned changes.
        n_nearest: Candidate words to replace a listed word.
        n_words: Largest number of unlisted words in the null of words.
        least_words: Least number of listed tokens.
        least_rows: Weights with fewer rows have their entries dealt.
        least_deviations: Distance of moved weights from dealt rows, in standard deviations.
        left_out: Kinds of unread tokens.
        n_shown: Words of a change in the tables.
        seed: Of all draws.

    Raises:
        InputError: if the vocabulary has too few tokens for `n_tokens` or for random lists.
    """
    is_read = vocabulary.not_of(left_out)
    if reason := _reason(weights, other_weights, names, vocabulary, is_read, words, least_words):
        return _not_measured(reason)
    assert weights is not None and other_weights is not None and weights.parameters is not None
    n_listed = int((vocabulary.is_listed & is_read).sum())
    require_enough(vocabulary, is_read, n_listed, n_tokens, SETTINGS)
    protocol = Protocol(
        n_tokens=n_tokens,
        n_turned=n_rows,
        n_random_vectors=n_random_vectors,
        level=level,
        n_turns=n_turns,
        n_lists=n_lists,
        n_nearest=n_nearest,
        n_shown=n_shown,
        seed=seed,
    )
    rules = Rules(1, least_rows, least_deviations)
    with threadpool_limits(1):  # the same sums on any number of cores
        lists = lists_of(weights.parameters.output_embedding, vocabulary, is_read, protocol)
        counted = list(_counted(weights, other_weights, rules, lists, protocol))
        if not counted:
            return _not_measured("no matrix of a layer moved")
        named = reduced(vocabulary, is_read).tokens
        facts: Row = {
            "n_listed_tokens": n_listed,
            "n_list": vocabulary.n_words,
            "n_read_tokens": int(is_read.sum()),
        }
        return {
            "csv": MODEL_TUNING_WORDS.tables["csv"].of(
                facts | row for row in _group_rows(counted, lists, protocol, n_words)
            ),
            "layers": MODEL_TUNING_WORDS.tables["layers"].of(
                share_row(change, lists, protocol) | card_row(change, lists, named, n_shown)
                for change in counted
            ),
        }


def _reason(
    weights: AllWeights | None,
    other_weights: AllWeights | None,
    names: tuple[str, str],
    vocabulary: Vocabulary,
    is_read: Bool[np.ndarray, " token"],
    words: str,
    least_words: int,
) -> str:
    """Return why changes cannot be read as words; "" if they can."""
    if weights is None or other_weights is None:
        alone = names[0] if weights is None else names[1]
        return f"{alone}: vectors without a model have no weights"
    if weights.parameters is None:
        return f"{names[0]}: {weights.architecture} has no blocks whose parameters are known"
    if reason := mismatch(weights, other_weights, names):
        return reason
    if vocabulary.tokens != weights.parameters.tokens:
        return f"{names[0]}: has no tokenizer for the rows of its embeddings"
    n_listed = int((vocabulary.is_listed & is_read).sum())
    if n_listed < least_words:
        return f"{words}: {n_listed} of {vocabulary.n_words} words are tokens of {names[0]}"
    return ""


def _counted(
    weights: AllWeights,
    other_weights: AllWeights,
    rules: Rules,
    lists: Lists,
    protocol: Protocol,
) -> Iterator[Counted]:
    """Yield the counts of every matrix of a block that moved."""
    assert weights.parameters is not None
    groups = weights.parameters.layers[0].groups()
    for paired in paired_weights(weights, other_weights):
        group, layer = paired.weight.group, paired.weight.layer
        if group not in groups or layer is None or not is_moved(paired, rules):
            continue
        both, most = (paired.before, paired.after), protocol.n_turned
        counted = counted_change(group, layer, *both, lists, protocol, most=most)
        if counted is not None:
            yield counted


def _group_rows(
    counted: Sequence[Counted], lists: Lists, protocol: Protocol, n_words: int
) -> Iterator[Row]:
    for group in dict.fromkeys(change.group for change in counted):
        own = [change for change in counted if change.group == group]
        row = pooled_row(own, lists, protocol.level)
        null = word_null(own, lists, protocol, n_words=n_words, n_draws=protocol.n_lists)
        mean, low, high = mean_and_range(null, protocol.level)
        row |= {"null_words": float(mean)}
        row |= {"null_words_low": float(low), "null_words_high": float(high)}
        verdict = presence(row)
        if verdict == PRESENT and not row["mean_listed"] > row["null_words_high"]:
            verdict = OPEN
        yield {"group": group, **row, "verdict": verdict}


def _not_measured(reason: str) -> Outcome:
    csv = MODEL_TUNING_WORDS.tables["csv"].of([{"reason": reason}])
    return MODEL_TUNING_WORDS.empty() | {"csv": csv}


main = MODEL_TUNING_WORDS.main(compare_model_tuning_words)

if __name__ == "__main__":
    run_stage(main, compare_model_tuning_words, groups=("pair",))
