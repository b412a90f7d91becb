"""Stage `measure_associations`: which sets of words go together, by kind of vectors and layer.

Caliskan, Bryson and Narayanan (2017), "Semantics derived automatically from language corpora
contain human-like biases", Science 356; for sentences May et al. (2019), arXiv:1903.10561. The rule
stands in conf/measure/open_questions/associations.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.device import Device, choose_device
from embspace.geometry.groups.associations import effect_size, exchange_p_value, word_associations
from embspace.geometry.inference.resampling import stratified_interval, stream_of
from embspace.measure.open_questions.framed_words import (
    ByLayer,
    load_any_tokenizer,
    vectors_in_frames,
)
from embspace.measure.open_questions.word_sets import (
    SETS,
    SETTINGS,
    check_frames,
    check_known,
    check_tests,
    load_word_sets,
)
from embspace.measure.open_questions.words.professions import (
    PROFESSIONS,
    Held,
    enough_draws,
    load_professions,
    placed_professions,
    profession_rows,
    words_of_vocabulary,
)
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

LARGEST = 2.0  # effect of sets of equal size
FEWEST = 4  # words of a set; fewer have no interval, and few exchanges
SetRows = Sequence[Int[np.ndarray, " _"]]
"""Rows of the two target sets and of the two attribute sets."""
ASSOCIATIONS = Analysis(
    noun="associations",
    question="Which sets of words go together, by layer, as WEAT and SEAT ask?",
    over="profiled",
    reads={
        "sets": Source(load_word_sets, SETS),
        "held_out": Source(load_professions, PROFESSIONS),
        "module": Source(load_model),
        "tokenizer": Source(load_any_tokenizer),
        "final_norm": Source(final_norm_of),
    },
    tables={
        "csv": Table(
            {
                **shown("row", "test", "vectors", "layer"),
                **with_bounds("effect", "profile", "effect size", "profile_bound"),
                "p_value": ("p_value", "exact p"),
                "random_weights_effect": ("profile", "random weights"),
                "random_weights_p_value": ("p_value", "exact p, random weights"),
                "is_present": ("name", "present"),
            }
        ),
        "words": Table(
            {
                **shown("row", "test", "set", "word"),
                "embedding": ("profile", "token embedding"),
                "last_state": ("profile", "state, last layer"),
            }
        ),
        "professions": Table(
            {
                **shown("row", "vectors", "layer"),
                "n": "count",
                **with_bounds("correlation", "profile", "correlation", "profile_bound"),
                "explained": ("profile", "explained, held out"),
                "null_explained_high": "null_value",
                "p_value": ("p_value", "p, values dealt"),
                "directions_explained_high": "null_value",
                "directions_p_value": ("p_value", "p, other directions"),
                "random_weights_explained": ("profile", "random weights"),
                "random_weights_p_value": "p_value",
                "is_followed": ("name", "professions follow"),
            }
        ),
    },
    scalars={"n_words": "count", "n_lost": "count", "n_tests": "count"},
)


def measure_associations(
    sets: pd.DataFrame,
    held_out: pd.DataFrame,
    module: Any,
    tokenizer: Any,
    final_norm: str | None,
    *,
    tests: dict[str, list[str]],
    frames: Annotated[list[str], Field(min_length=1)],
    professions: Annotated[list[str], Field(min_length=2, max_length=2)],
    n_deals: PositiveInt,
    n_directions: PositiveInt,
    n_words: PositiveInt,
    alpha: Probability,
    level: Probability,
    n_resamples: PositiveInt,
    most_tokens: PositiveInt,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Test pairs of target sets against pairs of attribute sets, by vectors and layer.

    Words of several tokens are left out, as is a test with fewer than `FEWEST` words in a set. The
    interval of an effect size is over the words of all four sets, by halves of every set.
    `professions` says how well the direction between two sets predicts the values of the
    professions `held_out`, beside shuffled values and directions between words of the vocabulary.

    Raises:
        InputError: for a test without four known sets, or a frame without one {word}.
    """
    check_tests(tests, sets)
    check_known("professions", professions, sets)
    check_frames(frames)
    if module is None or tokenizer is None or sets.empty:
        return ASSOCIATIONS.empty(n_words=0, n_lost=0, n_tests=0)
    words = [*dict.fromkeys(sets["word"])]
    stream = stream_of(np.random.default_rng(seed), "words of the vocabulary")
    further = words_of_vocabulary(tokenizer, n_words, stream)
    known, vectors = vectors_in_frames(
        [*dict.fromkeys([*words, *held_out["profession"], *further])],
        frames,
        module,
        tokenizer,
        final_norm,
        most_tokens=most_tokens,
        length_key=f"{SETTINGS}: key 'most_tokens'",
        tokens_per_batch=tokens_per_batch,
        device=choose_device(device),
        seed=seed,
    )
    n_known = len({*words} & {*known})
    groups = {name: _groups(chosen, sets, known) for name, chosen in tests.items()}
    groups = {name: rows for name, rows in groups.items() if min(map(len, rows)) >= FEWEST}
    n_layers = len(vectors["trained"]["state"]) + 1
    n_deals, n_directions = (enough_draws(n, n_layers, alpha) for n in (n_deals, n_directions))
    followed = profession_rows(
        vectors,
        placed_professions(held_out, sets, known, professions),
        Held(n_deals, n_directions, n_resamples, level),
        stream_of(np.random.default_rng(seed), "professions"),
    )
    rows = [
        {"test": name} | row | {"is_present": _is_present(row, alpha / n_layers, alpha)}
        for name, own in groups.items()
        for row in _effects(
            vectors, own, n_resamples, level, stream_of(np.random.default_rng(seed), name)
        )
    ]
    return {
        "csv": ASSOCIATIONS.tables["csv"].of(rows),
        "words": ASSOCIATIONS.tables["words"].of(_words(vectors["trained"], groups, tests, known)),
        "professions": ASSOCIATIONS.tables["professions"].of(
            row | {"is_followed": _is_followed(row, alpha / n_layers, alpha)} for row in followed
        ),
        "json": {
            "n_words": n_known,
            "n_lost": len(words) - n_known,
            "n_tests": len(groups),
        },
    }


