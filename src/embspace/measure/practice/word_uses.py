"""Stage `measure_word_uses`: which words of the user's own texts have two uses.

Word sense induction from the states of a model, with rules in
conf/measure/practice/word_uses.yaml.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import TABLE, Analysis, Outcome, Source, Table
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.tables import Row
from embspace.geometry.groups.bisection import apart
from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.practice.uses.contexts import Place, Reading, parts_with, states_at
from embspace.measure.practice.uses.described import described_uses, placed_uses, uses_of
from embspace.measure.practice.uses.known import Told, known_uses, told_apart
from embspace.measure.practice.uses.occurrences import (
    Chosen,
    WordsOfTexts,
    load_words_of_texts,
    occurrences_of,
)
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

FEWEST_PAIRS = 4  # of words, for an interval
SURE = 0.05
TWO, UNTRAINED, ONE, NOT_TOLD = "two uses", "also untrained", "no second use", "not told"
ORDER = (TWO, UNTRAINED, ONE, NOT_TOLD)
WORD_USES = Analysis(
    noun="word_uses",
    question="Which words of the texts have two uses?",
    over="profiled",
    reads={
        "texts": Source(load_words_of_texts, TEXT_FOLDERS, lists=["corpora"]),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
    },
    tables={
        # A row a word, tested at one layer.
        TABLE: Table(
            {
                "word": ("row", "word"),
                "rank": ("row", "rank by texts"),
                "n": ("count", "occurrences"),
                "smaller_share": ("use_share", "smaller part"),
                "separation": ("use_share", "variance between parts"),
                "null_separation_high": ("use_share", "clouds and curves, 95 %"),
                "p_value": ("use_p_value", "p"),
                "adjusted_p_value": ("use_p_value", "adjusted p"),
                "random_weights_separation": ("use_share", "at random weights"),
                "random_weights_p_value": ("use_p_value", "p at random weights"),
                "verdict": ("use_verdict", "verdict"),
            }
        ),
        # A row a layer: known uses, one word in the places of two.
        "layers": Table(
            {
                **shown("row", "layer"),
                "tested": ("use_verdict", "words tested here"),
                "n_pairs": ("count", "pairs of words"),
                **with_bounds("purity", "use_share", "purity"),
                "random_weights_purity": ("use_share", "at random weights"),
                **with_bounds("dealt_purity", "use_share", "labels dealt anew"),
                "told": ("use_share", "pairs told apart"),
                "random_weights_told": ("use_share", "told apart at random weights"),
            }
        ),
        # Two rows a word of the first ones.
        "uses": Table(
            {
                **shown("row", "number", "use"),
                "word": ("use_verdict", "word"),
                "n": ("use_verdict", "occurrences"),
                "words_near": ("use_verdict", "words near"),
                "examples": ("use_verdict", "examples"),
            }
        ),
        # The occurrences of the first words, in their own principal components.
        "places": Table(
            {
                **shown("row", "number", "occurrence"),
                **shown("use_verdict", "word", "use"),
                "first": ("use_verdict", "first component"),
                "second": ("use_verdict", "second component"),
            }
        ),
    },
    scalars={
        "corpus": "name",
        "n_documents": "count",
        "n_words": "count",
    },
)


class How(NamedTuple):
    """Settings of the tests."""

    n_components: int
    n_draws: int
    n_more_draws: int
    n_pairs: int
    n_around: int
    least_share: float
    n_resamples: int
    level: float
    n_listed: int
    n_placed: int
    seed: int


class Known(NamedTuple):
    """What known uses of words tell: a row a layer, and the layer to test at."""

    layers: pd.DataFrame
    layer: int
    is_told: bool
    """Whether known uses are told apart there beyond random weights and chance."""


def measure_word_uses(
    texts: WordsOfTexts | None,
    module: Any,
    final_norm: str | None,
    *,
    least_documents: Annotated[int, Field(ge=8)],
    largest_share: Probability,
    n_words: PositiveInt,
    n_most: PositiveInt,
    n_components: Annotated[int, Field(ge=2)],
    n_draws: PositiveInt,
    least_share: Probability,
    n_pairs: PositiveInt,
    n_more_draws: PositiveInt,
    n_around: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    n_listed: NonNegativeInt,
    n_placed: NonNegativeInt,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Split the states of each word in two, and hold the split against chance.

    Known uses choose the layer and say whether any verdict counts: `layers` has how pure the parts
    of a word are that stands in the places of two words. `csv` has a row a word at this layer,
    `uses` the words near either part, `places` the occurrences on a plane. Verdicts are by the rule
    of conf/. Empty with fewer than twice 4 words.
    """
    n_documents = 0 if texts is None else texts.read.n_documents
    corpus = "" if texts is None else texts.corpus
    nothing = WORD_USES.empty(corpus=corpus, n_documents=n_documents, n_words=0)
    if texts is None or module is None:
        return nothing
    chosen = Chosen(least_documents, largest_share, n_words, n_most, n_around)
    rng = np.random.default_rng(seed)
    occurrences = occurrences_of(texts, chosen, stream_of(rng, "occurrences"))
    if occurrences["id"].nunique() < 2 * FEWEST_PAIRS:
        return nothing
    how = How(
        *(n_components, n_draws, n_more_draws, n_pairs, n_around, least_share),
        *(n_resamples, level, n_listed, n_placed, seed),
    )
    reading = Reading(final_norm, tokens_per_batch, choose_device(device))
    untrained = with_random_weights(module, seed)
    known = _known(texts, occurrences, (module, untrained), reading, how)
    places = [*_places(occurrences, texts.read.tokens, n_around)]
    states = [states_at(one, places, reading)[known.layer] for one in (module, untrained)]
    table = _tested(occurrences, states, known, how)
    return {
        TABLE: WORD_USES.tables[TABLE].of(table.drop(columns=["id", "order"])),
        "layers": WORD_USES.tables["layers"].of(known.layers),
        **_described(table, occurrences, states[0], texts, how),
        "json": {
            "corpus": corpus,
            "n_documents": n_documents,
            "n_words": len(table),
        },
    }


