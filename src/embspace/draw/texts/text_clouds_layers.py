"""Tells which cosines of texts are not positive, from `measure_text_clouds`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import percent
from embspace.draw.page.looks import NULLS, TEXT_POOLINGS, corpus_looks, names, pooling_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section
from embspace.draw.page.wording import listed
from embspace.files.tables import Tables

STAGE = "measure_text_clouds"
RESULTS = ("text_clouds/positive.csv",)
DRAWN_IN = "text_clouds"
SHARE, NULL = "share_not_positive", "null_covariance_share_not_positive"
TINY = 1e-4  # a share of cosines that rounds to 0
GAUSSIAN = NULLS["gaussian_of_covariance"]
COLUMNS = {
    **same("corpus", "pooling", "layer"),
    **interval(SHARE, "share"),
    NULL: GAUSSIAN.name,
    "null_isotropic_share_not_positive": "isotropic Gaussian",
}


def draw_text_clouds_layers(
    results: Tables, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return where cosines of two texts are not positive, and a table by layer and pooling."""
    positive = results["text_clouds/positive"]
    positive = positive[positive["corpus"] == positive["other_corpus"]]
    return _finding(positive), _table(positive, label, digits)


def _finding(positive: pd.DataFrame) -> str:
    """Return the title: all cosines of texts are positive, or the layer where most are not.

    The first token of a decoder knows nothing of a text, and is left out.
    """
    if positive.empty:
        return "No collection of texts to describe"
    looks = pooling_looks(positive["pooling"])
    positive = positive[positive["pooling"].isin([*looks])]
    most = positive.sort_values(SHARE, kind="stable").iloc[-1]
    if most[SHARE] == 0:
        poolings = listed([look.name for look in looks.values()])
        where = f"layer, by {poolings}" if "last" in looks else "layer and pooling"
        if positive[NULL].max() < TINY:
            return (
                f"No cosine of two texts of a corpus is 0 or less, at any {where}; nor is one of "
                "Gaussian vectors of equal mean and covariance"
            )
        return f"All cosines of two texts of a corpus are positive, at each {where}"
    name = corpus_looks([most["corpus"]])[most["corpus"]].name
    by_pooling = positive[positive["layer"] == most["layer"]]
    by_pooling = by_pooling[by_pooling["corpus"] == most["corpus"]].set_index("pooling")[SHARE]
    others = ", ".join(
        f"{percent(by_pooling[pooling])} with {look.name}"
        for pooling, look in looks.items()
        if pooling in by_pooling and pooling != most["pooling"]
    )
    return (
        f"{percent(most[SHARE])} of the cosines of two {name} at layer {most['layer']} are not "
        f"positive with {TEXT_POOLINGS[most['pooling']].name}" + (f", {others}" if others else "")
    )


def _table(positive: pd.DataFrame, label: str, digits: int) -> str:
    shown = positive.reindex(columns=[*COLUMNS]).rename(columns=COLUMNS)
    shown["pooling"] = shown["pooling"].map(names(TEXT_POOLINGS))
    body = section(
        "Cosines that are not positive",
        "Their share of all pairs of two texts of a corpus, by layer; of Gaussian vectors with the "
        "same mean and covariance, and with the same variance in all directions.",
        markdown_table(shown, digits),
    )
    return f"# Clouds of texts by layer in {label}\n\nStage `measure_text_clouds`.\n\n{body}"
