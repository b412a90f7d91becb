import numpy as np
import pandas as pd
import pytest

from embspace.draw.practice.text_hubs import draw_text_hubs
from embspace.measure.practice.text_hubs import TEXT_HUBS
from tests.analyses import as_drawn, settings_of


def tables(p_value: float) -> dict[str, pd.DataFrame]:
    null = {"n": 40, "null_skewness": 1.0, "p_value": p_value, "p_value_of_all": 2 * p_value}
    rows = [
        {"corpus": corpus, "version": "cosine", "skewness": skewness} | null
        for corpus, skewness in (("ships", 1.5), ("ports", 1.2))
    ]
    rows.append({"corpus": "ships", "version": "csls", "skewness": 0.5, "p_value": np.nan})
    return TEXT_HUBS.empty() | {"hubness": TEXT_HUBS.tables["hubness"].of(rows)}


@pytest.mark.parametrize(
    ("p_value", "finding"),
    [
        (0.025, "Hubs of ships exceed those of Gaussian clouds: hubness 1.50 against 1.00"),
        (
            0.026,
            "No corpus has surely larger hubs than Gaussian clouds; ships: hubness 1.50",
        ),
    ],
)
def test_the_finding_holds_hubs_against_the_null(p_value: float, finding: str):
    given = as_drawn(TEXT_HUBS, tables(p_value))
    sentence, text = draw_text_hubs(given, "a model", **settings_of(draw_text_hubs))
    assert sentence.startswith(finding)
    assert "CSLS" in text and "1.5" in text


def test_without_texts_nothing_is_told():
    given = as_drawn(TEXT_HUBS, TEXT_HUBS.empty())
    sentence, _ = draw_text_hubs(given, "a model", **settings_of(draw_text_hubs))
    assert sentence == "Too few texts to have hubs"
