"""Reads the corpus of a question: texts by a model, or vectors that were computed elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.app.practice.vector_files import holds_vectors
from embspace.clouds.pooling import FIRST_LAST, SENTENCE
from embspace.errors import InputError, counted
from embspace.files.vectors import checked_vectors, read_labeled_vectors
from embspace.settings.own import called
from embspace.settings.roots import find_root

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference

USUAL_MODEL = "minilm"
VECTORS = "vectors"  # of which no model is known
OWN = "texts"  # a list of texts goes by this name
FEWEST = 4  # texts that have an interval
FEWEST_SEARCHED = 20  # documents to search in, as `layer_choice` has it


@dataclass(frozen=True, eq=False)
class TextVectors:
    """A vector for each text of a corpus, at one layer and pooling of a model."""

    vectors: Float[np.ndarray, "text dim"]
    """float32, finite."""
    table: pd.DataFrame
    """A row a text: id, document, text ("" for vectors alone), label ("" where unknown), copy_of,
    n_tokens (NaN for vectors alone)."""
    corpus: str
    place: str
    """`minilm, layer 6 of 6, mean`, or `vectors` if no model is known."""
    layer: int | None
    """From 0, the embedding output; None for vectors alone, and where a pooling has no layer."""
    pooling: str | None

    @cached_property
    def documents(self) -> Int[np.ndarray, " text"]:
        """Return the number of each text's document, the independent unit; copies share one."""
        return np.asarray(pd.factorize(self.table["document"])[0], dtype=np.int64)

    @property
    def called(self) -> str:
        """Return the corpus with the model, layer and pooling, as an answer names it."""
        return self.corpus if self.place == VECTORS else f"{self.corpus} by {self.place}"

    @property
    def has_labels(self) -> bool:
        """Return whether texts have two labels or more."""
        known = self.table["label"][self.table["label"] != ""]
        return known.nunique() > 1

    def originals(self) -> "TextVectors":
        """Return the texts that are no copies and whose vector has a direction."""
        has_direction = self.vectors.any(axis=1)
        is_copy = self.table["copy_of"].duplicated().to_numpy() & self.has_texts
        return self.among(has_direction & ~is_copy)

    def among(self, chosen: Bool[np.ndarray, " text"]) -> "TextVectors":
        """Return some texts."""
        table = self.table[chosen].reset_index(drop=True)
        return replace(self, vectors=self.vectors[chosen], table=table)

    @property
    def has_texts(self) -> bool:
        """Return whether texts, and not vectors alone, are known."""
        return bool((self.table["text"] != "").any())

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class HalfVectors:
    """The vectors of both halves of texts: the second half of a text asks for the first."""

    queries: Float[np.ndarray, "query dim"]
    candidates: Float[np.ndarray, "candidate dim"]
    relevant: Bool[np.ndarray, "query candidate"]
    """The first half of the same text, or of a copy."""
    documents: Int[np.ndarray, " query"]
    """The document of each query, the independent unit."""
    names: Sequence[str]
    """The name of each query's document, as in `TextVectors.table`."""

    def among(self, chosen: Bool[np.ndarray, " query"]) -> "HalfVectors":
        """Return the halves of some texts."""
        names = [name for name, is_in in zip(self.names, chosen, strict=True) if is_in]
        return HalfVectors(
            self.queries[chosen],
            self.candidates[chosen],
            self.relevant[np.ix_(chosen, chosen)],
            np.unique(self.documents[chosen], return_inverse=True)[1],
            names,
        )


