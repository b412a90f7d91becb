"""`make bench-coverage`: how often intervals over texts hold what they should, in coverage.md.

Fresh texts are drawn again and again, and every measure of them is estimated. Its interval should
hold the mean of the measure over such draws; and where vectors are a null, the effect over that
null should be 0 within its interval.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from embspace.draw.page.markdown import markdown_table
from embspace.files.atomic import writing
from embspace.geometry.inference.half_samples import estimate_over_texts
from embspace.geometry.inference.null_clouds import NULL_CLOUDS, NULLS_OF_FAMILY, Null
from embspace.geometry.inference.shared_inputs import inputs_of, results_of
from embspace.geometry.measures.declaration import Definition, value_of
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.pairs.moments import moments_of
from embspace.settings.schema import read_yaml

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
PAGE = Path("benchmarks/coverage.md")
N_TEXTS, N_TOKENS, DIM, N_WORDS = 40, 12, 12, 20
N_REPEATS, N_VALUES = 400, 2000  # with intervals; of the value alone, for its mean
# As many as the stages take, whose intervals these are.
DIRECTION = Path(__file__).parents[1] / "conf/measure/layers/direction.yaml"
N_HALVES: int = read_yaml(DIRECTION)["draws"]["n_half_samples"]
N_NULLS = 40
TARGET = 0.92
COUNTS = ("n_outlier_dimensions",)  # whose mean is no value that they take: nothing is asked
SEED = 42


def texts(rng: np.random.Generator, n_texts: int = N_TEXTS) -> Drawn:
    """Vectors, their texts and their words: an offset, what text and word add, and noise.

    Coordinates vary ever less, words are as rare as in a language, and the same in all draws.
    """
    text = np.repeat(np.arange(n_texts), N_TOKENS)
    word = np.minimum(rng.geometric(0.15, size=len(text)) - 1, N_WORDS - 1)
    word_parts = np.random.default_rng(SEED).normal(size=(N_WORDS, DIM))
    text_parts = 0.7 * rng.normal(size=(n_texts, DIM))
    parts = text_parts[text] + word_parts[word] + rng.normal(size=(len(text), DIM))
    return 0.5 + parts / np.sqrt(1 + np.arange(DIM)), text, word


def measures_of(null: Null | None) -> list[Definition]:
    """All, or those of the families that are held against a null."""
    known = profiled_measures().values()
    return [measure for measure in known if null is None or null in NULLS_OF_FAMILY[measure.family]]


# What single measures need: the larger sample, of other texts.
LARGER = moments_of(texts(np.random.default_rng([SEED, 1]), n_texts=400)[0])
OPTIONS = {"iso_score_star": {"larger": LARGER, "zeta": 0.3}}


def values(drawn: Drawn, measures: list[Definition]) -> list[float]:
    """Each measure, without an interval."""
    x, text, word = drawn
    groups = {"text": text, "word": word}
    outcomes = results_of(measures, inputs_of(x, measures, groups, OPTIONS), groups, OPTIONS)
    return [value_of(outcome) for outcome in outcomes.values()]


def value_of_texts(repeat: int) -> list[float]:
    """Each measure of fresh texts."""
    return values(texts(np.random.default_rng([SEED, 2, repeat])), measures_of(None))


def bounds_of_texts(repeat: int) -> list[list[float]]:
    """Value, lower and upper bound of each measure of fresh texts."""
    rng = np.random.default_rng([SEED, 3, repeat])
    return _bounds(texts(rng), None, N_HALVES, rng)


def effects_over_null(null: Null, repeat: int) -> list[list[float]]:
    """The same less the mean over draws of the null, of fresh texts that are such a draw."""
    rng = np.random.default_rng([SEED, 4, list(NULL_CLOUDS).index(null), repeat])
    x, text, word = texts(rng)
    x, measures = NULL_CLOUDS[null](x, rng), measures_of(null)
    drawn = [values((NULL_CLOUDS[null](x, rng), text, word), measures) for _ in range(N_NULLS)]
    bounds = np.array(_bounds((x, text, word), null, N_HALVES, rng))
    return (bounds - np.mean(drawn, axis=0)[:, None]).tolist()


def _bounds(
    drawn: Drawn, null: Null | None, n_halves: int, rng: np.random.Generator
) -> list[list[float]]:
    x, text, word = drawn
    estimates = estimate_over_texts(
        x,
        text,
        word=word,
        measures=measures_of(null),
        options=OPTIONS,
        n_half_samples=n_halves,
        rng=rng,
    )
    return [[estimate.value, estimate.low, estimate.high] for estimate in estimates.values()]


def coverage_table(
    names: list[str], bounds: np.ndarray, truth: np.ndarray, deviation: np.ndarray
) -> pd.DataFrame:
    """One row a measure: how often the `bounds`, (repeat, measure, 3), hold the `truth`.

    A measure that a repeat lacks has none. `deviation` is over repeats.
    """
    low, high = bounds[:, :, 1], bounds[:, :, 2]
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    covered[np.isnan(bounds).any(axis=(0, 2))] = np.nan
    width = np.divide(
        (high - low).mean(axis=0),
        deviation,
        out=np.full(len(names), np.nan),
        where=deviation > 0,
    )
    met = np.where(covered >= TARGET, "yes", "no")
    met[np.isnan(covered) | np.isin(names, COUNTS)] = "–"
    return pd.DataFrame(
        {
            "measure": names,
            "coverage": covered,
            "standard_error": np.sqrt(covered * (1 - covered) / len(bounds)),
            "width_/_deviation": np.where(np.isnan(covered), np.nan, width),
            "met": met,
        }
    )


def on_all_cores(function: Callable[[int], Any], n: int, title: str) -> np.ndarray:
    """The function of 0 to n - 1, one thread a process."""
    with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
        results = Parallel(return_as="generator")(delayed(function)(number) for number in range(n))
        return np.array(list(tqdm(results, total=n, desc=title)))


def texts_table() -> pd.DataFrame:
    """Coverage of the mean over fresh texts."""
    alone = on_all_cores(value_of_texts, N_VALUES, "values of texts")
    bounds = on_all_cores(bounds_of_texts, N_REPEATS, "intervals of texts")
    names = [measure.name for measure in measures_of(None)]
    return coverage_table(names, bounds, alone.mean(axis=0), alone.std(axis=0))


def null_table(null: Null) -> pd.DataFrame:
    """Coverage of no effect, by vectors drawn from the null."""
    bounds = on_all_cores(partial(effects_over_null, null), N_REPEATS, null)
    names = [measure.name for measure in measures_of(null)]
    return coverage_table(names, bounds, np.zeros(len(names)), bounds[:, :, 0].std(axis=0))


def report(fresh_texts: pd.DataFrame, by_null: dict[Null, pd.DataFrame]) -> str:
    """The page."""
    parts = [
        "# Coverage of intervals over texts\n",
        f"Written by `make bench-coverage`. How often 95 % intervals of `estimate_over_texts` hold "
        f"what they should, in {N_REPEATS} repeats; the target is {100 * TARGET:.0f} % at least. "
        f"Texts are synthetic: {N_TEXTS} of {N_TOKENS} tokens, {DIM} coordinates, an offset, what "
        f"text and word add, noise. The width is the mean one, over the standard deviation of the "
        f"value: 3.92 of a normal value whose deviation is known. Of a count nothing is asked; "
        f"why, and what else the tables do not tell: [notes.md](notes.md).\n",
        "## Fresh texts\n",
        f"The truth is the mean of the measure over {N_VALUES:,} draws of as many texts; "
        f"{N_HALVES} halves. {_summary(fresh_texts)}\n",
        _as_markdown(fresh_texts),
        "\n## Vectors drawn from a null\n",
        "Texts are replaced by a draw of the null, independent vectors, which keep their places. "
        f"The effect is the value less its mean over {N_NULLS} further draws of the null, the "
        f"truth is 0; {N_HALVES} halves. Each family is held against its own nulls; "
        "`context` has none here.",
    ]
    for null, table in by_null.items():
        parts += [f"\n### `{null}`\n", f"{_summary(table)}\n", _as_markdown(table)]
    return "\n".join(parts) + "\n"


def _summary(table: pd.DataFrame) -> str:
    counted = table[table["met"] != "–"]
    lacking = table["measure"][table["coverage"].isna()]
    met = f"{(counted['met'] == 'yes').sum()} of {len(counted)} measures meet the target"
    left_out = f"; not defined in all repeats: {', '.join(lacking)}" if len(lacking) else ""
    return f"{met}, the lowest coverage is {counted['coverage'].min():.3f}{left_out}."


def _as_markdown(table: pd.DataFrame) -> str:
    shown = table.assign(measure=[f"`{name}`" for name in table["measure"]])
    return markdown_table(shown, 3)


def main() -> None:
    """All of it."""
    text = report(texts_table(), {null: null_table(null) for null in NULL_CLOUDS})
    print(text)
    with writing(PAGE) as partial_page:
        partial_page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
