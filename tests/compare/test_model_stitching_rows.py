"""Verdicts stand above every bar or nowhere above."""

from collections.abc import Mapping

import numpy as np
import pytest

from embspace.compare.model_stitching_joins import Join, KeptOutput
from embspace.compare.model_stitching_rows import Bounds, join_rows
from embspace.files.tables import Row
from embspace.geometry.parameters.stitching import Kept

BOUNDS = Bounds(bar=0.5, n_half_samples=40, level=0.95, seed=0)
N = 40


def kept(cosine: float, nearest: float, *, n: int = N, same: float | None = None) -> KeptOutput:
    """Return texts of this mean cosine and share found, with a little noise."""
    noise = np.linspace(-0.05, 0.05, n)
    found = np.arange(n) < round(nearest * n)
    words = None if same is None else np.arange(n) < round(same * n)
    return KeptOutput(Kept(cosine + noise, found), words)


def rows_of(
    own: KeptOutput, twin: KeptOutput, drawn: Mapping[str, list[KeptOutput]]
) -> dict[tuple[str, str], Row]:
    stitches = {("vocabulary", "own"): own, ("vocabulary", "random"): twin}
    rows = join_rows(Join(1, 2, stitches, drawn), BOUNDS)
    return {(row["stitch"], row["weights"]): row for row in rows}


NOTHING = kept(0.0, 0.0)


@pytest.mark.parametrize(
    ("own", "twin", "draw", "verdict"),
    [
        (kept(0.8, 1.0), NOTHING, NOTHING, "joins"),
        (kept(0.4, 1.0), NOTHING, NOTHING, "does not join"),
        (kept(0.8, 0.2), NOTHING, NOTHING, "does not join"),
        (kept(0.8, 0.55), NOTHING, NOTHING, "open"),
        (kept(0.5, 1.0), NOTHING, NOTHING, "open"),
        (kept(0.8, 1.0), kept(0.9, 0.9), NOTHING, "does not join"),
        (kept(0.8, 1.0), kept(0.795, 0.9), NOTHING, "open"),
        (kept(0.8, 1.0), NOTHING, kept(0.9, 0.9), "does not join"),
        (kept(0.8, 1.0), kept(0.7, 1.0), NOTHING, "does not join"),  # random weights find all
    ],
)
def test_a_join_is_above_the_bar_random_weights_and_random_stitches(
    own: KeptOutput, twin: KeptOutput, draw: KeptOutput, verdict: str
) -> None:
    rows = rows_of(own, twin, {"turned": [NOTHING, draw]})
    assert rows["vocabulary", "own"]["verdict"] == verdict
    assert "verdict" not in rows["vocabulary", "random"]
    assert "verdict" not in rows["turned", "own"]


def test_rows_have_means_with_bounds_and_draws_their_range() -> None:
    draws = {"turned": [kept(0.1, 0.0, n=10), kept(0.3, 0.5, n=10)]}
    rows = rows_of(kept(0.8, 0.75, same=0.5), NOTHING, draws)
    own, drawn = rows["vocabulary", "own"], rows["turned", "own"]
    assert (own["layer"], own["upper_layer"], own["n"]) == (1, 2, N)
    assert own["cosine"] == pytest.approx(0.8) and own["nearest"] == 0.75
    assert own["cosine_low"] < 0.8 < own["cosine_high"]
    assert own["same_word"] == 0.5 and "same_word" not in drawn
    assert (drawn["n"], drawn["n_draws"]) == (10, 2)
    values = [drawn[name] for name in ("cosine", "cosine_low", "cosine_high")]
    assert values == pytest.approx([0.2, 0.1, 0.3])
