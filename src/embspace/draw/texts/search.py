"""Tells how high a text's first half ranks for the second, from `measure_search`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted, sentence_case
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.texts.layer_lines import EMBEDDINGS

STAGE = "measure_search"
DRAWN_IN = "tasks"
QUANTITY = "mean_reciprocal_rank"
NO_CORPUS = (
    "No corpus that the model reads has enough texts to halve: `fewest_documents` in\n"
    "conf/measure/texts/search.yaml of four sentences or more, and `halves: true` in conf/corpus/"
)


def draw_search(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the ranks by mean pooling of the last layer and TF-IDF, and the best by corpus."""
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    sections = [_best(_name(corpus), table, digits) for corpus, table in corpora.items()]
    about = "Each second half of a text is a query, all first halves are candidates.\n"
    shown = "\n".join([about, *(sections or [f"{NO_CORPUS}.\n"])])
    return _finding(corpora), tables_page(f"Search in {label}", STAGE, shown)


def _name(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _finding(corpora: dict[str, pd.DataFrame]) -> str:
    if not corpora:
        return "No text to search for"
    corpus, table = next(iter(corpora.items()))
    rows = table[table["preparation"] == "as_is"].set_index("embedding")
    last, chance = rows.loc[["mean"]].iloc[-1], table[f"null_{QUANTITY}"].iloc[0]
    tf_idf = float(rows.loc[["tf_idf"], QUANTITY].iloc[0])
    no_better = "" if last[f"{QUANTITY}_low"] > chance else " no better than chance does,"
    return (
        f"Mean pooling of the last layer finds the other half of {_name(corpus)}{no_better} at a "
        f"mean reciprocal rank of {last[QUANTITY]:.2f}, TF-IDF at "
        f"{tf_idf:.2f}, chance at {chance:.2f}"
    )


def _best(corpus: str, table: pd.DataFrame, digits: int) -> str:
    """Return the best layer and preparation of every embedding."""
    best = table.sort_values(QUANTITY, ascending=False, kind="stable")
    best = best.drop_duplicates("embedding")
    columns = ["embedding", "layer", "preparation"]
    for name in (QUANTITY, "recall_at_1", "recall_at_10", f"{QUANTITY}_minus_tf_idf"):
        columns += [f"{name}{end}" for end in ("", "_low", "_high")]
    shown = best[columns].astype({"layer": "Int64"})
    shown["embedding"] = shown["embedding"].map(EMBEDDINGS)
    shown["preparation"] = shown["preparation"].str.replace("_", " ")
    less = f"{QUANTITY}_minus_tf_idf"
    shown.columns = shown.columns.str.replace(less, "less TF-IDF")
    first = best.iloc[0]
    return section(
        sentence_case(corpus),
        f"{counted(first['n_queries'], 'text')} of four sentences or more, cut in "
        "two; shorter ones take no part. The best layer and preparation of each embedding, chosen "
        f"by these very numbers; by chance a rank of {first[f'null_{QUANTITY}']:.3f}.",
        markdown_table(shown, digits),
    )
