"""Holds the sentence and the tables of what k tokens keep to their rows."""

from typing import Any

import pandas as pd
import pytest

from embspace.draw.parameters.keep_k import crossing, draw_keep_k
from embspace.measure.parameters.keep_k import KEEP_K
from tests.analyses import as_drawn
from tests.draw.parameters.results import keep_k_results


def drawn(results: dict[str, Any], label: str = "MiniLM") -> tuple[str, str]:
    return draw_keep_k(as_drawn(KEEP_K, results), label, shown_k=1000, digits=2)


def crossed() -> pd.DataFrame:
    """Return scores of which the pseudo-inverse has more from k = 100 on."""
    scores = keep_k_results()["csv"]
    is_more = (scores["inverse"] == "pseudo_inverse") & (scores["k"] >= 100)
    return scores.assign(value=scores["value"].mask(is_more, 0.9))


def test_the_finding_says_up_to_where_the_transpose_keeps_more():
    results = keep_k_results()
    finding, tables = drawn(results)
    assert finding.startswith("The transpose keeps more") and finding.endswith("at every k")
    for words in ("k = 1,000", "n = 150", "hidden states", "0.83", "30,522 tokens"):
        assert words in tables
    finding, _ = drawn(results | {"csv": crossed()})
    assert finding == (
        "Of the vectors of MLPs the transpose keeps more in up to 10 words than the "
        "pseudo-inverse, and less from 100 words on"
    )


@pytest.mark.parametrize(
    ("from_k", "said"),
    [
        (1, "The transpose keeps less of the vectors of MLPs than the pseudo-inverse, at every k"),
        (
            2,
            "Of the vectors of MLPs the transpose keeps more in up to 1 word than the "
            "pseudo-inverse, and less from 100 words on",
        ),
    ],
)
def test_at_the_first_k_the_finding_counts_one_word_or_says_every_k(from_k: int, said: str):
    results = keep_k_results()
    scores = results["csv"].replace({"k": {10: 1}})
    is_more = (scores["inverse"] == "pseudo_inverse") & (scores["k"] >= from_k)
    scores = scores.assign(value=scores["value"].mask(is_more, 0.9))
    assert drawn(results | {"csv": scores})[0] == said


def test_inverses_that_keep_about_as_much_are_alike():
    results = keep_k_results()
    scores = results["csv"].assign(value=0.5)
    scores.loc[scores["inverse"] == "transpose", "value"] += 0.009
    finding, _ = drawn(results | {"csv": scores})
    said = "Transpose and pseudo-inverse keep vectors of MLPs alike"
    assert finding == f"{said}, and of Gaussian vectors, too: mean cosines differ by less than 0.01"
    scores.loc[scores["kind"] == "normal", "value"] *= [1.1, 1, 1, 1, 1, 1]
    finding, _ = drawn(results | {"csv": scores})
    assert finding == f"{said}: mean cosines differ by less than 0.01"
    scores.loc[scores["kind"] == "feed_forward_key", "value"] *= [1.1, 1, 1, 1, 1, 1]
    assert not drawn(results | {"csv": scores})[0].startswith(said)


@pytest.mark.parametrize("kind", ["normal", "hidden_state"])
def test_other_vectors_than_those_of_mlps_do_not_count(kind: str):
    scores = crossed()
    others = scores["value"].mask(scores["kind"] == kind, 0.0)
    assert crossing(scores.assign(value=others)) == (10, 100)


def test_an_architecture_that_is_not_known_is_said():
    finding, tables = drawn(keep_k_results(known=False), "Funnel")
    assert "not known here" in finding
    assert "Funnel: the parameters of its architecture are not known here" in tables
