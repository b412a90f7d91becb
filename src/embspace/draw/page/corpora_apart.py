"""Names the two corpora that vectors tell apart most beyond words, the same in all figures.

Tables are of `measure_two_corpora`, of one pair or by pair: rows of layers, and of words alone.
"""

import pandas as pd

from embspace.draw.page.canvas import counted, sentence_case
from embspace.draw.page.own_texts import corpus_called

NONE = "No two corpora to tell apart"
WORDS = "tf_idf"
DEALT = "labels dealt anew"
SURE = 0.05
TablesOfPairs = dict[tuple[str, str], pd.DataFrame]


def tables_by_pair(table: pd.DataFrame) -> TablesOfPairs:
    """Return the rows of each two corpora, in the order of the table."""
    groups = table.groupby(["corpus", "other_corpus"], sort=False)
    return {(str(one), str(other)): rows for (one, other), rows in groups}


def pair_called(pair: tuple[str, str]) -> str:
    """Return the name of two corpora for readers, as in the middle of a sentence."""
    one, other = map(corpus_called, pair)
    return f"{one} and {other}"


def sizes_said(pairs: TablesOfPairs) -> str:
    """Return the number of documents by corpus, once if all have as many, for a subtitle."""
    sizes = {
        name: int(n)
        for (one, other), rows in pairs.items()
        for name, n in (
            (one, rows["n_documents"].iloc[0]),
            (other, rows["n_other_documents"].iloc[0]),
        )
    }
    if len({*sizes.values()}) == 1:
        return f"{counted(next(iter(sizes.values())), 'document')} a corpus"
    return ", ".join(
        f"{corpus_called(name)}: {counted(n, 'document')}" for name, n in sizes.items()
    )


def pair_beyond_words(pairs: TablesOfPairs) -> tuple[str, str]:
    """Return the pair whose lowest layer is farthest above words alone, by AUC, then by distance.

    A pair that words alone tell apart as well shows nothing of the model.
    """
    return max(pairs, key=lambda pair: _beyond_words(pairs[pair]))


def apart_finding(pairs: TablesOfPairs, panel: str = "") -> str:
    """Return a title: the AUC of the pair beyond words, and whether words' AUC is surely less.

    Args:
        pairs: The tables by pair.
        panel: The letter of the panel with the AUC, if the figure has further panels.
    """
    if not pairs:
        return NONE
    pair = pair_beyond_words(pairs)
    named, layers = sentence_case(pair_called(pair)), _layer_rows(pairs[pair])
    words = pairs[pair].query("embedding == @WORDS")
    where = f" ({panel})" if panel else ""
    beside = where + _beside(named_layer(pairs[pair]), words)
    if not _is_apart(layers):
        return f"{named} are not clearly apart in any layer{beside}"
    if not _is_apart_everywhere(layers):
        return f"{named} are told apart, best at layer {layers.iloc[-1]['layer']:.0f}{beside}"
    least = where + _beside(named_layer(pairs[pair]), words, " or more")
    return f"{named} are told apart at every layer{least}"


def named_layer(rows: pd.DataFrame) -> pd.Series:
    """Return the row with the AUC for a title: the least if all layers are apart, else the best."""
    layers = _layer_rows(rows)
    return layers.iloc[0 if _is_apart_everywhere(layers) else -1]


def _is_apart(layers: pd.DataFrame) -> bool:
    """Return whether a layer tells the corpora apart, all layers considered."""
    return bool(layers["p_value_of_layers"].min() <= SURE)


def _is_apart_everywhere(layers: pd.DataFrame) -> bool:
    return _is_apart(layers) and bool((layers["p_value"] <= SURE).all())


def _layer_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of layers by AUC, the smallest first."""
    return rows[rows["layer"].notna()].sort_values("auc", kind="stable")


def _beyond_words(rows: pd.DataFrame) -> tuple[float, float]:
    least, words = _layer_rows(rows).iloc[0], rows.loc[rows["embedding"] == WORDS, "auc"]
    return round(least["auc"], 2) - words.round(2).sum(), least["distance"]


def _beside(row: pd.Series, words: pd.DataFrame, more: str = "") -> str:
    """Return a layer's AUC beside words alone, and whether words' AUC is surely less."""
    parts = [f"AUC {row['auc']:.2f}{more}"]
    for _, alone in words.iterrows():
        is_less = alone["auc_high"] < row["auc_low"]
        parts.append(f"words alone {alone['auc']:.2f}" + ("" if is_less else ", not surely less"))
    return f": {', '.join(parts)}"
