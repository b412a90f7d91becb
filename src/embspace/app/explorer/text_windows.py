"""Reads the vectors and the words of the windows of texts that a map shows."""

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import regex
from jaxtyping import Float, Int

from embspace.app.explorer.packing import Pack
from embspace.files.rows import load_rows
from embspace.files.tensors import load_tensors
from embspace.scripts.words import OF_WORD

NEARNESS = {  # of the neighbors that a map is made from, by how its vectors are prepared
    "raw": "Euclidean distance",
    "unit_length": "cosine",
    "centered_unit_length": "cosine about the mean",
}
MOST_COUNTED = 255  # the largest count that is held of a word in a window
MOST_WORDS = 2000  # of all texts of a map: the most frequent ones
# Two letters or more, of any script; neither "ll" of "I'll" nor "isn" of "isn't".
WORD = regex.compile(
    rf"(?<!['’])(?<![{OF_WORD}])[\p{{L}}\p{{M}}]{{2,}}(?![{OF_WORD}])(?!['’]t(?![{OF_WORD}]))"
)
SNIPPET = 50  # characters of a window that its name shows


def window_vectors(
    folder: Path, model: str, rows: pd.DataFrame, place: tuple[str, str, int]
) -> Float[np.ndarray, "n dim"] | None:
    """Return the vectors behind a map of texts, a row a window; None if missing.

    Args:
        folder: The root of a tree.
        model: The model's name.
        rows: A row a window: corpus, text, window.
        place: Pooling, preparation and layer, as in the maps' tables.
    """
    from embspace.geometry.maps.prepared import prepared

    pooling, preparation, layer = place
    if preparation not in NEARNESS:
        return None
    parts: list[np.ndarray] = []
    places: list[np.ndarray] = []
    for corpus, corpus_rows in rows.reset_index(drop=True).groupby("corpus", sort=False):
        path = folder / f"data/extracted/hidden_states/{model}/{corpus}"
        numbers = _numbers(path, corpus_rows)
        if numbers is None or not path.with_name(f"{corpus}.safetensors").exists():
            return None
        states = load_tensors(f"{path}.safetensors", (pooling,))[pooling]
        if layer >= len(states) or numbers.max() >= states.shape[1]:
            return None
        parts.append(states[layer][numbers])
        places.append(corpus_rows.index.to_numpy())
    order = np.concatenate(places)
    x = np.concatenate(parts)
    return prepared(x[np.argsort(order)], preparation)


def _numbers(path: Path, rows: pd.DataFrame) -> Int[np.ndarray, " n"] | None:
    """Return the numbers of the windows in the extracted table; None if a window is missing."""
    table = path.with_name(f"{path.name}.windows.parquet")
    if not table.exists():
        return None
    windows = load_rows(str(table))
    known = pd.MultiIndex.from_frame(windows[["text", "window"]].astype({"text": str}))
    wanted = pd.MultiIndex.from_frame(rows[["text", "window"]].astype({"text": str}))
    if not known.is_unique:
        return None
    numbers = known.get_indexer(wanted)
    return numbers if (numbers >= 0).all() else None


def window_texts(folder: Path, model: str, rows: pd.DataFrame) -> list[str] | None:
    """Return the text of every window; None if missing or from different texts."""
    parts = []
    for corpus, corpus_rows in rows.groupby("corpus", sort=False):
        path = folder / f"data/extracted/hidden_states/{model}/{corpus}"
        prepared = folder / f"data/prepared/texts/{corpus}.parquet"
        tokens = path.with_name(f"{corpus}.tokens.parquet")
        numbers = _numbers(path, corpus_rows)
        if numbers is None or not prepared.exists() or not tokens.exists():
            return None
        inside = load_rows(str(tokens))
        ends = inside[~inside["special"]].groupby("window").agg({"start": "min", "end": "max"})
        ends = ends.reindex(numbers, fill_value=0)
        texts = load_rows(str(prepared)).drop_duplicates("id")
        content = texts.set_index(texts["id"].astype(str))["text"]
        content = content.reindex(corpus_rows["text"].astype(str))
        if content.isna().any():
            return None
        cut = zip(content, ends["start"], ends["end"], strict=True)
        parts.append(pd.Series([text[a:b] for text, a, b in cut], corpus_rows.index))
    return [str(text) for text in pd.concat(parts).reindex(rows.index)]


def snippet(text: str) -> str:
    """Return the first letters of a text in a single line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= SNIPPET else f"{flat[: SNIPPET - 1].rstrip()}…"


def _named_words(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFC", text))


def counted_words(texts: list[str], pack: Pack) -> dict[str, object] | None:
    """Return the words of texts and their counts by text; None if no two texts share a word.

    English function words, numbers and words of a single text are left out.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(
        stop_words="english",
        tokenizer=_named_words,
        token_pattern=None,
        min_df=2,
        max_features=MOST_WORDS,
    )
    try:
        counts = counter.fit_transform(texts).tocsr()
    except ValueError:  # no word is left
        return None
    counts.sort_indices()
    return {
        "list": counter.get_feature_names_out().tolist(),
        "of_each": pack.add(np.diff(counts.indptr), n_bytes=2),
        "numbers": pack.add(counts.indices, n_bytes=2),
        "counts": pack.add(np.minimum(counts.data, MOST_COUNTED), n_bytes=1),
    }
