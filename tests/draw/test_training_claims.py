"""Draws verdicts that are known."""

from matplotlib import rc_context

from embspace.draw.canvas import use_style
from embspace.draw.training_claims import draw_training_claims
from tests.compare.test_training_claims import claims
from tests.draw.fits import assert_words_fit

SETTINGS = {"row_height_mm": 11.0, "digits": 3}


def test_every_seed_has_its_verdict() -> None:
    table = claims()
    with rc_context():
        use_style()
        figure, text = draw_training_claims({"csv": table}, "all", **SETTINGS)
        assert_words_fit(figure)
    written = [each.get_text() for each in figure.axes[0].texts]
    assert sum(each.startswith("matches") for each in written) == len(table) == 6
    assert "anisotropy grows, then settles" in text


def test_without_a_run_it_says_so() -> None:
    empty = claims()[:0]
    figure, text = draw_training_claims({"csv": empty}, "all", **SETTINGS)
    assert "no run under" in figure.axes[0].texts[0].get_text()
    assert "None." in text
