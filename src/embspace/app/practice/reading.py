"""Reads the corpus of a question from a file, a list of texts or an array."""

from collections.abc import Iterable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.practice.corpora import (
    CorpusOfTexts,
    CorpusOfVectors,
    TextsOrVectors,
)
from embspace.app.practice.vector_files import holds_vectors, mapped_vectors
from embspace.errors import InputError, counted
from embspace.files.vectors import read_labeled_vectors
from embspace.measure.practice.text_vectors import about_texts
from embspace.settings.roots import find_root

USUAL_MODEL = "minilm"
OWN = "texts"  # a list of texts goes by this name
FEWEST = 4  # texts that have an interval


def read_corpus(
    corpus: Any,
    *,
    model: Any = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> TextsOrVectors:
    """Return the corpus of a question; no text is read before the first access.

    `corpus` is a file of texts, a name in conf/corpus/, or a list of texts, for a model to read; or
    a file of vectors, or an array. `vectors`, a file or an array, has a vector per text and
    replaces a model. `model` is a model for `embspace.spaces`, by default minilm. `reading` says
    how a file of texts is read, by keys of a description in conf/corpus/.

    Raises:
        InputError: naming anything unknown, empty, of a wrong type or shape, or not finite.
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
        mapped = mapped_vectors(Path(corpus).expanduser())
        if mapped is not None:
            return CorpusOfVectors(Path(corpus).name, mapped, _table_of_vectors(len(mapped), None))
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
        from embspace.app.describe.names import placed

        name = placed(str(model), root, Path.cwd())
        with chdir(root):
            device = read_params().device
        loaded = load(name, root, device)
    name, texts = _texts_of(corpus, reading, loaded.description.most_documents)
    return CorpusOfTexts(name, texts, loaded, root)


def _is_list_of_texts(corpus: Any) -> bool:
    return isinstance(corpus, list | tuple | pd.Series) and (
        not len(corpus) or isinstance(next(iter(corpus)), str)
    )


def _check_alone(name: str, model: Any, reading: Mapping[str, Any] | None) -> None:
    """Stop if options of texts stand beside vectors."""
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

        copies = copies_told(texts)
        raise InputError(
            f"{name}: found {counted(n, 'document')}, allowed: {FEWEST} or more"
            f"{'; ' if copies else ''}{copies}"
        )
    return name, texts


def _prepared(texts: Iterable[str]) -> pd.DataFrame:
    """Return a list of texts in the form of `prepare_texts` for a file, numbered from 1."""
    from embspace.app.queries.texts_asked import checked_texts
    from embspace.prepare.copies import copies_of
    from embspace.settings.corpus import FileCorpus

    checked = checked_texts(list(texts))
    names = np.array([str(number + 1) for number in range(len(checked))], dtype=object)
    first = copies_of(checked, FileCorpus.model_fields["copy_similarity"].default)
    table = pd.DataFrame({"id": names, "text": checked, "copy_of": names[first]})
    return table.assign(document=table["copy_of"], domain="", subject="")


def _with_vectors(name: str, texts: pd.DataFrame, vectors: Any) -> CorpusOfVectors:
    """Return texts with vectors computed elsewhere, in the same order."""
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
    return CorpusOfVectors(name, x, about_texts(texts).assign(n_tokens=np.nan))


def _table_of_vectors(n: int, labels: pd.DataFrame | None) -> pd.DataFrame:
    """Return the table of vectors without texts: `group` of the file is the label."""
    names = labels["label"].tolist() if labels is not None else list(map(str, range(n)))
    group = labels["group"].tolist() if labels is not None and "group" in labels else [""] * n
    if n < FEWEST:
        raise InputError(f"vectors: found {n} rows, allowed: {FEWEST} or more")
    # Two rows of one name are two texts all the same.
    rows = list(map(str, range(n)))
    about = {"id": names, "document": rows, "text": "", "label": group, "copy_of": rows}
    return pd.DataFrame(about).assign(n_tokens=np.nan)
