import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.compare import paired_bounds
from embspace.compare.alignment import ALIGNMENT
from embspace.compare.measures import MEASURES
from embspace.draw.compare import measures
from embspace.draw.compare.measures import draw_measures
from embspace.draw.page.looks import BLUE, GRAY
from tests.draw.compare import test_alignment
from tests.draw.fits import assert_words_fit

SETTINGS = {"height_mm": 140.0, "digits": 2}
VALUES = (0.5, 0.25)
HALVES = "Other halves of texts found"


def rows(noun: str, name: str, group: str, places: list[float], quantity: str) -> pd.DataFrame:
    """Both models, of which the other ends a place before the first if there are several."""
    value, other_value = (np.full(len(places), constant) for constant in VALUES)
    if len(places) > 1:
        other_value[-1] = np.nan
    table = pd.DataFrame({"at": places, "model_value": value, "other_model_value": other_value})
    table["other_at"] = table["at"]
    return table.assign(noun=noun, table=name, group=group, along="layer", quantity=quantity)


@pytest.fixture
def table() -> pd.DataFrame:
    parts = [
        rows("positions", "profiles", "", [1, 2, 3, 4], "mean"),
        rows("explained_variance", "curve", "input", [1, 2], "cumulative_explained_variance"),
        rows("explained_variance", "dimensions", "input", [0.5], "n_components"),
        rows("similarity", "summary", "input / norm", [np.nan], "mean"),
        *(
            rows("search", "search", f"texts / {name} / as_is", [0, 1, 2], "recall_at_1")
            for name in ("cls", "mean")
        ),
        *(
            rows("differences", "categories", f"{pooling} / {name}", [0, 1, 2], "consistency")
            for pooling in ("cls", "mean")
            for name in ("warm-cold", "funny-sad")
        ),
    ]
    table = pd.concat(parts, ignore_index=True)
    table["difference"] = table["model_value"] - table["other_model_value"]
    is_paired = table["noun"].isin(["differences", "search"]) & table["difference"].notna()
    table.loc[is_paired, "difference_low"] = table["difference"] - 0.1
    table.loc[is_paired, "difference_high"] = table["difference"] + 0.2
    table.loc[is_paired, "n_paired"] = 14
    return table.reindex(columns=[*MEASURES.tables["csv"].columns])


def drawn(
    table: pd.DataFrame, alignment: pd.DataFrame | None = None, pair: str = "one--two"
) -> tuple[Figure, str]:
    none = ALIGNMENT.tables["csv"].of() if alignment is None else alignment
    return draw_measures({"csv": table, "alignment": none}, pair, **SETTINGS)


def panel(figure: Figure, title: str) -> Axes:
    [ax] = [ax for ax in figure.axes if ax.get_title("left") == title]
    return ax


def test_the_last_layers_have_their_shares_of_the_title(table: pd.DataFrame):
    figure, _ = drawn(table)
    assert_words_fit(figure)
    said = [text.get_text() for text in panel(figure, HALVES).texts]
    assert said == ["50 %", "25 %"]
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "difference of last layers, halves 25 points [15, 45] ·" in words


def test_the_interval_of_a_difference_stands_on_the_share_of_the_other(table: pd.DataFrame):
    lines = panel(drawn(table)[0], HALVES).lines
    (bar,) = [line for line in lines if line.get_marker() == "_"]
    assert list(bar.get_xdata()) == [1, 1]
    assert list(bar.get_ydata()) == pytest.approx([0.4, 0.7])  # 0.25 and its bounds above


def test_shares_without_a_model_are_beside_both(table: pd.DataFrame):
    """One model tells half of the senses, 0.2 more than by counts; the other has its own counts."""
    own = rows("homonyms", "recovery", "centered / cosine", [1, 2], "accuracy")
    gain = own.assign(quantity="bag_of_words_gain", model_value=0.2, other_model_value=-0.1)
    both = pd.concat([table, own, gain.ffill()], ignore_index=True)
    lines = {
        str(line.get_label()): list(line.get_ydata())[0]
        for title in (HALVES, "Right sense of a homonym found")
        for line in panel(drawn(both)[0], title).lines
    }
    assert lines["a: by chance, 7.1 %"] == pytest.approx(1 / 14)
    assert lines["b: by counts of the other tokens, 30 %"] == pytest.approx(0.3)
    assert lines["b: by counts of the other tokens, 35 %"] == pytest.approx(0.35)


