"""Stage `measure_two_corpora`: whether two corpora are apart, in which layer, and texts between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.documents import large_enough, some_documents
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS, TextCloud, text_cloud
from embspace.files.rows import load_rows
from embspace.geometry.groups.two_clouds import TwoClouds, compare_clouds, p_values_of_all
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.text_poolings import load_text_states
from embspace.measure.texts.text_cloud_units import windows_by_document
from embspace.scripts.words import longer_words_in
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

WORDS = "tf_idf"
LATER = "(a later part of) "  # begins what stands for a window that is not the text's first
LONGEST = 90  # characters of a text in the table
VALUES = ("distance", "distance_low", "distance_high", "auc", "auc_low", "auc_high")


@dataclass(frozen=True, eq=False)
class ReadCorpus:
    """The cloud of a corpus, and the texts by id."""

    cloud: TextCloud
    texts: Mapping[str, str]

    @property
    def n_documents(self) -> int:
        """Return the number of documents."""
        return self.cloud.n_documents


def load_read(states: str, texts: str, corpora: Sequence[str]) -> dict[str, ReadCorpus]:
    """Return all corpora read by a model, from the folders of states and of texts."""
    pooled = load_text_states({corpus: f"{states}/{corpus}.safetensors" for corpus in corpora})
    read = {}
    for corpus in corpora:
        table = load_rows(f"{texts}/{corpus}.parquet")
        windows = load_rows(f"{states}/{corpus}.windows.parquet")
        by_id = dict(zip(table["id"], table["text"], strict=True))
        read[corpus] = ReadCorpus(text_cloud(pooled[corpus], windows, table), by_id)
    return read


PAIR: dict[str, Column] = {"corpus": ("row", "corpus"), "other_corpus": ("row", "other corpus")}
TWO_CORPORA = Analysis(
    noun="two_corpora",
    question="Are two corpora apart, in which layer, and which texts lie between?",
    reads={"corpora": Source(load_read, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table(
            {
                **PAIR,
                "embedding": ("row", "embedding"),  # a pooling, or words alone, without a layer
                "layer": ("row", "layer"),
                "n": "count",
                "n_other": "count",
                "n_documents": "count",
                "n_other_documents": "count",
                **with_bounds("distance", "state_auc", "energy distance"),
                **with_bounds("auc", "state_auc", "AUC"),
                "null_auc": ("state_auc", "labels dealt anew"),
                "p_value": ("p_value", "p"),
                "p_value_of_layers": ("p_value", "p over layers"),
            }
        ),
        # At the layer of the largest AUC, in the order of leaning to the other corpus.
        "between": Table(
            {
                **PAIR,
                "layer": ("row", "layer"),
                "text_of": ("row", "text of"),
                "rank": "row",
                "text_id": "name",
                "lean": ("state_auc", "lean to its own"),
                "text": ("name", "text"),
            }
        ),
    },
)


def measure_two_corpora(
    corpora: Mapping[str, ReadCorpus],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_documents: Annotated[int, Field(ge=4)] | None,
    n_permutations: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    n_between: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how far two corpora are apart at each layer, by unit vectors of their windows.

    `distance` is the energy distance from 0 to 1; `auc` the probability that a window of the first
    corpus leans more to this corpus than a window of the second, with the mean of dealt labels as
    null; `p_value` is of the distance, `p_value_of_layers` the chance of as large a distance at any
    layer. Documents are the units of deals and of intervals; documents of the same name are one,
    unless the names are digits alone, as rows without an id have. A row without a layer has words
    alone (TF-IDF).

    `between` has the `n_between` windows of each corpus that lean least to their own corpus, at the
    layer of the largest AUC, then of the largest distance; a `lean` below 0 points to the other
    corpus. Without two corpora of `fewest_documents` the tables are empty; corpora that share most
    documents, as articles and their sentences do, are not compared.
    """
    kept = {
        name: _some(corpus, most_documents)
        for name, corpus in large_enough(corpora, fewest_documents).items()
    }
    windows = windows_by_document({name: corpus.cloud for name, corpus in kept.items()})
    settings = {"n_permutations": n_permutations, "n_half_samples": n_half_samples, "level": level}
    rows, between = list[pd.DataFrame](), list[pd.DataFrame]()
    for first, second in combinations(kept, 2):
        if _are_one(windows[first], windows[second]):
            continue
        both = _Both.of((first, second), kept, windows)
        by_layer = [
            both.compared(x, np.random.default_rng(seed), settings) for x in both.layers(pooling)
        ]
        rows.append(both.table(by_layer, pooling, np.random.default_rng(seed), settings))
        between.append(both.between(by_layer, n_between))
    if not rows:
        return TWO_CORPORA.empty()
    tables = TWO_CORPORA.tables
    return {
        "csv": tables["csv"].of(pd.concat(rows, ignore_index=True)),
        "between": tables["between"].of(pd.concat(between, ignore_index=True)),
    }


def _some(corpus: ReadCorpus, most: int | None) -> ReadCorpus:
    """Return a corpus with at most `most` documents, or all for None."""
    windows = corpus.cloud.windows.reset_index(drop=True)
    windows = windows.assign(place=np.arange(len(windows)))
    kept = some_documents(windows, most)
    place = kept["place"].to_numpy()
    states = {pooling: x[:, place] for pooling, x in corpus.cloud.states.items()}
    return ReadCorpus(TextCloud(states, kept.drop(columns="place")), corpus.texts)