def _places(occurrences: pd.DataFrame, tokens: pd.DataFrame, n_around: int) -> Iterator[Place]:
    """Yield each occurrence of the words with as many tokens around."""
    for _, own in occurrences.groupby("id", sort=False):
        yield from parts_with(tokens, own["row"].to_numpy(), int(own["id"].to_numpy()[0]), n_around)


def _known(
    texts: WordsOfTexts,
    occurrences: pd.DataFrame,
    modules: Sequence[Any],
    reading: Reading,
    how: How,
) -> Known:
    """Read known uses with the model and with random weights."""
    known = known_uses(occurrences, texts.read.tokens, how.n_pairs, how.n_around)
    rng = np.random.default_rng(how.seed)
    trained, at_random = (
        told_apart(module, known, reading, how.n_components, how.n_draws, stream_of(rng, name))
        for module, name in zip(modules, ("trained", "random_weights"), strict=True)
    )
    table = pd.DataFrame(_layer_rows(trained, at_random, how))
    layer = int(table["purity"].to_numpy().argmax())
    table["tested"] = np.where(table["layer"] == layer, "yes", "no")
    best = table.iloc[layer]
    by_chance = table[["random_weights_purity", "dealt_purity_high"]].to_numpy().max()
    is_told = best["purity_low"] > by_chance  # at any layer, as the layer was chosen
    return Known(table, layer, bool(is_told))


