from typing import Any

import pandas as pd
import pytest

from embspace.draw.page.looks import POOLINGS, corpus_looks
from embspace.draw.texts.text_clouds_layers import draw_text_clouds_layers
from embspace.measure.texts.text_clouds import TEXT_CLOUDS, measure_text_clouds
from tests.draw.fits import assert_words_fit
from tests.text_corpora import CLOUD_SETTINGS as SETTINGS
from tests.text_corpora import no_corpora, three_corpora

LABEL = "a model of a long name"
POSITIVE = "text_clouds/positive"


def results_of(corpora: Any) -> dict[str, pd.DataFrame]:
    found = measure_text_clouds(corpora, **SETTINGS)
    return {f"text_clouds/{table}": found[table] for table in TEXT_CLOUDS.tables}


def draw(results: dict[str, pd.DataFrame]):
    return draw_text_clouds_layers(results, LABEL, height_mm=175.0, digits=3)


@pytest.fixture(scope="module")
def results() -> dict[str, pd.DataFrame]:
    return results_of(three_corpora())


def test_lines_are_those_of_the_tables_in_the_looks_of_the_corpora(results):
    figure, text = draw(results)
    assert_words_fit(figure)
    assert figure.get_label() == "measure_text_clouds"
    tables = ("distributions", "positive", "spectrum")
    names = ("mean", "share_not_positive", "equal_n_participation_ratio")
    for number, (table, name) in enumerate(zip(tables, names, strict=True)):
        rows = results[f"text_clouds/{table}"].query("corpus == 'posts'")
        if "other_corpus" in rows:
            rows = rows.query("other_corpus == 'posts'")
        if table == "distributions":
            rows = rows.query("quantity == 'cosine'")
        for column, pooling in enumerate(POOLINGS):
            ax = figure.axes[3 * number + column]
            if not ax.axison:
                assert ax.texts[0].get_text() == "all cosines are positive"
                assert table == "positive"
                assert not rows.loc[rows["pooling"] == pooling, name].any()
                continue
            (line,) = (line for line in ax.lines if line.get_label() == "posts")
            expected = rows[rows["pooling"] == pooling][name]
            assert pd.Series(line.get_ydata()).equals(expected.reset_index(drop=True))
            assert line.get_color() == corpus_looks(["posts"])["posts"].color
    assert "Cosines that are not positive" in text


def test_the_title_says_where_cosines_are_not_positive(results):
    table = results[POSITIVE].assign(share_not_positive=0.0)
    title = draw(results | {POSITIVE: table})[0].get_suptitle().replace("\n", " ")
    assert title.startswith("All cosines of two texts of a corpus are positive")
    assert "Gaussians" not in title
    null = table.assign(null_covariance_share_not_positive=1e-9)
    assert draw(results | {POSITIVE: null})[0].get_suptitle().strip().endswith("as of Gaussians")
    where = (table["corpus"] == "posts") & (table["other_corpus"] == "posts")
    where &= (table["pooling"] == "mean") & (table["layer"] == 1)
    table.loc[where, "share_not_positive"] = 0.25
    title = draw(results | {POSITIVE: table})[0].get_suptitle().replace("\n", " ")
    assert title.startswith(
        "25 % of the cosines of two posts at layer 1 are not positive with mean pooling, "
        "0 % with first token, 0 % with maximum pooling"
    )
    table.loc[where, "share_not_positive"] = 0.0016
    title = draw(results | {POSITIVE: table})[0].get_suptitle()
    assert title.startswith("0.16 % of the cosines")


def test_the_subtitle_says_n(results):
    words = " ".join(text.get_text() for text in draw(results)[0].texts).replace("\n", " ")
    assert "posts: 16 vectors" in words


def test_a_model_that_reads_no_text_says_so():
    figure, text = draw(results_of(no_corpora()))
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_decoder_has_a_panel_of_its_last_token_in_the_place_of_the_first(results):
    more = {
        name: pd.concat([table, table[table["pooling"] == "cls"].assign(pooling="last")])
        if "pooling" in table
        else table
        for name, table in results.items()
    }
    figure, text = draw(more)
    assert [ax.get_title(loc="left") for ax in figure.axes[:3]] == [
        *("Last token", "Mean pooling", "Maximum pooling")
    ]
    assert "last token" in text
