import pandas as pd
import pytest

from embspace.draw.learned.separability import draw_separability
from tests.draw.fits import assert_words_fit

TABLE = pd.DataFrame(
    {
        "preparation": ["raw", "unit_length"],
        "n_input": 600,
        "n_positional": 150,
        "n_folds": 5,
        "inverse_regularization": 1.0,
        "auc": [0.9, 0.75],
        "auc_standard_deviation": [0.01, 0.02],
        "null_auc": [0.5, 0.49],
        "null_auc_standard_deviation": [0.03, 0.03],
    }
)


def test_points_are_the_aucs_of_the_table():
    figure, text = draw_separability(
        {"json": TABLE.set_index("preparation").to_dict("index")},
        "a model of a long name",
        height_mm=55.0,
        digits=2,
    )
    assert_words_fit(figure)
    (ax,) = figure.axes
    null, true = (container.lines[0] for container in ax.containers)
    assert list(true.get_xdata()) == pytest.approx([0.1, 0.25])  # 1 − AUC
    assert list(null.get_xdata()) == pytest.approx([0.5, 0.51])
    assert ax.get_xscale() == "log"
    assert "up to 90 % of pairs" in figure.get_suptitle()
    assert "0.75" in text
    assert any("600 against 150" in text.get_text() for text in figure.texts)


def test_a_model_without_positions_says_so():
    figure, text = draw_separability({"json": {}}, "tiny", height_mm=55.0, digits=2)
    assert "tiny has no learned positional table" in figure.axes[0].texts[0].get_text()
    assert "tiny has no learned positional table: its file in conf/model says" in text


@pytest.mark.parametrize(("auc", "said"), [(0.999971, "99.997 %"), (1.0, "100 %")])
def test_only_all_pairs_are_a_hundred_percent(auc: float, said: str):
    table = TABLE.assign(auc=auc)
    figure, _ = draw_separability(
        {"json": table.set_index("preparation").to_dict("index")}, "tiny", height_mm=55.0, digits=2
    )
    assert f"up to {said} of pairs" in figure.get_suptitle()
    (ax,) = figure.axes
    # None misordered has no place on a logarithm: that of one pair of all.
    least = 1 / (600 * 150)
    assert ax.containers[1].lines[0].get_xdata()[0] == pytest.approx(max(1 - auc, least))