def _layer_rows(trained: Told, at_random: Told, how: How) -> Iterator[Row]:
    for layer, purity in enumerate(trained.purity):
        interval = half_sample_interval(
            partial(_mean_of, purity),
            len(purity),
            n_resamples=how.n_resamples,
            level=how.level,
            generator=stream_of(np.random.default_rng(how.seed), "pairs"),
        )
        dealt = trained.dealt_purity[layer].mean(axis=-1)
        ends = np.quantile(dealt, [(1 - how.level) / 2, (1 + how.level) / 2])
        yield {
            "layer": layer,
            "n_pairs": len(purity),
            "purity": purity.mean(),
            "purity_low": float(interval.low),
            "purity_high": float(interval.high),
            "random_weights_purity": at_random.purity[layer].mean(),
            "dealt_purity": dealt.mean(),
            "dealt_purity_low": ends[0],
            "dealt_purity_high": ends[1],
            "told": trained.is_sure[layer].mean(),
            "random_weights_told": at_random.is_sure[layer].mean(),
        }


def _mean_of(values: Float[np.ndarray, " pair"], units: Int[np.ndarray, " drawn"]) -> Any:
    return values[units].mean()


def _tested(
    occurrences: pd.DataFrame,
    states: Sequence[Float[np.ndarray, "occurrence dim"]],
    known: Known,
    how: How,
) -> pd.DataFrame:
    """Return the words with verdicts, words of two uses first, by p and separation."""
    vectors = [unit_rows(one.astype(np.float64)) for one in states]
    rng = stream_of(np.random.default_rng(how.seed), "words")
    rows = [
        {"word": own["word"].iat[0], "id": token, "rank": rank, "n": len(own)}
        | _test_of([one[own.index.to_numpy()] for one in vectors], how, rng)
        for rank, (token, own) in enumerate(occurrences.groupby("id", sort=False), start=1)
    ]
    table = pd.DataFrame(rows)
    table["adjusted_p_value"] = benjamini_hochberg(table["p_value"].to_numpy())
    is_apart = (table["adjusted_p_value"] <= SURE) & (table["smaller_share"] >= how.least_share)
    at_random = np.where(table["random_weights_p_value"] <= SURE, UNTRAINED, TWO)
    verdict = np.where(is_apart, at_random, ONE)
    table["verdict"] = verdict if known.is_told else NOT_TOLD
    table["order"] = table["verdict"].map({word: number for number, word in enumerate(ORDER)})
    by = ["order", "p_value", "separation"]
    table = table.sort_values(by, ascending=[True, True, False], kind="stable")
    return table.reset_index(drop=True)


def _test_of(
    vectors: Sequence[Float[np.ndarray, "occurrence dim"]],
    how: How,
    generator: np.random.Generator,
) -> Row:
    """Return the split of a word's states by the model, and beside it at random weights."""
    own, at_random = (
        apart(part, how.n_components, how.n_draws, generator, n_more)
        for part, n_more in zip(vectors, (how.n_more_draws, 0), strict=True)
    )
    share = own.is_second.mean()
    return {
        "smaller_share": min(share, 1 - share),
        "separation": own.separation,
        "null_separation_high": own.null_high,
        "p_value": own.p_value,
        "random_weights_separation": at_random.separation,
        "random_weights_p_value": at_random.p_value,
    }


def _described(
    table: pd.DataFrame,
    occurrences: pd.DataFrame,
    states: Float[np.ndarray, "occurrence dim"],
    texts: WordsOfTexts,
    how: How,
) -> dict[str, pd.DataFrame]:
    """Return the two uses of the first words, in words and on planes."""
    vectors = unit_rows(states.astype(np.float64))
    listed = []
    for _, row in table.head(how.n_listed).iterrows():
        own = occurrences[occurrences["id"] == row["id"]]
        at = own.index.to_numpy()
        listed.append(uses_of(row["word"], own["row"].to_numpy(), vectors[at], how.n_components))
    return {
        "uses": WORD_USES.tables["uses"].of([*described_uses(listed, texts)]),
        "places": WORD_USES.tables["places"].of(placed_uses(listed[: how.n_placed])),
    }


main = WORD_USES.main(measure_word_uses)

if __name__ == "__main__":
    run_stage(main, measure_word_uses)
