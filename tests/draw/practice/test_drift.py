from typing import Any

import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from embspace.draw.practice.drift import APART, MEASURED_WITH, draw_drift
from embspace.measure.practice.drift import DRIFT
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

PAIR = {"corpus": "ships", "other_corpus": "ports"}


def tables() -> dict[str, pd.DataFrame]:
    halves = [
        {"corpus": corpus, "layer": layer, "n_texts": 30, "n_splits": 20}
        | {"auc_smallest": 0.4, "auc_largest": 0.6 + 0.05 * (corpus == "ports")}
        for corpus in ("ships", "ports")
        for layer in (0, 1)
    ]
    clusters = [
        PAIR | {"cluster": 0, "first_share": 0.6, "second_share": 0.1, "p_value": 0.01}
        | {"words": "mast sail deck hull"},
        PAIR | {"cluster": 1, "first_share": 0.4, "second_share": 0.9, "p_value": 0.5},
    ]  # fmt: skip
    directions = [
        PAIR | {"component": 1, "size": -2.0, "p_value": 0.01, "share_of_shift": 0.9},
        PAIR | {"component": 2, "size": 0.1, "p_value": 0.9, "share_of_shift": 0.1},
    ]
    given: dict[str, Any] = {"halves": halves, "clusters": clusters}
    given["directions"] = directions
    return DRIFT.empty() | {name: DRIFT.tables[name].of(given[name]) for name in given}


def apart(
    p_value: float = 0.01, pooling: str = "mean", more: float | None = None
) -> list[dict[str, Any]]:
    """Rows of `two_corpora` by layer, of a second pair with AUC `more` as well."""
    pairs = [("ports", 0.8)] + ([] if more is None else [("barges", more - 0.1)])
    return [
        {"corpus": "ships", "other_corpus": other, "embedding": pooling, "layer": layer}
        | {"n_documents": 30, "n_other_documents": 40, "distance": 0.2, "null_auc": 0.48}
        | {"p_value": p_value, "p_value_of_layers": p_value}
        | {"auc": first + 0.1 * layer, "auc_low": 0.72, "auc_high": 0.95}
        for other, first in pairs
        for layer in (0, 1)
    ]


def drawn(given: dict[str, Any], rows: list[dict[str, Any]], **auc: float) -> Any:
    alone = [
        PAIR
        | {"other_corpus": other, "embedding": "tf_idf", "auc": value}
        | {"auc_low": value - 0.1, "auc_high": value}
        for other, value in auc.items()
    ]
    table = pd.DataFrame(rows + alone, columns=[*apart()[0]])
    pooling = rows[0]["embedding"] if rows else "mean"
    beside = {MEASURED_WITH: {"pooling": pooling}, APART: table}
    return draw_drift(as_drawn(DRIFT, given, **beside), "a model", **settings_of(draw_drift))


def title(given: dict[str, Any], rows: list[dict[str, Any]], **auc: float) -> str:
    return " ".join(drawn(given, rows, **auc)[0].get_suptitle().split())


def test_lines_are_the_numbers_of_the_table():
    figure, text = drawn(tables(), apart(pooling="cls"))
    assert_words_fit(figure)
    auc, clusters, components = figure.axes
    assert list(auc.lines[0].get_ydata()) == pytest.approx([0.8, 0.9])
    assert [label.get_text() for label in clusters.get_yticklabels()] == ["mast sail deck"]
    assert clusters.get_title(loc="left").endswith(
        "The 1 of 2 clusters\nthat have words of their own"
    )
    assert list(clusters.lines[0].get_xdata()) == pytest.approx([0.6, 0.1])
    assert list(components.lines[0].get_ydata()) == pytest.approx([2, 0.1])
    assert list(components.lines[1].get_ydata()) == pytest.approx([2])  # the sure one alone
    assert "mast sail deck hull" in text and "first token" in words(figure)
    assert "a: ships: 30 documents, ports: 40 documents; bands" in words(figure)
    assert "b, c: last layer, texts: ships 30, ports 30" in words(figure)


def test_a_number_of_all_corpora_is_said_once():
    rows = [row | {"n_other_documents": 30} for row in apart()]
    assert "a: 30 documents a corpus; bands" in words(drawn(tables(), rows)[0])


def test_the_null_is_of_the_sizes_of_the_line():
    lines = {line.get_label(): line for line in drawn(tables(), apart())[0].axes[0].lines}
    assert list(lines["labels dealt anew, mark of the pair"].get_ydata()) == [0.48, 0.48]
    assert not drawn(tables(), apart())[0].axes[0].texts[1:]


def words(figure: Any) -> str:
    return " ".join(" ".join(part.get_text().split()) for part in figure.texts)


def test_the_title_is_the_one_of_both_corpora():
    assert title(tables(), apart(), ports=0.7) == (
        "Ships and ports are told apart at every layer (a): AUC 0.80 or more, words alone 0.70"
    )
    assert title(tables(), apart(), ports=0.75).endswith("words alone 0.75, not surely less")
    assert title(tables(), apart(p_value=0.06)) == (
        "Ships and ports are not clearly apart in any layer (a): AUC 0.90"
    )
    none = "Too few texts to tell two corpora apart"
    assert title(DRIFT.empty(), []) == none
    assert title(DRIFT.empty(), apart(), ports=0.7) == none


def test_the_title_takes_the_pair_that_words_tell_less():
    given, rows = tables(), apart(more=0.95)
    assert title(given, rows).startswith("Ships and barges")
    assert title(given, rows, barges=0.95, ports=0.7).startswith("Ships and ports")
    figure, _ = drawn(given, rows, barges=0.95, ports=0.7)
    lines = [
        line
        for line in figure.axes[0].lines
        if str(line.get_label()).startswith("words alone (TF-IDF): ")
    ]
    assert [line.get_ydata()[0] for line in lines] == [0.7, 0.95]
    [bar] = [
        collection
        for collection in figure.axes[0].collections
        if isinstance(collection, LineCollection)
    ]
    assert list(bar.get_segments()[0][:, 1]) == pytest.approx([0.6, 0.7])  # of the title's pair


def test_clusters_of_surely_unlike_shares_stand_first():
    given, rows = tables(), []
    for number, (word, share, p_value) in enumerate(
        [("mast", 0.1, 0.9), ("sail", 0.6, 0.9), ("deck", 0.2, 0.01), ("hull", 0.4, 0.01)]
    ):
        rows.append(PAIR | {"cluster": number, "words": word, "p_value": p_value})
        rows[-1] |= {"first_share": 0.0, "second_share": share}
    given["clusters"] = DRIFT.tables["clusters"].of(rows)
    labels = drawn(given, apart())[0].axes[1].get_yticklabels()
    assert [label.get_text() for label in labels] == ["hull", "deck", "sail", "mast"]


def test_clusters_without_words_are_not_drawn():
    given = tables()
    given["clusters"] = given["clusters"].assign(words="")
    panel = drawn(given, apart())[0].axes[1]
    assert "no cluster has words" in panel.texts[0].get_text()
    assert panel.get_title("left") == "2 clusters"
