from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.app.page.nothing import says_nothing
from embspace.draw.open_questions.text_islands import (
    MEASURED_WITH,
    _finding,
    _name,
    draw_text_islands,
)
from embspace.measure.open_questions.text_islands import TEXT_ISLANDS
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_text_islands import measured_once


@cache
def drawn(label: str) -> tuple[Figure, str]:
    beside: dict[str, Any] = {MEASURED_WITH: read_yaml(ROOT / MEASURED_WITH)}
    results = as_drawn(TEXT_ISLANDS, measured_once(label), **beside)
    return draw_text_islands(results, "a model", **settings_of(draw_text_islands))


@pytest.mark.parametrize(
    ("label", "words"), [("subject", "are topics"), ("nothing", "No island of texts stands")]
)
def test_title_says_of_which_family_islands_are(label: str, words: str):
    figure, text = drawn(label)
    assert words in " ".join(str(figure.get_suptitle()).split())
    assert "| topics" in text or label == "nothing"
    subtitle = " ".join(" ".join(words.get_text() for words in figure.texts).split())
    assert "another seed's map have it (Jaccard index above 0.75)" in subtitle
    assert_words_fit(figure)


def test_title_names_random_weights_only_where_islands_of_their_map_stand():
    table = measured_once("subject")["csv"].copy()
    on_map, at_random = table["method"] == "tsne", table["weights"] == "random"
    table.loc[on_map, "verdict"] = "topics"
    table.loc[on_map, ["n_islands", "n_standing"]] = 6
    given: Any = {"csv": table}
    maps = ["all_corpora"]
    assert _finding(given, maps).endswith("islands are topics, as with random weights")
    table.loc[on_map & at_random, "n_standing"] = 0
    assert _finding(given, maps).endswith("are topics; with random weights none stands")
    table.loc[on_map & ~at_random, "n_standing"] = 0
    table.loc[on_map & ~at_random, "stability"] = "undecided"
    none = "No island of texts stands on the t-SNE map"
    assert _finding(given, maps) == f"{none}: Gaussian clouds have as stable ones"
    table.loc[on_map & ~at_random, "stability"] = "none stands"
    assert _finding(given, maps) == none
    table.loc[on_map & at_random, "n_standing"] = 2
    assert _finding(given, maps) == f"{none}; random weights: 2 stand (all corpora)"
    other = table.assign(map="two_sources", n_standing=0, stability="undecided")
    given["csv"] = pd.concat([other, table])
    assert _finding(given, ["two_sources", *maps]) == (
        f"{none}s: Gaussian clouds have as stable ones (two sources); random weights: 2 stand "
        "(all corpora)"
    )
    given["csv"] = pd.concat([other, table.assign(n_standing=6)])
    assert _finding(given, ["two_sources", *maps]) == (
        "Two sources: islands not decidable, Gaussian clouds have as stable ones; all corpora: "
        "islands are topics, as with random weights"
    )
    given["csv"] = table
    table.loc[on_map & ~at_random, "n_standing"] = 3
    assert _finding(given, maps) == (
        "All corpora: 3 of 6 islands stand, and all are topics, as with random weights"
    )


def test_without_an_island_labels_have_no_panel():
    outcome = measured_once("nothing")
    table = outcome["csv"].assign(n_islands=0, n_standing=0, stability="no islands")
    table["null_largest_matched"] = np.nan
    labels = outcome["labels"].assign(information=np.nan, null_largest=np.nan)
    points = outcome["parquet"].assign(island=0)
    given = {**outcome, "csv": table, "labels": labels, "islands": outcome["islands"][:0]}
    beside: dict[str, Any] = {MEASURED_WITH: read_yaml(ROOT / MEASURED_WITH)}
    results = as_drawn(TEXT_ISLANDS, given | {"parquet": points}, **beside)
    figure, _ = draw_text_islands(results, "a model", **settings_of(draw_text_islands))
    title = " ".join(str(figure.get_suptitle()).split())
    n_maps = table["map"].nunique()
    where = f"on the t-SNE map{'s' * (n_maps > 1)}"
    assert title == f"No islands of texts {where}, nor with random weights"
    assert says_nothing(title)
    assert len(figure.axes) == n_maps
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert words == ["random weights: no island; gray: no island"]
    assert figure.axes[0].get_title("left").endswith(": no island")
    assert_words_fit(figure)


def test_marks_are_the_information_of_the_table_beyond_chance():
    figure, _ = drawn("subject")
    panel = next(ax for ax in figure.axes if "islands and labels" in ax.get_title("left"))
    line = next(line for line in panel.lines if line.get_label() == "in space")
    own = measured_once("subject")["labels"].query(
        "method == 'space' and weights == 'trained' and pooling == 'mean' and layer == 2"
    )
    beyond = own["information"].where(own["information"] > own["null_largest"])
    assert beyond.notna().any()
    assert np.array_equal(line.get_xdata(), beyond, equal_nan=True)
    named = [text.get_text() for text in panel.get_legend().get_texts()]
    assert "largest of labels dealt (not drawn: less)" in named
    figure.draw_without_rendering()
    assert panel.get_legend().get_window_extent().x1 <= figure.bbox.x1
    assert "in space" in named and len(named) == len(set(named)) == 5


def test_dots_are_the_texts_of_an_island():
    figure, _ = drawn("subject")
    n = measured_once("subject")["islands"].query("method == 'tsne'")["n_texts"]
    sizes = [len(dots.get_offsets()) for dots in figure.axes[0].collections]
    assert sizes[1:] == n.tolist()[:4]


def test_an_island_without_a_word_of_its_own_is_named_by_its_corpus_alone():
    island = {"corpus": "posts", "corpus_share": 0.97, "subject_share": 0.1, "subject": ""}
    row = pd.Series(island | {"words": float("nan"), "matched": 0.95, "n_texts": 246})
    assert _name(row) == "246 texts, 97 % posts, again in 95 %"
    row["words"] = "of that"
    assert _name(row) == "246 texts, 97 % posts (of, that), again in 95 %"
