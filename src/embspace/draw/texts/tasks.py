"""Draws which layers serve search and classification of texts better than words do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import GRAY, OWN_VECTOR, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.texts.layer_lines import (
    EMBEDDINGS,
    LAYER,
    draw_by_layer,
    draw_level,
    draw_random_by_layer,
)

RESULTS = (
    "search/.csv",
    "text_classification/.csv",
    "conf/measure/texts/text_classification.yaml",
)
MEASURED_WITH = RESULTS[-1]
RANK, ACCURACY = "mean_reciprocal_rank", "accuracy"
LESS_WORDS = {RANK: f"{RANK}_minus_tf_idf", ACCURACY: "less_bag_of_words"}
NAMED = "mean"  # the pooling of the title
MOST_CORPORA = 2  # with a panel of search
LINES = {"tf_idf": "--", "bm25": ":", "bag_of_words": "--", "sentence": OWN_VECTOR.line}


def draw_tasks(
    results: Mapping[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    labels_called: str,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the rank of the first half by layer, a panel per corpus, and the accuracy of labels.

    The vectors are unchanged. Lines are poolings, levels have no layer.
    """
    search = results["search"]
    search = search[search["preparation"] == "as_is"].rename(columns={"embedding": "features"})
    labels = results["text_classification"]
    source = results[MEASURED_WITH]
    corpora = list(dict.fromkeys(search["corpus"]))[:MOST_CORPORA]
    figure, axes = new_figure(
        1,
        max(len(corpora), 1) + 1,
        height_mm=height_mm,
        title=_finding(search, labels, source),
        subtitle=f"{label} · {_population(search, labels, source)}",
        stage="measure_search",
    )
    for ax, corpus in zip(axes, corpora, strict=False):
        _search(ax, search[search["corpus"] == corpus])
        ax.set_title(f"{sentence_case(corpus_looks([corpus])[corpus].name)}: search")
    if not corpora:
        say_instead(axes[:1], "no corpus has enough texts to halve")
    _labels(axes[-1], labels)
    axes[-1].set_title(f"{sentence_case(Path(source['texts']).stem)}: {labels_called}")
    return figure, _table(search, labels, label, digits)


def _last(rows: pd.DataFrame) -> pd.Series | None:
    """Return the last layer by mean pooling, if the model reads texts."""
    own = rows[(rows["features"] == NAMED) & (rows.get("weights", "trained") == "trained")]
    return None if own.empty else own.sort_values("layer").iloc[-1]


def _finding(search: pd.DataFrame, labels: pd.DataFrame, source: Mapping[str, Any]) -> str:
    """Return the title: whether the model serves search and classification better than words."""
    last = _last(search[search["corpus"] == search["corpus"].iloc[0]] if len(search) else search)
    by_layer = labels[(labels["features"] == NAMED) & (labels["weights"] == "trained")]
    if last is None:
        return "The model reads no text to search for"
    value, tf_idf_rank = last[RANK], last[RANK] - last[LESS_WORDS[RANK]]
    low, high = (last[f"{LESS_WORDS[RANK]}_{end}"] for end in ("low", "high"))
    verb = "better than" if low > 0 else "worse than" if high < 0 else "no better than"
    chance = last[f"null_{RANK}"]
    said = (
        f"By mean pooling the last layer finds texts {verb} TF-IDF, at a reciprocal rank of "
        f"{value:.2f} against {tf_idf_rank:.2f}"
    )
    if last[f"{RANK}_low"] <= chance:
        said = (
            "By mean pooling the last layer finds texts no better than chance, at a reciprocal "
            f"rank of {value:.2f}"
        )
    if by_layer.empty:
        return said
    best = by_layer.sort_values(ACCURACY, kind="stable").iloc[-1]
    is_better = best[f"{LESS_WORDS[ACCURACY]}_low"] > 0
    which = f"layer {best['layer']:.0f} labels" if is_better else "no layer surely labels"
    return f"{said}; {which} {Path(source['texts']).stem} better than words"