def test_curves_are_as_long_as_each_model_has_them(table: pd.DataFrame):
    figure, _ = drawn(table[table["noun"] != "search"])
    lines = panel(figure, "Variance of tokens").lines
    assert [len(line.get_xdata()) for line in lines] == [2, 1]


def test_what_only_one_model_has_is_named_and_not_drawn(table: pd.DataFrame):
    figure, _ = drawn(table)
    titles = [ax.get_title("left") for ax in figure.axes if ax.axison]
    assert titles == [HALVES, "Consistency of sentence differences"]
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "not in both: right sense of a homonym found · not in both: equally deep" in said
    figure, _ = drawn(table[:0])
    assert "nothing was measured of both" in figure.axes[0].texts[0].get_text()


def test_layers_that_lie_equally_deep_have_a_panel(table: pd.DataFrame):
    figure, _ = drawn(table, test_alignment.table())
    assert_words_fit(figure)
    assert panel(figure, "Equally deep layers of both: CKA").get_xlabel() == "layer of one"


def test_random_weights_are_gray(table: pd.DataFrame):
    figure, _ = drawn(table, pair="one--one (random weights)")
    model, random = panel(figure, HALVES).lines[:2]
    assert (model.get_color(), random.get_color()) == (BLUE, GRAY)
    assert "random weights 25 %" in " ".join(figure.get_suptitle().split())


def test_found_texts_are_those_of_mean_pooling_by_layer(table: pd.DataFrame):
    figure, _ = drawn(table)
    one, other = panel(figure, HALVES).lines[:2]
    assert list(one.get_ydata()) == [0.5] * 3
    assert list(other.get_ydata()) == [0.25] * 2


def test_paired_differences_are_of_the_last_common_layer(table: pd.DataFrame):
    figure, text = drawn(table)
    ax = panel(figure, "Consistency of sentence differences")
    points = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert list(points[0].get_xdata())[0] == pytest.approx(0.25)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["warm-cold", "funny-sad"]
    assert ax.get_xlabel() == "one less two, layer 1"
    sentences = text.split("## Sentences")[1].partition("## ")[0]
    assert "0.25 [0.15, 0.45]" in sentences
    assert {line.split("|")[2].strip() for line in sentences.splitlines() if "-cold" in line} == {
        "1"
    }


def test_models_of_other_depths_are_compared_and_drawn_at_their_own_layers(table: pd.DataFrame):
    """The first has layers 0, 2 and 4 where the other has 0, 1 and 2."""
    layered = table["noun"].isin(["search", "differences"])
    values = table["other_model_value"].mask(layered, 0.25)
    deep = table.assign(at=table["at"].mask(layered, table["at"] * 2), other_model_value=values)
    deep["difference"] = deep["model_value"] - deep["other_model_value"]
    bounds = deep["difference_low"].mask(layered, 0.1), deep["difference_high"].mask(layered, 0.4)
    deep = deep.assign(difference_low=bounds[0], difference_high=bounds[1])
    deep["n_paired"] = deep["n_paired"].mask(layered, 14)
    figure, text = drawn(deep)
    said = panel(figure, "Consistency of sentence differences").get_xlabel()
    assert said == "one less two, layers 4 and 2"
    one, other = panel(figure, HALVES).lines[:2]
    assert list(one.get_xdata()) == [0, 2, 4]
    assert list(other.get_xdata()) == [0, 1, 2]
    (line,) = [line for line in text.splitlines() if "warm-cold" in line]
    assert [cell.strip() for cell in line.split("|")][2:4] == ["4", "2"]


