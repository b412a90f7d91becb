import pandas as pd
import pytest

from embspace.draw.practice.redundancy import draw_redundancy
from embspace.measure.practice.redundancy import REDUNDANCY
from tests.analyses import as_drawn, settings_of


def tables(*p_values: float) -> dict[str, pd.DataFrame]:
    others = ["iso_score", "two_nn", "hubness"][: len(p_values)]
    rows = [
        {"measure": "mean_cosine", "other_measure": other, "spearman": 0.9, "adjusted_p_value": p}
        for other, p in zip(others, p_values, strict=True)
    ]
    return REDUNDANCY.empty() | {"csv": REDUNDANCY.tables["csv"].of(rows)}


@pytest.mark.parametrize(
    ("p_values", "finding"),
    [
        (
            (0.01, 0.3),
            "Of 2 pairs of measures, 1 goes together over the layers beyond two random walks: mean "
            "cosine and IsoScore (0.90)",
        ),
        (
            (0.01, 0.02, 0.03),
            "Of 3 pairs of measures, 3 go together over the layers beyond two random walks: mean "
            "cosine and IsoScore (0.90); mean cosine and TwoNN dimension (0.90)",
        ),
        (
            (0.06,),
            "Of 1 pair of measures, none go together over the layers beyond two random walks",
        ),
        ((), "Too few layers to tell which measures go together"),
    ],
)
def test_the_sentence_counts_pairs_beyond_random_walks(p_values: tuple[float, ...], finding: str):
    given = as_drawn(REDUNDANCY, tables(*p_values))
    sentence, text = draw_redundancy(given, "a model", **settings_of(draw_redundancy))
    assert sentence == finding
    assert ("IsoScore" in text) == bool(p_values)
