"""The scale for reading a cosine, on the page of a report: the cosines of all pairs."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from embspace.draw.page.looks import TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table
from embspace.files.tables import load_table

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
DIGITS = 3


def scale_of(folder: Path, model: str, nouns: Collection[str]) -> str:
    """Return quantiles of the cosines of all pairs as a table in Markdown.

    Pairs are of tokens of the vocabulary, in the table of embeddings (similarity), and of windows
    of every corpus at the last layer, by pooling (text_clouds). Only results of `nouns` are read: a
    tree may have others, on different texts. Empty if the tree in `folder` has neither.
    """
    parts = {"similarity": _token_pairs, "text_clouds": _text_pairs}
    tables = [part(folder, model) for noun, part in parts.items() if noun in nouns]
    rows = pd.concat([pd.DataFrame(), *tables], ignore_index=True)
    if rows.empty:
        return ""
    quantiles = {f"{100 * share:g} % are below": rows[f"quantile_{share}"] for share in SHARES}
    table = pd.DataFrame({"pairs of": rows["pairs"], "pairs": rows["n"], **quantiles})
    return markdown_table(table, DIGITS)


def _token_pairs(folder: Path, model: str) -> pd.DataFrame:
    file = folder / f"results/similarity/summary/{model}.csv"
    if not file.is_file():
        return pd.DataFrame()
    table = load_table(str(file))
    cosines = table[(table["space"] == "input") & (table["quantity"] == "cosine")]
    return cosines.assign(pairs="tokens of the vocabulary, learned vectors")


def _text_pairs(folder: Path, model: str) -> pd.DataFrame:
    file = folder / f"results/text_clouds/distributions/{model}.csv"
    if not file.is_file():
        return pd.DataFrame()
    table = load_table(str(file))
    last = table["layer"] == table["layer"].max()
    is_within = table["corpus"] == table["other_corpus"]
    cosines = table[last & is_within & (table["quantity"] == "cosine")]
    looks = corpus_looks(cosines["corpus"])
    named = [
        f"{looks[corpus].name}, {TEXT_POOLINGS[pooling].name}, layer {layer}"
        for corpus, pooling, layer in cosines[["corpus", "pooling", "layer"]].itertuples(
            index=False
        )
    ]
    return cosines.assign(pairs=named)