class TextsOrVectors(Protocol):
    """The corpus of a question, with a vector for each text."""

    corpus: str
    model: str

    def places(self) -> list[tuple[int, str]]:
        """Return all layers and poolings, none if they are not known."""
        ...

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return a vector for each text."""
        ...

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> HalfVectors | None:
        """Return the halves of texts; None if they are too few, or not known."""
        ...


class CorpusOfTexts:
    """The texts of a corpus, with the states that a model makes of them: computed once and kept."""

    def __init__(self, corpus: str, texts: pd.DataFrame, loaded: "LoadedModel", root: Path) -> None:
        """Take the texts of `prepare_texts`."""
        self.corpus, self.texts, self._loaded, self._root = corpus, texts, loaded, root
        self.model = called(loaded.name, loaded.description.model_dump())

    @cached_property
    def read(self) -> "Reference":
        """Return the pooled states of the texts.

        Raises:
            InputError: if a text cannot be read, or none is.
        """
        from embspace.app.queries.corpus_space import check_read

        read = self._read_once(self.texts)
        check_read(self._loaded, read)
        return read

    @property
    def loaded(self) -> "LoadedModel":
        """Return the model that reads the texts."""
        return self._loaded

    @cached_property
    def _halves(self) -> "Reference":
        from embspace.prepare.sentences import split_halves

        return self._read_once(split_halves(self.texts))

    def _read_once(self, texts: pd.DataFrame) -> "Reference":
        from embspace.loaded.reference import read_once

        return read_once(self._loaded, texts, self._root)

    def place_of(self, layer: int = -1, pooling: str | None = None) -> tuple[int, str]:
        """Return the layer, counted from 0, and the pooling; without one the model's usual pooling.

        Raises:
            InputError: naming what is out of range.
        """
        from embspace.app.queries.corpus_space import checked_pooling

        states = self.read.states
        chosen = checked_pooling(states, layer, pooling, lambda: self._loaded.module.config)
        return layer % len(states["mean"]), chosen

    def places(self) -> list[tuple[int, str]]:
        """Return all layers at the poolings by which texts are measured, and the makers' own."""
        from embspace.measure.tables.text_poolings import text_poolings

        states = self.read.states
        n = len(states["mean"])
        own = [(n - 1, SENTENCE)] if SENTENCE in states else []
        return [(layer, pooling) for pooling in text_poolings([states]) for layer in range(n)] + own

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return a vector for each text that the model reads.

        A text of several windows has the mean of theirs.

        Raises:
            InputError: as `place_of`.
        """
        layer, pooling = self.place_of(layer, pooling)
        vectors, table = _by_text(self.read, layer, pooling)
        last = len(self.read.states["mean"]) - 1
        is_of_layer = pooling not in (SENTENCE, FIRST_LAST)
        at = f"layer {layer} of {last}, " if is_of_layer else ""
        return TextVectors(
            checked_vectors(vectors, self.corpus),
            table,
            self.corpus,
            f"{self.model}, {at}{pooling}",
            layer if is_of_layer else None,
            pooling,
        )

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> HalfVectors | None:
        """Return the halves of texts of four sentences or more; None with fewer than 20 documents.

        Raises:
            InputError: as `place_of`.
        """
        from embspace.measure.texts.search import copies_asked

        layer, pooling = self.place_of(layer, pooling)
        read = self._halves
        if not len(read.windows):
            return None
        texts = read.texts[read.texts["id"].isin(read.windows["text"])]
        both = texts["id"].str.rpartition(".")[0]  # whose halves are both read
        texts = texts[both.duplicated(keep=False).to_numpy()]
        if texts["document"].nunique() < FEWEST_SEARCHED:
            return None
        vectors, table = _by_text(read, layer, pooling)
        vectors = vectors[pd.Index(table["id"]).get_indexer(texts["id"])]
        half = texts["half"].to_numpy()
        return HalfVectors(
            vectors[half == 2],
            vectors[half == 1],
            copies_asked(texts),
            np.asarray(pd.factorize(texts["document"][half == 2])[0], dtype=np.int64),
            texts["document"][half == 2].tolist(),
        )


class CorpusOfVectors:
    """Vectors that were computed elsewhere, with their texts or labels if those are known."""

    model = VECTORS

    def __init__(
        self, corpus: str, vectors: Float[np.ndarray, "text dim"], table: pd.DataFrame
    ) -> None:
        """Take a vector a row of the table."""
        self.corpus = corpus
        self._vectors, self._table = vectors, table

    def places(self) -> list[tuple[int, str]]:
        """Return none: the layer is not known."""
        return []

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return the vectors.

        Raises:
            InputError: if a layer or pooling is named.
        """
        if layer != -1 or pooling is not None:
            option = "--layer" if layer != -1 else "--pooling"
            raise InputError(f"{option}: found beside vectors, allowed: with texts and a model")
        return TextVectors(self._vectors, self._table, self.corpus, VECTORS, None, None)

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> None:
        """Return None: nothing is known of halves of texts."""


