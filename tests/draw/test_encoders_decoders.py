"""Draws profiles of one encoder and one decoder."""

import pandas as pd
from matplotlib import rc_context

from embspace.compare.encoders_decoders import COLUMNS
from embspace.draw.canvas import use_style
from embspace.draw.encoders_decoders import draw_encoders_decoders
from tests.draw.fits import assert_words_fit

SETTINGS = {"row_height_mm": 60.0, "digits": 3}


def table() -> pd.DataFrame:
    rows = [
        {"name": name, "kind": kind, "seed": seed, "measure": measure, "layer": layer}
        | {"depth": layer / 4, "value": layer + seed, "corpus": "some"}
        for name, kind in (("an encoder", "encoder"), ("a decoder", "decoder"))
        for seed in (0, 1)
        for measure in ("top_variance_share", "two_nn")
        for layer in range(5)
    ]
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def test_each_kind_has_its_column_and_each_model_its_line() -> None:
    with rc_context():
        use_style()
        figure, text = draw_encoders_decoders({"csv": table()}, "all", **SETTINGS)
        assert_words_fit(figure)
    assert [ax.get_title() for ax in figure.axes] == ["encoders", "decoders", "", ""]
    names = [[line.get_label() for line in ax.lines] for ax in figure.axes]
    assert names == [["an encoder"], ["a decoder"]] * 2
    assert list(figure.axes[0].lines[0].get_ydata()) == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert "top variance share" in text and "layer 4" in text


def test_both_kinds_share_their_scale() -> None:
    high = table()
    high.loc[high["kind"] == "decoder", "value"] *= 9
    figure, _ = draw_encoders_decoders({"csv": high}, "all", **SETTINGS)
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_with_nothing_to_compare_it_says_so() -> None:
    figure, text = draw_encoders_decoders({"csv": table()[:0]}, "all", **SETTINGS)
    assert "nothing under" in figure.axes[0].texts[0].get_text()
    assert "None." in text