def _groups(chosen: Sequence[str], sets: pd.DataFrame, known: Sequence[str]) -> SetRows:
    places = {word: place for place, word in enumerate(known)}
    return [
        np.array(
            [places[word] for word in sets.loc[sets["set"] == name, "word"] if word in places],
            dtype=np.int64,
        )
        for name in chosen
    ]


def _effects(
    vectors: Mapping[str, ByLayer],
    groups: SetRows,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield a row for every kind of vectors and layer."""
    stratum = np.repeat(np.arange(len(groups)), [len(rows) for rows in groups])
    together = np.concatenate([*groups])
    for kind, layers in vectors["trained"].items():
        for layer, x in enumerate(layers):
            own = x[together]
            interval = stratified_interval(
                partial(_effect_of, own, stratum),
                stratum,
                n_resamples=n_resamples,
                level=level,
                generator=generator.spawn(1)[0],
            )
            plain = vectors["random"][kind][layer][together]
            yield {
                "vectors": kind,
                "layer": layer,
                "effect": _effect(own, stratum),
                "effect_low": max(float(interval.low), -LARGEST),  # NaN stays
                "effect_high": min(float(interval.high), LARGEST),
                "p_value": exchange_p_value(*_targets(own, stratum)),
                "random_weights_effect": _effect(plain, stratum),
                "random_weights_p_value": exchange_p_value(*_targets(plain, stratum)),
            }


def _targets(
    x: Float[np.ndarray, "word dim"], stratum: Int[np.ndarray, " word"]
) -> tuple[Float[np.ndarray, " first"], Float[np.ndarray, " second"]]:
    """Return the associations of both target sets."""
    first, second, *attributes = (x[stratum == number] for number in range(4))
    return word_associations(first, *attributes), word_associations(second, *attributes)


def _effect(x: Float[np.ndarray, "word dim"], stratum: Int[np.ndarray, " word"]) -> float:
    return effect_size(*_targets(x, stratum))


def _effect_of(
    x: Float[np.ndarray, "word dim"],
    stratum: Int[np.ndarray, " word"],
    units: Int[np.ndarray, " unit"],
) -> Float[np.ndarray, ""]:
    return np.array(_effect(x[units], stratum[units]))


def _is_present(row: Mapping[str, Any], alpha_of_layer: float, alpha: float) -> str:
    is_there = row["p_value"] < alpha_of_layer and row["random_weights_p_value"] >= alpha
    return "yes" if is_there else "no"


def _is_followed(row: Mapping[str, Any], alpha_of_layer: float, alpha: float) -> str:
    is_this_direction = row["directions_p_value"] < alpha_of_layer
    return _is_present(row, alpha_of_layer, alpha) if is_this_direction else "no"


def _words(
    vectors: ByLayer,
    groups: Mapping[str, SetRows],
    tests: Mapping[str, Sequence[str]],
    known: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield the association of every target word, by its token embedding and by its last state."""
    for name, (first, second, *attributes) in groups.items():
        for chosen, rows in zip(tests[name], (first, second), strict=False):
            columns = {
                column: word_associations(x[rows], *(x[own] for own in attributes))
                for column, x in {
                    "embedding": vectors["input"][0],
                    "last_state": vectors["state"][-1],
                }.items()
            }
            for place, row in enumerate(rows):
                values = {column: float(y[place]) for column, y in columns.items()}
                yield {"test": name, "set": chosen, "word": known[row], **values}


main = ASSOCIATIONS.main(measure_associations)

if __name__ == "__main__":
    run_stage(main, measure_associations)
