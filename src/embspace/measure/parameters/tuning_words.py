"""Stage `measure_tuning_words`: which words of sentiment has tuning written into the weights?"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import TABLE, Analysis, Outcome, Source, Table
from embspace.extract.checkpoints import form_of
from embspace.files.tables import Row
from embspace.measure.parameters.tuning_words_rows import (
    COUNTED,
    Protocol,
    card_row,
    claim_rows,
    class_rows,
    counted_changes,
    lists_of,
    reduced,
    require_enough,
    share_row,
)
from embspace.measure.parameters.tuning_words_runs import (
    POLARITIES,
    TunedSeed,
    Vocabulary,
    load_sentiment_words,
    load_tuned,
    load_vocabulary,
)
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SETTINGS = "conf/measure/parameters/tuning_words.yaml"
SEED = {"phase": "row", "seed": "row"}
TUNING_WORDS = Analysis(
    noun="tuning_words",
    question="Which words has tuning on sentiment written into the weights? With `make all`",
    reads={
        "seeds": Source(
            lambda root, name, run: load_tuned(root, run, form_of(name, run)["final_norm"]),
            "data/trained/{run}",
            described=True,
        ),
        "vocabulary": Source(
            lambda root, words, _, run: load_vocabulary(root, run, load_sentiment_words(words)),
            ("data/trained/{run}", "data/stimuli/sentiment_words.csv"),
            described=True,
        ),
    },
    tables={
        # A row a seed, group of parameters and layer that has changed.
        TABLE: Table(
            {**SEED, "group": "row", "layer": "row", "n_vectors": "count", "n_rows": "count"}
            | {"relative_change": "trained_geometry", "least_listed": "trained_statistic"}
            | {"null_vectors": "trained_statistic", **COUNTED}
        ),
        # A row a seed and group: the claim of Dar et al., and the verdict.
        "claims": Table(
            {**SEED, "group": "row", "claim": "name", "n_layers": "count", "n_vectors": "count"}
            | {**COUNTED, "holds_if": "name", "verdict": "trained_verdict"}
        ),
        # A row a seed, group and layer: the change with the most listed words.
        "cards": Table(
            {**SEED, "group": "row", "layer": "row"}
            | dict.fromkeys(("vector", "n_listed", "sign", "tokens"), "trained_verdict")
        ),
        "classes": Table(
            {**SEED, "label": "row", "reading": "row", "polarity": "row"}
            | {"n_listed": "trained_verdict", "null_listed": "trained_statistic"}
            | {"p_value": "trained_statistic", "tokens": "trained_verdict"}
        ),
        # One row: the number of words of the list that are tokens, and the remaining words.
        "lists": Table(
            dict.fromkeys(("n_seeds", "n_words", "n_listed_tokens", "n_missing"), "count")
            | {"missing": "name", "n_read_tokens": "count"}
            | {"n_tokens": "setting", "is_measured": "name"}
        ),
    },
    over="trained",
)


def measure_tuning_words(
    seeds: Sequence[TunedSeed],
    vocabulary: Vocabulary,
    *,
    n_tokens: PositiveInt,
    n_random_vectors: PositiveInt,
    level: Share,
    n_turns: PositiveInt,
    n_turned: PositiveInt,
    n_lists: PositiveInt,
    n_nearest: PositiveInt,
    least_words: Annotated[int, Field(ge=1)],
    left_out: list[str],
    n_shown: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Count words of sentiment among the readings of the changes of tuning.

    A change is a row of a weight after tuning less the row before; all nonzero changes are read.
    The words of a change are the `n_tokens` with the largest product with the token embeddings E,
    without norms and biases (Dar et al. 2023, "Analyzing Transformers in Embedding Space", section
    3 and appendix D). `share` is the share of changes with more listed words, in the change or the
    negation, than the share `level` of random vectors; lengths do not matter. Two nulls:

    - *lists*, for `share`: random lists of as many words, alike in the norm of the embedding and in
      place in the vocabulary, with a bound per list;
    - *turned*, for `mean_listed`, the mean number of listed words: changes turned together by a
      random orthogonal matrix, with lengths and angles kept: changes in one direction are a single
      chance. Per group and layer `n_turned` changes are turned, for a turn costs as much as the
      changes themselves; with fewer the range is a little wider.

    Fixed before any result, by seed and group over all changed layers: words of sentiment are
    present if `share` and `mean_listed` are above the ranges of the nulls, absent if neither is,
    and otherwise the claim is undecided. Parameters are a whole population: no interval; seeds
    stand side by side.

    Args:
        seeds: The weights before and after; none for a run that tunes no base. Measured if positive
            and negative are among the classes, as the list demands.
        vocabulary: The tokens, with the polarity of listed tokens.
        n_tokens: Words of a change, and of the negation.
        n_random_vectors: Random vectors for the bound.
        level: Of the bound and of the ranges.
        n_turns: Draws of the null of turned changes.
        n_turned: Turned changes of a layer and group, at equal distances.
        n_lists: Draws of the null of lists.
        n_nearest: Candidate words to replace a listed word.
        least_words: Least number of listed tokens for a measurement.
        left_out: Kinds of unread tokens.
        n_shown: Words of a change in the tables.
        seed: Of all draws.

    Raises:
        InputError: if the vocabulary has too few tokens for `n_tokens` or for random lists.
    """
    is_read = vocabulary.not_of(left_out)
    n_listed = int((vocabulary.is_listed & is_read).sum())
    is_measured = n_listed >= least_words and _is_about_sentiment(seeds)
    facts: Row = {
        "n_seeds": len(seeds),
        "n_words": vocabulary.n_words,
        "n_listed_tokens": n_listed,
        "n_missing": len(vocabulary.missing),
        "missing": " ".join(vocabulary.missing),
        "n_read_tokens": int(is_read.sum()),
        "n_tokens": n_tokens,
        "is_measured": is_measured,
    }
    lists = pd.DataFrame([facts])
    if not is_measured:
        return TUNING_WORDS.empty() | {"lists": lists}
    require_enough(vocabulary, is_read, n_listed, n_tokens, SETTINGS)
    protocol = Protocol(
        n_tokens=n_tokens,
        n_random_vectors=n_random_vectors,
        level=level,
        n_turns=n_turns,
        n_turned=n_turned,
        n_lists=n_lists,
        n_nearest=n_nearest,
        n_shown=n_shown,
        seed=seed,
    )
    with threadpool_limits(1):  # the same sums on any number of cores
        rows = _rows(seeds, vocabulary, is_read, protocol)
    return {**{name: pd.DataFrame(table_rows) for name, table_rows in rows.items()}, "lists": lists}