def _are_one(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Return whether two corpora share more than half of the documents of the smaller."""
    one, other = (set(windows["document_number"]) for windows in (first, second))
    return len(one & other) > min(len(one), len(other)) / 2


@dataclass(frozen=True, eq=False)
class _Both:
    """Two corpora, with the windows of the first before those of the second."""

    names: tuple[str, str]
    corpora: tuple[ReadCorpus, ReadCorpus]
    windows: tuple[pd.DataFrame, pd.DataFrame]
    is_first: Bool[np.ndarray, " n"]
    document: Int[np.ndarray, " n"]

    @classmethod
    def of(
        cls,
        names: tuple[str, str],
        corpora: Mapping[str, ReadCorpus],
        windows: Mapping[str, pd.DataFrame],
    ) -> "_Both":
        first, second = windows[names[0]], windows[names[1]]
        both = (corpora[names[0]], corpora[names[1]])
        return cls(
            names,
            both,
            (first, second),
            np.repeat([True, False], [len(first), len(second)]),
            pd.concat([first, second])["document_number"].to_numpy(dtype=np.int64),
        )

    def layers(self, pooling: str) -> list[Float[np.ndarray, "n dim"]]:
        """Return unit vectors by layer."""
        sides = [
            corpus.cloud.states[pooling][:, table["row"].to_numpy()].astype(np.float64)
            for corpus, table in zip(self.corpora, self.windows, strict=True)
        ]
        return [unit_rows(x) for x in np.concatenate(sides, axis=1)]

    def compared(
        self,
        x: Float[np.ndarray, "n dim"],
        generator: np.random.Generator,
        settings: Mapping[str, Any],
    ) -> TwoClouds:
        rng = stream_of(generator, *self.names)
        return compare_clouds(x, self.is_first, self.document, rng=rng, **settings)

    def table(
        self,
        by_layer: list[TwoClouds],
        pooling: str,
        generator: np.random.Generator,
        settings: Mapping[str, Any],
    ) -> pd.DataFrame:
        """Return a row per layer, and a row of words alone."""
        places = [(pooling, layer) for layer in range(len(by_layer))]
        rows = [
            self._row(clouds) | {"embedding": name, "layer": layer, "p_value_of_layers": p_value}
            for clouds, (name, layer), p_value in zip(
                by_layer, places, p_values_of_all(by_layer), strict=True
            )
        ]
        words = word_vectors([text for _, _, text in self._read()])
        if words is not None:
            rows.append(self._row(self.compared(words, generator, settings)) | {"embedding": WORDS})
        return pd.DataFrame(rows)

    def _row(self, clouds: TwoClouds) -> dict[str, Any]:
        values = {name: getattr(clouds, name) for name in (*VALUES, "null_auc", "p_value")}
        counts = zip(("n_documents", "n_other_documents"), clouds.n_documents, strict=True)
        sizes = {"n": int(self.is_first.sum()), "n_other": int((~self.is_first).sum())}
        return self._pair | sizes | dict(counts) | values

    @property
    def _pair(self) -> dict[str, str]:
        return dict(zip(PAIR, self.names, strict=True))

    def _read(self) -> list[tuple[str, str, str]]:
        """Return corpus, id and text of each window."""
        return [
            (name, text, f"{LATER * (window > 0)}{corpus.texts[text]}")
            for name, corpus, table in zip(self.names, self.corpora, self.windows, strict=True)
            for text, window in corpus.cloud.windows[["text", "window"]].to_numpy()[table["row"]]
        ]

    def between(self, by_layer: list[TwoClouds], n: int) -> pd.DataFrame:
        """Return the windows that lean least to their own corpus, where the two are most apart."""
        layer = max(range(len(by_layer)), key=lambda number: _apartness(by_layer[number]))
        lean = by_layer[layer].lean * np.where(self.is_first, 1, -1)
        table = pd.DataFrame(self._read(), columns=["text_of", "text_id", "text"])
        table = table.assign(lean=lean).sort_values("lean", kind="stable")
        table["rank"] = table.groupby("text_of", sort=False).cumcount() + 1
        table["text"] = [_shortened(text) for text in table["text"]]
        listed = table[table["rank"] <= n].sort_values(["text_of", "rank"], kind="stable")
        return listed.assign(layer=layer, **self._pair)


def _apartness(clouds: TwoClouds) -> tuple[float, float]:
    """Return the sorting key of layers: AUC to two digits, then the distance, for many AUCs are 1.

    An undefined AUC is the smallest.
    """
    auc, distance = np.nan_to_num([clouds.auc, clouds.distance], nan=-1.0)
    return round(float(auc), 2), float(distance)


def word_vectors(texts: Sequence[str]) -> Float[np.ndarray, "n word"] | None:
    """Return unit TF-IDF vectors of texts; None if the texts have no words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(tokenizer=longer_words_in, token_pattern=None)
    try:
        return np.asarray(words.fit_transform(texts).toarray(), dtype=np.float64)
    except ValueError:  # scikit-learn's word for an empty vocabulary
        return None


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


main = TWO_CORPORA.main(measure_two_corpora)

if __name__ == "__main__":
    run_stage(main, measure_two_corpora)