def read_corpus(
    corpus: Any,
    *,
    model: Any = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> TextsOrVectors:
    """Return the corpus of a question; nothing is computed of texts before they are looked at.

    `corpus` is a file of texts, a name in conf/corpus/, or a list of texts, which a model reads; or
    a file of vectors, or an array. `vectors`, a file or an array, has a vector for each text and
    stands in the place of a model. `model` is one for `embspace.spaces`, by default minilm.
    `reading` says how a file of texts is read, by keys of a description in conf/corpus/.

    Raises:
        InputError: naming what is not known, empty, of a wrong type or shape, or not finite.
    """
    if vectors is not None:
        if model is not None:
            raise InputError("--vectors: found beside --model, allowed: one of them")
        name, texts = _texts_of(corpus, reading)
        return _with_vectors(name, texts, vectors)
    is_file = isinstance(corpus, str | Path)
    if not is_file and not _is_list_of_texts(corpus):
        from embspace.app.vectors import as_vectors

        _check_alone("vectors", model, reading)
        x = as_vectors(corpus)
        return CorpusOfVectors("vectors", x, _table_of_vectors(len(x), None))
    if is_file and holds_vectors(Path(corpus), reading):
        _check_alone(str(corpus), model, reading)
        labeled = read_labeled_vectors(corpus)
        table = _table_of_vectors(len(labeled.vectors), labeled.labels)
        return CorpusOfVectors(Path(corpus).name, labeled.vectors, table)
    from embspace.loaded.given import is_loaded, take
    from embspace.loaded.model import load
    from embspace.settings.params import read_params

    root = find_root()
    model = USUAL_MODEL if model is None else model
    if is_loaded(model):
        loaded = take(model, tokenizer)
    else:
        from embspace.app.describe import placed

        name = placed(str(model), root, Path.cwd())
        with chdir(root):
            device = read_params().device
        loaded = load(name, root, device)
    name, texts = _texts_of(corpus, reading, loaded.description.most_documents)
    return CorpusOfTexts(name, texts, loaded, root)


def check_one_source(first: TextsOrVectors, second: TextsOrVectors) -> None:
    """Stop if one corpus has vectors from elsewhere, and a model reads the other.

    Raises:
        InputError: with both corpora.
    """
    if (first.model == VECTORS) == (second.model == VECTORS):
        return
    vectors, texts = (first, second) if first.model == VECTORS else (second, first)
    raise InputError(
        f"{texts.corpus}: found texts read by {texts.model} beside vectors of {vectors.corpus}, "
        "allowed: vectors on both sides, or texts on both"
    )


def check_directions(cloud: TextVectors) -> None:
    """Stop if fewer than two documents have a vector that is not zero.

    Raises:
        InputError: with the number of vectors of length 0.
    """
    has_direction = cloud.vectors.any(axis=1)
    if len(np.unique(cloud.documents[has_direction])) < 2:
        n = int((~has_direction).sum())
        raise InputError(
            f"{cloud.corpus}: found {n:,} vectors of length 0, allowed: two documents or more with "
            "another vector, as only those have a cosine"
        )


def _is_list_of_texts(corpus: Any) -> bool:
    return isinstance(corpus, list | tuple | pd.Series) and (
        not len(corpus) or isinstance(next(iter(corpus)), str)
    )


def _check_alone(name: str, model: Any, reading: Mapping[str, Any] | None) -> None:
    """Stop if options that belong to texts stand beside vectors."""
    if model is not None:
        raise InputError(f"--model: found beside the vectors of {name}, allowed: beside texts")
    if reading:
        option = next(iter(reading)).replace("_", "-")
        raise InputError(f"--{option}: found beside the vectors of {name}, allowed: beside texts")


def _texts_of(
    corpus: Any, reading: Mapping[str, Any] | None, most: int | None = None
) -> tuple[str, pd.DataFrame]:
    """Return the name and the prepared texts of a corpus, with at least `FEWEST` documents."""
    from embspace.app.reporting.texts_given import texts_given
    from embspace.loaded.reference import corpus_texts

    root = find_root()
    if _is_list_of_texts(corpus):
        name, texts = OWN, _prepared(corpus)
    elif isinstance(corpus, str | Path):
        (name,), files = texts_given([str(corpus)], root, dict(reading or {}))
        options = files[0].options if files else None
        place = str(Path(corpus).absolute()) if files else name
        texts = corpus_texts(place, root, most, options)
        name = files[0].label if files else name
    else:
        raise InputError(f"corpus: found {type(corpus).__name__}, allowed: a file, a name, texts")
    n = texts["document"].nunique()
    if n < FEWEST:
        from embspace.prepare.texts import copies_told

        told = copies_told(texts)
        raise InputError(
            f"{name}: found {counted(n, 'document')}, allowed: {FEWEST} or more"
            f"{'; ' if told else ''}{told}"
        )
    return name, texts


def _prepared(texts: Iterable[str]) -> pd.DataFrame:
    """Return a list of texts as `prepare_texts` returns those of a file, numbered from 1."""
    from embspace.app.queries.texts_asked import checked_texts
    from embspace.prepare.copies import copies_of
    from embspace.settings.corpus import FileCorpus

    checked = checked_texts(list(texts))
    names = np.array([str(number + 1) for number in range(len(checked))], dtype=object)
    first = copies_of(checked, FileCorpus.model_fields["copy_similarity"].default)
    table = pd.DataFrame({"id": names, "text": checked, "copy_of": names[first]})
    return table.assign(document=table["copy_of"], domain="", subject="")


def _with_vectors(name: str, texts: pd.DataFrame, vectors: Any) -> CorpusOfVectors:
    """Return texts with vectors of theirs that were computed elsewhere, in the same order."""
    from embspace.app.vectors import as_vectors

    if isinstance(vectors, str | Path):
        from embspace.files.vectors import read_vectors

        x, place = read_vectors(vectors), str(vectors)
    else:
        x, place = as_vectors(vectors), "vectors"
    if len(x) != len(texts):
        raise InputError(
            f"{place}: found {len(x):,} vectors, allowed: {len(texts):,}, one for each text of "
            f"{name}"
        )
    return CorpusOfVectors(name, x, _about(texts).assign(n_tokens=np.nan))


def _table_of_vectors(n: int, labels: pd.DataFrame | None) -> pd.DataFrame:
    """Return the table of vectors without texts: `group` of their file is their label."""
    names = labels["label"].tolist() if labels is not None else list(map(str, range(n)))
    group = labels["group"].tolist() if labels is not None and "group" in labels else [""] * n
    if n < FEWEST:
        raise InputError(f"vectors: found {n} rows, allowed: {FEWEST} or more")
    # Two rows of one name are two texts all the same.
    rows = list(map(str, range(n)))
    about = {"id": names, "document": rows, "text": "", "label": group, "copy_of": rows}
    return pd.DataFrame(about).assign(n_tokens=np.nan)


def _about(texts: pd.DataFrame) -> pd.DataFrame:
    """Return what a question needs to know of prepared texts."""
    texts = texts.reset_index(drop=True)
    label = texts["subject"].where(texts["subject"] != "", texts["domain"])
    return texts[["id", "document", "text", "copy_of"]].assign(label=label)


def _by_text(
    read: "Reference", layer: int, pooling: str
) -> tuple[Float[np.ndarray, "text dim"], pd.DataFrame]:
    """Return a vector for each text that was read, in the order of the texts, and their table."""
    from embspace.app.queries.corpus_space import pooled_states

    windows, texts = read.windows, read.texts.reset_index(drop=True)
    x = pooled_states(read.states, pooling, layer, read)
    if pooling == SENTENCE:
        windows = windows[windows["window"] == 0]
    kept = texts["id"].isin(windows["text"])
    texts = texts[kept.to_numpy()].reset_index(drop=True)
    place = pd.Index(texts["id"]).get_indexer(windows["text"])
    n_tokens = np.bincount(
        pd.Index(texts["id"]).get_indexer(read.windows["text"]),
        read.windows["n_tokens"],
        minlength=len(texts),
    )
    sums = np.zeros((len(texts), x.shape[1]))
    np.add.at(sums, place, x)
    means = sums / np.bincount(place, minlength=len(texts))[:, None]
    table = _about(texts) if "subject" in texts else texts[["id", "document"]]
    return means.astype(np.float32), table.assign(n_tokens=n_tokens)