def test_the_title_says_what_either_model_finds(table: pd.DataFrame):
    figure, _ = drawn(table)
    assert " ".join(figure.get_suptitle().split()) == (
        "The last layer of one finds the other half of 50 % of texts, two 25 %; consistency is "
        "higher in some categories (b)"
    )
    assert any("14 pairs" in " ".join(text.get_text().split()) for text in figure.texts)
    figure, _ = drawn(table[table["noun"] != "search"])
    assert " ".join(figure.get_suptitle().split()) == (
        "Half of the variance of token embeddings lies in 1 direction in one"
    )


def test_shares_of_other_texts_are_not_compared(table: pd.DataFrame):
    """One model has read fewer texts, among which the right one is found more often."""
    is_search = table["noun"] == "search"
    figure, _ = drawn(table.assign(no_bounds=np.where(is_search, paired_bounds.OTHER_UNITS, None)))
    assert "other half" not in figure.get_suptitle()
    assert HALVES not in [ax.get_title("left") for ax in figure.axes]


def test_other_measures_have_their_bounds_at_the_last_common_layer(table: pd.DataFrame):
    _, text = drawn(table)
    search = text.split("## Search")[1].partition("## ")[0]
    (line,) = [line for line in search.splitlines() if "as is" in line]
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[1:5] == ["texts / mean / as is", "1", "1", "recall at 1"]
    assert cells[-2] == "14"
    assert "0.25 [0.15, 0.45]" in line


def test_without_common_sentences_there_is_no_panel(table: pd.DataFrame):
    others = table[table["noun"] != "differences"]
    figure, text = drawn(others)
    assert_words_fit(figure)
    assert "Consistency of sentence differences" not in [ax.get_title("left") for ax in figure.axes]
    assert "None." in text.split("## Sentences")[1].partition("## ")[0]


def test_the_subtitle_counts_the_categories_in_which_a_model_is_ahead(table: pd.DataFrame):
    is_sad = (table["group"] == "mean / funny-sad") & table["difference"].notna()
    behind = {"difference_low": -0.4, "difference_high": -0.1}
    mixed = table.assign(**{end: table[end].mask(is_sad, at) for end, at in behind.items()})
    figure, _ = drawn(mixed)
    assert "in consistency each leads in some categories (b)" in " ".join(
        figure.get_suptitle().split()
    )
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "14 pairs, 95 % each: 1 ahead, 1 behind of 2" in words


def test_letters_are_those_of_the_panels_that_there_are(table: pd.DataFrame):
    """Senses have no panel, so that consistency is the second and CKA the third."""
    figure, _ = drawn(table, test_alignment.table())
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "b: mean cosine of a category's differences" in words
    assert "c: at the last layers" in words
    assert figure.get_suptitle().rstrip().endswith("categories (b)")
    labels = [line.get_label() for line in panel(figure, HALVES).lines]
    assert "a: by chance, 7.1 %" in labels
    figure, _ = drawn(table[table["noun"] != "differences"])
    assert "by chance, 7.1 %" in [line.get_label() for line in panel(figure, HALVES).lines]


def test_where_no_category_decides_neither_model_surely_leads(table: pd.DataFrame):
    is_sure = table["group"].str.startswith("mean / ") & table["difference"].notna()
    unsure = table.assign(difference_low=table["difference_low"].mask(is_sure, -0.1))
    title = " ".join(drawn(unsure)[0].get_suptitle().split())
    assert title.endswith("; in consistency neither surely leads (b)")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.3, ", and senses of homonyms more often, too (b)"),
        (-0.3, -0.1, ", but senses of homonyms less often (b)"),
        (-0.1, 0.1, ""),
    ],
)
def test_the_title_says_who_surely_tells_senses_better(
    monkeypatch: pytest.MonkeyPatch, low: float, high: float, said: str
):
    last = pd.DataFrame({"difference_low": [0.1, low], "difference_high": [0.2, high]})
    monkeypatch.setattr(measures, "_senses", lambda table: table)
    assert measures._senses_said(last, {measures.HOMONYMS: "b"}) == said