def _is_about_sentiment(seeds: Sequence[TunedSeed]) -> bool:
    """Return True if the classes of a run include the polarities of the list."""
    return bool(seeds) and set(POLARITIES) <= set(seeds[0].head_after.labels)


def _rows(
    seeds: Sequence[TunedSeed], vocabulary: Vocabulary, is_read: np.ndarray, protocol: Protocol
) -> dict[str, list[Row]]:
    """Return the rows by table."""
    rows: dict[str, list[Row]] = {name: [] for name in (TABLE, "claims", "cards", "classes")}
    read = reduced(vocabulary, is_read)
    polarities = {polarity: read.of(polarity) for polarity in POLARITIES}
    for tuned in seeds:
        place: Row = {"phase": tuned.phase, "seed": tuned.seed}
        lists = lists_of(tuned.embedding, vocabulary, is_read, protocol)
        counted = list(counted_changes(tuned, lists, protocol))
        made = {
            TABLE: [share_row(change, lists, protocol) for change in counted],
            "claims": claim_rows(counted, lists, protocol),
            "cards": [card_row(change, lists, read.tokens, protocol.n_shown) for change in counted],
            "classes": class_rows(tuned, lists, polarities, read.tokens, protocol),
        }
        for name, table_rows in made.items():
            rows[name] += [{**place, **row} for row in table_rows]
    return rows


main = TUNING_WORDS.main(measure_tuning_words)

if __name__ == "__main__":
    run_stage(main, measure_tuning_words, groups=("train",))
