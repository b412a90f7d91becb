import numpy as np
import pytest

from embspace.draw.learned.interrelations import draw_interrelations
from embspace.draw.page.saving import Results
from embspace.measure.learned.interrelations import INTERRELATIONS, measure_interrelations
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = settings_of(
    measure_interrelations, n_listed=50, n_histogram_bins=40, quantiles=[0.05, 0.5, 0.95]
)


@pytest.fixture(scope="module")
def results() -> Results:
    matrices = random_matrices()
    matrices["input"][7] = matrices["positional"][3]
    found = measure_interrelations(matrices, vocabulary_of(120), **SETTINGS)
    return as_drawn(INTERRELATIONS, found)


@pytest.fixture(scope="module")
def drawn(results: Results):
    return draw_interrelations(
        results, "a model of a long name", height_mm=75.0, n_listed=5, digits=3
    )


def test_measured_and_expected_counts_are_those_of_the_table(results, drawn):
    measured, expected = drawn[0].axes[0].patches
    assert np.array_equal(measured.get_data().values, results["histogram"]["count"])
    assert np.array_equal(expected.get_data().values, results["histogram"]["expected"])


def test_the_title_says_how_many_lie_outside_and_how_many_would_by_chance(results, drawn):
    scalars = results["json"]["token_position"]
    title = drawn[0].get_suptitle()
    assert f"{scalars['n_outside']}" in title
    assert f"{scalars['expected_outside']:.0f}" in title


def test_the_largest_pairs_are_named(results, drawn):
    first = results["token_position"].iloc[0]
    words = [text.get_text() for text in drawn[0].axes[0].texts]
    assert f"{first['token']}\nposition {first['position']}" in words


def test_each_segment_has_its_extremes_and_its_median(results, drawn):
    lines = drawn[0].axes[1].lines[:-1]  # the last is zero
    for row, extremes, median in zip(
        results["segments"].to_dict("records"), lines[0::3], lines[2::3], strict=True
    ):
        assert list(extremes.get_xdata()) == [row["minimum"], row["maximum"]]
        assert median.get_xdata()[0] == row["quantile_0.5"]


def test_the_planted_token_is_in_the_table(drawn):
    assert "| `tokh7` " in drawn[1]
    assert "1.000" in drawn[1]


def test_the_table_says_beyond_what_and_how_many_there_are(results, drawn):
    scalars = results["json"]["token_position"]
    planted, next_one = [line for line in drawn[1].splitlines() if line.startswith("| `tok")][:2]
    assert planted.split("|")[-3:-1] == [" True                   ", " True               "]
    assert next_one.split("|")[-3:-1] == [" True                   ", " False              "]
    assert f"{scalars['n_outside']} have a cosine beyond the threshold, ±0.2" in drawn[1]
    assert "1 have one beyond" in drawn[1].replace("\n", " ")


def test_a_model_whose_texts_no_token_opens_says_so(results):
    scalars = {key: value for key, value in results["json"].items() if key != "cls_position_0"}
    drawn = as_drawn(INTERRELATIONS, results.tables, json=scalars)
    _, text = draw_interrelations(drawn, "mine", height_mm=75.0, n_listed=5, digits=3)
    title = "## The opening token against position 0"
    assert f"{title}\n\nNo token of mine opens every text.\n\nNone." in text


def test_a_model_without_positions_or_segments_says_so(results):
    found = measure_interrelations(
        {"input": random_matrices()["input"]}, vocabulary_of(120), **SETTINGS
    )
    figure, text = draw_interrelations(
        as_drawn(INTERRELATIONS, found),
        "a model of a long name",
        height_mm=75.0,
        n_listed=5,
        digits=3,
    )
    for ax, space in zip(figure.axes, ("positional", "segment"), strict=True):
        assert f"has no learned {space} table" in ax.texts[0].get_text().replace("\n", " ")
        assert f"has no learned {space} table" in text
    assert_words_fit(figure)


def test_a_count_within_chance_is_said_to_be_one(results):
    scalars = results["json"]["token_position"]
    for n, is_said in ((1020, True), (2000, False), (300, False)):
        counts = scalars | {"n_outside": n, "expected_outside": 1000.0}
        facts = results["json"] | {"token_position": counts}
        changed = as_drawn(INTERRELATIONS, results.tables, json=facts)
        settings = {"height_mm": 75.0, "n_listed": 5, "digits": 3}
        title = draw_interrelations(changed, "a model", **settings)[0].get_suptitle()
        assert ("about as many as by chance 1,000" in title.replace("\n", " ")) == is_said
