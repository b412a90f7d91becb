from typing import Any

import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.sentences.difference_consistency import TABLE, draw_difference_consistency
from tests.draw.sentences.test_differences import measure, results_of
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


def draw(categories: pd.DataFrame) -> tuple[str, str]:
    return draw_difference_consistency({TABLE: categories}, "a model of a long name", digits=2)


@pytest.fixture(scope="module")
def categories(tmp_path_factory) -> Any:
    differences = measure(planted(OFFSETS, 8, n_layers=3))
    return results_of(differences, tmp_path_factory.mktemp("results"))["categories"]


@pytest.fixture(scope="module")
def drawn(categories) -> tuple[str, str]:
    return draw(categories)


def test_the_finding_counts_the_categories_beyond_the_null(categories, drawn):
    assert "than by chance (signs flipped) in " in drawn[0]
    assert "of 5 categories" in drawn[0]
    high = categories.filter(regex="sign_flips_high$").columns[0]
    in_none = draw(categories.assign(**{high: 2.0}))[0]
    assert "are in no category more parallel than by chance (signs flipped), at" in in_none
    assert says_nothing(in_none) and not says_nothing(drawn[0])


def test_the_finding_has_counts_and_no_cosines(categories):
    above = categories.assign(consistency=-0.001, null_consistency_sign_flips_high=-0.01)
    below = above.assign(null_consistency_sign_flips_high=0.1)
    for finding in (draw(above)[0], draw(below)[0]):
        assert "0.00" not in finding and "cosine" not in finding
        assert finding.endswith(" (first token)")


def test_the_finding_says_where_whole_intervals_lie_beyond_the_null_less_often(categories):
    given = categories.assign(
        consistency=0.3,
        consistency_low=0.2,
        null_consistency_sign_flips_high=0.25,
        random_weights_consistency=0.4,
    )
    said = "beyond signs flipped in 5 of 5 categories, the whole interval in none, at random"
    finding = draw(given)[0]
    assert said in finding and says_nothing(finding)
    assert "interval" not in draw(given.assign(consistency_low=0.28))[0]


def test_the_table_starts_with_the_shown_pooling(drawn):
    before, _, after = drawn[1].partition("<details>")
    assert before.count("| female-male ") == 1
    assert after.count("| female-male ") == 5
    assert "nan" not in drawn[1]


def test_a_model_that_read_nothing_says_so(categories):
    finding, text = draw(categories[:0])
    assert finding == "No two differences of one category can be compared"
    assert "None." in text


def test_a_decoder_has_its_last_token_in_the_place_of_the_first(categories):
    last = categories[categories["pooling"] == "cls"].assign(pooling="last")
    of_first = categories["consistency"].mask(categories["pooling"] == "cls", 0.99)
    finding, text = draw(pd.concat([categories.assign(consistency=of_first), last]))
    assert "0.99" not in finding and "first token" not in finding
    assert text.index("Last token") < text.index("First token")