def _population(search: pd.DataFrame, labels: pd.DataFrame, source: Mapping[str, Any]) -> str:
    words = labels[labels["features"] == "bag_of_words"].iloc[0]
    sizes = [
        f"{corpus_looks([str(corpus)])[str(corpus)].name}: {counted(n, 'text')}, second halves ask "
        "for the first"
        for corpus, n in search.groupby("corpus", sort=False)["n_queries"].first().items()
    ]
    column, group = (source[name].replace("_", " ") for name in ("label_column", "group_column"))
    return " · ".join(
        [
            *(sizes or ["no text to search for"]),
            f"{column} of {Path(source['texts']).stem} by logistic regression, "
            f"{counted(words['n'], 'text')} held out by {group} "
            f"({counted(words['n_groups'], 'group')}); labels have no maximum pooling",
            f"bands: {100 * words['level']:g} % intervals",
        ]
    )


def _search(ax: Axes, rows: pd.DataFrame) -> None:
    draw_level(ax, rows[f"null_{RANK}"].iloc[0], "chance level", color=GRAY)
    _levels(ax, rows, RANK)
    _lines(ax, rows, RANK)
    ax.set(ylabel="mean reciprocal rank", xlabel=LAYER, ylim=(0, 1))
    name_lines(ax)


def _labels(ax: Axes, labels: pd.DataFrame) -> None:
    """Draw accuracies, with the range of permuted labels as a gray band."""
    ends = (f"permuted_accuracy_{end}" for end in ("smallest", "largest"))
    low, high = (labels[end].agg(how) for end, how in zip(ends, ("min", "max"), strict=True))
    ax.axhspan(low, high, color=GRAY, alpha=0.25, lw=0)
    draw_level(ax, (low + high) / 2, "labels permuted", "None", GRAY)
    _levels(ax, labels, ACCURACY)
    for features, rows in labels[labels["weights"] == "random"].groupby("features", sort=False):
        draw_random_by_layer(ax, rows, ACCURACY, TEXT_POOLINGS[str(features)])
    _lines(ax, labels[labels["weights"] == "trained"], ACCURACY)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.set(ylabel="accuracy on held-out texts", xlabel=LAYER)
    ax.margins(y=0.08)
    name_lines(ax)


def _levels(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    for name, line in LINES.items():
        for value in rows.loc[rows["features"] == name, quantity]:
            draw_level(ax, value, f"{EMBEDDINGS[name]} {_number(value, quantity)}", line)


def _lines(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Draw the poolings by layer; the named pooling has a band."""
    for pooling, look in TEXT_POOLINGS.items():
        own = rows[rows["features"] == pooling].sort_values("layer")
        own = own if pooling == NAMED else own.drop(columns=f"{quantity}_low")
        if len(own):
            words = f"{look.name} {_number(own[quantity].iloc[-1], quantity)}"
            draw_by_layer(ax, own, quantity, look._replace(name=words))


def _number(value: float, quantity: str) -> str:
    return percent(value) if quantity == ACCURACY else f"{value:.2f}"


def _table(search: pd.DataFrame, labels: pd.DataFrame, label: str, digits: int) -> str:
    """Return a table of the title's pooling, and of vectors without a layer."""
    keys = ["features", "layer"]
    parts = [(str(corpus), RANK, rows) for corpus, rows in search.groupby("corpus", sort=False)]
    parts.append(("", ACCURACY, labels[labels["weights"] != "random"]))
    tables = []
    for corpus, quantity, rows in parts:
        name = f"rank in {corpus_looks([corpus])[corpus].name}" if corpus else quantity
        shown = rows[rows["features"].isin([NAMED, *LINES])].set_index(keys)
        ends = {f"{quantity}{end}": f"{name}{end}" for end in ("", "_low", "_high")}
        tables.append(shown[[*ends]].rename(columns=ends))
    joined = pd.concat(tables, axis=1).reset_index().rename(columns={"features": "vectors"})
    joined["vectors"] = joined["vectors"].map(EMBEDDINGS)
    note = "Mean reciprocal rank of the other half of a text, and accuracy of labels of others."
    body = markdown_table(joined.astype({"layer": "Int64"}), digits)
    return tables_page(f"Tasks of {label}", "measure_search", section("By layer", note, body))
