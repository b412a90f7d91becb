"""Holds the maps of matched layers of a pair to their table."""

from itertools import product
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from embspace.compare.model_parameter_alignment import MODEL_PARAMETER_ALIGNMENT
from embspace.draw.compare.model_parameter_alignment import draw_model_parameter_alignment
from tests.draw.fits import assert_words_fit

GROUPS = ("attention_query", "feed_forward_value")
SETTINGS: dict[str, Any] = {"row_height_mm": 44.0, "digits": 3}
MATCHES = {1: 1, 3: 2}


def table(*, spaces: tuple[str, ...] = ("vocabulary", "raw")) -> pd.DataFrame:
    rows = [
        {"group": group, "space": space, "layer": layer, "other_layer": other,
         "similarity": 0.02 + 0.001 * layer * other, "is_assigned": MATCHES.get(layer) == other,
         "is_above_dealt_rows": space == "vocabulary", "is_in_order": False}
        for group, space, layer, other in product(GROUPS, spaces, (1, 2, 3), (1, 2))
    ]  # fmt: skip
    given: dict[str, Any] = {
             "n_layers": 3, "n_other_layers": 2, "n_tokens": 100, "n_shuffles": 9, "margin": 0.01,
             "matches": "1 - 2", "mean_similarity": 0.03, "p_value": 0.1, "holm_p_value": 0.2,
             "in_order": 1.0,
             "p_value_in_order": 0.5, "holm_p_value_in_order": 1.0,
             "null_mean_similarity": 0.02, "null_in_order": 0.5,
             "null_mean_similarity_low": 0.01, "null_mean_similarity_high": 0.025,
             "null_in_order_low": 0.0, "null_in_order_high": 1.0}  # fmt: skip
    return MODEL_PARAMETER_ALIGNMENT.tables["csv"].of(pd.DataFrame(rows).assign(**given))


def draw(rows: pd.DataFrame) -> tuple[Figure, str]:
    return draw_model_parameter_alignment({"csv": rows}, "A--B", **SETTINGS)


def title(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_maps_have_a_square_on_each_match() -> None:
    figure, text = draw(table())
    assert_words_fit(figure)
    assert len(figure.axes) == 4
    patches = figure.axes[0].patches
    corners = [patch.get_xy() for patch in patches if isinstance(patch, Rectangle)]
    assert corners == [(0, 0), (1, 2)]
    assert "1 - 2" in text and "| FF values" in text


@pytest.mark.parametrize(
    ("spaces", "words"),
    [(("vocabulary", "raw"), " (raw space: 0)"), (("vocabulary",), "")],
)
def test_the_title_says_in_how_many_groups(spaces: tuple[str, ...], words: str) -> None:
    said = title(draw(table(spaces=spaces))[0])
    assert said == (
        "Through the vocabulary, layers of A and B are more alike than dealt rows in 2 of 2 groups "
        f"of parameters{words}; which layer is which can be told in 0 (smallest p of the order 0.5)"
    )


def test_other_vocabularies_are_said_in_a_sentence() -> None:
    rows = MODEL_PARAMETER_ALIGNMENT.tables["csv"].of(
        [{"reason": "A and B: have other vocabularies"}]
    )
    figure, text = draw(rows)
    assert_words_fit(figure)
    assert title(figure) == "The layers of A and B cannot be matched by their parameters"
    assert "Not compared: A and B: have other vocabularies." in text
    assert "other vocabularies" in figure.axes[0].texts[0].get_text()
