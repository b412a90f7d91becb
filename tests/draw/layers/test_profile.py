from typing import Any

import pandas as pd
import pytest

from embspace.draw.layers.profile import PANELS, RANDOM, draw_profile
from tests.analyses import settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import empty_tables, profile_tables, value

NULLS = ("random_initialization", "gaussian_of_covariance")


def results(change: Any = lambda name, table: table) -> dict[str, pd.DataFrame]:
    """Tables of all families; `change` takes the name of one and the table."""
    results = {}
    for shown in PANELS:
        # The first measure of a family has not converged in layer 1.
        tables = profile_tables(["other", shown.measure], spaces=["token"], nulls=NULLS)
        for kind in ("profiles", "nulls"):
            results[f"{shown.noun}/{kind}"] = change(f"{shown.noun}/{kind}", tables[kind])
    return results


def draw(tables: dict[str, pd.DataFrame]):
    return draw_profile(tables, "a model of a long name", **settings_of(draw_profile))


def title(tables: dict[str, pd.DataFrame]) -> str:
    return " ".join(draw(tables)[0].get_suptitle().split())


def test_five_panels_have_the_values_of_one_corpus_and_its_nulls():
    figure, text = draw(results())
    assert_words_fit(figure)
    assert len(figure.axes) == len(PANELS)
    for ax, shown in zip(figure.axes, PANELS, strict=False):
        line, null = ax.lines
        expected = [value("articles", "token", "as_is", n, shown.measure) for n in range(3)]
        assert line.get_ydata() == pytest.approx(expected)
        assert list(null.get_ydata()) == [-1.0] * 3
        assert ax.get_title("left")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["the model", "random weights", "Gaussian of equal covariance"]
    assert "1,234 tokens of 56 documents" in " ".join(label.get_text() for label in figure.texts)
    assert text.count("| mean cosine ") == 2


@pytest.mark.parametrize(
    ("null", "said"),
    [
        (-1.0, "above the nulls at all drawn layers"),
        (9.0, "below the nulls at all drawn layers"),
        (1.0, "on both sides of the nulls"),
    ],
)
def test_the_title_says_on_which_side_of_the_nulls_the_measures_lie(null: float, said: str):
    ends = {"null_mean": null, "null_smallest": null - 0.01, "null_largest": null + 0.01}
    made = results(lambda name, table: table.assign(**ends) if name.endswith("nulls") else table)
    first = f"Tokens have mean cosine (2.11 against {null:.2f} at layer 2), debiased"
    assert title(made).startswith(first)
    assert title(made).endswith(f"TwoNN dimension and hubness {said}")
    words = [text.get_text() for text in draw(made)[0].axes[0].texts]
    assert words == ["2.11", f"{null:.2f}"]


def test_the_corpus_is_one_that_random_weights_have_read():
    made = results(
        lambda name, table: (
            table[(table["corpus"] == "posts") | (table["null"] != RANDOM)]
            if name.endswith("nulls")
            else table
        )
    )
    first = draw(made)[0].axes[0].lines[0].get_ydata()[0]
    assert first == pytest.approx(value("posts", "token", "as_is", 0, "mean_cosine"))


def test_what_converged_in_few_layers_is_not_drawn():
    made = results(
        lambda name, table: (
            table.assign(converged=table["layer"] == 0) if name == "hubs/profiles" else table
        )
    )
    figure, text = draw(made)
    assert [ax.get_title("left") for ax in figure.axes] == [
        "Mean cosine",
        "Debiased participation ratio",
        "Adjusted self-similarity",
        "TwoNN dimension (null: Gaussian)",
    ]
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert words.endswith("TwoNN dimension against a Gaussian of equal covariance")
    assert "Hubness has no panel: they give 1 of 3 layers." in text


def test_a_model_without_large_corpora_says_so():
    tables = {
        f"{shown.noun}/{kind}": empty_tables()[kind]
        for shown in PANELS
        for kind in ("profiles", "nulls")
    }
    figure, text = draw(tables)
    assert figure.axes[0].texts[0].get_text().endswith("no corpus has enough documents")
    assert "None." in text


def test_one_draw_of_random_weights_has_no_range_to_leave():
    ends = {"null_mean": 9.0, "null_smallest": 9.0, "null_largest": 9.0}
    made = results(lambda name, table: table.assign(**ends) if name.endswith("nulls") else table)
    assert "beside one draw of random weights" in title(made)
