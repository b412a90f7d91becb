"""Pooled states of the corpora that queries are compared with, computed once and kept.

The states lie in the user's cache, keyed by weights, texts and settings.
"""

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from contextlib import chdir, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.errors import InputError, not_among
from embspace.files.formats.endings import stem_of
from embspace.files.rows import load_rows, save_rows
from embspace.files.tensors import map_tensors, save_tensors, tensor_names
from embspace.loaded.kept import REFERENCES, remove_unused
from embspace.loaded.model import LoadedModel
from embspace.loaded.states import SETTINGS, read_states
from embspace.settings.corpus import (
    Corpus,
    Enwik8Corpus,
    HubCorpus,
    WikipediaCorpus,
    corpus_file,
    describe_corpus,
)
from embspace.settings.own import own_description
from embspace.settings.params import CONF
from embspace.settings.roots import cache_folder
from embspace.settings.schema import read_yaml

CODE = ("clouds", "extract", "loaded", "models")  # folders of embspace that make states of texts
PREPARED = Path("data/prepared/texts")
ELSEWHERE = (HubCorpus, WikipediaCorpus, Enwik8Corpus)  # whose texts no question fetches
ENDINGS = (".safetensors", ".tokens.parquet", ".windows.parquet")  # of the files of one


@dataclass(frozen=True, eq=False)
class Reference:
    """The pooled states of the texts of a corpus."""

    states: dict[str, np.ndarray]
    """Tensors (layer, row, dim) by pooling; `sentence` has a row per text, all others a row per
    window.
    """
    windows: pd.DataFrame
    """text, window, n_tokens, and the characters of the text that the window covers: start, end."""
    tokens: pd.DataFrame
    """The tokens of the windows, as of `token_table`."""
    texts: pd.DataFrame
    """id, document, text, and further known columns."""


def reference(loaded: LoadedModel, corpus: str, root: Path) -> Reference:
    """Return the pooled states of a corpus, a name or a file; computed if not in the cache.

    Raises:
        InputError: if the corpus is unknown, or the texts are not at hand or cannot be read.
    """
    texts = corpus_texts(corpus, root, loaded.description.most_documents)
    return read_once(loaded, texts, root)


def read_once(loaded: LoadedModel, texts: pd.DataFrame, root: Path) -> Reference:
    """Return the pooled states of a table of texts; computed if not in the cache.

    Raises:
        InputError: if a text cannot be read.
    """
    if loaded.decides is None or texts.empty:
        return _read(loaded, texts, root)
    content = texts[["id", "text"]].to_dict("list")
    decides = [loaded.decides, _code(), read_yaml(root / SETTINGS), content]
    digest = hashlib.sha256(json.dumps(decides).encode()).hexdigest()[:32]
    path = cache_folder() / REFERENCES / digest
    with suppress(InputError, OSError):  # it is not there, or half of it is
        kept = _kept(path, texts)
        with suppress(OSError):  # of a folder that may only be read
            Path(f"{path}{ENDINGS[0]}").touch()  # when it was used: `prune` goes by that
        return kept
    made = _read(loaded, texts, root)
    try:
        save_tensors(made.states, f"{path}{ENDINGS[0]}")
        save_rows(made.tokens, f"{path}{ENDINGS[1]}")
        save_rows(made.windows, f"{path}{ENDINGS[2]}")
        remove_unused()
    except InputError as error:
        logging.getLogger(__name__).warning("%s; it is computed again next time", error)
    return made


def _kept(path: Path, texts: pd.DataFrame) -> Reference:
    states, tokens, windows = (f"{path}{ending}" for ending in ENDINGS)
    tables = load_rows(windows), load_rows(tokens)
    return Reference(map_tensors(states, tensor_names(states)), *tables, texts)


def corpus_texts(
    corpus: str, root: Path, most: int | None, reading: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the texts of a corpus of conf/corpus/ or of a file, of at most `most` documents.

    The table has a row per text, as from `prepare_texts`. A corpus with a remote source must have
    been prepared before. `reading` says how a file is read, by keys of a description in
    conf/corpus/.

    Raises:
        InputError: if the corpus is unknown, or the texts are not at hand or cannot be read.
    """
    from embspace.clouds.documents import some_documents
    from embspace.prepare.texts import prepare_texts

    if reading is not None or Path(corpus).suffix:
        return some_documents(_texts_of_file(corpus, reading or {}), most)
    description = _described(corpus, root)
    prepared = root / PREPARED / f"{corpus}.parquet"
    if isinstance(description, ELSEWHERE):
        if not prepared.is_file():
            raise InputError(
                f"{corpus_file(corpus)}: its texts are elsewhere, and no question fetches them; "
                f"name it under `corpora` in params.yaml and type\n  embspace run prepare_texts"
            )
        texts = load_rows(str(prepared))
    else:
        with chdir(root):
            texts = prepare_texts(corpus, description)
    return some_documents(texts, most)


def text_lengths(corpus: str, root: Path) -> pd.Series:
    """Return the number of characters of each text of a corpus of conf/corpus/, before preparation.

    Faster than `corpus_texts`, which looks for copies.

    Raises:
        InputError: if the corpus is unknown, or the texts are not at hand or cannot be read.
    """
    from embspace.prepare.texts import lengths_of_units

    description = _described(corpus, root)
    if isinstance(description, ELSEWHERE):
        return corpus_texts(corpus, root, None)["text"].str.len()
    with chdir(root):
        return lengths_of_units(description)


def _described(corpus: str, root: Path) -> Corpus:
    file = root / CONF / "corpus" / f"{corpus}.yaml"
    if not file.is_file():
        known = sorted(path.stem for path in file.parent.glob("*.yaml"))
        raise InputError(f"--corpus: {not_among(corpus, known)}")
    return describe_corpus(corpus, read_yaml(file))


def _texts_of_file(file: str, reading: Mapping[str, Any]) -> pd.DataFrame:
    from embspace.prepare.texts import prepare_texts

    name = stem_of(Path(file).name)
    said = own_description(name, {"source": "file", "path": file})
    try:
        return prepare_texts(name, describe_corpus(name, said | dict(reading)))
    except InputError as error:  # there is no file of conf/ that it could name
        plain = str(error).removeprefix(f"{corpus_file(name)}: ")
        raise InputError(re.sub("^key '(path|text_column)': ", "", plain)) from error.__cause__


@cache
def _code() -> str:
    """Return a hash of the code that makes states of texts."""
    package = Path(__file__).parent.parent
    told_apart = hashlib.sha256()
    for folder in CODE:
        for file in sorted((package / folder).rglob("*.py")):
            told_apart.update(file.read_bytes())
    return told_apart.hexdigest()


def with_ends(windows: pd.DataFrame, tokens: pd.DataFrame) -> pd.DataFrame:
    """Return windows with the range of their characters in the texts: start, end."""
    inside = tokens[~tokens["special"]].groupby("window")
    ends: dict[str, Any] = {"start": inside["start"].min(), "end": inside["end"].max()}
    numbers = range(len(windows))
    added = {name: column.reindex(numbers, fill_value=0) for name, column in ends.items()}
    return windows.assign(**{name: column.to_numpy() for name, column in added.items()})


def _read(loaded: LoadedModel, texts: pd.DataFrame, root: Path) -> Reference:
    made = read_states(loaded, texts["text"].tolist(), root, {}, token_states=False)
    names = texts["id"].to_numpy()
    windows = with_ends(made.windows, made.tokens)
    windows["text"] = names[windows["text"].astype(int) - 1]
    return Reference(made.tensors, windows, made.tokens, texts)
