from typing import Any

import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.texts.text_clouds_layers import draw_text_clouds_layers
from embspace.measure.texts.text_clouds import TEXT_CLOUDS, measure_text_clouds
from tests.text_corpora import CLOUD_SETTINGS, CLOUDS_ALONE, no_corpora, three_corpora

SETTINGS = CLOUD_SETTINGS | CLOUDS_ALONE
LABEL = "a model of a long name"
POSITIVE = "text_clouds/positive"


def results_of(corpora: Any) -> dict[str, pd.DataFrame]:
    clouds = measure_text_clouds(corpora, **SETTINGS)
    return {f"text_clouds/{table}": clouds[table] for table in TEXT_CLOUDS.tables}


def draw(results: dict[str, pd.DataFrame]):
    return draw_text_clouds_layers(results, LABEL, digits=3)


@pytest.fixture(scope="module")
def results() -> dict[str, pd.DataFrame]:
    return results_of(three_corpora())


def test_the_finding_says_where_cosines_are_not_positive(results):
    table = results[POSITIVE].assign(share_not_positive=0.0)
    finding, _ = draw(results | {POSITIVE: table})
    assert finding.startswith("All cosines of two texts of a corpus are positive")
    assert "Gaussians" not in finding
    null = table.assign(null_covariance_share_not_positive=1e-9)
    as_gaussians = draw(results | {POSITIVE: null})[0]
    assert as_gaussians.endswith("; nor is one of Gaussian vectors of equal mean and covariance")
    assert says_nothing(as_gaussians) and not says_nothing(finding)
    where = (table["corpus"] == "posts") & (table["other_corpus"] == "posts")
    where &= (table["pooling"] == "mean") & (table["layer"] == 1)
    table.loc[where, "share_not_positive"] = 0.25
    finding, text = draw(results | {POSITIVE: table})
    assert finding.startswith(
        "25 % of the cosines of two posts at layer 1 are not positive with mean pooling, "
        "0 % with first token, 0 % with maximum pooling"
    )
    assert "Cosines that are not positive" in text
    table.loc[where, "share_not_positive"] = 0.0016
    assert draw(results | {POSITIVE: table})[0].startswith("0.16 % of the cosines")


def test_a_model_that_reads_no_text_says_so():
    finding, text = draw(results_of(no_corpora()))
    assert finding == "No collection of texts to describe"
    assert "None." in text


def test_a_decoder_has_rows_of_its_last_token(results):
    positive = results[POSITIVE]
    positive = positive.assign(share_not_positive=0.1 * (positive["pooling"] == "cls"))
    last = positive[positive["pooling"] == "cls"].assign(pooling="last", share_not_positive=0.0)
    finding, text = draw(results | {POSITIVE: pd.concat([positive, last])})
    assert "last token" in text
    assert finding == (
        "All cosines of two texts of a corpus are positive, at each layer, by last token, mean "
        "pooling and maximum pooling"
    )
